"""Rules about how things are to be done, by when, and what has turned out otherwise: norms, plans, corrections.

What tells a standing rule from a request for now is its object: a rule speaks of a sort of thing (`commit messages`,
`main`), a request of the one at hand (`the header`, `that file now`).

Decided here: `I meant Vienna, not Graz` is kept when both sides are names, numbers or dates, because together with the
older entry it says what was wrong; `I meant the second one, not the first` says nothing outside its talk.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re

from .lazy import lazy
from .patterns import ENDEAVOUR, HEAD, PASSING
from .rule import Rule, rule

_IMPERATIVE = (
    r"(?:please |always |never |just |also |make sure (?:to|you|that)\b|(?:you )?(?:should|must) (?:not |always |never )?|(?:do not|don't) (?:ever )?)*"
    r"(?:use|keep|write|give|answer|reply|respond|add|put|include|show|explain|make|send|ask|check|run|start|end|begin|prefer|avoid|skip|format|list|cite|quote|limit|assume|wrap|prefix|name|call|treat|translate|"
    r"summari[sz]e|tell|stick|follow|remember|mention|state|leave|be|stop|stay|open|create|provide|offer|return|default|say|speak|wait|confirm|remind|spell|double-check|verify|test|lint|bump|update|squash|rebase|tag|"
    r"sign|log|document|ping|cc|copy|round|convert|switch|present|break|split|number|sort|highlight|do|go|think|suggest|consider|refer|address|note|link|commit|push|have|let|propose|draft|structure|describe|warn|apologi[sz]e|insert|append|replace|set|choose|pick|bring|focus|turn|reformat|rewrite|rename|refactor|fix|review|simplify|extract|calculate|search|look)\b"
)
# The matter in hand, as the object of a verb.
_AT_HAND = r"(?!(?:the|this|that|these|those|it|them|they|him|her|me|my|your|here|there|anything|something|everything|so|too|yet|just|any ?more|again|now|what|how|up|out|off|one|both|all of)\b)"
_ONCE = r"(?![^?]*\b(?:now|yet|for now|right away|this (?:time|one|file|function|test|line|part|class|branch|pr|commit|message|week|step|task)|that (?:file|one|function|test|line|part|class|branch|step|task)|here|there|today|tonight|tomorrow|until i|till i|above|below|again|for the moment)\b)"
_DATE = (
    r"(?:the )?(?:(?:end|start|beginning|middle) of |mid[- ]|early |late |next |this coming )?(?:the )?"
    r"(?:\d{1,2}(?:st|nd|rd|th|\.)|\d{1,2}[./-]\d|\d{4}|\d{1,2} (?=[a-z])|(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|q[1-4]|month|quarter|year|spring|summer|autumn|fall|winter|easter|christmas|noon|midnight)\b"
)
# Sorts of things that projects are made of, named as a sort: no article, or one that means all of them.
_SORT = (
    r"(?:(?:all|every|each|any|no|new|public|private|internal|our|your|my|the) ){0,2}(?:(?!(?:this|that|these|those|it|the|a|an)\b)[\w'+#/.-]+ ){0,2}?"
    r"(?:(?:commit|log|error|pull request|merge|status|chat|slack|release|debug|exception) (?:messages?|titles?|notes|descriptions?)|commits?|branch(?:es)?(?: names?)?|pull requests?|merge requests?|prs?|mrs|"
    r"(?:unit|integration|e2e|end-to-end|snapshot|regression|new|all|every|our|slow) tests?|tests|functions|methods|classes|modules|variables?(?: names)?|constants|(?:function|method|class|file|test|table|column|package|module|endpoint) names|identifiers|"
    r"doc ?strings?|(?:code )?comments|docs|documentation|(?:db |database )?migrations?|endpoints|routes|apis|logs|filenames?|file names|files|folders|directories|config(?:s|uration)?(?: files)?|secrets|credentials|releases?|tags|versions|dependencies|imports|"
    r"queries|tables|columns|index(?:es|ices)|titles|headings|labels|button texts?|ui texts?|strings|changelog(?: entries)?|invoices|e-?mails|newsletters|answers|replies|responses|reports|slides|presentations|dates|times|timestamps|amounts|prices|currencies|numbers|units|indentation|lines|line length|"
    r"code|components|hooks|props|css|styles|types|interfaces|enums|structs|errors|exceptions|features|bugs|tickets|issues|stories|estimates|deploys?|deployments?|backups?|builds|images|containers|environments|meetings|stand-?ups|reviews|code reviews|hotfixes|pages|translations|fixtures|mocks|scripts|notebooks|packages|libraries|services|requests|jobs|workflows|pipelines|assets|icons|screenshots|snippets|examples|recipes|todos|warnings)"
)
_MUST = r"(?:should|must|shall|ought to|(?:has|have|needs?) to|may|can|cannot|can't|mustn't|shouldn't|are to|is to|are supposed to|will always|always|never)(?: (?:not|never|always|only|all|both|also|at least))*"
_WE_WORK = r"(?:deploy|run|build|test|release|start|install|lint|format|publish|ship|serve|develop|debug|migrate|seed|set up|bootstrap|regenerate|generate|compile|package|reset|log in|connect|sign in|get access|access|restart|roll back|rollback|update|upgrade|add|create|open|book|request|report|contribute|bump|tag|check|join|stop|clean|back up|restore|sync|import|export|use)"
_NAMED = r"(?-i:(?!I\b|It\b|This\b|That\b|There\b|These\b|Those\b|He\b|She\b|They\b|What\b|Who\b|Which\b|You\b|If\b|So\b|Somebody\b|Nobody\b|Everyone\b|Nothing\b|Something\b)[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)"
_THE_THING = rf"(?:{_NAMED}|(?:my|our) (?:[\w'&/.-]+ ){{0,3}}?[\w'&/.-]+|(?:the )?(?:[\w'&/.-]+ ){{0,2}}?{HEAD})"
_SIDE = r"(?-i:(?:the |on |at |in |from )?(?:[A-Z0-9][\w.'+#/-]*|\d[\w.:-]*)(?: (?:[A-Z0-9][\w.'+#/-]*|of|de|in)){0,4})"

NORMS: tuple[Rule, ...] = (
    # Plans with a day to them.
    rule("fact", 0.65, rf"(?:the |our |my |this )?(?:(?!(?:i|it|you|he|she|they|this|that|we)\b)[\w'&/.-]+ ){{1,4}}?(?:has|have|needs?|must|should|is|are)(?: got)? (?:to |supposed to |due to )?(?:be |go )?(?:out|live|ready|done|finished|shipped|delivered|in|submitted|completed?|released|deployed|signed|handed in|paid|filed|published|due)(?: (?:again|at the latest))? (?:by|on|before|until|no later than|in|at the latest on) {_DATE}"),
    rule("fact", 0.65, rf"(?:(?:the|our|my) )?(?:[\w'&/.-]+ ){{0,3}}?(?:{HEAD}|kick-?off|workshop|exam|trip|conference|migration|roll-?out|hearing|interview|party|course)(?: (?:for|of) (?:[\w'&/.-]+ ?){{1,3}}?)? (?:(?:has |have )?(?:just |now )?(?:got|been|was|were|is|are|gets) ?(?:been |now |being )?)?(?:pushed|moved|postponed|delayed|shifted|rescheduled|brought forward|extended|cancell?ed|renamed|replaced|slipped|changed|put off|set)(?: (?:back|out|up|forward|again))? (?:to|until|till|by|from|on|for|into) (?!me\b|you\b|us\b|this\b|that\b|the (?:right|left|top|bottom)\b)\S"),
    rule("fact", 0.65, rf"(?:(?:the|our|my) )?(?:[\w'&/.-]+ ){{0,3}}?{HEAD} (?:has |have |was |got |is )?(?:moved|changed|shifted|slipped|cancell?ed|postponed|delayed)\s?[:;,–-]{{1,2}} ?(?:it's|it is|now|to|they're|we're)\b"),
    rule("fact", 0.6, r"(?:the |our )?(?:feature |code )?(?:freeze|deadline|due date|release|launch|demo|go-live|cut-?off|kick-?off|retro|sprint|exam|wedding|flight|appointment)s? (?:is |are |'s )?(?:due |now |still |always |planned |scheduled |set )?(?:in|on|at|by|for) " + rf"{_DATE}"),
    # When a sort of thing is done, so is another.
    rule("instruction", 0.85, rf"(?:please )?(?:by default|whenever|every time|each time|any time|anytime|always when) (?:i|you|we|someone|anyone|there(?:'s| is| are)|a|an) ?[^,?]{{2,120}}, {_IMPERATIVE}"),
    rule("instruction", 0.85, r"(?:please )?(?:if|when|before|after|once) (?:i|we) (?:ask|say|request|send|mention|write|type|reply|answer|paste|share|give you|upload|forward|post|quote|speak|talk|call|tag|ping|start a (?:message|line|sentence))\b" + rf"(?! (?:the|this|that|these|those|it)\b)[^,?]{{0,120}}, {_IMPERATIVE}"),
    rule("instruction", 0.85, rf"(?:please )?(?:if|when|before|after|once|while) (?:you(?:'re| are)? (?!are\b|were\b|done\b|ready\b|finished?\b|find\b|found\b|see\b|have\b|get\b|got\b|can\b|can't\b|could\b|need\b|want\b|don't\b|know\b|think\b|like\b|look\b|wish\b|notice\b|remember\b|agree\b)[a-z]+|(?:writing|reviewing|answering|replying|generating|refactoring|naming|formatting|summari[sz]ing|translating|explaining|committing|creating|adding|proposing|suggesting|coding|testing|deploying|releasing|merging|quoting|citing|estimating|calculating)) (?!(?:[a-z]+ )?(?:the|this|that|these|those|it|them|my last|my previous)\b){_ONCE}[^,?]{{1,120}}, (?:then )?{_IMPERATIVE}"),
    rule("instruction", 0.85, rf"(?:please )?(?:always )?(?:ask(?: me)?|check(?: with me)?|confirm(?: with me)?|tell me|warn me|show me [\w ]{{1,30}}|wait for my (?:ok|okay|approval|go)|run (?:all |the )?(?:tests|linter|formatter)) (?:before|when|whenever|every time|each time) (?:you(?:'re)? )?(?:ever )?(?!(?:\w+ )(?:the|this|that|these|those|it)\b){_ONCE}[a-z]+ ?\S"),
    rule("instruction", 0.85, rf"(?:please )?(?:use|keep|write|give|answer|reply|respond|add|put|include|show|format|prefer|name|call|speak|assume|cite|quote) (?!this\b|that\b|it\b|the \b){_ONCE}[^,?]{{2,100}} (?:when|whenever|every time|each time|any time|if) (?:you|we|i) (?:write|reply|answer|respond|ask|explain|show|commit|create|generate|suggest|propose|refactor|review|summari[sz]e|translate|name|quote|cite|talk|speak|send|mention|compare|list|present|describe|discuss|report|plan|estimate|calculate|paste)\b"),
    # What a sort of thing must be like.
    rule("instruction", 0.8, rf"{_SORT} {_MUST} (?!be (?:renamed|fixed|changed|removed|moved|updated|deleted|added|refactored|done|working|fine|ok|okay|enough|easy|there|here|gone|faster|better|able|ready|printed|(?:shown|displayed)(?! (?:with|without|in|as)\b)|rewritten|split|adjusted|cleaned|merged now|returned)\b)(?!(?:work|fail|compile|exist|appear|show|look|print|help|suffice|do)\b)(?!pass[.!]?$|pass now|run[.!]?$|have (?:been|worked)|need\b|get\b){_ONCE}[a-z]+ \S"),
    rule("instruction", 0.8, rf"(?:no|never any|not more than \w+) {_SORT} (?:may|can|should|must|without|on|in|after|before|over|longer|larger) \S"),
    # What is never to be done.
    rule("instruction", 0.8, rf"(?:please )?(?:don't|do not|we don't|we do not|you (?:should|must) (?:not|never)|you mustn't|you shouldn't) (?!(?:worry|forget|mind|know|understand|think|get|want|need|have|hesitate|be|see|bother|panic|do|say|remember|let|care|believe|stop|give up|like|mean|laugh|look|wait|move|go|come|try|change|touch|fix|rename|remove|tell|print|return|show|output|hurry|guess|rush|miss|lose|break|feel|include examples|dare|overthink)\b){_ONCE}(?:[a-z]+-)?[a-z]+(?: (?:to|into|on|onto|in|at|from|with|for|about|against|over|by)(?= ))? {_AT_HAND}(?!(?:an?|one) )[^?]{{2,200}}$"),
    rule("instruction", 0.8, r"(?:please )?(?:don't|do not) (?:ever )?(?:touch|change|edit|modify|mock|stub|hit|use|call|delete|drop|deploy|push|commit|merge|restart|run|rename|format|send|book|schedule|ask|contact) (?!this|that|it\b|them\b|these|those)[^?]{2,120}?\b(?:without (?:asking|checking|telling|a |an |my |tests?|review|approval|permission)|unless (?:i|you|we|asked|told|it's|there)|before (?:\d|noon|9|asking|checking)|after (?:\d|noon|6)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|on weekends|in (?:production|prod|tests|unit tests|integration tests|ci)|directly|by hand|manually)\b"),
    rule("decision", 0.75, r"let'?s (?:all |just |simply |rather |then )?(?:use|go with|switch (?:over )?to|stick with|stick to|adopt|move to|standardi[sz]e on|settle on) (?!(?:this|that|it|these|those|them|the|a|an|another|one|option|your|my|what|which|something|plan|approach|version|method|solution|both|either|all|some|two|\w+ing)\b)\S(?!.*\b(?:here|for now|this time|right now)\b)"),
    # Where things are and how they are done.
    rule("fact", 0.6, r"(?:(?:the|our|all|most) )?(?:(?:unit|integration|e2e|end-to-end|old|new|api|design|legacy|shared|generated|db|database) )?(?:tests?|specs?|docs|documentation|sources?|source code|migrations|configs?|configuration|secrets|fixtures|scripts|assets|translations|backups|logs|designs|mock-?ups|tickets|issues|recordings|notes|components|templates|schemas?|types|models|styles|packages|invoices|contracts|credentials|keys|dashboards|runbooks|adrs?|snapshots|locales) (?:all )?(?:live|lives|belong|belongs|reside|resides|go|goes|sit|sits|are kept|is kept|are stored|is stored|can be found|are tracked|is tracked|are managed|are written|is written|are generated|are in|is in|are under|is under|are at|is at) (?:(?:in|under|at|on|next to|inside|beside|with|by|from|into|to|below|within) )?(?![^?]*\battach)(?!progress\b|the way\b|a mess\b|trouble\b|place\b|the wrong\b|this\b|that\b|it\b(?!/)|order\b|sync\b|wrong\b|bad\b|well\b|through\b|away\b|missing\b|down\b|up\b)\S", bound=True),
    rule("fact", 0.6, rf"(?:in order )?to {_WE_WORK}\b(?! (?:this|that|it|these)\b)[^,?]{{0,80}}, (?:you (?:have to|need to|must|should|can)|we (?:always |usually |all )?|just |simply |please |first |always |the command is |it's |i )?\s?(?:run|use|type|call|execute|do|go|press|push|tag|merge|open|ssh|invoke|start|ask|click|write|set|source|create|edit|make|docker|npm|pnpm|yarn|cargo|git|mix|poetry|uv|just|bundle|gradle|mvn)\b (?!this\b|that\b|it\b)\S", bound=True),
    rule("fact", 0.6, r"we (?:always |usually |only |normally |mostly |all |now )?(?:run|test|lint|build|start|launch|format|deploy|ship|release|publish|check|manage|track|install|package|compile|monitor|seed|provision) (?:it|them|(?:all |the |our )?[\w'-]+(?: [\w'-]+)?) (?:with|via|using|through|on|from|in|by|every|each|once) (?!this\b|that\b|it\b|a problem|an error|no luck)\S", bound=True),
    # What the user has in use, does, and when.
    rule("preference", 0.6, r"i(?:'m| am) (?:still |now |also |mostly |mainly |currently )?(?:using|running|on) (?:(?-i:[A-Z])[\w+#/-]*|(?!(?:this|that|these|those|it|the|your|an?|my|our|his|her|their|some|one|two|line|page|step|recursion|regex(?:es)?|loops?|it|them|what|vacation|holiday|leave|mobile|top|hold|board|time|track|low|out|late|branch|main|master|call|duty|chapter|version|code|strings?|lists?|dicts?|threads?|async|inheritance|print|floats?|integers?)\b)[a-z][\w.+#/-]*)(?: (?!(?:and|but|which|that|to|because|so|right|here|at|now|then|from|it|in|however|where)\b)[\w.+#/-]+){0,4}[.!]*$"),
    rule("identity", 0.7, r"i(?:'m| am) (?:\w+ )?(?:up|out|in bed|asleep|awake|in(?: the office)?|at (?:the gym|work|school|home|church|the office|training|practice)|online|offline|away|off|available|free|busy|on call|unavailable|reachable|on (?:site|shift)|working from home|in \w+|home|around)(?: \w+){0,2}? (?:every|each|on (?:weekdays|weekends|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)|most|all day on|until \d|from \d|after \d|before \d|by \d|between \d|at \d{1,2}(?::\d\d)? ?(?:am|pm|a\.m|p\.m)?,? (?:every|each|on))\b(?! (?:time i|day this week))"),
    rule("identity", 0.7, rf"i(?:'m| am) (?:currently |now |also )?{ENDEAVOUR}"),
    # What turned out otherwise.
    rule("fact", 0.75, rf"{_THE_THING} (?:isn't|is not|aren't|are not|wasn't|weren't|doesn't|does not|don't|do not|didn't|hasn't|has|is|are|was|can|can't|won't|will|no longer|never) {PASSING}[^?]{{2,120}}\b(?:after all|any ?more|any longer)\b"),
    rule("fact", 0.75, rf"{_THE_THING} no longer {PASSING}[a-z]+ \S"),
    rule("fact", 0.75, rf"{_THE_THING} (?:isn't|is not|aren't|are not|wasn't) {_SIDE},? (?:but|it's|it is|they're|rather) (?!broken|failing|fine)\S"),
    rule("fact", 0.75, r"(?:the|our|my) (?!(?:bug|problem|issue|error|fault|cause|reason|question|point|idea|trick|mistake|goal|answer|difference|function|method|output|result|failure|root cause)\b)(?:[\w'&/.-]+ ){1,4}?(?:is|are|starts?|ends?|happens|begins|was|were|takes place|will be|lives?|works?|moved) (?:now )?[^,?]{1,60}(?: now)?,? (?:and )?(?:not|instead of|rather than) (?:on |in |at |by |to )?(?:the )?(?-i:[A-Z0-9])"),
    rule("fact", 0.6, rf"(?:actually,? )?i (?:meant|mean|should have said|meant to say) (?:to say )?{_SIDE},? (?:and )?(?:not|instead of|rather than) {_SIDE}[.!]*$"),
    rule("fact", 0.6, rf"{_NAMED} (?:is|isn't|is not) (?:\w+ )?(?:allergic to|intolerant|vegan|vegetarian|diabetic|pregnant|on (?:parental |maternity |sick )?leave|the new|our new|leaving (?:us|the)|joining|based in|moving to|in charge|responsible for|retiring|celiac|coeliac|deaf|blind|colou?r-?blind)\b(?! (?:bug|error|version|default|api|function)\b)"),
)  # fmt: skip

# A sentence that begins with a question word and is none: `When you write ..., keep ...`.
CONDITION = lazy(
    rf"(?:please )?when (?:you|i|we|\w+ing)\b[^?]{{2,200}}, (?:then )?{_IMPERATIVE}[^?]*$",
    re.IGNORECASE,
)
# How such a sentence begins: the clause behind its comma is no request that ends the statement.
OPENING = lazy(
    rf"(?:please )?(?:(?:if|when|whenever|before|after|once|while|by default|every time|each time|any time|anytime)\b[^,?]{{2,140}}|(?:in order )?to {_WE_WORK}\b[^,?]{{0,80}}),\s",
    re.IGNORECASE,
)
