"""Words of English by what they do in a sentence: the data of `clauses`.

Each class is a set of lower-case words.  Verbs stand in their base form; `forms` makes the others, `IRREGULAR` holds
those that cannot be made.  A contributor extends a class, not a pattern.
"""

# ruff: noqa: E501 - a class of words is easier to extend in long lines
from .rule import words

# Irregular verbs: (past, past participle) by base.
IRREGULAR = {
    base: (past, part)
    for base, past, part in (
        entry.split("/")
        for entry in (
            "be/was/been become/became/become begin/began/begun break/broke/broken bring/brought/brought build/built/built buy/bought/bought"
            " choose/chose/chosen come/came/come cost/cost/cost cut/cut/cut do/did/done drink/drank/drunk drive/drove/driven eat/ate/eaten"
            " fall/fell/fallen find/found/found fly/flew/flown forget/forgot/forgotten freeze/froze/frozen get/got/gotten give/gave/given"
            " go/went/gone grow/grew/grown have/had/had hear/heard/heard hold/held/held keep/kept/kept know/knew/known lead/led/led"
            " leave/left/left let/let/let lose/lost/lost make/made/made mean/meant/meant meet/met/met pay/paid/paid put/put/put"
            " quit/quit/quit read/read/read ride/rode/ridden run/ran/run say/said/said see/saw/seen sell/sold/sold send/sent/sent"
            " set/set/set sit/sat/sat sleep/slept/slept speak/spoke/spoken spend/spent/spent split/split/split stand/stood/stood"
            " swear/swore/sworn swim/swam/swum take/took/taken teach/taught/taught tell/told/told think/thought/thought"
            " throw/threw/thrown understand/understood/understood wake/woke/woken wear/wore/worn shut/shut/shut hit/hit/hit win/won/won write/wrote/written"
        ).split()
    )
}


def third(base: str) -> str:
    """`runs`, `pushes`, `carries`."""
    if base in ("have", "be", "do", "go"):
        return {"have": "has", "be": "is", "do": "does", "go": "goes"}[base]
    if base.endswith(("s", "x", "z", "ch", "sh")):
        return base + "es"
    return base[:-1] + "ies" if base.endswith("y") and base[-2:-1] not in tuple("aeiou") else base + "s"


def past(base: str) -> tuple[str, str]:
    """(past, participle) of a verb."""
    if base in IRREGULAR:
        return IRREGULAR[base]
    if base.endswith("e"):
        made = base + "d"
    elif base.endswith("y") and base[-2:-1] not in tuple("aeiou"):
        made = base[:-1] + "ied"
    elif base in DOUBLING:
        made = base + base[-1] + "ed"
    else:
        made = base + "ed"
    return made, made


def thirds(*classes: frozenset[str]) -> frozenset[str]:
    return frozenset(third(base) for one in classes for base in one)


def participles(*classes: frozenset[str]) -> frozenset[str]:
    return frozenset(past(base)[1] for one in classes for base in one)


def pasts(*classes: frozenset[str]) -> frozenset[str]:
    return frozenset(past(base)[0] for one in classes for base in one)


# Verbs that double their last letter.
DOUBLING = words(
    "ban bug cap commit drop format log map opt pin plan scrap ship stop swap tag wrap step trim skip nag prefer"
)

# How people type: the word as it should be.  Words that are words themselves (`id`, `well`, `were`, `wed`) are left.
TYPED = {
    "im": "I'm", "ive": "I've", "i'm": "I'm", "i've": "I've", "i'd": "I'd", "i'll": "I'll", "i": "I", "dont": "don't", "doesnt": "doesn't", "didnt": "didn't",
    "cant": "can't", "wont": "won't", "isnt": "isn't", "arent": "aren't", "wasnt": "wasn't", "werent": "weren't", "havent": "haven't", "hasnt": "hasn't",
    "couldnt": "couldn't", "wouldnt": "wouldn't", "shouldnt": "shouldn't", "youre": "you're", "theyre": "they're", "weve": "we've", "thats": "that's",
    "theres": "there's", "whats": "what's", "hows": "how's", "wheres": "where's", "lets": "let's", "pls": "please", "plz": "please", "u": "you", "ur": "your", "alway": "always", "alwyas": "always",
    "allways": "always", "nver": "never", "teh": "the", "prefere": "prefer", "perfer": "prefer", "dependancies": "dependencies", "bc": "because", "cuz": "because", "coz": "because",
    "wanna": "want-to", "gotta": "got-to", "hv": "have", "w/": "with", "w/o": "without", "rn": "right-now", "atm": "at-the-moment",
}  # fmt: skip
TYPED |= {
    word.capitalize(): meant[:1].upper() + meant[1:]
    for word, meant in TYPED.items()
    if "'" not in word and len(word) > 1
}

