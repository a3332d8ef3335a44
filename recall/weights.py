"""The weights of recall in two tables: of passages, chosen by benchmarks/tune_recall.py, and of entries, chosen by
benchmarks/tune_entries.py; both ablated in docs/benchmarks.md.  What a word says before any count stands in analyse.py,
which writes the index as well.

A passage's own score is BM25 over the groups of the question (a word and its kin count once), times what it covers of
the question.  Around it stand the scores of its neighbours: an answer seldom repeats the words of its question.
"""

from ..plain import dataclass


@dataclass(frozen=True)
class Weights:
    """What each kind of evidence is worth; 0 switches a part off."""

    # ── own score ──
    k1: float = 1.0  # how soon a repeated word stops to count
    b: float = 0.3  # how much a long passage is discounted
    generic: float = 0.6  # words of requests of every kind, beside 1 for a word with a subject
    mild: float = 0.8  # the same for words that are a subject now and then
    name: float = 1.5  # names and identifiers
    named: float = 0.2  # the name of a speaker, as a word
    prefix: float = 0.7  # a word that begins as the one asked for
    kin: float = 0.4  # a related word in place of the one asked for
    pair: float = 0.24  # neighbouring words of the question that stand close together here
    phrase: float = 1.0  # what the question puts in quotation marks, word for word
    coverage: float = 0.75  # share of the question that is covered
    feedback: float = 0.3  # words that the best passages share and the question lacks
    feedback_from: int = 8  # passages that these are taken from
    feedback_terms: int = 18
    # ── neighbours: of the one, two, three passages before (after) this one ──
    before: tuple[float, float, float] = (0.33, 0.25, 0.1)
    after: tuple[float, float, float] = (0.27, 0.25, 0.1)
    asked: float = 0.3  # more for the one before when it is a question
    session: float = 0.15  # the best passages of the same session
    # ── who and when ──
    speaker: float = 1.35  # said by the one whom the question names
    party: float = 1.0  # said where the one whom the question names takes part
    role: float = 0.3  # said by the side that "did you say", "did I say" asks for
    when: float = 0.3  # names a time, for a question that asks for one
    date: float = 1.5  # said in the time that the question names
    dated: float = 0.225  # the same whatever it says, beside the best score
    topic: float = 0.3  # words of the turns before, for a question that goes on from them
    # ── choice ──
    size: float = 0.15  # a long passage has to be worth its tokens
    recency: float = 0.02  # newer before older, among equals
    bridge: float = 3.0  # of what a line costs before it says anything: for so much the message between two is told too
    touching: float = 1.5  # more for a passage beside one that is told already: it needs no line of its own


WEIGHTS = Weights()

# ── sizes, with their units ──
PASSAGE_CHARS = 1000  # a longer message is indexed in passages of about this size
OVERLAP_CHARS = 160  # that two passages of a message share
POSTINGS = 12_000  # index rows that one question may walk
CANDIDATES = 110  # passages that are scored by all they say
WIDE_CANDIDATES = 180  # the same in wide rooms, and for pairs of characters, of which each says less than a word
CENTRES = 20  # of them, passages whose neighbours are looked at
WIDE_CENTRES = 40  # the same in wide rooms
REACH = 3  # messages on either side
USUAL_ROOM = 2000  # tokens; with more room whole sessions are looked at
WHOLE_SESSIONS = 16  # then, of the best
SESSION_MOST = 120  # passages of each
DATED = 80  # passages of a named time that are looked at whatever they say
NAMED_FROM = 3  # messages that make a name a speaker's
CLOSE, NEAR = 2, 6  # words between the two of a pair: full and half worth
RANKED_MOST = 500  # passages that the last steps of the order look at
SESSION_BEST = 5  # passages that speak for their session
RECENCY_DAYS = 365.0  # after which a passage is half as recent
USUAL_CHARS = 150.0  # of a passage that costs what it should
REPEATED_MORE = 8  # terms that a repetition of the question may have more: a name, a word said twice
NAMED_FIRST = 5.0  # a speaker's name among those who talk of the same, when passages are gathered
PARTY_BLOCK = 8  # passages put down one after the other that are taken for talk of the same people
PARTY_MOST = 0.8  # share of the log from which on a party is no narrower than the log
PARTY_FIRST = 4.0  # words where the named take part, when passages are gathered
KIN_SHARE = 0.35  # of POSTINGS, for related words
OWN_WORDS = 1.2  # a question of so few words of its own goes on from the turns before it
TOPIC_TERMS = 6  # words of the turns before
DATE_SLACK_DAYS = 14  # a time is often spoken of some days later
LEAST_CUT = 40  # tokens left from which on the first passage that does not fit is told in part (CD76)
LIKE = 0.9  # shared terms that make a passage the repetition of a newer one

