"""What a secret looks like: data tables for `redact`.

Every pattern here is linear on any input: it starts at a literal or behind a left boundary, so that it cannot restart
inside its own run, and everything before a part that may fail has a bounded length (capture.md section 5).
`Form.gates` are lower-case literals of which the lower-cased text must hold one; they are there for speed only.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re

from ..plain import dataclass
from .lazy import lazy

_WORD = r"A-Za-z0-9_-"


@dataclass(frozen=True)
class Form:
    """One shape: `pattern`'s group `v` (or the whole match without one) is the secret, `label` names the mask."""

    label: str
    gates: tuple[str, ...]
    pattern: re.Pattern[str]


def _token(label: str, prefix: str, chars: str, least: int, most: str = "", *, gate: str = "") -> Form:
    """A vendor's token: prefix and a run of `chars`, or the host's own shortened form of it (`sk-pro...abcd`).

    The shortened form is masked alike so that a row has one fingerprint, whether the host has masked it or not.
    """
    body = rf"(?<![A-Za-z0-9])(?:{prefix})(?:[{chars}]{{{least},{most}}}|[{chars}]{{0,8}}\.\.\.[{chars}]{{2,6}})"
    return Form(label, tuple((gate or prefix.replace("\\", "").lower()).split("|")), lazy(body))


def _mixed_token(prefix: str, least: int, *, gate: str) -> Form:
    """A prefix that may begin a name as well: only with a long run of letters and digits, both in it."""
    body = rf"(?<![A-Za-z0-9])(?:{prefix})(?=[A-Za-z]{{0,24}}\d)(?=\d{{0,24}}[A-Za-z])[A-Za-z0-9]{{{least},}}(?![A-Za-z0-9])"
    return Form("token", tuple(gate.split("|")), lazy(body))


def _exact(label: str, pattern: str, *gates: str) -> Form:
    return Form(label, gates, lazy(pattern))