PRONOUNS = words("i i'm i've i'd i'll we we're we've we'd we'll my our")
OTHERS = words(
    "he she they it you his her their its your he's she's they're it's you're they've he'd she'd they'd you'd you've"
    " he'll she'll they'll it'll who whoever somebody someone people somebody's someone's"
)
DEICTIC = words(
    "this that these those it them here there now above below again him her you your yours such something anything"
    " another other others same former latter first second third last next previous one"
)
DETERMINERS = words(
    "a an the some any no every each all both my our your his her its their this that these those another"
)
QUANTIFIED = words(
    "everything anything nothing everyone everybody nobody every each all any no only none noone anyone anybody"
)
NEGATIONS = words(
    "not never no don't doesn't didn't can't cannot won't isn't aren't wasn't haven't hasn't wouldn't shouldn't hardly barely rarely seldom"
)
ADVERBS = words(
    "really also still just only always usually generally typically often mostly mainly primarily actually personally strongly absolutely"
    " definitely honestly frankly basically truly much simply normally regularly frankly kinda sorta pretty quite very super so too totally"
    " completely highly extremely fairly rather never rarely seldom sometimes currently now already almost ever long all both probably"
    " genuinely seriously particularly especially literally ultimately eventually officially finally recently lately since exclusively somewhat"
)
# In front of a statement, without a part in it.
HEDGES = words(
    "honestly personally tbh tbf imo imho fwiw btw fyi ngl frankly well also and but so ok okay oh ah yeah yep yes hey hi hmm um anyway anyways generally usually"
    " normally basically actually then plus because since though although as cause still please hello thanks cheers sorry annoyingly sadly luckily"
    " fortunately unfortunately admittedly apparently obviously"
)
SUBORDINATE = words(
    "if when whenever after before while until unless once till though although whether where wherever as"
)
PREPOSITIONS = words(
    "for in on at with after during by from to of under over without since until about around near between through across per into"
)
COPULAS = words("is are 's isn't aren't am")
MODALS = words("must should shall may can cannot can't mustn't shouldn't needs need has have ought")

# What a bug report, a plan or a story for now is about, and not a standing state of things.
TASK_NOUNS = words(
    "bug bugs error errors problem problems issue issues fix fixes question questions function method loop line lines variable class test output result results"
    " value string array list button dropdown dialog page screen tab window menu animation tutorial article chapter paragraph sentence story poem"
    " essay text mail email letter message reply answer request ticket patch commit branch diff trace log logs exception crash thing things idea way reason point"
    " part step example code script snippet file files upload download column row cell field cursor process thread job build one ones difference change changes"
    " attempt version draft exercise homework option flight seat room order reservation booking payment refund shirt item tests warnings tutorials numbers"
    " profile chunk key picture photo image report appendix section idea ideas animal game case parser client's first second third last next previous other same"
)
# What somebody is kept from or let do.
BARRED = words(
    "use install hire buy ship store share attend eat drink digest sleep drive fly travel afford run deploy record publish expose"
)
RIGHTS = words("rights access permission permissions root sudo privileges clearance credentials")
# How somebody wants to be spoken to: `be blunt with me`.
TONES = words(
    "blunt direct brief honest concise formal informal gentle patient critical strict polite short precise explicit terse frank succinct casual friendly nice kind thorough pedantic"
)
# Nouns that name a lasting arrangement, with which `the` is no pointer.
GROUPS = words(
    "team group department company firm practice shop platform family household choir club school office startup agency business squad guild band"
    " organisation organization lab clinic bakery restaurant cafe farm studio branch division chapter community union board charity store"
)
GENERIC = words("things everything anything stuff")
# Failing, passing and judging words: with them a state is one of the moment.
MOMENTARY = words(
    "broken broke failing failed fails fail stuck crashing crashed crashes down wrong slow slower hanging hung empty missing throwing throws"
    " late ready done fixed off flaky weird strange odd unclear gone dead stopped killed refused rejected denied tomorrow today tonight yesterday"
    " minute minutes hour hours second seconds currently at-the-moment right-now moment morning lunch afternoon noon"
)
SOON = words("today tonight tomorrow yesterday now right-now at-the-moment currently moment minute minutes momentarily")

