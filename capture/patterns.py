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

from .lazy import lazy
from .rule import Rule, rule

ADV = (
    r"(?:(?:really|also|still|just|only|always|usually|generally|typically|often|mostly|mainly|primarily|currently|now|actually|personally|strongly|"
    r"absolutely|definitely|especially|particularly|rarely|seldom|hardly|never|sometimes|kinda|basically|truly|much|simply|genuinely|normally|regularly|"
    r"frequently|occasionally|exclusively|recently|all|already|no longer|both|very|highly|extremely|quite|not|deeply|severely|long|ever|intensely|greatly|"
    r"thoroughly|firmly|then|finally|temporarily|permanently|even|(?!only\b|reply\b|apply\b|rely\b|fly\b|supply\b)\w{3,12}ly) ){0,3}"
)
# Objects that point at the matter in hand instead of naming something.
_HERE = (
    r"(?!(?:this|that|these|those|it|them|you|your|how \w+ (?:this|that|it|you)|how the \w+|neither|none|nothing|either|what you|how (?:you|this|that|it)|all of (?:this|that|these|those|them)|"
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
STATE = (
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
    r"bothered by|(?:that |very |too |so )?big on|a sucker for|hooked on|crazy about|mad about|(?:bad|good|terrible|hopeless|useless) (?:at|with) (?!this|that|it\b)|drawn to|turned off|prone to|happiest|most productive|more of an?)"
)
_TASK_NOUN = (
    r"(?:code|script|tests?|build|function|questions?|problem|issue|bug|error|guess|point|understanding|ideas?|thoughts?|plan|concerns?|goal|aim|bad|"
    r"mistake|apologies|output|query|input|request|message|prompt|attempt|approach|fix|branch|pr|commit|patch|files?|program|regex|loop|step|task|"
    r"assumption|hope|opinion|terminal|container|pod|deployment|pipeline|implementation|solution|changes?|function's|method|class|data|dataframe|"
    r"results?|answer|logs?|suggestion|proposal|worry|impression|suspicion|conclusion|intention|intent|requirement|draft|essay|homework|assignment|exam|head|day|week|mind|god|turn)"
)
PASSING = (
    r"(?!(?:(?:not|still|now|also|just|always|currently|really|so|very|too|getting|been|completely|totally|suddenly|again) ){0,2}"
    r"(?:broken|failing|failed|stuck|slow|crashing|crashed|down|wrong|working|throwing|returning|hanging|hung|empty|missing|full|locked|frozen|red|giving|"
    r"getting|showing|late|ready|done|here|acting|killing|that|this|whether|why|how|what|if|because|as follows|below|above|correct|complaining|"
    r"saying|taking|trying|going|being|doing|making|asking|unreachable|unavailable|offline|up|fine|ok|okay|good|bad|great|terrible|awful|amazing|busy|"
    r"weird|strange|odd|ugly|nice|awesome|cool|hard|easy|simple|clear|unclear|messy|buggy|flaky|running out|out of|like|it|them|me|you|us|beautiful|gone|"
    r"dead|responding|compiling|answering|starting|rendering|connecting|reachable(?! (?:only|via|over|through|at|from|under)\b)|accessible(?! (?:only|via|over|through|at|from|under)\b)|over|back|null|undefined|nan|at lunch|on (?:holiday|vacation) (?:today|this week)|ringing|dying|overheating|charging|updating|rebooting|barking|crying|screaming|yelling|(?:a |some |many |several )?(?:typos?|bugs?)|refusing|not \w+ing|timing|loading|hitting|worse|better|near\b|a mess|a bit|kind of|sort of|no longer working|unclear|more|less|due to)\b)"
)
_WE_DO = (
    r"(?:use|using|deploy|deploying|host|hosting|ship|release|releasing|store|run (?:on|our|all|everything)|running (?:on|our)|rely on|require|support|"
    r"target|build|write|follow|keep|prefer|avoid|test|name|bill|invoice|meet|pay|work (?:in|at|from|with|on|remotely)|speak|"
    r"do not|don't|never|always|only|name|format|review|merge|document|version|track|manage|operate|maintain|employ|charge|onboard|sell|develop|log|lint|cache|pin|squash|rebase|branch)"
)
DECIDED = (
    r"(?:voted (?:for|to|against)|decided|agreed|chose|chosen|picked|selected|opted|switched|switching|moved (?:to|from|off|away|our|the|all)|migrated|migrating|went with|going with|go with|settled|"
    r"standardi[sz]ed|adopted|dropped|ditched|abandoned|committed|replaced|renamed|signed|hired|banned|approved|rejected|ruled out|will (?:use|go|ship|deploy|move|switch|migrate|adopt|keep|drop))"
)
# Something that somebody works on for longer than a day.
ENDEAVOUR = (
    r"(?:working on|building|writing|developing|maintaining|creating|running|leading|founding|making|doing|starting|designing) (?:an?|my|our|two|three)(?: (?!new (?:test|function|commit)\b)[\w'+#/.-]+){0,5}? "
    r"(?:projects?|apps?|applications?|books?|novels?|thesis|dissertation|phd|games?|startups?|compan(?:y|ies)|librar(?:y|ies)|tools?|websites?|services?|plugins?|courses?|papers?|business|products?|saas|compilers?|platform|blog|podcast|newsletter|marketplace|engine|framework|language|cli|bot|podcast|documentary|album|shop|store|robot|house|side project|package|crate|sdk|magazine|series)\b"
    r"(?! (?:for you|file|name|page|header|test|issue|bug|error|review|launch|class)\b)"
)
HEAD = (
    r"(?:client|customer|boss|project|codebase|code base|repo|repository|app|application|product|service|api|back ?end|front ?end|monorepo|server|host|"
    r"database|db|cluster|bucket|domain|endpoint|environment|env|staging|production|prod|ci|deadline|release|launch|freeze|meeting|stand-?up|retro|budget|"
    r"contract|licen[cs]e|style guide|conventions?|policy|office|rent|port|broker|cache|package|library|schema|vendor|supplier|landlord|school|flight|wedding|"
    r"demo|sprint|site|website|company|firm|team|department|squad|board|wifi|router|printer|alarm|dashboard|registry|proxy|gateway|warehouse|"
    r"mascot|code ?name|main branch|default branch|on-call|rota|payroll|fiscal year|VAT|timezone|time zone|datacent(?:er|re)|region|stack|backups?|key|token|url)"
)
# The words with which the things of HEAD begin, for `Rule.needs`.
HEAD_WORDS = (
    "client clients customer customers boss project projects codebase code repo repos repository app apps application product service services api apis back backend front frontend monorepo server servers host hosts database "
    "databases db cluster bucket domain endpoint endpoints environment environments env staging production prod ci deadline deadlines release releases launch freeze meeting meetings standup stand retro budget contract licence license style "
    "convention conventions policy office rent port broker cache package library schema vendor supplier landlord school flight wedding demo sprint site website company firm team teams department squad board wifi router printer alarm "
    "dashboard registry proxy gateway warehouse mascot codename main default on rota payroll fiscal vat timezone time datacenter datacentre region stack backup backups key keys token tokens url "
    "kick kickoff workshop exam trip conference migration roll rollout hearing interview party course sync call lesson webinar rehearsal shift checkin check allhands offsite training practice appointment session seminar lecture"
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
    r"fixing|refactoring|more (?:tests|work)|(?:only (?:shows?|accepts?|returns?|displays?|loads?|prints?) )?the (?:(?:[\w-]+ )?one|old|wrong|same|first|second|last|right|previous) ?\b|an? (?:retry|loop|race|timeout of)\b))"
)


RULES: tuple[Rule, ...] = (
    # Asked to be kept.
    rule("fact", 0.9, r"(?:please |pls |and |so )?(?:do )?remember(?: that |:\s?|, (?!when|to |it's|you|we|there|how|that time|what)|,? also | this: ?| (?:i'm|i've|we're|we've) | (?:i|my|we|our|the) (?!\w+ to\b))\S"),
    rule("fact", 0.9, r"(?:please |also )?(?:don't|do not|never) forget(?: that| about|:|,)? (?!to\b|it\b|this\b|about (?:it|this|that)\b|you\b|we (?!have\b|are\b|use\b|only\b|don't\b|always\b|never\b|meet\b|ship\b|close\b|no longer\b)|how\b|what\b|who\b|the (?:semicolon|import|return|tests?|file)\b)\S"),
    rule("fact", 0.9, r"(?:please |also )?(?:keep|bear) in mind(?: that|:|,)? (?!to\b)\S"),
    rule("fact", 0.9, r"(?:please )?(?:make|take) (?:a )?(?:mental )?note(?: that| of|:|,) \S"),
    rule("fact", 0.9, r"(?:please )?(?:(?:save|keep|store|file|note|write|jot|put) (?:this|it|the following)(?: down| away)?(?: for (?:later|me|the future|future reference|next time))?|note to self[^:]{0,20}|for (?:your|future|later) reference|for the record|heads[- ]up|fyi|for later|commit (?:this|it) to memory|keep (?:this|it) in your (?:notes|memory)|for your (?:notes|information|memory))[:,] (?!you\b|it\b|that\b|this\b)\S"),
    rule("fact", 0.5, r"(?:please )?note(?: that |: )(?!(?:it|this(?! (?:project|repo|codebase)\b)|that|these|those|there|you|he|she|they)\b|the (?:errors?|trace|logs?|output|code|function|method|class|tests?|files?|variable|lines?|input|array|result|loop|script|example|following)\b)\S"),
    # Standing instructions.
    rule("instruction", 0.85, r"(?:please |pls )?(?:from (?:now|today|here) on(?:wards?)?|(?:as of|starting|effective) (?:now|today|tomorrow|monday)(?=,)|going forward|from this point|henceforth|in (?:the )?future|for (?:all )?future \w+)\b,? (?!i\b|we\b|it\b|this\b|that\b)\S"),
    rule("instruction", 0.85, r"(?:please |pls |you (?:should|must) |and )?(?:always|never|don't ever|do not ever) (?!mind\b|again\b|a\b|the\b|had\b|been\b|got\b|seen\b|heard\b|knew\b|thought\b|i\b|has\b|was\b|is\b|did\b|the same\b|wanted\b|under\b|on\b|at\b|with\b|after\b|when\b|ending\b|getting\b|\w+ing\b|\w+ed\b|happens\b|works\b|fails\b|ever\b|forget\b|good\b|nice\b|great\b|happy\b|fun\b|here\b|there\b|give up\b|too\b|in a\b|again\b|one\b|any\b|so\b|more\b|really\b|looking\b)[a-z]+ \S"),
    rule("instruction", 0.85, r"(?:please )?by default,? (?:use|write|answer|reply|assume|show|give|format|include|keep|prefer)\b"),
    rule("instruction", 0.85, r"(?:please )?(?:(?:do not|don't) |(?:you|people) (?:can|may|should) (?:just )?)?(?:call|address|refer to) me (?!back|when|if|tomorrow|later|at|on|asap|today)(?:as |by )?\S"),
    rule("instruction", 0.85, r"(?:please )?stop (?:using|adding|calling|apologi[sz]ing|writing|saying|including|ending|starting|repeating|suggesting|explaining|asking) (?!this|that|it\b)\S"),
    rule("instruction", 0.85, r"(?:please )?keep (?:your |all |the )?(?:answers?|repl(?:y|ies)|responses?|explanations?|messages?|commit messages?|comments?|summaries|code) (?:\w+ )?(?:short|brief|concise|simple|minimal|formal|informal|polite|to the point|under|below|in|terse|plain)\b"),
    rule("instruction", 0.85, r"(?:you|assistant|hermes) (?:should|must) (?:always|never)\b"),
    rule("instruction", 0.85, r"i(?:'d| would) (?:rather|prefer|like it if|love it if|appreciate it if) (?:that )?you (?!(?:did|do|fix|look|check|redo|change|rename|try) (?:this|that|it|the)\b)"),
    rule("instruction", 0.85, r"i (?:always|never|only|don't|do not)(?: ever)? want (?:you to (?:use|add|write|explain|answer|reply|apologi[sz]e|commit|include|show|assume|delete|push)|to (?:see|hear|receive|be)|answers|repl|code|any|my) ?"),
    rule("instruction", 0.85, r"(?:please )?(?:don't |do not )?(?:use|write|answer|reply|respond|speak|call|format|include|keep|add|put|give|send|assume|prefer|avoid|ask|show|explain|start|end|wait|run|check)\b[^?]{2,200}\b(?:from (?:now|here) on|going forward|in (?:the )?future|in (?:all|every|any of) (?:my|our|your)? ?\w+|everywhere|every time)[.!]*$"),
    rule("instruction", 0.85, r"(?:please )?(?:(?:don't|do not) (?:use|include|add|write|give me|put)|no more|no|skip|avoid|without) (?:any )?(?:emojis?|emoticons|exclamation marks?|markdown|bullet points?|jargon|filler|disclaimers?|abbreviations|small talk|flattery|pleasantries|apologies|preambles?)\b(?! (?:here|this time))"),
    rule("instruction", 0.85, r"let's (?:always|never) [a-z]+ \S"),
    rule("instruction", 0.85, r"(?:please )?(?:under no circumstances|in no case|on no account|at no time|no matter what,?) (?:(?:may|should|must|are|shall|can|do) (?:you|we|i)\b|\w+) \S"),
    rule("instruction", 0.85, r"let(?:'s| us) agree that you \S|make it a (?:habit|rule|point) (?:to|of)\b \S|(?:please )?make sure (?:to |that )?(?:you )?(?:always|never|every)\b"),
    rule("instruction", 0.85, r"(?:please )?(?:if|when|whenever|in case|once|before|after|while|with|for|in|on|as to|regarding|every time|whatever)\b[^,?]{2,100}[,:] ?(?:please )?(?:you (?:should |must )?)?(?:always|never)\b(?! (?:had|was|been|got|works?|fails?|happens?|under|on my)\b) [a-z]+"),
    rule("instruction", 0.85, r"(?!(?:the|our|my|it|this|that|these|those|he|she|they|i|there|a|an|all|some|your)\b)(?:please )?(?:[a-z-]+ )[^?]{2,200}?,? (?:always|every time|each time|without exception|from now on|from here on|ever|going forward|as always|now and later|in (?:this and )?(?:every|all|any)(?: of)?(?: (?:the|my|our|your|other|later|future|following))* (?:answers?|repl(?:y|ies)|tasks?|projects?|code|files?|patch(?:es)?|messages?|texts?|responses?|edits?|pipelines?|stories|quer(?:y|ies)))(?: as well| too)?[.!]*$(?<!happily ever after\.)(?<!as ever\.)", needs="always time exception now here ever forward later every all any"),
    rule("instruction", 0.85, r"(?:please )?(?:use|write|answer|reply|speak|assume|keep|spell|format|call|follow|stick to|prefer|show|include|give me|stay|ask)\b [^?]{2,120}\bunless (?:i|we|you're|told|asked|otherwise|it's|stated|there)\b"),
    rule("instruction", 0.85, r"(?:please )?(?:avoid|use|prefer|write|put|name|keep|add|document|test|log|format|never use|don't use|do not use|no) (?!this\b|that\b|it\b|the (?:following|first|second|same|other)\b)[^?,]{2,100} (?:in (?:this|our|my|all(?: of)? (?:my|our)|any of (?:my|our)) (?:repo(?:sitory)?|code ?base|projects?|code|team|company|docs|product|scripts|pipelines)|for (?:all )?(?:my|our) projects)\b[.!]*$"),
    rule("instruction", 0.85, r"(?:please )?stop [a-z]+ing (?:every|all|any|each|my|your|code|so many|unnecessary|me)\b(?! (?:now|here))"),
    rule("instruction", 0.85, r"(?:please,? )?(?:and )?no (?:more )?(?!idea|problem|need|luck|error|difference|change|clue|way\b|wonder|one\b|other|such|changes?\b|output)[\w' -]{2,40} in (?:my|our|any|your|the) (?:\w+ )?(?:texts?|answers?|code|e?mails?|docs|replies|drafts|letters|messages|commits?|examples|summaries|patches|responses|writing|comments|translations)\b"),
    rule("instruction", 0.85, r"(?:please )?(?:quote|spell|express|cite|state|round|give|write) (?:all|every|each|any) (?:[\w-]+ ){1,3}?(?:in|with|without|excluding|including|as|to|net|gross) (?!the following|this|that|these|one file|a loop)\S"),
    rule("instruction", 0.85, r"(?:nothing|nobody|no one|no [\w-]+) (?:gets?|is|are|may|goes|leaves|ships|should|must|can|will|shall)(?: to)?(?: be| get)? [^?]{2,80}?\bwithout (?:my|our|a|an|asking|two|prior|explicit|approval|review)\b"),
    rule("instruction", 0.85, r"(?:every|each|any) (?:single )?(?:answer|reply|response|report|message|summary|review|e?mail|letter|document|page|draft|commit|diagram|snippet|recipe|estimate|quote) (?:you (?:write|give|send) )?(?:should|must|has to|needs to|is to|ought to|shall)\b \S"),
    rule("instruction", 0.85, r"(?:please )?(?:write|answer|reply|respond|speak|talk|explain)(?: to me| things)? (?:only )?in (?:plain|simple|british|american|metric|layman)\b"),
    rule("instruction", 0.85, r"(?:please )?(?:use|put|add|keep|include|mention|write|give|spell|quote|name|sign|mark|treat|consider) (?!this\b|that\b|it\b)[^?,]{2,80} (?:in|on|for|with|as) (?:anything|everything|whatever|all|every|read-only|confidential|private|off-limits|sacred)\b(?! (?:here|of (?:this|these|that)))"),
    rule("instruction", 0.85, r"i (?:expect|require|insist (?:that|on)|demand)(?: that)? (?:every|all|each|any|you to|code|tests|answers|commits|docs|no\b)(?! of (?:this|these))[^?]{2,}"),
    rule("instruction", 0.8, r"(?:(?:all|only|please) )?(?!(?:this|that|it|these|those|work|found|works|happens|fails|seen|is|in)\b)[\w-]+s(?: [\w-]+){0,2} in [\w-]+(?: [\w-]+)? (?:only|always)\b,?(?: please)?[.!]*$|(?:please |only )?[\w-]+ units only\b"),
    rule("instruction", 0.8, r"(?:unit |integration |new |all )?(?:tests|docs|migrations|changelog entries|comments|todos|secrets|config|fixes) (?:go|belong|come|get committed) (?:in|into|with|before|after|to|under) (?!this|that|it\b)\S"),
    rule("instruction", 0.85, r"(?:please )?(?:if|when|whenever) (?:you(?:'re| are)? (?:unsure|not sure|in doubt|uncertain|don't know|stuck)|in doubt|possible|unsure)[^,?]{0,40}, (?:please )?(?:[a-z]+ ){1,}"),
    # An order is a standing one when it says how far it reaches.
    rule("instruction", 0.85, r"(?:please |only ever |just )?(?!(?:i|you|he|she|they|we|it|the|this|that|these|those|my|our|your|his|her|their|there|here|what|who|which|how|why|where|when|if|is|are|was|do|does|did|can|could|would|should|will|a|an|no|not|nothing|some|many|most|all|each|every|both|people|yes|so|but|and|because|since|as|in|on|at|for|to|from|with|by|of|let|let's|once|now|then|maybe|perhaps|sometimes|hope|thanks|thank|sorry|need|want|got|had|has|have|seems|looks|remind|tell me (?:if|when|whether))\b)[a-z]{2,14}(?<!ing)(?<!ed) [^?]{2,200}?(?:\bunless (?:i|we|you're|told|asked|otherwise|stated)\b|\bwhen(?:ever)? (?:i|we) (?:ask|say|want|request|send|mention|talk|speak|write|paste|call|am|are)\b|\b(?:in|for|on|at|to|of|with) (?:every|each|any)(?: (?:new|single|future|other))? (?:answer|reply|response|commit|pr|pull request|merge request|message|review|release|new \w+|mail|email|meeting|recipe|summary|draft|ticket|estimate)\b|\bat all times\b|\bno matter (?:what|how)\b|\bwithout exception\b|\bin (?:my|our) (?:\w+ )?(?:articles|texts|mails|emails|letters|posts|docs|reports|slides|scripts|recipes|summaries|stories|writing|replies|answers|code)\b)(?! (?:above|below|from yesterday|that))", needs="unless when whenever every each any times matter exception my our"),
    rule("instruction", 0.85, r"(?:please )?only ever [a-z]+ \S|(?:please )?(?:refer to|call|name|spell|write|label|describe|treat|address) [^,?]{2,60}(?: as [^,?]{2,60})?, (?:not|never) (?!now|yet|here|the other)\S"),
    rule("instruction", 0.85, r"(?:whatever (?:happens|you do|comes)|come what may|in any case|at any rate|as a rule|as a matter of principle|on principle|by the way, please always),? (?:please )?(?!i\b|it\b|the\b|that\b|this\b)(?:keep|never|always|don't|do not|use|leave|make|ask|stick|write|avoid|stay|put|run|test|show|give)\b"),
    rule("instruction", 0.85, r"(?:each|every|any|all new|no) (?:new |single )?(?!(?:one|time|day|week|month|year|morning|night|idea|problem|attempt|run)\b)[\w-]+(?: [\w-]+){0,3} (?:needs|gets|must|requires|deserves|carries|starts with|ends with|comes with|goes through|has to|have to|is to be|are to be) (?!a fix|fixing|this|that)\S"),
    # Who the user is.
    rule("identity", 0.75, r"as an? (?!user\b|customer\b|visitor\b|result\b|rule\b|reminder\b|side\b|workaround\b|first\b|next\b|last\b|motivating\b|test\b|quick\b|start\b|bonus\b|matter\b|whole\b|follow)(?:[\w-]+ ){0,3}[\w-]+, i (?!was|am (?:trying|getting)|need you|want you|wonder|guess|think|see\b)\S"),
    rule("identity", 0.75, r"i was an? (?!bit\b|little\b|few\b|moment\b|fool\b)(?:[\w-]+ ){1,4}?(?:before|for|until|in|at)\b"),
    rule("identity", 0.75, r"i (?:studied|study|majored in|taught|teach) (?!the\b|your\b|this\b|that\b|it\b|how\b|some\b)\S"),
    rule("identity", 0.75, r"my (?:(?:full |first |last |middle |nick|sur|user ?|real |legal |maiden |given )?names?|pronouns?|birthday|nationality|profession|occupation|mother tongue|native language|first language|blood type|star sign|job title|hometown|ethnicity|religion) (?:is|are|was|has)\b"),
    rule("preference", 0.7, rf"i(?:'m| am) {ADV}{_FOND}" + r"(?! (?:this|that|these|it|your|with (?:this|that))\b)"),
    rule("identity", 0.75, rf"i(?:'m| am) {ADV}{STATE}"),
    rule("identity", 0.75, rf"i(?:'m| am) {ADV}an? (?!bit\b|little\b|tad\b|lot\b|few\b|couple\b|day\b|week\b|step\b|mess\b|fool\b|idiot\b|while\b|minute\b|loss\b|moment\b)\S"),
    rule("identity", 0.75, r"i(?:'m| am) (?-i:(?!Sorry|Not|Done|Fine|Ok|Getting|Trying|Using|Having|Looking|Going|Working|Stuck|So|Just|Also|Currently|Confused|Sure|Glad|Happy|Afraid|Thinking|Writing|Running|Seeing)[A-Z][\w-]+)"),
    rule("identity", 0.75, rf"i (?:have|'ve|was|had) (?:been|born|raised|diagnosed|grown up|lived|worked) {ADV}(?!trying|looking|getting|told|asked|wondering|thinking|stuck|seeing|having|debugging|waiting|meaning|able)\S"),
    rule("identity", 0.75, rf"i've (?:been|lived|worked|had) {ADV}(?:an?\b|living|working|vegan|vegetarian|using|coding|programming|playing|married|diagnosed|in|at|with|divorced|sober|studying|teaching)\b"),
    rule("identity", 0.75, rf"i {ADV}(?:live|reside|work|commute|teach|studied|study|grew up|was born|come from|volunteer|bank|park|sit|freelance|stay|train|practi[cs]e|sleep) {ADV}{_PLACE}\b(?! (?:this|that|it|the (?:fix|bug|issue|ticket|task|test|patch|problem|next|same|first|second|other|code|script))\b)"),
    rule("identity", 0.75, r"i(?:'ve| have)? (?:just |recently |finally |also |now )?(?:moved|relocated|emigrated) (?:to (?-i:[A-Z])|from (?-i:[A-Z])|back to|house|in with|out of|into (?:a|my)|abroad)"),
    rule("identity", 0.75, r"i (?:keep|do|handle|look after|run) the (?:books|accounts|accounting|payroll|it|bookkeeping|gardens?|scheduling)\b(?! (?:here|file|table|function))|i was an? [\w -]{3,40} for (?:\w+ ){1,2}years"),
    rule("identity", 0.75, r"i(?:'ve| have)? (?:just |recently |finally )?(?:joined|gone back to|switched back to|moved back to|gone (?:vegan|vegetarian|freelance|part-time)|left (?:my|(?-i:[A-Z]))|quit|retired|gave up|given up|stopped|graduated|got (?:married|engaged|divorced|promoted)|became|adopted|turned \d|founded|bought (?:a|an|my) \w+|started (?:at (?-i:[A-Z])|as|a new|learning|working (?:at|as|for)|my own))(?! (?:this|that|the (?:server|process|build|test|container))\b)(?:\b|$)"),
    rule("identity", 0.75, rf"i {ADV}(?:own|drive|ride|speak|play|manage|lead|report to|maintain|teach|coach|weigh|hold|suffer from|go by|follow an?|follow the|practi[cs]e|subscribe to|belong to|raise|breed|collect|run (?:a|an|my|every|\d)|keep (?:bees|chickens|a)) (?!to\b|[^?]{{1,60}} and (?:it|nothing|then|get|see|the)\b){_HERE}\S"),
    rule("identity", 0.75, rf"i(?: {ADV}have|'ve got| have got) (?:(?:a|an|no|two|three|four|five|six|\d+|my|some|one) )?(?:[\w'/-]+ ){{0,5}}?(?:{_FAMILY}s?|{_HEALTH}|years? of|years' experience|(?-i:[A-Z])\w+ citizenship)\b"),
    rule("identity", 0.75, r"i have (?:an? )?(?:\w+ ){0,2}(?:problem|trouble|difficulty|hard time) (?:with )?(?:hearing|seeing|reading|walking|sleeping|concentrating)"),
    rule("identity", 0.75, r"(?:people|folks|friends|my friends|most people|everyone|everybody|they|colleagues) (?:usually |just |all )?call me \S"),
    rule("identity", 0.7, rf"(?:my {_FAMILY} and i|i and my {_FAMILY}) (?!are (?:trying|looking|stuck|going)|want to|need|were wondering)\S"),
    rule("identity", 0.75, r"i(?:'m| am) (?:half|part|a quarter|originally|ethnically|by (?:trade|training|profession)) \S|i (?:wear|need|use) (?:(?:reading |bifocal )?glasses|contact lenses|hearing aids?|a hearing aid|a wheelchair|a cane|a prosthesis|braces|a pacemaker)\b"),
    rule("identity", 0.65, r"i (?:also )?(?:foster|breed|restore|collect|paint|knit|sew|brew|bake|sail|surf|ski|climb|swim|cycle|dance|sing|busk|meditate|garden|volunteer|coach|row|fence|box|bird-?watch|run (?:marathons|ultras|half marathons|\d+k)|tutor|mentor|translate for a living|write for a living)\b(?! (?:this|that|it|these|the (?:file|code|function|button|component|output|row|column))\b)"),
    rule("identity", 0.75, r"i(?:'m| am) the (?!(?:one|same|only one|first one|last|next|opposite|user|wrong|right)\b)(?:[\w-]+ ){1,4}?(?:of|at|for|in|on|behind) (?:our|the|my|a|an|(?-i:[A-Z]))"),
    rule("identity", 0.75, r"i(?:'ve| have) (?:lived|worked|taught|studied|served|played|sung|run|owned|had|been) [^?]{2,80}\b(?:for|since|all|most of|half) (?:my|an?|the|\d+|\w+ (?:years?|decades?)|(?:19|20)\d\d|years|decades|life|college|school|university|childhood)\b(?! (?:now )?(?:trying|waiting|and (?:it|nothing)))"),
    # Tastes and habits.
    rule("preference", 0.7, r"i(?: have|'ve)(?: got)? (?:a (?:thing|weakness|soft spot|fondness|low tolerance|deep respect|sweet tooth)|no (?:patience|time|use|taste|ear|stomach)|little (?:patience|time|use)|zero (?:patience|tolerance)) for (?!this\b|that\b|it\b|you\b|the\b|today)\S"),
    rule("preference", 0.7, r"i(?:'m| am) trying to (?:cut (?:down|back|out)|eat|drink|spend|sleep|lose weight|quit (?:smoking|drinking|sugar)|give up|read more|walk more|learn (?-i:[A-Z])|save (?:money|up|for)|live (?:more|without)|stay off|buy less|use less|be (?:more|less))\b"),
    rule("preference", 0.7, r"(?!(?:this|that|it|these|those|you|which)\b)(?:[\w'-]+ ){1,4}?(?:drives? me (?:mad|crazy|nuts|insane|up the wall|bonkers)|gets? on my nerves|bores? me|tires? me|relaxes me|scares? me|annoys? me|irritates? me|puts? me off|calms? me|cheers? me up|(?:ruins?|makes?|spoils?) my (?:day|week|mood|sleep|evening|morning))\b(?! (?:now|today|here))"),
    rule("preference", 0.7, r"i could (?:happily )?(?:live on|eat|listen to|watch) (?!this|that|it\b|the\b)\S|(?!(?:you|he|she|they|it|this|that)\b)(?:[\w'-]+ ){1,4}and i (?:don't|do not|never) (?:get along|mix|agree|go together)\b"),
    rule("preference", 0.7, r"(?!(?:this|that|it|these|those|which|what)\b)(?:[\w'-]+ ){1,6}?(?:is|are) (?:pure |sheer |absolute |an? )?(?:torture|hell|nightmare|bliss|heaven|no-go|no-no|deal-?breaker|must|must-have|sacred|poison|luxury|agony|joy|pain) (?:for|to) me\b"),
    rule("preference", 0.7, rf"i {ADV}(?:do |did )?{ADV}{_TASTE} {_HERE}(?!to (?:know|see|add|ask|hear|understand|use this|try this|mention|change)\b|help\b|some help\b|(?:the )?(?:error|bug)\b)\S"),
    rule("preference", 0.7, rf"i(?:'d| would) {ADV}(?:rather|prefer|sooner) (?!(?:to (?:have|take|book|get) )?(?:an?|the) (?:[\w-]+ ){{0,2}}?(?:flights?|seat|room|hotel|table|ticket|refund|option|slot|time|appointment|version|answer|payment|cabin|connection|replacement|voucher)\b)(?!not\b(?! (?:use|see|have|be|get|write|read|receive))|do (?:this|that|it)\b|skip\b|wait\b|start\b){_HERE}\S"),
    rule("preference", 0.7, r"i(?:'d| would) (?:always|never) \S"),
    rule("preference", 0.7, rf"i {ADV}(?:don't|do not|no longer|never|won't|will not|can't|cannot|rarely|seldom|hardly ever) {ADV}{_DO}\b (?:to |in |on |at |for |with )?{_HERE}\S"),
    rule("preference", 0.7, r"i (?:always|never|usually|only|rarely|mostly|often|typically|generally|normally|tend to|mainly|almost always|almost never) (?!would\b|could\b|should\b|can\b|get\b|got\b|see\b|saw\b|said\b|say\b|asked\b|received\b|heard\b|seen\b|knew\b|know\b|thought\b|think\b|had\b|have to\b|need\b|want\b(?! to (?:own|buy|eat|see|hear|use|work|feed|wear))|tried\b|did\b|made\b|run into\b|end up\b|forget\b|forgot\b|meant\b|noticed\b|found\b|wrote\b|ran\b|gave\b|been\b|was\b|wonder\b|hope\b|wish\b|have (?:the|this|one|two)\b|fail\b|feel\b|\w+ed\b)[a-z]+(?: \S|$|[.!,])"),
    rule("preference", 0.7, rf"i {ADV}use {_HERE}(?!to\b)(?:[^,;]|,(?! (?:but|and) (?:it|i)\b))+$"),
    rule("preference", 0.7, rf"i(?:'m| am) {ADV}using {_HERE}[^,;]{{1,80}}\b(?:for (?:all|every|everything|work|my)|as my|everywhere|daily|every day|at work|exclusively|these days)\b"),
    rule("preference", 0.7, r"i(?:'ve| have)? (?:just |recently |now )?(?:switched|converted|upgraded|defected) (?:from|to|over to|back to) (?!this|that|it\b|the (?:branch|other|new|main))\S"),
    rule("preference", 0.7, rf"i {ADV}find (?!this\b|that\b|it (?:odd|weird|strange)\b|myself\b|out\b|the (?:bug|error|problem|cause)\b)[^,;]{{2,120}}?\b(?:\w+ing|ineffective|difficult|hard|boring|distracted|overwhelming|helpful|useful|tedious|uncomfortable|easier|harder|unpleasant|unappealing|stressful|too \w+|(?:in)?effective|essential|important|hard to \w+|offensive|exciting)\b"),
    rule("preference", 0.7, r"i (?:learn|work|think|sleep|focus|study|write|code|perform|concentrate|function|thrive|do) (?:much )?(?:best|better|worse|worst)\b"),
    rule("preference", 0.7, r"i (?:get|become|feel) (?:really |very |easily |extremely |so )?(?:car ?sick|sea ?sick|motion ?sick|nauseous|anxious|claustrophobic|dizzy|uncomfortable|overwhelmed|stressed|bored|distracted|irritated|annoyed) (?:easily|by|when|in|on|from|with|around|at|if|quickly|whenever)\b[ ,.]*(?!this|that|it\b)"),
    rule("preference", 0.7, r"i (?:need|require) (?:my|all|every|everything|wheelchair|step-free|subtitles|captions|large|quiet|silence|at least|regular|absolute|complete|total|a lot of|plenty of|glasses|hearing aids?|insulin) (?!help)\S"),
    rule("preference", 0.7, r"i want (?:my|all my|every|everything|all) (?!this|that)\S[^,;]{1,80}\b(?:to be|in|to have|short|formatted|without|with)\b"),
    rule("preference", 0.7, r"(?:it is|it's) (?:very |really |extremely )?(?:important|essential|crucial) (?:to|for) me (?:that|to)\b"),
    rule("preference", 0.7, r"(?:tabs|spaces|dark mode|light mode|[a-z]+ (?:is|are)) (?:is |are )?(?:my|our) (?:favou?rite|preferred|go-to|default|preference|top)\b"),
    rule("preference", 0.7, r"(?:my|our) (?:\w+ ){0,2}?(?:favou?rite|preferred|go-to|usual|default|ideal|least favou?rite|preference)s?\b(?! (?:part|thing) (?:of|about) (?:this|that)| (?:line|quote|scene|passage|bit|lyric)\b|.{0,30}\b(?:password|passwd)\b)[^?]{0,120}?\b(?:is|are|was|has always been)\b (?!this\b|that\b|these\b|it\b|not working|broken|failing)\S"),
    rule("preference", 0.7, r"i (?:take|drink|eat|have|like) my (?!time|word|code|test)\w+ \w+"),
    rule("preference", 0.7, r"i (?!get\b|got\b|see\b|saw\b|had\b|have to\b|keep\b|need\b|want\b|tried\b|am\b|was\b|can\b|could\b|would\b|should\b|will\b|\w+ed\b)[a-z]+ (?!this\b|that\b|the same\b|an? error)[^?]{1,80}\b(?:every (?:day|morning|evening|night|week|weekend|month|year|other|single|\w+day|summer|winter|spring|autumn)|(?:once|twice|three times|\d times) an?|on (?:weekdays|weekends|(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:s| mornings| evenings| nights| afternoons))|daily|before bed|at night)\b"),
    rule("preference", 0.7, r"(?!(?:this|that|it|these|those|which)\b)(?:[\w'-]+ ){1,5}?(?:suits?|works? (?:better|best) for|(?:is|are) (?:much |far |way )?(?:easier|better|nicer|harder) (?:on|for)) (?:me\b|my (?:eyes|hands|back|brain|wrists))(?! (?:now|here)\b)"),
    rule("preference", 0.7, r"(?:the )?(?:fewer|less|more|shorter|simpler|earlier|later|sooner|smaller|spicier|darker|louder|quieter)(?: [\w'-]+){0,3},? the (?:better|happier)\b.{0,20}\b(?:me|i|my|concerned)\b"),
    rule("preference", 0.7, rf"we {ADV}(?:prefer|like|love|hate|dislike|can't stand|enjoy|avoid) {_HERE}\S"),
    rule("preference", 0.65, r"(?!(?:i|you|he|she|they|we|it|this|that|these|those|what|which|who|when|if|because|so|and|but|the (?:only|one|first|last|way|thing|reason|problem|error|bug|option|file|code)|all|nothing|anything|something|everything|here|there|now|then|sometimes|maybe|perhaps|yes|no|since|as|while|once|after|before|until|how|where|why|whether|though|although)\b)(?:[\w'-]+ ){1,4}i (?:only|never|always|can't|cannot|don't|won't|usually|mostly|prefer to) (?:ever )?(?:read|eat|drink|watch|wear|buy|use|take|write|keep|stand|like|play|cook|order|trust|touch|listen to|go to|do|pay|fly|travel|work|sleep)\b"),
    rule("preference", 0.65, r"(?!(?:this|that|it|you|these|those|he|she|they|what|which)\b)(?:[\w'-]+ ){1,4}?(?:makes?|gives?) me (?:gag|sick|sneeze|anxious|happy|sleepy|drowsy|nervous|nauseous|uncomfortable|itch|cry|queasy|dizzy|jittery|hives|headaches|a headache|a rash|the creeps|migraines|nightmares|joy)\b(?! (?:now|here))"),
    rule("preference", 0.7, r"(?:i'll take|give me|i'd take|i take) (?!this|that|it\b|the\b)[^,?]{2,60} over [^,?]{2,60} (?:any ?(?:day|time)|every time|always)|(?:for me, )?nothing (?:beats|compares to|tops) (?!this|that)\S"),
    rule("preference", 0.65, r"i (?:think|believe|feel|find)(?: that)? (?!this|that|it\b|the\b|you|we\b|i\b|they|he\b|she\b|there|your|these|those|something|maybe|perhaps|both)(?:[\w'-]+ ){1,5}?(?:beats?|(?:is|are) (?:better|worse|nicer|cleaner|safer|overrated|underrated|overkill|evil|essential|a waste|a must|sacred)|should (?:always|never)|(?:is|are) more)\b"),
    # Choices of the team.
    rule("decision", 0.75, r"(?:we|the team|the company)(?:'re| are| is) (?:moving|switching|migrating|replacing|dropping|rewriting|renaming|retiring|closing|opening|launching|adopting|phasing out|merging|relocating|rolling out|standardi[sz]ing|hiring|going) (?!this\b|that\b|it\b|to (?:need|see|look|try|fix|have|be)\b|nowhere|crazy|through|over|back|on\b|ahead\b|into\b|forward\b)\S[^?]*\b(?:to|with|in|from|next|by|on|for|off)\b"),
    rule("decision", 0.75, rf"(?:we|they at work|(?:the|our) (?:\w+ )?(?:team|company|board|committee|department|squad|group|org|maintainers|client|jury|management|majority|council|club|class|family|members|owners|stakeholders|product owner|landlord|school|union))(?:'ve| have|'re| are| has|'ll)? {ADV}{DECIDED}\b(?! (?:(?:on |to )?nothing|this|that(?! \w+ \w+)|it)\b| to (?:meet|have lunch))"),
    rule("fact", 0.6, rf"we(?:'re| are|'ve been| have been|'ll)? {ADV}{_WE_DO}\b (?!(?:to )?(?:need|want|know|see|think|have (?:enough |the |much |any )?(?:time|idea|clue|access|choice|luck)|get|getting)\b)(?!able\b){_HERE}\S"),
    rule("fact", 0.6, r"we(?:'re| are) (?:an?|based|located|on|in|\d+|all|closed|open|building|a team) (?!the same page|it\b|this|that|trouble|a hurry|the middle)\S"),
    rule("fact", 0.6, r"we(?: have|'ve| have got|'ve got) (?:an?|(?:(?:around|about|roughly|over|nearly|almost|some|only|just|more than|less than) )?\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|no|our|weekly|daily) (?!(?:\w+ ){0,2}(?:(?:problem|bug|issue|question|error|choice|situation|idea|failing test|deadline today|file|row|option|column|minute|hour|candidate)s?|meeting (?:today|tomorrow|at|in|now))\b)\S"),
    rule("fact", 0.6, r"(?!it\b|this\b|that\b|what\b|which\b|there\b|i\b)[\w'-]+(?: [\w'-]+){0,5}? (?:is|are) (?:always |strictly )?(?:mandatory|compulsory|forbidden|prohibited|not allowed|banned|off[- ]limits)\b"),
    rule("decision", 0.75, rf"we ?(?:ended up (?:choosing|using|picking|buying|going with|taking|hiring|keeping)|moved (?:everything|all of it|all \w+|most of \w+|\w+ \w+) (?:to|over|onto|from)|(?:'re| are) (?:sticking|staying|going ahead) with|(?:'re| are) (?:going to |about to )?(?:stick(?:ing)? (?:with|to)|stay(?:ing)? (?:with|on)|switch(?:ing)? to|drop(?:ping)?|keep(?:ing)?)|won't (?:use|support|ship|move|migrate|renew)|'ll (?:stick|stay|keep)) {_HERE}\S"),
    rule("decision", 0.75, rf"i(?:'ve| have|'ll| will|'m| am)? (?:finally |now |already |just )?(?:decided|going with|go with|settled on|chose|chosen|opted for|picked|committed to|sticking with|stick with) (?!this\b|that\b|it\b|you\b|not to bother|option|flight|seat\b|room\b|number|the (?:first|second|third|last|other|former|latter)\b){_HERE}\S"),
    rule("decision", 0.75, r"let(?:'s| us) agree (?:that|on|to) \S"),
    rule("decision", 0.75, r"i(?:'ve| have) made up my mind\b|i(?:'m| am| will be)? ?(?:taking|accepting|declining|turning down|leaving|quitting|'ll take|will take|took|accepted|turned down) (?:the|my|that) (?:\w+ )?(?:job|offer|position|role|promotion|scholarship|company)\b"),
    rule("decision", 0.75, r"(?:so )?(?:it's|it is|that's|it was|it has been|it's been) (?:now |all |finally |been )?(?:settled|decided|official|agreed)(?:[:,;–—]| that\b| to\b) ?\S|(?:so )?the (?:plan|decision|choice|verdict) is (?:final|made|in|settled)\b[,:;.–—]? ?\S"),
    rule("fact", 0.6, r"there (?:are|'re) (?:only |just |about )?[\w-]+ of us\b|we(?:'re| are) (?:no longer|not) (?!able|sure|ready|there|done|getting|going|in a hurry|talking|allowed to do)\S.*(?:any ?more|any longer|no longer|\bbut\b|, we)\b.*|we(?:'re| are) no longer (?!able|sure)\S"),
    rule("fact", 0.55, r"(?:(?:all|our|the) )?(?!(?:these|those|they|tests|results|errors)\b)[\w-]+s (?:are|get|have to be|must be) (?:always |only |usually )?(?:due|paid|sent(?: out)?|reviewed|merged|deployed|archived|issued|rotated|backed up|wiped|approved|billed) (?:within|by|every|each|on|before|after|at the|once|twice|monthly|weekly|daily|nightly|in (?:euros?|dollars|pounds|EUR|USD|arrears|advance))\b"),
    # Facts about things and people.
    rule("fact", 0.6, r"(?:the|our|every|each|all) (?!(?:function|method|loop|class|variable|line|bug|error|problem|value|string|array|result|output|exercise|text|story|paper|article|issue|list|message|thing|idea|first|second|third|last|next|same|other)s?\b)(?:(?!(?:function|method|loop|class|that|which|and|but)\b)[\w'-]+ ){1,4}?(?:takes (?:about|around|roughly|\d+|up to|two|three|four|five|ten|twenty)|(?:is|are) (?:only |always |all )?(?:stored|hosted|managed|owned|deployed|kept|backed up|cached|encrypted|maintained|run|served|located|logged|written|built|generated|tracked|versioned|billed|paid) (?:in|on|by|with|at|under|via|through|from|every|behind|as|using|once|twice)|goes? through|talks? to|connects? to|authenticates? (?:with|via|against)|listens? on|costs? (?:about |around )?[\d$€£]|runs? (?:on|in|under|behind|every|via)) (?!this\b|that\b|it\b|me\b|us\b|an? (?:error|exception|while|long|lot|bug|way)\b|the (?:error|wrong|exception|console|background)\b)\S"),
    rule("fact", 0.6, r"the (?:car|house|flat|dog|cat|bike|van|boat|baby|garden|kids|children|cottage|landlord|nanny|dentist|gp|neighbours?|school|wedding|rent|mortgage|boiler|wifi|fridge|alarm) (?:is|are|has|have|needs|costs|lives?|belongs|comes|goes|runs) " + rf"{PASSING}(?!to\b|been\b|not\b|very\b|so\b|too\b)\S"),
    rule("fact", 0.6, r"(?:rent|the rent|mortgage|our mortgage|petrol|electricity) is (?:about |around )?[\d$€£]\S*"),
    rule("fact", 0.6, rf"my (?!{_TASK_NOUN} |(?:[\w-]+ )?(?:reservation|booking|order|confirmation|ticket|tracking|transaction|claim|case|shipment|parcel|invoice|reference|return|rma)(?: (?:id|number|no|code|ref|reference|details|status))?s? (?:is|are|was|has)\b|[\w' -]{{1,40}}\b(?:was|were|is|got) (?:just |simply |suddenly )?(?:cancell?ed|delayed|rejected|declined|interrupted|refused|denied|lost)\b|(?:next|last|first|second|previous|main|other) (?:question|request|point|message|task|thought)|(?:favou?rite )?(?:line|quote|part|scene|passage|chapter|moment)\b)(?:(?!(?:says?|said|thinks?|thought|told|tells|claims?|claimed|asks?|asked|believes?|suggested|insists?|wants me)\b)[\w'&/-]+ ){{1,6}}?(?:(?:is|are|was|were)(?! to\b)|isn't|has|have|lives?|works?|prefers?|likes?|loves?|hates?|uses?|can't|cannot|doesn't|does not|don't|goes by|died|passed|moved|turned|turns|speaks?|drinks?|eats?|plays?|starts?|ends?|expires?|renews?|falls|needs|owns?|studies|teaches|runs on|ships|takes|approves?|leaves|departs|lands|belongs|signs|wants (?!me|you|this|it)|sits|runs?|go to|goes to|graduates?|arrives?|retires?|gets) {PASSING}(?!{_TASK_NOUN}\b)\S"),
    rule("fact", 0.6, rf"(?:our|this (?:project|repo|repository|codebase|code base|app|application|service|team|company|library|package|site|workspace|monorepo)|both of our)(?: (?!{_TASK_NOUN} (?:is|are))[\w'&/.-]+){{0,6}}?(?:'s)? {ADV}{_VERB}\b{_OBJECT} {PASSING}\S"),
    rule("fact", 0.6, rf"(?!(?:i|you|he|she|they|we|it|this|that|these|what|which|if|when|his|her|their|another|each|any|some|(?:the )?(?:other|same|wrong))\b)(?:the )?(?:[\w'&/.-]+ ){{0,3}}?{HEAD}(?: (?:for|of|on|in|at|with) (?:[\w'&/.-]++ ?){{1,4}}?)?(?: \w+ly)? {_VERB}\b{_OBJECT} {PASSING}\S", needs=HEAD_WORDS),
    rule("fact", 0.6, r"(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2}),? (?:is|was|are) (?:my|our) (?!guess|point|problem|best bet|bad|fault|next|question|first|goal)\S"),
    rule("fact", 0.6, r"(?-i:(?!It|This|That|There|He|She|They|What|Who|Which|You|Somebody|Nobody|Everyone)[A-Z][\w'-]+(?: [A-Z][\w'-]+)?) (?:approves|owns|leads|manages|handles|maintains|reviews|is responsible for|is in charge of|is on call)\b (?!this|that|it\b)\S"),
)  # fmt: skip

# Openings that carry nothing and are not stored.
FILLER = lazy(
    r"(?:(?:hi|hello|hey|hiya|ok|okay|well|so|and|but|also|oh|ah|yes|yeah|yep|yup|no(?=[,.:;])|nope|thanks|thank you|great|cool|right|sure|perfect|btw|by the way|fyi|"
    r"just so you know|just fyi|for context|for reference|quick note|side note|anyway|plus|then|good|alright|(?:sorry|oops|whoops|my bad|my mistake|scratch that|no wait|wait)(?=[,.!:;–—-]| i meant)|i (?:mixed (?:that|it|this|things) up|misspoke|got (?:that|it) wrong|was (?:wrong|mistaken)(?: there| before| earlier| about that)?|stand corrected)(?=[,:;.–—-])|that's (?:outdated|old news|no longer true)(?=[,:;.–—-])|hmm|um|uh|look|listen|see|lol|haha|"
    r"good (?:morning|evening|afternoon)|dear \w+|hallo|hola|bonjour|olá|你好|嗨)"
    r"(?: (?:there|all|team|hermes|again|so much|everyone|a lot|very much|for (?:that|this|the help)))?(?:[\s,:;.!—–-]+))",
    re.IGNORECASE,
)
# Openings that are part of the statement, but not of the clause that a rule looks at.
LEAD = lazy(
    r"(?:(?:actually|personally|honestly|generally|in general|usually|normally|typically|currently|these days|nowadays|today|at home|at work|privately|as (?:a|an|the|someone|usual|it happens)[^,]{0,80}|due to [^,]{1,80}|"
    r"because of [^,]{1,80}|given [^,]{1,80}|with (?:my|our) [^,]{1,60}|since [^,]{1,80}|for (?:my|our|personal|religious|health|work|ethical|medical|breakfast|lunch|dinner|all|every|most|any)[^,]{0,60}|on (?:weekdays|weekends|mondays|my|our|the)[^,]{0,40}|"
    r"in (?:this|our|the|my) (?:repo|repository|project|codebase|team|company|app|service|office|workspace)(?=,? )|in (?:my|our|the|this|\d{4})[^,]{0,60}|when (?:it comes to|coding|writing|i(?:'m| am)?)[^,]{0,60}|after [^,]{1,60}|although [^,]{1,80}|while [^,]{1,80}|like i said|(?:small |quick |one )?(?:correction|update)[:,]?|(?:as of|starting|beginning|from|since) (?:in |on |with )?[^,]{1,30}(?=,)|"
    r"last (?:week|month|year|night|monday|tuesday|wednesday|thursday|friday)|yesterday|i (?:should|must|want to|have to|need to) (?:mention|add|say|note|tell you)(?: that)?|you should know(?: that)?|i'd like you to know(?: that)?|the thing is|(?:it )?(?:turns|turned) out(?: that)?(?= (?:i|i'm|i've|my|we|our|we're)\b)|i(?:'ve| have)? (?:just |recently )?(?:found out|learn(?:ed|t)|discovered|realised|realized)(?: that)?(?= (?:i|i'm|i've|my|we|our|we're)\b)|"
    r"eigentlich|übrigens|en realidad|en fait|na verdade|其实|另外|对了),? ?)",
    re.IGNORECASE,
)
# What ends a statement inside its sentence: a request or question that follows it.
TAIL = lazy(
    r"(?:\s*[,;:–—-]+\s*|\s+)(?:(?:so|and|but|then|now|or|also)\s+)?(?:(?:can|could|would|will|should|do|did|are|won't|can't|couldn't) (?:you|i|we)\b|what\b[^.!]*\?|how\b[^.!]*\?|which\b[^.!]*\?|"
    r"where\b[^.!]*\?|why\b[^.!]*\?|who\b[^.!]*\?|when\b[^.!]*\?|any (?:ideas?|suggestions?|recommendations?|tips?|advice|thoughts?)\b|is (?:there|it|that|this)\b[^.!]*\?|are there\b[^.!]*\?|does\b[^.!]*\?|(?:ok|okay|right|alright|yeah|no|yes|thanks|thank you|cheers|thx)\s*[?!.]*$).*$"
    r"|[，,；;]\s*(?:请|帮我|你能|能不能|可以|麻烦).*$|\s*[,;]\s*(?:kannst du|könntest du|bitte|puedes|podrías|peux-tu|pouvez-vous|pourrais-tu|você pode|pode)\b.*$",
    re.IGNORECASE,
)
# The same for orders, which also stand in rules of conduct.
TASK_TAIL = lazy(
    r"\s*[,;–—]+\s*(?:(?:so|and|then|now)\s+)?(?:try|fix|rename|run|write|give|show|help|tell|make|create|generate|update|change|add|remove|delete|find|check|look|go|do|let's(?! (?:use|go with|switch to|stick with|stick to)\b)|let me|suggest|recommend|list|explain|"
    r"refactor|reformat|rewrite|convert|move|build|deploy|start|open|send|plan|book|draft|design|implement|test|review|proceed|continue|log in|see)\s.*$"
    r"|(?:\s*[,;:–—-]+\s*|\s+)(?:(?:so|and|but|then|now|or|also)\s+)?(?:please|pls)\b(?! always| never).*$",
    re.IGNORECASE,
)
QUESTION_START = lazy(
    r"(?:should|would|could|can|do(?! not\b)|does|did|is|are|was|were|am|will|shall|have|has|had|what|what's|how|how's|why|when(?!ever)|where|who|whom|whose|which|may|might|isn't|aren't|don't you|doesn't|won't|wouldn't|"
    r"was ist|wie |warum |wann |wo |wer |kannst|kann |soll |qué |cómo |por qué|cuál|quel|comment |pourquoi |est-ce|qual |como (?:faço|posso)|por que|为什么|怎么|什么|如何|是否)\b",
    re.IGNORECASE,
)
QUESTION_CJK = lazy(
    r"[吗呢么]\s*[？?。]?$|什么|怎么|为什么|哪(?:里|个|些|儿)|是否|多少|能不能|可不可以|ですか|ますか|か？"
)
HYPOTHETICAL = lazy(
    r"(?:(?:if|suppose|supposing|imagine|assume|assuming|pretend|let's (?:say|assume|suppose|pretend|imagine)|say i|what if|unless|whether|hypothetically|in case|even if|as if|were i|wenn|falls|si |se |如果|假如|要是|假设)(?:\b|(?<=[\u4e00-\u9fff])))",
    re.IGNORECASE,
)
# The beginning of a played part, or of a text in somebody else's person: what follows is not the user's word.
PERSONA = lazy(
    r"(?:(?:hi|hello|hey|ok|okay|now|so|please|great|sure|let's play a game)[,.:!;]*\s+){0,2}(?:(?:i want you to|i'd like you to|i would like you to|can you|could you|would you|will you|you will|you should|you are going to|you're going to|your job is to|please)(?: now)? )?"
    r"(?:act (?:as|like)\b|acting as\b|play (?:the (?:role|part|character)|a|an|my)\b(?! (?:game|song|round|track|video|sound|role in|part in|piece))|pretend\b|impersonate\b|take on the (?:role|persona)|role-?play\b|(?:let's|let us) (?:role-?play|pretend|play (?:a|an|that))\b|imagine (?:that )?(?:you|i)(?:'re| are|'m| am)\b|"
    r"you are (?:now )?(?:an?|my|the) (?!bit\b|little\b|star\b|life\s?saver|genius|legend|great\b|good\b|hero\b|gem\b|machine\b)|you're (?:now )?(?:playing|a [\w ]{2,30} (?:called|named|who))\b|for (?:this|the) (?:scenario|exercise|game|scene|role-?play|story|campaign|sketch)\b|in (?:this|our) (?:scenario|game|story|role-?play|campaign|sketch)\b|"
    r"write (?:me )?(?:a|an|the|my) (?:[\w-]+ ){0,4}?(?:story|poem|monologue|cover letter|letter|speech|diary|essay|song|bio|scene|dialogue)\b[^.?!]{0,120}(?::\s|in (?:the )?first person))",
    re.IGNORECASE,
)
# A rule for all later answers, given with a played part but not belonging to it, and what says that it does belong.
OWN_RULE = lazy(
    r"(?:^|[,;:.–—-] ?|\band |\bbut )(?:(?:and|but|also|by the way|btw|besides|(?:apart|aside) from (?:that|this|the \w+)|outside (?:of )?(?:that|this|the) [\w-]+)[,:]? )*"
    r"(?P<rule>(?:please )?(?:from now on|from here on|going forward|in (?:the )?future|for all future \w+)[,:]? (?:please |you (?:should|must) |(?:do not|don't) |always |never )*(?:answer|reply|respond|write|use|keep|speak|format|address|call|give|avoid|include)\b)",
    re.IGNORECASE,
)
IN_PART = lazy(
    r"\b(?:as (?:if|an?|the|my|your|though)|you are|you're|(?:in|out of|break|breaking) (?:character|role)|(?:the|your|this|our) (?:character|role|part|persona|game|story|scene|scenario|role-?play)|pretend|like an?|until|for this|in this)\b",
    re.IGNORECASE,
)
# Told by a source or by hearsay, about others, or not to be kept: nothing in the sentence is the user's own word.
_SOURCE = r"(?:changelog|docs?|documentation|readme|manual|e-?mail|mail|article|blog(?: post)?|post|website|site|page|letter|log|ticket|release notes|terms|faq|spec|book|paper|novel|thread|sign|slogan|poster|label|error(?: message)?|message|header|author|vendor|notice|banner|prompt|tooltip|warning|tutorial|guide|newspaper|report|chapter)"
NOT_OWN = lazy(
    rf"as (?:the|that|this|an?) (?:[\w-]+ ){{0,2}}?(?:song|saying|proverb|poem|lyrics?|quote|joke|meme|slogan|narrator) \w|(?:from|per|as per|according to|quoting|quote from) (?:the|their|this|that|a|his|her) (?:[\w-]+ ){{0,2}}?{_SOURCE}s?\b|(?:according to|as per) (?!our\b|my\b)\S|(?:the|their|this|that|his|her|a) (?:[\w-]+ ){{0,2}}?{_SOURCE} (?:says?|reads?|states?|claims?|goes|recommends?|suggests?|told|tells?|insists?|warns?|wants you)\b"
    r"|(?:docs|documentation|reviewers|critics|experts|scientists|people|someone|somebody|others|they|most people|some people|most developers) (?:on|in|at|from|who|always|all|say|state|think|prefer|love|hate|like|keep|recommend|claim)\b|(?:their|his|its) |(?:apparently|supposedly|allegedly|rumou?r has it)\b"
    r"|(?!(?:i|i'm|my|we|our)\b).{0,300}, (?:i|so i) (?:heard|read|was told)[.!]*$|dear \w+, .{1,300} [-–—] \w"
    r"|.{0,300}\b(?:bad example|just (?:kidding|joking|a test|an example)|(?:only|just) testing)\b|(?:there's |there is )?no need to (?:remember|save|store|keep|note|memori[sz]e|record)\b|.{0,200}\b(?:don't|do not) (?:remember|save|store|memori[sz]e|record|keep) (?:this|that|it|any of (?:this|that|it))\b",
    re.IGNORECASE,
)
# What is said by its opposite.
SARCASM = lazy(
    r"(?:yeah,? right\b|as if\b|oh,? (?:great|joy|wonderful|fantastic|perfect|boy|lovely|nice|sure)\b|sure,? (?:because|cause|like)\b|(?:just )?what i (?:love|always wanted)|how (?:nice|lovely|wonderful)\b|wow,? (?:great|thanks)\b)|.{0,200}(?:\s/s|, not)[.!]*$",
    re.IGNORECASE,
)
# A state that passes, in a statement about a thing or a person.
RIGHT_NOW = lazy(
    r"\b(?:today|tonight)[.!]*$|\bi (?:think|guess|suppose|believe)[.!]*$|\bseems? to be\b|\b(?:after a while|suddenly|randomly|all of a sudden|since (?:yesterday|the (?:last )?(?:update|upgrade|deploy|merge|restart|change)))\b|\bin (?:a few|an?|two|three|five|ten|\d+) (?:seconds?|minutes?|hours?)\b(?! (?:or|blocks?|slots?))|that(?:'s| is) the (?:bug|problem|issue|error)\b|\b(?:(?:already )?(?:set up|installed|done|provided|prepared|taken care of) for you|right now|at the moment|as we speak|just now|for now|for the moment|at present|this (?:morning|afternoon|minute|second|very moment)|at \d{1,3} ?%|(?:about|with|on|of|for) this (?:bug|issue|problem|error|ticket|one|task|test)|in the (?:interview|game|story|scene|song|book|novel|film|movie|exercise|example))(?!\w)",
    re.IGNORECASE,
)
UNREAL = lazy(
    r"\b(?:in the market for\b|(?:i'm|i am|we're|person|\w+(?:er|ie|st|ian)) looking (?:for|to|forward)|if i (?:were|was|had)|i wish|would have|if only|could have been|as if i|for example|for instance|e\.g\.|the (?:sentence|phrase|string|word) (?=[\"'“«`]|is\b|:)|lyrics\b)",
    re.IGNORECASE,
)
REPORT = lazy(
    r"\b(?:said|says|say|told|tells|claims?|claimed|thinks?|thought|asked|asks|wrote|writes|argue[sd]?|insisted|mentioned|believes?|according to|heard|replied|answered|reckons|suggested|states?|stated|announced|quoted?|denies|denied|texted|messaged|e-?mailed|posted|tweeted|pinged|forwarded|sang|sings|(?:song|saying|line|chorus|verse|lyrics?|joke|story|poem) (?:goes|runs))\b",
    re.IGNORECASE,
)
# A technical statement about what goes wrong just now.
FAILING = lazy(
    r"\b(?:but|and|which|now|yet|because|,)\s+(?:it|that|this|i|they|the \w+|nothing) (?:\w+ )?(?:throws?|fails?|failed|crash\w*|breaks?|broke|gets?|got|getting|returns?|doesn't|does not|didn't|can't|cannot|won't|isn't|hangs?|keeps? (?:failing|crashing|getting))\b"
    r"|(?:,|\band|\bbut) (?:the (?:\w+ ){1,3}?|one of them |npm |pip |git )(?:is|are|got|gets|drops?|complains?|takes?|keeps?) (?:still |now |already )?(?:wrong|broken|not|too|missing|loose|empty|gone|late|stuck|slow|off|at night|\d+$|\d+\.)"
    r"|\b(?:npm|pip|git|the compiler|the linter|docker) complains\b|\b(?:doesn't work(?! (?:at|for|as) )|not working|keeps failing|keeps crashing|an error|the error|error message|stack trace|traceback|segfault|exception|throws|404|500 error)\b",
    re.IGNORECASE,
)
# About the talk itself, or the matter in hand only.
PASSING_TALK = lazy(
    r"(?:i (?:don't|do not|can't|cannot|didn't) (?:remember|recall|know|understand|see|think|get(?! the (?:point|appeal|fuss|hype|obsession)\b)|mean|believe|care|mind|want to (?:do|talk|discuss|break|change))\b|i (?:guess|think so|suppose|see|understand|agree|mean|am sorry)\b|"
    rf"i (?:need|want) you to\b|i(?:'d| would) (?:like|love) (?:to|you|a|an|some|the|it|this|that)\b|i(?:'m| am) (?:(?:just|still|so|really|very|not|also|a bit|currently|now) )*(?!{ENDEAVOUR})(?:sorry|afraid (?:i|that)|sure|glad|happy (?:to|with)|confused|stuck|lost|trying(?! to (?:cut|eat|drink|spend|sleep|lose weight|quit (?:smoking|drinking|sugar)|give up|read more|walk more|live)\b)|looking|getting|wondering|curious|thinking|seeing|having|writing|going to|about to|done|ready|ok|okay|fine|good|back|here|tired|aware|told|unable|able|running|debugging|asking|talking|getting|hoping|waiting|working on|a bit (?:lost|confused|stuck|late))\b|"
    r"i (?:like|love|hate|prefer) (?:it|this|that|these|those|the (?:idea|plan|look|sound))\b(?! (?:when|project|repo|codebase|team))|i have to (?:go|admit|say|run|leave)|i (?:always|never) (?:will|would|do|did|said|was)\b[\s.!,]*$|my (?:god|bad|apologies|mistake|pleasure)\b|never ?mind\b|nothing\b(?! (?:beats|compares|tops)\b|[^?]{1,90}\bwithout\b))",
    re.IGNORECASE,
)
SECRET_TALK = lazy(
    r"\b(?:remember|note|keep in mind|don't forget|merk|recuerda|souviens|lembre)\b|记住|记一下", re.IGNORECASE
)
PASSWORD_TALK = lazy(
    r"passw|passcode|\bpwd?\b|pass ?phrase|\bpin\b|kennwort|contrase|senha|mot de passe|密码|口令|パスワード",
    re.IGNORECASE,
)
KEY_STATEMENT = lazy(
    r"(?:(?:the|my|our) )?(?:[\w'-]+ ){0,3}(?:key|token|url|uri|dsn|connection string|webhook|credentials?) (?:is|=|:)\s",
    re.IGNORECASE,
)
# A request that is none for now, though it has the form of a question.
STANDING_REQUEST = lazy(
    r"(?:can|could|would|will) you (?:please )?(?=(?:always|never|remember (?:that|i|this:|my (?:[\w'-]+ ){1,5}?(?:is|are|was|were)\b)|keep in mind|make a note|note that)\b)",
    re.IGNORECASE,
)
# A statement cut off before what it was about to say: `Remember that the key is`.
DANGLING = lazy(
    r"\b(?:key|token|passw\w*|pwd?|pin|code|secret|credentials?|number|name|url|id|phrase|ssn|contraseña|senha|passwort|schlüssel) (?:is|are|was|will be|=|:|ist|lautet|es|est|é)\s*[:=]?[\s.!\"'`]*$",
    re.IGNORECASE,
)
# What a statement with a masked secret may consist of without saying anything (see `facts._says_something`).
EMPTY_WORDS = lazy(
    r"(?<!\w)(?:please|pls|remember|note|keep|bear|in|mind|don't|do|not|forget|never|that|this|the|an?|my|mine|our|ours|your|is|are|was|were|be|will|i|i'm|we|it|it's|to|of|for|on|at|by|from|as|and|or|now|new|old|current|still|also|so|hi|ok|here|use|uses|using|used|with|has|have|"
    r"keys?|api|tokens?|secrets?|passw(?:or)?ds?|pass|phrases?|passphrase|passcode|passwort|kennwort|pwd?|pins?|codes?|combination|combo|credentials?|creds|logins?|bearer|access|private|auth|authorization|header|value|string|number|no|nr|id|ids|"
    r"alarm|alarms|doors?|gates?|garage|front|back|main|safe|vault|lock|locker|padlock|lockbox|keypad|entry|phone|card|sim|security|social|unlock|verification|one-time|otp|2fa|cvv|puk|ssn|passport|national|insurance|tax|identity|driver's|driving|licen[cs]e|dni|nie|nif|cpf|bsn|steuer-?id|"
    r"recuerda|que|mi|mis|la|el|es|contraseña|clave|código|de|del|puerta|merk|merke|dir|dass|mein|meine|unser|unsere|das|der|die|ist|lautet|für|souviens-toi|mon|ma|mot|passe|est|le|lembre-se|minha|meu|senha|é|a|o)(?!\w)"
    r"|记住|请|别忘了|我们?的?|密码|密码|口令|密钥|令牌|是|为|的|了|门禁|大门|身份证|护照|号码?|パスワード|暗証番号|私の|は|です|が|비밀번호|내",
    re.IGNORECASE,
)
WORD = lazy(r"\w")
PLACEHOLDER = lazy(r"\[REDACTED [a-z]{2,16}\]")
MASKED = "[REDACTED "