# ── relevance of a question to the log: chosen on benchmarks/requests.jsonl against questions that the log answers ──
# Covered: the share of the question's say that the best passage and the ones beside it hold.
FLOOR = 0.3  # covered share below which the log has nothing to say
FLOOR_GROWS = 0.05  # more for each tenfold above 1,000 passages: in a large log chance covers more
FLOOR_NAMED = 0.0  # the same for a question about a speaker whom it names, see asked.py
FLOOR_PASSING = 0.4  # the same for a request that mentions a speaker in passing: the name is no evidence
FLOOR_SHORT, SHORT_WORDS = 0.15, 2  # the same for a question of so few words that names a time
RICH = 1.35  # summed rarity of what is held, from which a long question needs no more
LEAST_HELD = 0.55  # summed say of what is held: one generic word is 0.3
BEST_LOOKED_AT = 12
NEAR_BEST = 0.05  # share of the best score below which a passage is not told beside it, in the usual room
BESIDE = 0.7  # a word in the passage beside this one
PRIOR_PASSAGES = 60  # at so many passages the log's own counts weigh as much as the prior
ANSWER_WORDS = 3  # that make an answer


@dataclass(frozen=True)
class EntryWeights:
    """Of entries, their order and bands (rank.py): chosen by benchmarks/tune_entries.py; of what it found, those that
    make the held-back half no worse."""

    # ── relevance = coverage·(share of the question) + focus·min(1, focus_scale·(share of the entry)) ──
    coverage: float = 0.7
    focus: float = 0.2
    focus_scale: float = 1.5
    kin: float = 0.9  # a related word in place of the one asked for, in questions about oneself
    prior_entries: float = 100.0  # at this many entries the store's own counts weigh as much as the prior
    impersonal: float = 0.9  # relevance of an entry about others to a question about oneself
    slot_relevance: float = 0.67  # of an entry that answers what a question about oneself asks for
    # ── bands ──
    strong: float = 0.62  # relevance from which an entry is in the strong band
    floor: float = 0.31  # relevance below which it is not relevant at all
    floor_rich: float = 0.19  # the same for one that shares much with a long question
    near_best: float = 0.5  # share of the best relevance below which an entry is not told beside it
    search_floor: float = 0.2  # relevance below which an explicit search leaves an entry out
    # ── evidence: summed say of what question and entry share ──
    least_evidence: float = 0.7  # two generic words are 0.6
    rich_evidence: float = 1.9
    personal_evidence: float = 0.2  # question and entry both speak in the first person
    answered_evidence: float = 0.3  # and the entry has everything that the question asks for
    slot_evidence: float = 1.0
    # A term in over `common_share` of at least `common_from` entries counts less.
    common_share: float = 0.2
    common_factor: float = 0.6
    common_from: int = 10
    # ── order inside a band ──
    bm25_k1: float = 1.2
    bm25_b: float = 0.6
    sort_relevance: float = 0.5
    sort_bm25: float = 0.38
    sort_salience: float = 0.07
    sort_recency: float = 0.05
    half_life: float = 90 * 86400.0  # seconds


ENTRY_WEIGHTS = EntryWeights()