# Verbs of the moment: what happens while somebody works, and what goes on in the mind.
MOMENT_VERBS = words(
    "see get think guess know mean hope wonder need want have understand wish suggest notice agree ask say hear find feel click press type enter run open call start"
    " try restart hit load submit save reload select choose pass print log receive expect assume suspect suppose believe remember recall forget doubt bet check"
    " look wait add remove delete change rename set put make do go come turn send copy paste fix debug test keep lose realise realize figure thank apologize apologise"
    " appreciate admit promise swear tell show give let seem happen fail execute compile install update upgrade download upload attach include read write close move"
    " spend end begin decide confirm leave build push pull merge commit rebase switch cannot could would should might may will was were did had been done am are is imagine repeat mention"
)
# Verbs of what somebody does over years.
LIFE_VERBS = words(
    "live work reside commute teach study manage lead own rent raise coach mentor volunteer freelance consult speak sing play practise practice train swim cycle"
    " run jog climb paint knit garden cook bake meditate smoke drink eat wear drive ride sail fly travel sleep vote pray worship fast support collect breed foster"
    " suffer identify code program design moderate maintain organise organize handle oversee supervise operate look care report sell trade farm dance draw write"
    " share cohost sublet homeschool telecommute babysit juggle stutter lisp"
)
# Stance: what comes behind `I` (with adverbs, auxiliaries and negations between) to say how somebody stands to a sort of thing.
STANCES = (
    "live without", "do without", "get along with", "got along with", "gotten along with", "get on with", "got on with", "warm to", "warmed to", "warmed up to",
    "get used to", "see the point", "get the point", "get the appeal", "get the fuss", "mind", "do well without", "see the appeal", "swear by", "go for", "reach for", "stick with", "stick to", "lean towards", "lean toward", "lean to", "side with",
    "cope with", "cope well", "deal well", "do well with", "get lost when", "get lost if", "get lost in", "lose focus", "lose track when", "lose interest", "zone out", "struggle with", "care for", "trust",
    "believe in", "adore", "prefer", "love", "hate", "dislike", "detest", "loathe", "despise", "enjoy", "favor", "favour", "avoid", "value", "appreciate good",
    "go with", "opt for", "root for", "steer clear", "stay away", "shy away", "stay clear", "stand", "stomach", "tolerate", "bear", "digest", "handle dairy", "be bothered with",
    "be bothered to", "go near", "get into", "got into", "gotten into", "been into", "been a fan", "been fond", "been keen", "been good at", "been big on", "been one for",
    "grown to love", "come to love", "learned to love", "grow up", "crave", "cherish", "live for", "live by", "have a soft spot", "have a thing", "have no patience", "have no time for",
    "have little patience", "have zero", "get nervous", "get anxious", "get distracted", "get overwhelmed", "get bored", "get migraines", "get headaches", "get seasick", "get carsick", "get dizzy",
    "liked", "loved", "hated", "preferred", "enjoyed", "trusted", "understood the appeal", "seen the appeal", "seen the point", "cared for", "found", "been able to stand", "get the hype",
    "work better", "work best", "think better", "think best", "learn better", "learn best", "focus better", "need quiet", "need silence", "function without", "function before",
    "be trusted with", "start my day", "like to", "like my", "like when", "like it when", "hate it when", "love it when", "like having", "struggle to", "have trouble with", "have a hard time",
)  # fmt: skip
# What somebody is who says `I'm ...`, besides nouns.
TRAITS = words(
    "allergic intolerant vegan vegetarian pescatarian diabetic asthmatic colourblind colorblind dyslexic deaf blind autistic married single divorced widowed engaged"
    " pregnant retired freelance bilingual trilingual lefthanded righthanded introverted extroverted claustrophobic nearsighted farsighted shortsighted nonbinary"
    " celiac coeliac epileptic anemic anaemic sober religious catholic muslim jewish buddhist hindu atheist agnostic gay bisexual trans queer self-employed"
    " self-taught salaried tenured hypermobile neurodivergent adhd ambidextrous left-handed right-handed colour-blind color-blind teetotal"
)
TRAIT_ENDINGS = (
    "-handed",
    "phobic",
    "-sighted",
    "-blind",
    "-impaired",
    "-intolerant",
    "-taught",
    "-employed",
    "-averse",
)
# `I'm <adjective> <preference>`: how somebody is disposed to a sort of thing.
DISPOSED = {
    **dict.fromkeys(words("allergic sensitive addicted drawn attached loyal devoted new used prone partial averse opposed open immune hostile blind subject"), words("to")),
    **dict.fromkeys(words("strict particular picky fussy serious passionate pedantic obsessive old-school religious relaxed careful paranoid firm"), words("about with on when")),
    **dict.fromkeys(words("bad terrible good hopeless useless great rubbish awful slow fluent weak strong experienced proficient"), words("at with in on")),
    **dict.fromkeys(words("big keen hooked sold"), words("on")),
    **dict.fromkeys(words("fond wary sceptical skeptical scared afraid terrified"), words("of")),
}  # fmt: skip
# What an experience does to somebody: `<a sort of thing> <verb> me`.
EFFECTS = words(
    "annoy bug bother stress drain bore irk irritate scare confuse distract tire exhaust calm relax help overwhelm freak wear throw slow trip put drive trigger upset"
    " frustrate motivate energise energize soothe gross creep tempt please delight infuriate terrify nauseate depress cheer pain hurt disgust fascinate"
    " intimidate paralyse paralyze suit kill work knock wake"
)
EFFECT_NOUNS = words(
    "eyes head ears brain skin stomach back nerves mood day wrists blood teeth heart hands life mind sleep knees joints"
)
# Verbs that say how things stand to each other, in `the X <verb> ...`.
RELATIONS = words(
    "stay insist ask demand use run live belong own depend rely require need store hold ship connect talk listen speak support target handle consist cost report serve host cap limit allow"
    " forbid ban enforce cover follow expect close open start end expire renew accept approve manage maintain sign pay prefer want insist work sit contain span"
    " deploy publish sync replicate back authenticate expose feed drive drop provide deliver operate reside rotate archive retain keep meet happen drain gate mirror"
    " bill invoice time cache encrypt log version tag build mandate prohibit hate love like drink eat play study teach speak reside go leave arrive depart take go write track"
)
# Things that were arranged so: `<sorts of things> are <participle>`.
ARRANGED = participles(
    words(
        "store host freeze own handle manage sign deploy keep cache encrypt maintain serve write log build generate track version bill pay back review approve pin lock"
        " configure provision document archive rotate name format test release publish schedule allow forbid ban deprecate require sell base locate hold call"
        " limit cap restrict reserve duplicate partition shard mirror replicate expose protect gate hash sort index run close measure price file ship"
    )
)
# How often, of what comes again; and what breaks rather than runs.
RECURRING = words(
    "every each daily weekly monthly nightly yearly quarterly hourly annually biweekly fortnightly mondays tuesdays wednesdays thursdays fridays saturdays sundays"
    " weekdays weekends mornings evenings nights afternoons once twice"
)
FAILURES = words(
    "crash crashes fail fails hang hangs break breaks die dies throw throws freeze freezes stop stops lag lags lose loses skip skips complain complains stall stalls"
    " timeout restart restarts reload reloads flicker flickers disappear disappears vanish vanishes return returns give gives get gets work works render renders show shows appear appears load loads print prints"
    " forget forgets ask asks tell tells say says call calls annoy annoys happen happens repeat repeats"
)
# Wordings of an opinion, and what judges a sort of thing.
OPINION = (
    "for me",
    "to me",
    "in my book",
    "in my opinion",
    "in my view",
    "in my experience",
    "if you ask me",
    "in my eyes",
)
JUDGING = words(
    "beats beat trumps better worse best worst too overrated underrated overkill easier harder nicer cleaner ugly beautiful unreadable readable boring essential sacred"
    " useless awful terrible horrible stupid silly annoying confusing ridiculous superior inferior bloated clunky"
    " non-negotiable nonnegotiable unacceptable pointless evil great must should matters matter matters more less"
)
LANGUAGES = words(
    "english french german spanish portuguese italian dutch polish czech russian ukrainian chinese mandarin cantonese japanese korean arabic hebrew hindi bengali urdu turkish greek"
    " swedish danish norwegian finnish hungarian romanian bulgarian croatian serbian latin catalan basque welsh irish persian farsi swahili vietnamese thai"
)
ABILITIES = words("speak play sign drive swim ski sew knit sail juggle cook type")
ILLS = words(
    "stroke surgery baby babies heart operation transplant concussion accident miscarriage burnout cancer breakdown twins stent seizure seizures depression"
)
LIVING = words(
    "living raising recovering studying expecting learning saving training retiring caring homeschooling majoring homesteading fasting"
)
WRITING = words(
    "spaces tabs quotes semicolons camelcase snake_case kebab-case commas brackets indentation lowercase uppercase pascalcase backticks titlecase"
)
STYLE = words("tone language spelling style wording register voice grammar punctuation formatting indentation")
ENDED = participles(
    words(
        "shut retire deprecate decommission replace rename move merge close discontinue archive sunset migrate phase kill scrap"
    )
)
SENSED = words("taste tastes look looks smell smells feel feels sound sounds")
PEOPLE = words(
    "qa ops devops hr support procurement compliance folks people intern interns team contractors devs guys designers auditors accountants lawyers management marketing sales legal finance"
)
# What there is or is not at a place of work or in a home: `there is no ...`, `we don't have ...`.
FIXTURES = words(
    "env environment staging qa linter ci pipeline team budget parking lift elevator kitchen office hr support sla backup backups replica cache cdn vpn proxy firewall"
    " documentation docs monitoring alerting policy rule rules dress code process standup retro sprint roadmap designer admin dba devops sysadmin manager tester"
    " testers staff hardware gpu gpus cluster sandbox playground docker kubernetes wifi internet garage garden balcony car dog cat pets kids children dishwasher oven freezer"
    " microwave budget deadline freeze quota cap limit allowance contract nda license licence insurance canteen type types typing hook hooks database api interface access mobile"
)
# Past deeds that end an open question.
CHOICES = words(
    "settle decide choose pick opt agree vote adopt drop ditch abandon scrap retire sunset ban introduce standardise standardize migrate switch replace approve reject"
    " kill decommission select hire sign commit outlaw deprecate land converge"
)
FINAL = words("final decided settled period official")
LIFE_EVENTS = words(
    "graduate grow marry retire emigrate immigrate qualify train serve major study quit join move relocate divorce apprentice convert"
)
DEGREES = words(
    "phd degree master's masters bachelor bachelor's doctorate apprenticeship training residency thesis diploma mba studies service postdoc internship undergrad"
)
LONG_UNITS = words("years year decades decade yrs ages months")
ROLE_ENDINGS = ("er", "or", "ist", "ian", "ant", "eer", "dev", "ops", "man", "woman")
ROLES = words(
    "dev developer engineer nurse teacher student designer manager lead architect analyst dentist doctor lawyer accountant writer editor scientist researcher consultant"
    " founder cto ceo pm sre dba sysadmin admin freelancer contractor intern professor postdoc lecturer physicist chemist biologist pharmacist vet chef baker"
    " carpenter plumber electrician pilot driver farmer artist musician photographer translator journalist librarian dad mum mom father mother parent"
    " grandfather grandmother retiree pensioner user newbie beginner novice veteran noob statistician programmer coder hobbyist paramedic midwife therapist"
)