TOKENS: tuple[Form, ...] = (
    # HR3, HR6-HR13, then vendors of later years.
    _exact("jwt", rf"(?<![{_WORD}])eyJ[{_WORD}]{{6,}}+\.[{_WORD}]{{6,}}+(?:\.[{_WORD}]{{4,}}+)?", "eyj"),
    _token("key", "sk-", _WORD, 8),
    _token("stripe", "(?:sk|rk)_(?:live|test)_|whsec_", "A-Za-z0-9", 8, gate="_live_|_test_|whsec_"),
    _token("aws", "(?:AKIA|ASIA|ABIA|ACCA)", "A-Z0-9", 12, gate="akia|asia|abia|acca"),
    _token("github", "gh[pousr]_", "A-Za-z0-9", 8, gate="ghp_|gho_|ghu_|ghs_|ghr_"),
    _token("github", "github_pat_", "A-Za-z0-9_", 16),
    _token("gitlab", "gl(?:pat|rt|rtr|ptt|dt|cbt|ft|soat|oas|agent|imt|ffct)-", "." + _WORD, 8, gate="gl"),
    _token("slack", r"xox[a-z]-(?:\d-)?|xapp-\d-", "A-Za-z0-9-", 6, gate="xox|xapp-"),
    _exact(
        "slack",
        r"hooks\.slack(?:-gov)?\.com\.?(?::\d{1,5})?/(?P<v>[^\s\"'<>`()\[\]]{5,512}[^\s\"'<>`()\[\].,;:!?])",
        "hooks.slack",
    ),
    _token("google", "AIza", _WORD, 30),
    _token("google", "GOCSPX-", _WORD, 16),
    _token("google", r"ya29\.", "." + _WORD, 20),
    _token("token", "hf_", "A-Za-z0-9", 8),
    _token("token", "npm_", "A-Za-z0-9", 8),
    _token("token", "pypi-", _WORD, 12),
    _token("token", "do[opr]_v1_", "A-Za-z0-9", 8, gate="_v1_"),
    _token("token", "shp(?:at|ca|pa|ss|tka)_", "A-Za-z0-9", 8, gate="shp"),
    _token("token", r"SG\.", "." + _WORD, 16),
    _exact("token", rf"(?<![{_WORD}])\d{{8,10}}:[{_WORD}]{{35}}(?![{_WORD}])", ":"),
    _token("token", r"ATATT3|ATCTT3|ATBB", "A-Za-z0-9_=-", 16, gate="atatt3|atctt3|atbb"),
    _token("token", "dapi", "0-9a-f", 32),
    _token("token", "gsk_", "A-Za-z0-9", 16),
    _token("token", "xai-", "A-Za-z0-9", 16),
    _token("token", "pplx-", "A-Za-z0-9", 16),
    _token("token", "tvly-", _WORD, 12),
    _token("token", "r8_", "A-Za-z0-9", 20),
    _token("token", "nvapi-", _WORD, 20),
    _token("token", "sntry[us]_", "A-Za-z0-9_=+/-", 20, gate="sntry"),
    _token("token", "lin_(?:api|oauth)_", "A-Za-z0-9", 16, gate="lin_"),
    _token("token", "ntn_", "A-Za-z0-9", 20),
    _token("token", "secret_", "A-Za-z0-9", 32),
    _token("token", "fig[dou]_", _WORD, 16, gate="figd_|figo_|figu_"),
    _token("token", "gl(?:sa|c)_", "A-Za-z0-9_=+/-", 16, gate="glsa_|glc_"),
    _token("token", r"hv[sbr]\.", _WORD, 16, gate="hvs.|hvb.|hvr."),
    _token("token", "dckr_(?:pat|oat)_", _WORD, 16, gate="dckr_"),
    _token("token", "tskey-", _WORD, 12),
    _token("token", "sbp_", "0-9a-f", 20),
    _token("token", "pscale_(?:tkn|pw|oauth)_", "." + _WORD, 16, gate="pscale_"),
    _token("token", "pul-", "0-9a-f", 32),
    _token("token", "rubygems_", "0-9a-f", 20),
    _token("token", "NRAK-", "A-Z0-9", 20),
    _token("token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.", "." + _WORD, 16, gate="dp."),
    _token("token", "sq0(?:atp|csp|idp)-", _WORD, 16, gate="sq0"),
    _token("token", "EAA[A-Z]", "A-Za-z0-9", 40, gate="eaa"),
    _token("token", "ops_eyJ", "A-Za-z0-9+/=_-", 40, gate="ops_eyj"),
    _token("token", "PMAK-", "0-9a-f-", 40),
    _token("token", "key-", "0-9a-f", 32, "32"),
    _token("token", "AKID|LTAI", "A-Za-z0-9", 13, gate="akid|ltai"),
    _token("token", "SK", "0-9a-f", 32, "32", gate="sk"),
    _token("token", "phx_|phs_", "A-Za-z0-9", 20, gate="phx_|phs_"),
    _token("token", "AGE-SECRET-KEY-1", "A-Z0-9", 20),
    _exact("token", r"(?<![\w-])[A-Z][\w-]{22,27}\.[\w-]{6,7}\.[\w-]{25,45}(?![\w-])", "."),
    _exact("token", r"discord(?:app)?\.com/(?P<v>api/webhooks/\d{5,25}/[\w-]{20,})", "/webhooks/"),
    _exact("token", r"\.webhook\.office\.com/(?P<v>webhookb2/[\w@/-]{20,})", "webhook.office"),
    _exact("token", r"api\.telegram\.org/bot(?P<v>\d{6,12}:[\w-]{20,})", "api.telegram.org"),
    # Weak prefixes: a run without separators and with a digit in it is no word.
    _mixed_token("sk_", 16, gate="sk_"),
    _mixed_token(
        "rnd_|nfp_|vc[pka]_|bku[a-z]_|sgp_|rdme_|pnu_|aio_|ion_|fal_|exa_|syt_|mem0_|am_(?:org_)?|fpk_|fw[_-]|brv_|hsk-|retaindb_",
        20,
        gate="rnd_|nfp_|vcp_|vck_|vca_|bku|sgp_|rdme_|pnu_|aio_|ion_|fal_|exa_|syt_|mem0_|am_|fpk_|fw_|fw-|brv_|hsk-|retaindb_",
    ),
    _mixed_token("fc-|ico-", 24, gate="fc-|ico-"),
    _mixed_token("EZ[AT]K", 40, gate="ezak|eztk"),
    _token(
        "token",
        "lsv2_(?:pt|sk)_|CCIPAT_|CFPAT-|HRKU-|polar_(?:oat|pat|whs)_|duffel_(?:live|test)_|fo1_|fm[12]_|x(?:key|smtp)sib-",
        _WORD,
        16,
        gate="lsv2_|ccipat_|cfpat-|hrku-|polar_|duffel_|fo1_|fm1_|fm2_|xkeysib-|xsmtpsib-",
    ),
    _token("token", "FLWSECK(?:_TEST)?-", _WORD, 16, gate="flwseck"),
    _token("token", r"dt0[a-z]\d\d\.", "A-Z0-9.", 24, gate="dt0"),
    _token("token", r"v1\.0-[0-9a-f]{24}-", "0-9a-f", 40, gate="v1.0-"),
    _token("token", "tfp_", _WORD, 40),
    _exact(
        "token", r"(?<![A-Za-z0-9])re_(?=[A-Za-z]{0,7}\d|\w{8}_[A-Za-z]{0,20}\d)[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}", "re_"
    ),
    _exact("token", r"(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![A-Za-z0-9])", "pat"),
    _exact("token", r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}", ".atlasv1."),
    _exact("token", r"(?<![A-Za-z0-9])[\w.~-]{3}\dQ~[\w.~-]{31,34}", "q~"),
    # Product-specific keys in the common `name_live_...` style.
    _exact(
        "key",
        r"(?<![A-Za-z0-9])[a-z][a-z0-9]{1,20}_(?:live|prod)_(?=[a-z]{0,20}\d)[A-Za-z0-9]{6,}",
        "_live_",
        "_prod_",
    ),
)

