"""Which sentences state something durable: data tables for `facts`.

A rule matches at the start of a clause.  Salience (0-1) follows kind and explicitness (CD30):

| what | kind | salience |
|---|---|---|
| asked to be remembered | fact | 0.9 |
| standing instruction, prohibition | instruction | 0.85 |
| who the user is | identity | 0.75 |
| a choice of the team | decision | 0.75 |
| a taste or habit | preference | 0.7 |
| facts of project, work, things, people | fact | 0.6 |
| a note in passing | fact | 0.5 |
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re
from dataclasses import dataclass

_ADV = (
    r"(?:(?:really|also|still|just|only|always|usually|generally|typically|often|mostly|mainly|primarily|currently|now|actually|personally|strongly|"
    r"absolutely|definitely|especially|particularly|rarely|seldom|hardly|never|sometimes|kinda|basically|truly|much|simply|genuinely|normally|regularly|"
    r"frequently|occasionally|exclusively|recently|all|already|no longer|both|very|highly|extremely|quite|not|deeply|severely|long|ever|intensely|greatly|"
    r"thoroughly|firmly|then|finally|temporarily|permanently|even|(?!only\b|reply\b|apply\b|rely\b|fly\b|supply\b)\w{3,12}ly) ){0,3}"
)
# Objects that point at the matter in hand instead of naming something.
_HERE = (
    r"(?!(?:this|that|these|those|it|them|you|your|how \w+ (?:this|that|it|you)|neither|none|nothing|either|what you|how (?:you|this|that|it)|all of (?:this|that|these|those|them)|"
    r"one of (?:these|those|them)|where (?:this|you)|the (?:idea|plan|approach|way|look|sound|first|second|third|last|latter|former|new|current|above|"
    r"previous|latest|result|output|answer|suggestion|change|option|other|same|wrong)\b)\b"
    r"(?! (?:project|codebase|repo|repository|team|company|city|when|if)\b))"
)
_TASTE = (
    r"(?:prefer|like|love|enjoy|hate|dislike|loathe|detest|despise|adore|favou?r|avoid|appreciate (?!the\b|it\b|your?\b|having|that\b|this\b|everything|all\b)|value|dread|resent|cherish|struggle with|"
    r"can't stand|cannot stand|can't tolerate|cannot tolerate|can't bear|cannot bear|can't eat|cannot eat|can't drink|cannot drink|can't have|refuse to|"
    r"steer clear of|stay away from|shy away from|swear by|look for|gravitate towards?|lean towards?|opt for|care about|care for|"
    r"tend to|tend not to|insist on|adhere to|prioriti[sz]e|believe in (?!you\b|us\b|yourself)|believe that|thrive (?:in|on|with)|(?:try|need|have) to avoid|follow an?|object to|exclusively \w+|stick to|stick with|am used to|listen to)"
)
_DO = (
    r"(?:eat|drink|use|like|enjoy|love|care for|watch|wear|drive|smoke|celebrate|work|travel|fly|play|own|speak|trust|do|attend|tolerate|participate|buy|"
    r"take|consume|cook|read|write|listen|have (?!access|permission|time|any|the|to|this|that)|want to (?:be|see|use|hear)|appreciate|support|believe in|feel comfortable|"
    r"respond well|want (?:any|my|emojis|jokes)|sleep|answer|check|commit|deploy|merge|code|live|need (?:explanations|reminders)|find \w+ (?:useful|helpful|funny))"
)
_FAMILY = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|spouse|son|daughter|kids?|child|children|baby|twins|sister|brother|siblings?|mother|father|"
    r"mum|mom|dad|parents|grand\w+|uncle|aunt|cousin|nephew|niece|dog|cat|cats|dogs|pets?|horse|parrot|rabbit|tortoise|hamster|garden|car|bike|boat|house|flat|apartment|cottage)"
)
_HEALTH = (
    r"(?:aversion|preference|dislike|distaste|fear|phobia|allergy|allergies|intolerance|sensitivity|disability|condition|love|passion|hatred|weakness|"
    r"objection|disdain|contempt|soft spot|sweet tooth|diagnosis|diabetes|asthma|dyslexia|ADHD|autism|celiac|coeliac|migraines?|arthritis|epilepsy|anxiety|insomnia|eczema|interest|"
    r"background|degree|PhD|master's|diploma|licen[cs]e|certificate|subscription|account|membership|visa|passport|citizenship|habit|rule|policy|budget|limit)"
)
_PLACE = r"(?:in|at|for|from|on|as|with|near|to|between|by|close to|next to|opposite|outside|alone|together|remotely|part[- ]time|full[- ]time|nights?|weekends?)"
_STATE = (
    r"(?:allergic|intolerant|lactose|gluten|celiac|coeliac|vegan|vegetarian|pescatarian|diabetic|asthmatic|colou?r[- ]?blind|dyslexic|deaf|blind|"
    r"left-handed|right-handed|autistic|married|single|divorced|widowed|engaged|pregnant|retired|self-employed|unemployed|freelance|bilingual|trilingual|"
    r"fluent in|native|from|based|originally|living|working (?:at|for|as|from|remotely|part|full)|employed|studying|enrolled|responsible for|in charge of|on call|on the [\w -]{1,40} team|"
    r"the [\w -]{0,30}?(?:lead|head|owner|founder|co-founder|cto|ceo|cfo|maintainer|author|manager|director|admin|dba|pm|on-call|only \w+)|"
    r"\d{1,3}(?: years old)?\b|called|named|new to|learning|teaching|training for|saving for|born|raised|short-sighted|hard of hearing|"
    r"in (?-i:(?:the )?[A-Z][\w+-]*)|in my (?:\w+ )?(?:twenties|thirties|forties|fifties|sixties)|UTC|GMT|an early|vaccinated|religious|muslim|christian|jewish|hindu|buddhist|"
    r"a?sexual|gay|lesbian|trans|non-binary|parents?|introverted|extroverted|nearsighted|farsighted|claustrophobic)"
)
_FOND = (
    r"(?:(?:an? )?(?:\w+ )?(?:fan|lover|enthusiast|fond|believer|supporter|proponent) (?:of|in)\b|into|keen on|fond of|partial to|averse to|opposed to|comfortable|"
    r"uncomfortable|passionate about|obsessed|sensitive to|scared of|afraid of|terrified of|interested in (?!\w+ing\b|this|that|your|the)|wary of|sceptical of|skeptical of|committed to|picky|used to|"
    r"bothered by|drawn to|turned off|prone to|happiest|most productive|more of an?)"
)
_TASK_NOUN = (
    r"(?:code|script|tests?|build|function|questions?|problem|issue|bug|error|guess|point|understanding|ideas?|thoughts?|plan|concerns?|goal|aim|bad|"
    r"mistake|apologies|output|query|input|request|message|prompt|attempt|approach|fix|branch|pr|commit|patch|files?|program|regex|loop|step|task|"
    r"assumption|hope|opinion|terminal|container|pod|deployment|pipeline|implementation|solution|changes?|function's|method|class|data|dataframe|"
    r"results?|answer|logs?|suggestion|proposal|worry|impression|suspicion|conclusion|intention|intent|requirement|draft|essay|homework|assignment|exam|head|day|week|mind|god|turn)"
)
_PASSING = (
    r"(?!(?:(?:not|still|now|also|just|always|currently|really|so|very|too|getting|been|completely|totally|suddenly|again) ){0,2}"
    r"(?:broken|failing|failed|stuck|slow|crashing|crashed|down|wrong|working|throwing|returning|hanging|hung|empty|missing|full|locked|frozen|red|giving|"
    r"getting|showing|late|ready|done|here|acting|killing|that|this|whether|why|how|what|if|because|as follows|below|above|correct|complaining|"
    r"saying|taking|trying|going|being|doing|making|asking|unreachable|unavailable|offline|up|fine|ok|okay|good|bad|great|terrible|awful|amazing|busy|"
    r"weird|strange|odd|ugly|nice|awesome|cool|hard|easy|simple|clear|unclear|messy|buggy|flaky|running out|out of|like|it|them|me|you|us|beautiful|gone|"
    r"dead|over|back|refusing|not \w+ing|timing|loading|hitting|worse|better|a mess|a bit|kind of|sort of|no longer working|unclear|more|less|due to)\b)"
)
_WE_DO = (
    r"(?:use|using|deploy|deploying|host|hosting|ship|release|releasing|store|run (?:on|our|all|everything)|running (?:on|our)|rely on|require|support|"
    r"target|build|write|follow|keep|prefer|avoid|test|name|bill|invoice|meet|pay|work (?:in|at|from|with|on|remotely)|speak|"
    r"do not|don't|never|always|only|name|format|review|merge|document|version|track|manage|operate|maintain|employ|charge|onboard|sell|develop|log|lint|cache|pin|squash|rebase|branch)"
)
_DECIDED = (
    r"(?:decided|agreed|chose|chosen|picked|selected|opted|switched|switching|moved (?:to|from|off|away|our|the|all)|migrated|migrating|went with|going with|go with|settled|"
    r"standardi[sz]ed|adopted|dropped|ditched|abandoned|committed|replaced|renamed|signed|hired|banned|approved|rejected|ruled out|will (?:use|go|ship|deploy|move|switch|migrate|adopt|keep|drop))"
)
_HEAD = (
    r"(?:client|customer|boss|project|codebase|code base|repo|repository|app|application|product|service|api|back ?end|front ?end|monorepo|server|host|"
    r"database|db|cluster|bucket|domain|endpoint|environment|env|staging|production|prod|ci|deadline|release|launch|freeze|meeting|stand-?up|retro|budget|"
    r"contract|licen[cs]e|style guide|conventions?|policy|office|rent|port|broker|cache|package|library|schema|vendor|supplier|landlord|school|flight|wedding|"
    r"demo|sprint|site|website|company|firm|team|department|squad|board|wifi|router|printer|alarm|dashboard|registry|proxy|gateway|warehouse|"
    r"mascot|code ?name|main branch|default branch|on-call|rota|payroll|fiscal year|VAT|timezone|time zone|datacent(?:er|re)|region|stack|backups?|key|token|url)"
)
_VERB = (
    r"(?:(?:wants?|needs?|has|have|is|are)(?! to\b(?! be (?:in|on|at|under|read)\b))|requires?|uses?|depends on|runs|targets?|supports?|prefers?|expects?|moved|lives?|starts?|ends?|must|follows?|ships?|"
    r"goes live|go live|happens?|closes?|opens?|listens|belongs?|will be|consists?|costs?|expires?|renews?|insists?|pays?|accepts?|"
    r"was (?:renamed|moved|founded|built|written|migrated)|were moved|takes place|sits|only|never|always|does not|doesn't|do not|cannot|can't|"
    r"stores?|exposes?|serves?|meets?|deploys?|speaks?|works?|owns?|begins?|falls on|allows?|forbids?|bans?|switched|decided|agreed|chose|went with|adopted|settled|standardi[sz]ed|migrated|"
    r"has (?:decided|agreed|chosen|switched|moved|adopted|settled|migrated)|have (?:decided|agreed|chosen|switched|moved))"
)
_OBJECT = (
    r"(?! (?:(?:compile|work|start|build|run|load|respond|show|pass|exist|open|return|match|render|restart)\b(?! (?:in|on|at|under|with|for|from)\b)|an? (?:function|method|option|flag|class|parameter|setting|way|feature|field|column|bug)\b|me\b|you\b|us\b|this\b(?! (?:project|repo))|that\b|it\b|a (?:fix|restart|reboot|review|look|rewrite|"
    r"bug|problem|typo|memory leak|new (?:test|commit))\b|an (?:error|issue|update)\b|been \w+ing\b|errors?\b|issues?\b|problems?\b|bugs?\b|some\b|no idea\b|"
    r"fixing|refactoring|more (?:tests|work)))"
)


@dataclass(frozen=True)
class Rule:
    """A clause that starts like `pattern` states something of `kind`."""

    kind: str
    salience: float
    pattern: re.Pattern[str]


def _rule(kind: str, salience: float, pattern: str) -> Rule:
    return Rule(kind, salience, re.compile(pattern, re.IGNORECASE))


RULES: tuple[Rule, ...] = (
    # Asked to be kept.
    _rule("fact", 0.9, r"(?:please |pls |and |so )?(?:do )?remember(?: that |:\s?|, (?!when|to |it's|you|we|there|how|that time|what)|,? also | this: ?| (?:i'm|i've|we're|we've) | (?:i|my|we|our|the) (?!\w+ to\b))\S"),
    _rule("fact", 0.9, r"(?:please |also )?(?:don't|do not|never) forget(?: that| about|:|,)? (?!to\b|it\b|this\b|about (?:it|this|that)\b|you\b|we\b|how\b|what\b|who\b|the (?:semicolon|import|return|tests?|file)\b)\S"),
    _rule("fact", 0.9, r"(?:please |also )?(?:keep|bear) in mind(?: that|:|,)? (?!to\b)\S"),
    _rule("fact", 0.9, r"(?:please )?(?:make|take) (?:a )?note(?: that| of|:|,) \S"),
    _rule("fact", 0.5, r"(?:please )?note(?: that |: )(?:i|my|we|our|the \w+|this (?:project|repo|codebase)) (?!error|trace|log)\S"),
    # Standing instructions.
    _rule("instruction", 0.85, r"(?:please |pls )?(?:from (?:now|today|here) on(?:wards?)?|going forward|from this point|henceforth|in (?:the )?future|for (?:all )?future \w+)\b,? (?!i\b|we\b|it\b|this\b|that\b)\S"),
    _rule("instruction", 0.85, r"(?:please |pls |you (?:should|must) |and )?(?:always|never|don't ever|do not ever) (?!mind\b|again\b|a\b|the\b|had\b|been\b|got\b|seen\b|heard\b|knew\b|thought\b|i\b|has\b|was\b|is\b|did\b|the same\b|wanted\b|ending\b|getting\b|\w+ing\b|\w+ed\b|happens\b|works\b|fails\b|ever\b|forget\b|good\b|nice\b|great\b|happy\b|fun\b|here\b|there\b|give up\b|too\b|in a\b|again\b|one\b|any\b|so\b|more\b|really\b|looking\b)[a-z]+ \S"),
    _rule("instruction", 0.85, r"(?:please )?(?:by default|whenever|every time|each time|any time|anytime|if|when) (?:i|you|we) (?:ask|say|request|send|mention|write|type|reply|answer|respond|propose|generate|show|suggest|create|produce|change|touch|edit|refactor|commit)\b[^,?]{0,120}, (?:please |always |never |you (?:should|must) |do not |don't )?(?!it\b|i\b|the\b|there\b|this\b|that\b|which\b|what\b|how\b|can\b|could\b|would\b|will\b|should\b|is\b|does\b)[a-z]+ \S"),
    _rule("instruction", 0.85, r"(?:please )?by default,? (?:use|write|answer|reply|assume|show|give|format|include|keep|prefer)\b"),
    _rule("instruction", 0.85, r"(?:please )?(?:(?:do not|don't) )?(?:call|address|refer to) me (?!back|when|if|tomorrow|later|at|on|asap|today)(?:as |by )?\S"),
    _rule("instruction", 0.85, r"(?:please )?stop (?:using|adding|calling|apologi[sz]ing|writing|saying|including|ending|starting|repeating|suggesting|explaining|asking) (?!this|that|it\b)\S"),
    _rule("instruction", 0.85, r"(?:please )?keep (?:your |all |the )?(?:answers?|repl(?:y|ies)|responses?|explanations?|messages?|commit messages?|comments?|summaries|code) (?:\w+ )?(?:short|brief|concise|simple|minimal|formal|informal|polite|to the point|under|below|in|terse|plain)\b"),
    _rule("instruction", 0.85, r"(?:you|assistant|hermes) (?:should|must) (?:always|never)\b"),
    _rule("instruction", 0.85, r"i(?:'d| would) (?:rather|prefer|like it if|love it if|appreciate it if) (?:that )?you (?!(?:did|do|fix|look|check|redo|change|rename|try) (?:this|that|it|the)\b)"),
    _rule("instruction", 0.85, r"i (?:always|never|only|don't|do not)(?: ever)? want (?:you to (?:use|add|write|explain|answer|reply|apologi[sz]e|commit|include|show|assume|delete|push)|to (?:see|hear|receive|be)|answers|repl|code|any|my) ?"),
    _rule("instruction", 0.85, r"(?:please )?(?:don't |do not )?(?:use|write|answer|reply|respond|speak|call|format|include|keep|add|put|give|send|assume|prefer|avoid|ask|show|explain|start|end|wait|run|check)\b[^?]{2,200}\b(?:from (?:now|here) on|going forward|in (?:the )?future|in (?:all|every|any of) (?:my|our|your)? ?\w+|everywhere|every time)[.!]*$"),
    _rule("instruction", 0.85, r"(?:please )?(?:(?:don't|do not) (?:use|include|add|write|give me|put)|no more|no|skip|avoid|without) (?:any )?(?:emojis?|emoticons|exclamation marks?|markdown|bullet points?|jargon|filler|disclaimers?|abbreviations|small talk|flattery|pleasantries|apologies|preambles?)\b(?! (?:here|this time))"),
    _rule("instruction", 0.85, r"let's (?:always|never) [a-z]+ \S"),
    # Who the user is.
    _rule("identity", 0.75, r"as an? (?!user\b|customer\b|visitor\b|result\b|rule\b|reminder\b|side\b|workaround\b|first\b|next\b|last\b|motivating\b|test\b|quick\b|start\b|bonus\b|matter\b|whole\b|follow)(?:[\w-]+ ){0,3}[\w-]+, i (?!was|am (?:trying|getting)|need you|want you|wonder|guess|think|see\b)\S"),
    _rule("identity", 0.75, r"i was an? (?!bit\b|little\b|few\b|moment\b|fool\b)(?:[\w-]+ ){1,4}?(?:before|for|until|in|at)\b"),
    _rule("identity", 0.75, r"i (?:studied|study|majored in|taught|teach) (?!the\b|your\b|this\b|that\b|it\b|how\b|some\b)\S"),
    _rule("identity", 0.75, r"my (?:full |first |last |middle |nick|sur|user ?|real |legal |maiden |given )?names? (?:is|are|was|has)\b"),
    _rule("identity", 0.75, rf"i(?:'m| am) {_ADV}{_FOND}" + r"(?! (?:this|that|these|it|your|with (?:this|that))\b)"),
    _rule("identity", 0.75, rf"i(?:'m| am) {_ADV}{_STATE}"),
    _rule("identity", 0.75, rf"i(?:'m| am) {_ADV}an? (?!bit\b|little\b|tad\b|lot\b|few\b|couple\b|day\b|week\b|step\b|mess\b|fool\b|idiot\b|while\b|minute\b|loss\b|moment\b)\S"),
    _rule("identity", 0.75, r"i(?:'m| am) (?-i:(?!Sorry|Not|Done|Fine|Ok|Getting|Trying|Using|Having|Looking|Going|Working|Stuck|So|Just|Also|Currently|Confused|Sure|Glad|Happy|Afraid|Thinking|Writing|Running|Seeing)[A-Z][\w-]+)"),
    _rule("identity", 0.75, rf"i (?:have|'ve|was|had) (?:been|born|raised|diagnosed|grown up|lived|worked) {_ADV}(?!trying|looking|getting|told|asked|wondering|thinking|stuck|seeing|having|debugging|waiting|meaning|able)\S"),
    _rule("identity", 0.75, rf"i've (?:been|lived|worked|had) {_ADV}(?:an?\b|living|working|vegan|vegetarian|using|coding|programming|playing|married|diagnosed|in|at|with|divorced|sober|studying|teaching)\b"),
    _rule("identity", 0.75, rf"i {_ADV}(?:live|reside|work|commute|teach|studied|study|grew up|was born|come from|volunteer|bank|park|sit|freelance|stay|train|practi[cs]e|sleep) {_ADV}{_PLACE}\b(?! (?:this|that|it)\b)"),
    _rule("identity", 0.75, r"i (?:just |recently |have |finally |also )?(?:moved|relocated|emigrated) (?:to (?-i:[A-Z])|from (?-i:[A-Z])|back to|house|in with|out of|into (?:a|my)|abroad)"),
    _rule("identity", 0.75, r"i (?:just |recently |have |finally )?(?:joined|left (?:my|(?-i:[A-Z]))|quit|retired|gave up|stopped|graduated|got (?:married|engaged|divorced|promoted)|became|adopted|turned \d|founded|bought (?:a|an|my) \w+|started (?:at (?-i:[A-Z])|as|a new|learning|working (?:at|as|for)|my own))(?! (?:this|that|the (?:server|process|build|test|container))\b)(?:\b|$)"),
    _rule("identity", 0.75, rf"i {_ADV}(?:own|drive|ride|speak|play|manage|lead|report to|maintain|teach|coach|weigh|suffer from|go by|follow an?|follow the|practi[cs]e|subscribe to|belong to|raise|breed|collect|run (?:a|an|my|every|\d)|keep (?:bees|chickens|a)) {_HERE}\S"),
    _rule("identity", 0.75, rf"i(?: {_ADV}have|'ve got| have got) (?:(?:a|an|no|two|three|four|five|six|\d+|my|some|one) )?(?:[\w'/-]+ ){{0,5}}?(?:{_FAMILY}|{_HEALTH}|years? of|years' experience|(?-i:[A-Z])\w+ citizenship)\b"),
    _rule("identity", 0.75, r"i have (?:an? )?(?:\w+ ){0,2}(?:problem|trouble|difficulty|hard time) (?:with )?(?:hearing|seeing|reading|walking|sleeping|concentrating)"),
    _rule("identity", 0.75, r"(?:people|friends|everyone|they|colleagues) call me \S"),
    # Tastes and habits.
    _rule("preference", 0.7, rf"i {_ADV}(?:do |did )?{_ADV}{_TASTE} {_HERE}(?!to (?:know|see|add|ask|hear|understand|use this|try this|mention|change)\b|help\b|some help\b|(?:the )?(?:error|bug)\b)\S"),
    _rule("preference", 0.7, rf"i(?:'d| would) {_ADV}(?:rather|prefer|sooner) (?!not\b(?! (?:use|see|have|be|get|write|read|receive))|do (?:this|that|it)\b|skip\b|wait\b|start\b){_HERE}\S"),
    _rule("preference", 0.7, r"i(?:'d| would) (?:always|never) \S"),
    _rule("preference", 0.7, rf"i {_ADV}(?:don't|do not|no longer|never|won't|will not|can't|cannot|rarely|seldom|hardly ever) {_ADV}{_DO}\b (?:to |in |on |at |for |with )?{_HERE}\S"),
    _rule("preference", 0.7, r"i (?:always|never|usually|only|rarely|mostly|often|typically|generally|normally|tend to|mainly|almost always|almost never) (?!would\b|could\b|should\b|can\b|get\b|got\b|see\b|saw\b|said\b|say\b|asked\b|received\b|heard\b|seen\b|knew\b|know\b|thought\b|think\b|had\b|have to\b|need\b|want\b(?! to (?:own|buy|eat|see|hear|use|work|feed|wear))|tried\b|did\b|made\b|run into\b|end up\b|forget\b|forgot\b|meant\b|noticed\b|found\b|wrote\b|ran\b|gave\b|been\b|was\b|wonder\b|hope\b|wish\b|have (?:the|this|one|two)\b|fail\b|feel\b|\w+ed\b)[a-z]+(?: \S|$|[.!])"),
    _rule("preference", 0.7, rf"i {_ADV}use {_HERE}(?!to\b)(?:[^,;]|,(?! (?:but|and) (?:it|i)\b))+$"),
    _rule("preference", 0.7, rf"i(?:'m| am) {_ADV}using {_HERE}[^,;]{{1,80}}\b(?:for (?:all|every|everything|work|my)|as my|everywhere|daily|every day|at work|exclusively|these days)\b"),
    _rule("preference", 0.7, r"i(?:'ve| have)? (?:just |recently |now )?(?:switched|converted|upgraded|defected) (?:from|to|over to|back to) (?!this|that|it\b|the (?:branch|other|new|main))\S"),
    _rule("preference", 0.7, rf"i {_ADV}find (?!this\b|that\b|it (?:odd|weird|strange)\b|myself\b|out\b|the (?:bug|error|problem|cause)\b)[^,;]{{2,120}}?\b(?:\w+ing|ineffective|difficult|hard|boring|distracted|overwhelming|helpful|useful|tedious|uncomfortable|easier|harder|unpleasant|unappealing|stressful|too \w+|(?:in)?effective|essential|important|hard to \w+|offensive|exciting)\b"),
    _rule("preference", 0.7, r"i (?:learn|work|think|sleep|focus|study|write|code|perform|concentrate|function|thrive|do) (?:much )?(?:best|better|worse|worst)\b"),
    _rule("preference", 0.7, r"i (?:get|become|feel) (?:really |very |easily |extremely |so )?(?:car ?sick|sea ?sick|motion ?sick|nauseous|anxious|claustrophobic|dizzy|uncomfortable|overwhelmed|stressed|bored|distracted|irritated|annoyed) (?:easily|by|when|in|on|from|with|around|at|if|quickly|whenever) (?!this|that|it\b)\S"),
    _rule("preference", 0.7, r"i (?:need|require) (?:my|all|every|everything|wheelchair|step-free|subtitles|captions|large|quiet|silence|at least|regular|absolute|complete|total|a lot of|plenty of|glasses|hearing aids?|insulin) (?!help)\S"),
    _rule("preference", 0.7, r"i want (?:my|all my|every|everything|all) (?!this|that)\S[^,;]{1,80}\b(?:to be|in|to have|short|formatted|without|with)\b"),
    _rule("preference", 0.7, r"(?:it is|it's) (?:very |really |extremely )?(?:important|essential|crucial) (?:to|for) me (?:that|to)\b"),
    _rule("preference", 0.7, r"(?:tabs|spaces|dark mode|light mode|[a-z]+ (?:is|are)) (?:is |are )?(?:my|our) (?:favou?rite|preferred|go-to|default|preference|top)\b"),
    _rule("preference", 0.7, r"(?:my|our) (?:\w+ ){0,2}?(?:favou?rite|preferred|go-to|usual|default|ideal|least favou?rite|preference)s?\b(?! (?:part|thing) (?:of|about) (?:this|that)|.{0,30}\b(?:password|passwd)\b)[^?]{0,120}?\b(?:is|are|was|has always been)\b (?!this\b|that\b|these\b|it\b|not working|broken|failing)\S"),
    _rule("preference", 0.7, r"i (?:take|drink|eat|have|like) my (?!time|word|code|test)\w+ \w+"),
    _rule("preference", 0.7, r"i (?!get\b|got\b|see\b|saw\b|had\b|have to\b|keep\b|need\b|want\b|tried\b|am\b|was\b|can\b|could\b|would\b|should\b|will\b|\w+ed\b)[a-z]+ (?!this\b|that\b|the same\b|an? error)[^?]{1,80}\b(?:every (?:day|morning|evening|night|week|weekend|month|year|other|single|\w+day|summer|winter|spring|autumn)|(?:once|twice|three times|\d times) an?|on (?:weekdays|weekends|(?:mon|tues|wednes|thurs|fri|satur|sun)days)|daily|before bed|at night)\b"),
    # Choices of the team.
    _rule("decision", 0.75, rf"(?:we|they at work|(?:the|our) (?:\w+ )?(?:team|company|board|committee|department|squad|group|org|maintainers|client))(?:'ve| have|'re| are| has|'ll)? {_ADV}{_DECIDED}\b(?! (?:nothing|this|that(?! \w+ \w+)|it)\b| to (?:meet|have lunch))"),
    _rule("fact", 0.6, rf"we(?:'re| are|'ve been| have been|'ll)? {_ADV}{_WE_DO}\b (?!(?:to )?(?:need|want|know|see|think|have time|get|getting)\b)(?!able\b){_HERE}\S"),
    _rule("fact", 0.6, r"we(?:'re| are) (?:an?|based|located|on|in|\d+|all|closed|open|building|a team) (?!the same page|this|that|trouble|a hurry|the middle)\S"),
    _rule("fact", 0.6, r"we (?:have|'ve got) (?:an?|\d+|two|three|four|five|no|our|weekly|daily) (?!(?:\w+ ){0,2}(?:problem|bug|issue|question|error|choice|situation|idea|meeting (?:today|tomorrow|at|in|now))\b)\S"),
    _rule("fact", 0.6, r"(?!it\b|this\b|that\b|what\b|which\b|there\b|i\b)[\w'-]+(?: [\w'-]+){0,5}? (?:is|are) (?:always |strictly )?(?:mandatory|compulsory|forbidden|prohibited|not allowed|banned|off[- ]limits)\b"),
    # Facts about things and people.
    _rule("fact", 0.6, rf"my (?!{_TASK_NOUN} )(?:[\w'&/-]+ ){{1,6}}?(?:(?:is|are|was|were)(?! to\b)|isn't|has|have|lives?|works?|prefers?|likes?|loves?|hates?|uses?|can't|cannot|doesn't|does not|don't|goes by|died|passed|moved|turned|speaks?|drinks?|eats?|plays?|starts?|ends?|expires?|renews?|falls|needs|owns?|studies|teaches|runs on|ships|takes|approves?|wants (?!me|you|this|it)|sits|runs?|go to|goes to|graduates?|arrives?|retires?|gets) {_PASSING}(?!{_TASK_NOUN}\b)\S"),
    _rule("fact", 0.6, rf"(?:our|this (?:project|repo|repository|codebase|code base|app|application|service|team|company|library|package|site|workspace|monorepo)|both of our)(?: (?!{_TASK_NOUN} (?:is|are))[\w'&/.-]+){{0,6}}?(?:'s)? {_ADV}{_VERB}\b{_OBJECT} {_PASSING}\S"),
    _rule("fact", 0.6, rf"(?!(?:i|you|he|she|they|we|it|this|that|these|what|which|if|when|his|her|their|another|each|any|some)\b)(?:the )?(?:[\w'&/.-]+ ){{0,3}}?{_HEAD}(?: (?:for|of|on|in|at|with) (?:[\w'&/.-]+ ?){{1,4}}?)?(?: \w+ly)? {_VERB}\b{_OBJECT} {_PASSING}\S"),
    _rule("fact", 0.6, r"(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2}),? (?:is|was|are) (?:my|our) (?!guess|point|problem|best bet|bad|fault|next|question|first|goal)\S"),
    _rule("fact", 0.6, r"(?-i:(?!It|This|That|There|He|She|They|What|Who|Which|You|Somebody|Nobody|Everyone)[A-Z][\w'-]+(?: [A-Z][\w'-]+)?) (?:approves|owns|leads|manages|handles|maintains|reviews|is responsible for|is in charge of|is on call)\b (?!this|that|it\b)\S"),
    # Plain statements in other languages (CE21); question and request words are checked as for English.
    _rule("preference", 0.7, r"ich (?:bevorzuge|mag|liebe|hasse|nutze|verwende|benutze|trinke|esse|lese|möchte (?:immer|nie|keine)|arbeite am liebsten|vermeide|bevorzug)\b (?!das\b|dies|es\b|nicht (?:das|dies))\S"),
    _rule("identity", 0.75, r"ich (?:heiße|heisse|wohne|lebe|arbeite|studiere|komme aus|spreche|habe (?:zwei|drei|einen|eine|ein|keine?) (?!frage|problem|fehler|idee|bug)|bin (?!gerade|mir|nicht sicher|fertig|dabei|am |verwirrt))\b ?\S"),
    _rule("fact", 0.6, r"(?:mein|meine|meinen|unser|unsere) (?!frage|problem|fehler|code|idee|meinung|test)(?:[\w-]+ ){1,4}?(?:ist|sind|heißt|heisst|heißen|lautet|wohnt|arbeitet|beginnt|endet|läuft) (?!kaputt|nicht|gerade|zu |falsch)\S"),
    _rule("decision", 0.75, r"wir (?:haben uns (?:für|auf|gegen)|haben (?:beschlossen|entschieden|vereinbart)|sind (?:auf|zu|von)|verwenden|nutzen|benutzen|setzen)\b (?!das\b|dies)\S"),
    _rule("instruction", 0.85, r"(?:bitte )?(?:(?:antworte|schreib|schreibe|verwende|nutze|benutze|sprich|zeig)\w*(?: mir)? (?:bitte )?(?:immer|nie|niemals|stets|ab jetzt)|ab (?:jetzt|sofort)|von nun an|künftig|in zukunft)\b \S"),
    _rule("fact", 0.9, r"(?:bitte )?(?:merk(?:e)? dir|denk(?:e)? daran|vergiss nicht|behalte im kopf)[,:]? \S"),
    _rule("preference", 0.7, r"(?:yo )?(?:prefiero|me gustan?|no me gustan?|me encantan?|odio|detesto|nunca (?:como|bebo|uso)|siempre (?:uso|como|bebo)|uso|evito)\b (?!est[eao]s?\b|es[eao]s?\b|eso\b)\S"),
    _rule("identity", 0.75, r"(?:yo )?(?:me llamo|soy (?!consciente)|vivo en|trabajo (?:en|como|para)|tengo (?:dos|tres|una? (?!pregunta|problema|duda|error)|alergia)|hablo|estudio|nací)\b ?\S"),
    _rule("fact", 0.6, r"(?:mis?|nuestr[oa]s?) (?!pregunta|problema|código|duda|error|idea)(?:[\w-]+ ){1,4}?(?:es|son|se llaman?|está en|vive|trabaja|prefiere|empieza|usa) (?!roto|mal)\S"),
    _rule("decision", 0.75, r"(?:nosotros )?(?:usamos|utilizamos|decidimos|acordamos|elegimos|hemos (?:decidido|elegido|acordado)|migramos|cambiamos (?:a|de))\b \S"),
    _rule("instruction", 0.85, r"(?:por favor,? )?(?:(?:responde|escribe|usa|contesta|habla)\w*(?: \w+)? siempre|siempre (?:responde|usa|escribe|contesta)|nunca (?:uses|escribas|respondas)|a partir de ahora|de ahora en adelante)\b,? \S"),
    _rule("fact", 0.9, r"(?:por favor,? )?(?:recuerda|ten en cuenta|no olvides) que \S"),
    _rule("preference", 0.7, r"(?:je (?:préfère|déteste|n'aime pas|ne (?:mange|bois|supporte) (?:pas|jamais)|mange|bois|utilise|évite)|j'(?:aime|adore|utilise|évite))\b (?!ça\b|cela\b|ce\b|cette\b|ces\b)\S"),
    _rule("identity", 0.75, r"(?:je m'appelle|je suis (?!en train|perdu|désolé|sûr|bloqué|d'accord)|j'habite|je vis|je travaille|je parle|j'ai (?:deux|trois|\d+|une? (?!question|problème|erreur|bug|idée)))\b ?\S"),
    _rule("fact", 0.6, r"(?:mon|ma|mes|notre|nos) (?!question|problème|code|erreur|idée)(?:[\w'-]+ ){1,4}?(?:est|sont|s'appellent?|habite|travaille|préfère|commence|utilise) (?!cassé|en panne)\S"),
    _rule("decision", 0.75, r"(?:nous|on) (?:utilisons|utilise|avons (?:décidé|choisi|convenu)|a (?:décidé|choisi|convenu)|sommes passés)\b \S"),
    _rule("instruction", 0.85, r"(?:s'il te plaît,? )?(?:(?:réponds|écris|utilise|parle)\w*(?:-moi)? toujours|désormais|dorénavant|à partir de maintenant)\b,? \S"),
    _rule("fact", 0.9, r"(?:souviens-toi|retiens|rappelle-toi|n'oublie pas|garde en tête) (?:que|qu') ?\S"),
    _rule("preference", 0.7, r"(?:eu )?(?:prefiro|gosto de|não gosto|adoro|odeio|detesto|uso|evito|nunca (?:como|bebo|uso)|sempre (?:uso|como|bebo))\b (?!iss?[oe]\b|est[ea]\b)\S"),
    _rule("identity", 0.75, r"(?:eu )?(?:me chamo|meu nome é|sou (?!grato)|moro em|vivo em|trabalho (?:n[oa]|em|como|para)|tenho (?:dois|duas|três|uma? (?!pergunta|problema|dúvida|erro)|alergia)|falo)\b ?\S"),
    _rule("fact", 0.6, r"(?:o meu|a minha|meus?|minhas?|nossos?|nossas?) (?!pergunta|problema|código|dúvida|erro|ideia)(?:[\w-]+ ){1,4}?(?:é|são|se chamam?|fica|mora|trabalha|prefere|começa|usa) \S"),
    _rule("decision", 0.75, r"(?:nós )?(?:usamos|utilizamos|decidimos|combinamos|escolhemos|migramos|mudamos para)\b \S"),
    _rule("instruction", 0.85, r"(?:por favor,? )?(?:(?:responda|escreva|use|fale)\w* sempre|sempre (?:responda|use|escreva)|nunca (?:use|escreva|responda)|a partir de agora|de agora em diante)\b,? \S"),
    _rule("fact", 0.9, r"(?:por favor,? )?(?:lembre-se|lembra-te|não (?:se )?esqueça)(?: de)? que \S"),
    _rule("preference", 0.7, r"我(?:们)?(?:更|比较|最|很|非常|一直|平时|通常|一般|总是|从来|从|都|真的|特别|挺|只|也|还是)?(?:不太|不)?(?:喜欢|偏好|偏爱|讨厌|爱(?:吃|喝|看|听|好)|习惯|喜爱|吃(?:素|辣)|喝|倾向|用惯)(?!这|那|它)\S"),
    _rule("identity", 0.75, r"我(?:叫|的名字(?:是|叫)|姓|住在|来自|出生|在\S{1,20}(?:工作|上班|上学|读书|居住|生活)|对\S{1,12}过敏|有(?:两|三|一|个|\d)(?!个?问题)|是(?!不是|想|说|觉得|在|指|要)|今年\S{1,4}岁|搬到|不吃|不喝|吃素)\S*"),
    _rule("fact", 0.6, r"(?:我|我们|咱们)(?:的(?!问题|代码|意思|想法|感觉|建议)|(?=(?:妈妈|爸爸|妻子|老婆|丈夫|老公|儿子|女儿|孩子|哥哥|姐姐|弟弟|妹妹|老板|公司|团队|项目|家)))[^，,。是]{1,16}(?:是|叫|住在|在|用的是)(?!不是|什么|这样|那样|错的|坏的)\S"),
    _rule("decision", 0.75, r"(?:我们|团队|项目组|咱们)(?:已经|最终|最后|现在|都|一起)?(?:决定|使用|用|改用|采用|约定|选择|选了|统一|迁移|切换|商定)(?!一下|这|那)\S"),
    _rule("instruction", 0.85, r"(?:请)?(?:以后|今后|从现在(?:开始|起)|往后|(?:你)?(?:总是|始终|一直|永远|务必|每次)(?:都|要|用)?|永远不要|千万不要|再也不要)(?!有|会)\S{2}"),
    _rule("fact", 0.9, r"(?:请|你要)?(?:记住|记一下|别忘了|不要忘记|牢记|帮我记住?)[：:，, ]?(?!了|吗)\S{2}"),
    _rule("preference", 0.7, r"(?:私は|僕は|俺は)?\S{1,30}(?:が|のほうが|の方が)(?:好き|嫌い|苦手|大好き)(?:です|だ|。|$)"),
    _rule("identity", 0.75, r"(?:私|僕|俺)(?:の名前)?は\S{1,40}(?:です|と申します|といいます|に住んでいます|で働いています)"),
)  # fmt: skip

# Openings that carry nothing and are not stored.
FILLER = re.compile(
    r"(?:(?:hi|hello|hey|hiya|ok|okay|well|so|and|but|also|oh|ah|yes|yeah|yep|yup|no(?=[,.])|nope|thanks|thank you|great|cool|right|sure|perfect|btw|by the way|fyi|"
    r"for the record|just so you know|just fyi|for context|for reference|for your information|quick note|side note|anyway|plus|then|good|alright|hmm|um|uh|look|listen|see|lol|haha|"
    r"good (?:morning|evening|afternoon)|dear \w+|hallo|hola|bonjour|olá|你好|嗨)"
    r"(?: (?:there|all|team|hermes|again|so much|everyone|a lot|very much|for (?:that|this|the help)))?(?:[\s,:;.!—–-]+))",
    re.IGNORECASE,
)
# Openings that are part of the statement, but not of the clause that a rule looks at.
LEAD = re.compile(
    r"(?:(?:actually|personally|honestly|generally|in general|usually|normally|typically|currently|these days|nowadays|today|at home|at work|privately|as (?:a|an|the|someone|usual|it happens)[^,]{0,80}|due to [^,]{1,80}|"
    r"because of [^,]{1,80}|given [^,]{1,80}|with (?:my|our) [^,]{1,60}|since [^,]{1,80}|for (?:my|our|personal|religious|health|work|ethical|medical|breakfast|lunch|dinner|all|every|most|any)[^,]{0,60}|on (?:weekdays|weekends|mondays|my|our|the)[^,]{0,40}|"
    r"in (?:this|our|the|my) (?:repo|repository|project|codebase|team|company|app|service|office|workspace)(?=,? )|in (?:my|our|the|this|\d{4})[^,]{0,60}|when (?:it comes to|coding|writing|i(?:'m| am)?)[^,]{0,60}|after [^,]{1,60}|although [^,]{1,80}|while [^,]{1,80}|like i said|correction|update|small correction|as of [^,]{1,30}|"
    r"last (?:week|month|year|night|monday|tuesday|wednesday|thursday|friday)|yesterday|i (?:should|must|want to|have to|need to) (?:mention|add|say|note|tell you)(?: that)?|you should know(?: that)?|i'd like you to know(?: that)?|the thing is|"
    r"eigentlich|übrigens|en realidad|en fait|na verdade|其实|另外|对了),? ?)",
    re.IGNORECASE,
)
# What ends a statement inside its sentence: a request or question that follows it.
TAIL = re.compile(
    r"(?:\s*[,;:–—-]+\s*|\s+)(?:(?:so|and|but|then|now|or|also)\s+)?(?:(?:can|could|would|will|should|do|did|are|won't|can't|couldn't) (?:you|i|we)\b|please\b(?! always| never)|pls\b|what\b[^.!]*\?|how\b[^.!]*\?|which\b[^.!]*\?|"
    r"where\b[^.!]*\?|why\b[^.!]*\?|who\b[^.!]*\?|when\b[^.!]*\?|any (?:ideas?|suggestions?|recommendations?|tips?|advice|thoughts?)\b|is (?:there|it|that|this)\b[^.!]*\?|are there\b[^.!]*\?|does\b[^.!]*\?|(?:ok|okay|right|alright|yeah|no|yes|thanks|thank you|cheers|thx)\s*[?!.]*$).*$"
    r"|\s*[,;–—]+\s*(?:(?:so|and|then|now)\s+)?(?:try|fix|rename|run|write|give|show|help|tell|make|create|generate|update|change|add|remove|delete|find|check|look|go|do|let's|let me|suggest|recommend|list|explain|"
    r"refactor|reformat|rewrite|convert|move|build|deploy|start|open|send|plan|book|draft|design|implement|test|review|proceed|continue|log in|see)\s.*$"
    r"|[，,；;]\s*(?:请|帮我|你能|能不能|可以|麻烦).*$|\s*[,;]\s*(?:kannst du|könntest du|bitte|puedes|podrías|peux-tu|pouvez-vous|pourrais-tu|você pode|pode)\b.*$",
    re.IGNORECASE,
)
QUESTION_START = re.compile(
    r"(?:should|would|could|can|do|does|did|is|are|was|were|am|will|shall|have|has|had|what|what's|how|how's|why|when(?!ever)|where|who|whom|whose|which|may|might|isn't|aren't|don't you|doesn't|won't|wouldn't|"
    r"was ist|wie |warum |wann |wo |wer |kannst|kann |soll |qué |cómo |por qué|cuál|quel|comment |pourquoi |est-ce|qual |como (?:faço|posso)|por que|为什么|怎么|什么|如何|是否)\b",
    re.IGNORECASE,
)
QUESTION_CJK = re.compile(
    r"[吗呢么]\s*[？?。]?$|什么|怎么|为什么|哪(?:里|个|些|儿)|是否|多少|能不能|可不可以|ですか|ますか|か？"
)
HYPOTHETICAL = re.compile(
    r"(?:(?:if|suppose|supposing|imagine|assume|assuming|pretend|let's say|say i|what if|unless|whether|hypothetically|in case|even if|as if|were i|wenn|falls|si |se |如果|假如|要是|假设)(?:\b|(?<=[\u4e00-\u9fff])))",
    re.IGNORECASE,
)
UNREAL = re.compile(
    r"\b(?:in the market for|(?:i'm|i am|we're|person|\w+(?:er|ie|st|ian)) looking (?:for|to|forward)|if i (?:were|was|had)|i wish|would have|if only|could have been|as if i|for example|for instance|e\.g\.|the sentence|the phrase|the string|the word|lyrics)\b",
    re.IGNORECASE,
)
REPORT = re.compile(
    r"\b(?:said|says|say|told|tells|claims?|claimed|thinks?|thought|asked|asks|wrote|writes|argue[sd]?|insisted|mentioned|believes?|according to|heard|replied|answered|reckons|suggested|states?|stated|announced|quoted?|denies|denied)\b",
    re.IGNORECASE,
)
# A technical statement about what goes wrong just now.
FAILING = re.compile(
    r"\b(?:but|and|which|now|yet|because|,)\s+(?:it|that|this|i|they|the \w+|nothing) (?:\w+ )?(?:throws?|fails?|failed|crash\w*|breaks?|broke|gets?|got|getting|returns?|doesn't|does not|didn't|can't|cannot|won't|isn't|hangs?|keeps? (?:failing|crashing|getting))\b"
    r"|\b(?:doesn't work|not working|keeps failing|keeps crashing|an error|the error|error message|stack trace|traceback|segfault|exception|throws|404|500 error)\b",
    re.IGNORECASE,
)
# About the talk itself, or the matter in hand only.
PASSING_TALK = re.compile(
    r"(?:i (?:don't|do not|can't|cannot|didn't) (?:remember|recall|know|understand|see|think|get|mean|believe|care|mind|want to (?:do|talk|discuss|break|change))\b|i (?:guess|think so|suppose|see|understand|agree|mean|am sorry)\b|"
    r"i (?:need|want) you to\b|i(?:'d| would) (?:like|love) (?:to|you|a|an|some|the|it|this|that)\b|i(?:'m| am) (?:(?:just|still|so|really|very|not|also|a bit|currently|now) )*(?:sorry|afraid (?:i|that)|sure|glad|happy (?:to|with)|confused|stuck|lost|trying|looking|getting|wondering|curious|thinking|seeing|having|writing|going to|about to|done|ready|ok|okay|fine|good|back|here|tired|aware|told|unable|able|running|debugging|asking|talking|getting|hoping|waiting|working on|a bit (?:lost|confused|stuck|late))\b|"
    r"i (?:like|love|hate|prefer) (?:it|this|that|these|those|the (?:idea|plan|look|sound))\b(?! (?:when|project|repo|codebase|team))|i have to (?:go|admit|say|run|leave)|i (?:always|never) (?:will|would|do|did|said|was)\b[\s.!,]*$|my (?:god|bad|apologies|mistake|pleasure)\b|never ?mind\b|nothing\b)",
    re.IGNORECASE,
)
PROJECT = re.compile(
    r"\b(?:this|the|our) (?:project|codebase|code base|repo|repository|monorepo|app|application|package|library)\b|\b(?:in|for|on) this (?:service|workspace|site)\b|\bthis (?:service|workspace)\b|(?:这个|本|该|我们的)(?:项目|仓库|代码库)|\b(?:dieses|unser) (?:projekt|repo)\b|\beste proyecto\b|\bce projet\b|\beste projeto\b",
    re.IGNORECASE,
)
TEAM = re.compile(
    rf"(?:we(?:'re| are|'ve| have)?|(?:the|our) (?:\w+ )?(?:team|squad|company|maintainers)(?: has| have)?) {_ADV}(?:use|uses|using|{_DECIDED})\b|wir (?:verwenden|nutzen|benutzen|haben)|(?:usamos|utilizamos|decidimos|acordamos)\b|(?:nous utilisons|on utilise|nous avons)\b|(?:我们|团队|咱们)(?:已经|最终|最后|现在|都)?(?:决定|使用|用|改用|采用|约定)",
    re.IGNORECASE,
)
SECRET_TALK = re.compile(
    r"\b(?:remember|note|keep in mind|don't forget|merk|recuerda|souviens|lembre)\b|记住|记一下", re.IGNORECASE
)
PASSWORD_TALK = re.compile(
    r"passw|passcode|pass ?phrase|\bpin\b|kennwort|contrase|senha|mot de passe|密码|口令|パスワード", re.IGNORECASE
)
KEY_STATEMENT = re.compile(
    r"(?:(?:the|my|our) )?(?:[\w'-]+ ){0,3}(?:key|token|url|uri|dsn|connection string|webhook|credentials?) (?:is|=|:)\s",
    re.IGNORECASE,
)
# A request that is none for now, though it has the form of a question.
STANDING_REQUEST = re.compile(
    r"(?:can|could|would|will) you (?:please )?(?=(?:always|never|remember (?:that|my|i|this:)|keep in mind|make a note|note that)\b)",
    re.IGNORECASE,
)