# Orders that set how something is done rather than ask for one deed.
STYLE_VERBS = words(
    "use prefer avoid keep stick skip default treat favor favour follow assume stay limit spare leave omit drop refrain address refer call wrap"
    " format name spell indent capitalise capitalize phrase respond reply answer explain speak talk be"
)
ORDER_VERBS = STYLE_VERBS | words(
    "write give add put include show make send ask check run start end begin list cite quote prefix translate summarise summarize tell mention state stop provide offer"
    " return say wait confirm remind double-check verify test lint bump update squash rebase tag sign log document ping cc round convert draft propose suggest warn"
    " apologise apologize insert round present highlight think consider touch edit modify push commit merge deploy delete install bother hesitate book schedule run"
    " reformat rewrite refactor review break split sort group commit mock stub hardcode guess invent pick choose save file copy post publish reserve order try get have let go do"
)
# What an assistant makes in every turn: an order about these reaches further than one of them.
MANNERS = words(
    "answers replies responses explanations summaries summary emojis emoji emoticons markdown jargon filler fluff disclaimers apologies preamble preambles pleasantries smalltalk"
    " small-talk comments docstrings docstring headings bullets bullet-points lists tables prose slang formalities sugar-coating sugarcoating caveats intro intros outro recap"
    " recaps analogies metaphors footnotes hype flattery praise compliments buzzwords boilerplate basics units spelling tone language commit-messages links sources"
    " acronyms abbreviations tldr hedging exclamation phrases words jokes puns riddles cliches clichés anglicisms greetings swearing anecdotes exclamations"
)
SPEECH_VERBS = words(
    "explain explains apologise apologize apologising apologizing summarise summarize answer reply respond speak talk write chat elaborate repeat recap hedge sugarcoat guess"
    " lecture preach moralise moralize ramble translate greet praise warn compliment thank"
)
# Of a request for now.
ONE_OFF = DEICTIC | words("today tonight tomorrow yesterday line file step then")
ALWAYS = words("always never ever generally everywhere default principle exception exceptions")
# Sorts of things that projects and desks are full of: as a bare plural or mass noun they mean all of them.
SORTS = words(
    "scripts commits branches tests files functions methods classes modules variables constants names comments docs migrations endpoints routes apis logs secrets credentials"
    " releases tags dependencies imports queries tables columns titles headings labels strings invoices emails mails reports slides dates times timestamps amounts"
    " prices numbers units components styles types interfaces errors exceptions features tickets deployments backups builds images containers meetings reviews pages"
    " translations fixtures scripts notebooks packages libraries services requests jobs pipelines assets icons screenshots examples recipes getters setters queries"
    " clients customers drafts texts letters memos presentations charts graphs diagrams plots estimates quotes contracts shell python typescript javascript rust go sql yaml json bash"
    " messages changes releases deploys refactorings hotfixes enums configs warnings"
)
# Sets that the readers of clauses put together.
REPORTS = frozenset("said says say told tells claims claim claimed thinks thought asked asks wrote writes argues argued insisted insists mentioned believes heard replied reckons suggested suggests states stated recommends recommended".split())  # fmt: skip
ELLIPSIS = frozenset("am have would will do does did can could had".split())
STANCE_SET = frozenset(STANCES)
RELATION_S = thirds(RELATIONS)
EFFECT_FORMS = EFFECTS | thirds(EFFECTS)
CHOSEN = pasts(CHOICES) | participles(CHOICES)
AT_LEISURE = frozenset(
    "can could have need want get like know feel wish think find found had got prefer please will would may".split()
)
PAST = frozenset(
    one
    for pair in IRREGULAR.values()
    for one in pair
    if one not in ("put", "set", "read", "cut", "let", "come", "run", "become")
)
MOVING = frozenset(
    "moving switching migrating dropping hiring launching adopting replacing retiring closing opening merging relocating standardising standardizing rewriting".split()
)
STANCES_DONE = frozenset(
    "liked loved hated preferred enjoyed trusted found gotten got been understood seen cared warmed learned come grown".split()
)
LASTING = frozenset("belong own depend rely require support report cap enforce consist mandate forbid ban span".split())
LASTING_S = frozenset(third(one) for one in LASTING)
DEVICES = frozenset("mac macbook imac linux windows ubuntu debian fedora arch thinkpad pc laptop chromebook iphone android ipad budget diet visa pension keto salary payroll board committee council".split())  # fmt: skip
SEEN = frozenset("seen heard had noticed encountered experienced thought known tried done said gotten got run used received asked happened been written read wanted wished hoped wondered meant".split())  # fmt: skip
POOR = frozenset("fine ok okay good enough perfect possible great new clear unclear broken easy hard difficult impossible unnecessary".split())  # fmt: skip
MENDED = frozenset("renamed fixed changed removed moved updated deleted added refactored done working fine ok okay there here gone faster better ready printed rewritten split adjusted cleaned returned shown available".split())  # fmt: skip
TALK = frozenset("emojis emoji emoticons disclaimers preamble preambles pleasantries apologies fluff filler flattery small-talk smalltalk caveats recap recaps jargon praise hype buzzwords basics hedging sugar-coating".split())  # fmt: skip
LEAVE_OUT = frozenset("skip drop omit leave spare stop cut avoid".split())
MEASURES = frozenset(
    "an a one two three four five few 1 2 3 4 5 6 7 8 9 10 50 80 100 120 under below max short brief simple".split()
)
SAID_BARE_OF_ME = frozenset(
    "allergic based fluent vegan vegetarian born married originally colourblind colorblind dyslexic left-handed".split()
)
SAID_BARE = frozenset("love hate prefer enjoy dislike adore detest loathe grew".split())
# Words of which a sentence that `clauses` can read has one at least.
STATING = (
    words("i i'm i've i'd i'll we we're we've we'll my our me there there's that's no not never always been please when whenever if before")
    | QUANTIFIED | MODALS | LASTING | LASTING_S | RECURRING | WRITING | LANGUAGES | STYLE_VERBS | ROLES | words("is are don't can't skip team board > in to by")
)  # fmt: skip