LINKS: tuple[Form, ...] = (
    # HR2: the password of a URL, credential-named parameters, links whose path is itself the secret.
    _exact("url", r"(?<=[A-Za-z0-9])://[^\s:/?#@\"'<>]{0,128}:(?P<v>[^\s/\"'<>\[]{1,256})@(?=[\w.\[-])", "://"),
    # A password of a database as it was made, with slashes in it; `:5432/` is a port.
    _exact(
        "url",
        r"(?<=sql|.db|srv|dis|iss|mqp|qps|res)(?:\+\w{1,20})?://[^\s:/?#@\"'<>]{0,128}:(?!\d{1,5}/)(?P<v>[^\s\"'<>\[]{1,256})@(?=[\w.\[-])",
        "://",
    ),
    Form(
        "url",
        ("?", "&"),
        lazy(
            r"[?&;](?:[a-z0-9_.-]{0,24}(?:token|secret|password|passwd|pwd|api_?key|access_?key|auth_?key)"
            r"|key|sig|signature|auth|x-amz-signature|x-amz-credential|sas)=(?P<v>[^\s&#\"'<>\[]{3,4096})",
            re.IGNORECASE,
        ),
    ),
    Form(
        "url",
        ("/secret",),
        lazy(r"(?<=/)secrets?/(?P<v>(?=[\w-]{0,64}\d)[\w-]{5,128})(?![\w/-])", re.IGNORECASE),
    ),
)

