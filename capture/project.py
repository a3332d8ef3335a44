"""Which statements are of the project at hand (D9): they speak of it, of a choice of its team, or of what every project
has one of.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re

from .lazy import lazy
from .patterns import ADV, DECIDED

_PROJECT = lazy(
    r"\b(?:this|the|our) (?:project|codebase|code base|repo|repository|monorepo|app|application|package|library)\b|\b(?:in|for|on) this (?:service|workspace|site)\b|\bthis (?:service|workspace)\b|(?:这个|本|该|我们的)(?:项目|仓库|代码库)|\b(?:dieses|unser) (?:projekt|repo)\b|\beste proyecto\b|\bce projet\b|\beste projeto\b",
    re.IGNORECASE,
)
_TEAM = lazy(
    rf"let'?s (?:all |just )?(?:use|go with|switch to|stick)\b|(?:we(?:'re| are|'ve| have)?|(?:the|our) (?:\w+ )?(?:team|squad|company|maintainers)(?: has| have)?) {ADV}(?:use|uses|using|{DECIDED})\b|wir (?:verwenden|nutzen|benutzen|haben)|(?:usamos|utilizamos|decidimos|acordamos)\b|(?:nous utilisons|on utilise|nous avons)\b|(?:我们|团队|咱们)(?:已经|最终|最后|现在|都)?(?:决定|使用|用|改用|采用|约定)",
    re.IGNORECASE,
)
# What there is one of in every project, said as if there were but this one: `the deadline is April 2`.
_MATTER = lazy(
    r"\W*(?:(?:actually|no|ok|also|so|update|correction|note that|remember that|nein|non|não|en fait|eigentlich)[,:]? ){0,2}(?:"
    r"(?:the|our) (?:[\w-]+ ){0,2}?(?:deadline|release|launch|demo|(?:code |feature )?freeze|sprint|milestone|kick-?off|roadmap|api|back ?end|front ?end|server|service|database|db|cluster|bucket|endpoint|domain|staging|production|prod|ci|pipeline|build|broker|queue|schema|gateway|proxy|registry|dashboard|port|branch|linter|test suite|deployment|migration)(?: (?:date|day|server|environment|port|job|runner|window))?"
    r"|(?:der|die|das|unsere?) (?:\w+ )?(?:deadline|frist|release|veröffentlichung|launch|demo|abgabe(?:termin)?|abnahme|api|schnittstelle|backend|frontend|server|dienst|datenbank|cluster|pipeline|staging|produktion|meilenstein|hauptbranch|port)"
    r"|(?:la |le |l'|notre )(?:date limite|échéance|version|sortie|mise en production|démo|livraison|api|serveur|service|base de données|jalon|branche principale|préproduction|production|port)"
    r"|(?:el|la|nuestr[oa]) (?:fecha límite|entrega|lanzamiento|versión|demo|api|servidor|servicio|base de datos|hito|rama principal|producción|puerto)"
    r"|(?:[oa] (?:noss[oa] )?|noss[oa] )(?:prazo|entrega|lançamento|versão|demo|api|servidor|serviço|banco de dados|base de dados|produção|porta)"
    r"|(?:staging|production|prod|ci)(?= (?:is|runs|lives|uses|listens|moved|was|server|port|database)))(?![\w'-])|\W*(?:我们的?|本)?(?:截止|上线|发布|交付|服务器|接口|数据库|端口|里程碑|演示)|\W*(?:締め?切り?|リリース|納期|サーバー?|データベース|ポート|デモ)",
    re.IGNORECASE,
)


def of_project(content: str) -> bool:
    """Whether a statement belongs to the project it was said in; all others hold everywhere."""
    if _PROJECT.search(content) or _TEAM.search(content) or _MATTER.match(content):
        return True
    from ..likeness import read

    slot = read(content).slot  # `our database is X` says what `we use X` says
    return slot is not None and slot.name.startswith("we use:")


__all__ = ["of_project"]