HEADERS: tuple[Form, ...] = (
    # HR4, HR5, HR14: only the credential goes, the rest of the command line stays.
    Form(
        "authorization",
        ("authorization",),
        lazy(
            r"authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:(?:basic|bearer|token|digest|apikey|negotiate|bot)\s{1,3})?+"
            r"(?P<v>[A-Za-z0-9._~+/=:-]{6,})",
            re.IGNORECASE,
        ),
    ),
    Form(
        "access",
        ("bearer",),
        lazy(
            r"(?<![A-Za-z0-9])bearer[ \t]{1,3}(?!(?:authenticat(?:ion|ed)|authori[sz](?:ation|ed)|credentials?|callables?|requests?|provider|challenge|security|protected|required|expected)\b)(?P<v>[A-Za-z0-9._~+/=-]{8,})",
            re.IGNORECASE,
        ),
    ),
    Form(
        "header",
        ("x-", "api-key", "private-token"),
        lazy(
            r"(?<![A-Za-z0-9])(?:x-[a-z-]{0,30}(?:key|token|secret|auth|signature)|api-key|private-token|job-token)"
            r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<v>[^\s\"',;\[]{4,})",
            re.IGNORECASE,
        ),
    ),
    Form(
        "header",
        ("cookie",),
        lazy(
            r"(?<![A-Za-z0-9])(?:set-)?cookie[\"']?\s{0,3}:\s{0,3}[\"']?(?P<v>(?=[\w.-]{1,64}=)[^\"'\n\[]{4,})",
            re.I,
        ),
    ),
)

COMMANDS: tuple[Form, ...] = (
    Form(
        "credential",
        ("curl",),
        lazy(r"\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"'\[]{1,64}:(?P<v>[^\s\"'\[]{1,128})"),
    ),
    Form(
        "header",
        ("curl",),
        lazy(r"\bcurl\b[^\n]{0,200}?\s(?:-b|--cookie)[ =]?[\"']?[\w.-]{1,64}=(?P<v>[^\s\"';\[]{6,4096})"),
    ),
    Form(
        "credential",
        ("mysql", "mariadb"),
        lazy(r"\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,200}?\s-p(?P<v>[^\s\"'\[-][^\s\"']{1,128})"),
    ),
    Form(
        "credential",
        ("docker", "podman", "helm"),
        lazy(
            r"\b(?:docker|podman|helm)\b[^\n]{0,40}?\blogin\b[^\n]{0,200}?\s-p[ =]?[\"']?(?P<v>[^\s\"'\[-][^\s\"'\[]{0,128})"
        ),
    ),
    Form(
        "credential",
        ("sudo",),
        lazy(
            r"\becho\s{1,3}(?:-n\s{1,3})?[\"']?(?P<v>[^\s\"'|\[$]{3,128})[\"']?\s{0,3}\|\s{0,3}sudo\s{1,3}-[a-zA-Z]{0,3}S"
        ),
    ),
    Form(
        "credential",
        ("net user",),
        lazy(r"\bnet user\s{1,3}[\w.@\\-]{1,64}\s{1,3}(?P<v>[^\s/*\[][^\s\[]{2,128})", re.IGNORECASE),
    ),
    Form(
        "credential",
        ("openssl",),
        lazy(r"\bopenssl\b[^\n]{0,200}?\s-k\s{1,3}[\"']?(?P<v>[^\s\"'\[-][^\s\"'\[]{0,128})"),
    ),
    Form(
        "credential",
        ("http",),
        lazy(r"\bhttps?\s[^\n]{0,80}?(?:-a|--auth)[ =][\"']?[\w.@-]{1,64}:(?P<v>[^\s\"'\[]{1,128})"),
    ),
    Form(
        "credential",
        ("smbclient", "rpcclient", "mount"),
        lazy(
            r"\b(?:smbclient|rpcclient|mount)\b[^\n]{0,200}?\s-U\s{0,3}[\"']?[\w.@\\-]{1,64}%(?P<v>[^\s\"'\[]{1,128})"
        ),
    ),
    Form("credential", ("sshpass",), lazy(r"\bsshpass\s{1,3}-p\s{0,3}[\"']?(?P<v>[^\s\"'\[]{1,128})")),
    Form(
        "credential",
        ("redis-cli",),
        lazy(r"\bredis-cli\b[^\n]{0,200}?\s-a\s{1,3}[\"']?(?P<v>[^\s\"'\[]{1,128})"),
    ),
)

# The last words of a key whose value is a secret (HR15), in the languages of B056.
PASSWORD_WORDS = (
    r"passw(?:or)?d|passwort|kennwort|pwd|(?<![A-Za-z])pw|pass[ _-]?phrase|passcode|(?:db|user|admin|root|mysql|postgres|pg|smtp|mail|ftp|ssh|redis|http|basic|auth|proxy|api|app|ldap|wifi|login|sudo)[_.-]?pass(?![A-Za-z])|contrase[nñ]a|senha|palavra-passe|mot de passe|(?<![A-Za-z])mdp|parola d['’]ordine|wachtwoord|hasł[oa]|"
    r"парол(?:ь|я|ем)|密码|密碼|口令|パスワード|暗証番号|비밀번호|비번|암호"
)
KEY_WORDS = (
    r"api[ _.-]?key|api[ _-]?schl[uü]ssel|token|secret|credential|private[ _.-]?key|access[ _.-]?key(?:[ _-]?id)?|"
    r"secret[_-]key[_-]base|(?:account|signing|encryption|master|shared|auth|secret|deploy|license|storage)[ _.-]?key|secret[ _-]?id|bearer|"
    r"(?<![A-Za-z])clave|(?<![A-Za-z])chave|密钥|密鑰|令牌|私钥|API ?キー"
)
# One of these must be in the lower-cased text before any assignment or sentence rule is tried.
KEY_GATES = (
    "pass", "pwd", "pw", "kennwort", "contrase", "senha", "wachtwoord", "парол", "密码", "密碼", "口令", "パスワード",
    "暗証", "비밀번호", "비번", "암호", "mdp", "hasł", "parola d", "clave", "chave", "key", "schl", "token", "secret", "credential", "bearer", "密钥", "密鑰", "令牌", "私钥", "キー",
)  # fmt: skip

LOGIN_GATES = (
    "credential", "creds", "login", "log-in", "log in", "log on", "logged", "logging", "sign", "daten", "identifiant", "credencia", "credenzia",
    "inloggegevens", "authenticate", "connect",
)  # fmt: skip
# The halves of a pair when they are named instead of given: `email / password`.
PAIR_NAMES = frozenset(
    "user username email mail e-mail name login id password passwort pass pw pwd key token role type scope host url secret phone".split()
)

# What stands after a key word and speaks about the thing instead of being it (HD3).
STATE_WORDS = frozenset(
    """bearer basic oauth see ask check look refer kept a about active all already also always an and any apparently are as at available bad based be because been being
    better blank blocked broken by cached case changed changing compromised configured correct created currently
    deleted denied different disabled done easy empty enabled encoded encrypted enforced enough error exactly expired
    expires expiring exposed failed false fine for forbidden forgotten found from generated given good gone hard hashed
    here hidden if ignored in incorrect inside int integer invalid irrelevant issued it just kept leaked like limited
    located lost malformed managed mandatory mine missing mismatch never new no none not now null number obsolete of
    off ok okay old on only optional or our out outdated part password-protected passed pending probably protected
    provided public random read-only really refreshed refused rejected removed required reset returned revoked right
    rotated safe same saved secret secure sensitive sent set shared short simple so still stored str string bytes bool boolean dict list tuple object callable void mapping strong
    stuff text that the there they this to too true type unavailable undefined unknown unset unused updated used
    useless useful valid very was weak what when where which why with working wrong yes you your yours
    abgelaufen falsch richtig nicht im in caducada incorrecta la el en no incorrecto expirado expirada incorrecte expiré
    dans pas errada inválida não na no
    abgelehnt fehlt ungültig vergessen notwendig erforderlich sicher unsicher schwach leer geheim gleich zu noch schon
    obligatoria obligatorio inválida débil segura vacía muy demasiado necesaria igual olvidada
    obligatoire invalide valide oublié perdu trop faible vide expirée requis nécessaire toujours sécurisé
    obrigatória vazia fraca muito segura necessária esquecida
    scaduta scaduto sbagliata errata obbligatoria vuota debole troppo molto sicura necessaria dimenticata valida
    verlopen verplicht onjuist fout verkeerd vergeten leeg zwak te nog vereist nodig niet goed
    неверный истёк истек забыт обязателен пустой слабый не это jest niepoprawne wygasło puste""".split()
)
