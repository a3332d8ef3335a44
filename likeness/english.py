"""English words for `form`: what is dropped, what stands for one another.  Tables to extend; see docs/domain.md.

A word may only be put beside another here when no number, name, negation, unit, date or person hangs on it.
"""

# ruff: noqa: E501 - tables are easier to extend in long lines

CONTRACTIONS: dict[str, str] = {
    "i'm": "i is", "im": "i is", "i've": "i have", "ive": "i have", "i'd": "i would", "i'll": "i will",
    "we're": "we is", "we've": "we have", "we'd": "we would", "we'll": "we will",
    "you're": "you is", "you've": "you have", "you'd": "you would", "you'll": "you will",
    "he's": "he is", "she's": "she is", "it's": "it is", "that's": "that is", "there's": "there is",
    "here's": "here is", "they're": "they is", "they've": "they have", "they'd": "they would", "they'll": "they will",
    "let's": "let us", "lets": "let us", "don't": "do not", "dont": "do not", "doesn't": "do not", "doesnt": "do not",
    "didn't": "did not", "didnt": "did not", "can't": "can not", "cant": "can not", "cannot": "can not",
    "couldn't": "could not", "won't": "will not", "wont": "will not", "wouldn't": "would not",
    "shouldn't": "should not", "mustn't": "must not", "isn't": "is not", "isnt": "is not", "aren't": "is not",
    "arent": "is not", "ain't": "is not", "wasn't": "was not", "weren't": "were not", "haven't": "have not",
    "hasn't": "have not", "hadn't": "had not", "needn't": "need not",
}  # fmt: skip

DROPPED = frozenset(
    """the an really very truly totally absolutely definitely certainly strongly greatly quite simply just actually
    basically honestly literally obviously clearly please kindly pls plz thanks thx also though still now currently
    already anymore indeed personally btw nowadays presently especially particularly super super-duper fyi
    extremely completely deeply genuinely sincerely entirely""".split()
)
"""Articles, intensifiers, politeness, and words that only say that something holds today."""

WORDS: dict[str, str] = {
    "am": "is", "are": "is", "has": "have", "does": "do", "never": "not", "n't": "not",
    "favourite": "favorite", "favorite": "favorite", "fave": "favorite", "preferred": "favorite", "colour": "color",
    "love": "like", "loves": "like", "enjoy": "like", "enjoys": "like", "adore": "like", "adores": "like",
    "requires": "need", "require": "need", "needs": "need", "utilize": "use", "utilise": "use",
    "uses": "use", "employs": "use", "reply": "answer", "respond": "answer", "replies": "answer", "responses": "answer",
    "prefers": "prefer", "likes": "like", "wife's": "wife", "organisation": "organization", "licence": "license",
    "grey": "gray", "programme": "program", "analyse": "analyze", "centre": "center", "behaviour": "behavior",
    "repo": "project", "repository": "project", "codebase": "project", "two": "2", "three": "3",
    "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11",
    "twelve": "12", "&": "and", "db": "database", "mum": "mother", "mom": "mother", "dad": "father",
    "hates": "hate", "dislikes": "dislike", "lives": "live", "works": "work", "children": "child",
}  # fmt: skip

OPENINGS: tuple[str, ...] = (
    "as i said", "as i say", "as i told you", "as i mentioned", "as mentioned", "as said", "as you said", "as you know",
    "as you noted", "as you remember", "as you already know", "as you told me", "as you mentioned", "as always",
    "like i said", "like you said", "as we said", "as discussed", "as we discussed", "by the way", "btw", "fyi",
    "for your information", "for the record", "just so you know", "to be clear", "to be honest", "in fact", "actually",
    "well", "oh", "ah", "hey", "hi", "hello", "yes", "yeah", "yep", "yup", "sure", "exactly", "correct", "indeed",
    "of course", "so", "and", "but", "anyway", "anyways", "also", "again", "once again", "remember", "remember that",
    "please remember", "please remember that", "remember this", "keep in mind", "keep in mind that", "bear in mind that",
    "please note", "please note that", "note that", "note", "do not forget", "do not forget that",
    "please do not forget that", "i told you that", "i told you", "i said that", "i said", "i mentioned that",
    "you know that", "you know", "you should know that", "you should know", "i should mention that",
    "i should mention", "i want you to know that", "let me repeat", "let me be clear", "i repeat", "it is true that",
    "the thing is", "honestly", "frankly", "to repeat", "in short", "basically", "clearly", "obviously", "apparently",
    "first of all", "from now on", "going forward", "from today on", "from here on", "in future", "in the future",
    "in general", "one more thing", "another thing", "i would like to add that", "i guess", "i think", "i mean",
    "i must say", "personally", "speaking of which", "now", "these days", "at the moment", "currently", "no worries",
    "my point is that", "i already told you that", "i already told you", "as stated", "as noted", "as before",
    "just a reminder", "just to remind you", "reminder", "quick reminder", "to remind you", "thanks", "thank you",
    "great", "perfect", "cool", "good", "nice", "got it", "understood", "and as you know", "yes as you said",
)  # fmt: skip
"""Discourse that a statement may begin with, longest first when matched; several may follow one another."""

OPENINGS_WITH_COMMA: tuple[str, ...] = (
    "right", "no", "ok", "okay", "alright", "true", "like", "fine", "nope", "look", "listen", "wait", "hmm", "sorry",
    "yes right", "that is right", "that is correct", "right again", "true again",
)  # fmt: skip
"""Only with a mark behind them: "right now" and "no meat" are something else."""

ENDINGS: tuple[str, ...] = (
    "as you know", "as you said", "as i said", "as i told you", "as i mentioned", "as always", "as you already know",
    "like i said", "you know", "by the way", "btw", "please", "thanks", "thank you", "too", "as well", "though", "ok",
    "okay", "right", "remember", "anymore", "any more", "any longer", "these days", "at the moment", "at present",
    "right now", "nowadays", "for now", "going forward", "from now on", "in future", "in the future", "very much",
    "a lot", "so much", "again", "of course", "after all", "to be clear", "for the record", "just so you know", "fyi",
    "as you recalled", "as you remember", "in case it matters", "always have", "as mentioned", "as noted", "as stated", "as before", "as discussed", "keep that in mind", "you see",
)  # fmt: skip

INSTRUCTING: tuple[str, ...] = (
    "make sure to", "make sure you", "make sure that you", "be sure to", "you should", "you must", "you need to",
    "you have to", "i want you to", "i would like you to", "i expect you to", "i would prefer you to", "remember to",
    "do not forget to", "try to", "you can", "could you", "can you", "will you", "would you", "always", "you should always",
    "you must always", "i want you to always", "i need you to always", "i would like you to always",
)  # fmt: skip
"""At the start of a standing instruction: what follows is the instruction."""

PHRASES: dict[str, str] = {
    # stating verbs
    "would rather use": "prefer", "would rather have": "prefer", "would rather": "prefer", "would prefer": "prefer",
    "prefer to use": "prefer", "prefer using": "prefer", "prefer to have": "prefer", "prefer having": "prefer",
    "would sooner": "prefer", "prefer the use of": "prefer", "like to use": "like", "like using": "like",
    "is fond of": "like", "is a fan of": "like", "is a big fan of": "like", "is a huge fan of": "like",
    "is into": "like", "is keen on": "like", "is not fond of": "not like", "is not a fan of": "not like",
    "is not a big fan of": "not like", "is no fan of": "not like", "is not into": "not like", "is not keen on": "not like",
    "dislike": "not like", "hate": "not like", "detest": "not like", "despise": "not like", "can not stand": "not like",
    "can not bear": "not like", "do not enjoy": "not like", "do not care for": "not like", "loathe": "not like",
    "you do not need to": "not", "you do not have to": "not", "there is no need to": "not", "no need to": "not",
    "you can stop answering": "not answer", "stop answering": "not answer", "stop using": "not use",
    "is allergic to": "allergic to", "is not allergic to": "not allergic to", "have an allergy to": "allergic to", "have allergy to": "allergic to",
    "have got": "have", "is named": "name is", "is called": "name is", "named": "called", "goes by": "name is", "go by": "name is",
    "i is called": "my name is", "i is named": "my name is", "people call me": "my name is",
    "work for": "work at", "is employed at": "work at", "is employed by": "work at", "is working at": "work at",
    "is working for": "work at", "have a job at": "work at", "is based in": "live in", "is living in": "live in",
    "reside in": "live in", "is located in": "live in", "is residing in": "live in", "have my home in": "live in",
    # what is set against what
    "rather than": "over", "instead of": "over", "as opposed to": "over", "in place of": "over", "in preference to": "over",
    "no longer": "not", "not any longer": "not", "not ever": "not", "do not ever": "not", "do not": "not",
    "very much": "", "from now on": "", "going forward": "",
    "these days": "", "at the moment": "", "right now": "", "as well as": "and",
    "is built on": "built with", "is built with": "built with", "is built in": "built with", "is built using": "built with",
    "is written in": "written in", "is coded in": "written in", "in order to": "to", "per day": "daily",
    "every day": "daily", "each day": "daily", "every week": "weekly", "each week": "weekly", "time zone": "timezone",
    "every morning": "in morning", "each morning": "in morning", "in the mornings": "in morning",
    "in the morning": "in morning", "in the evenings": "in evening", "in the evening": "in evening",
    "e mail": "email", "do like": "like", "do prefer": "prefer", "do use": "use", "do love": "like", "do have": "have",
    "do live": "live", "do work": "work", "do need": "need", "do want": "want", "do eat": "eat", "do drink": "drink",
    "this project": "project", "our project": "project",
    "is using": "use", "is running": "run", "is hosting": "host", "is deploying": "deploy", "is learning": "learn",
    "is studying": "study", "is eating": "eat", "is drinking": "drink", "is writing": "write", "is building": "build",
    "let us use": "use", "is hosted on": "host on", "is deployed on": "deploy on", "is deployed to": "deploy to",
    "stick to": "stick with", "is a vegetarian": "is vegetarian", "is a vegan": "is vegan", "do not like": "not like",
}  # fmt: skip
"""Runs of words, after contractions and single words; the longest that begins at a place counts."""

KEPT_WHOLE = frozenset(
    """windows teams news kubernetes jenkins rails postgres pandas canvas aws gcs sas dns https css js ts os ios macos
    redis atlas thomas james jones paris athens texas mars christmas series species always this is us its his hers as
    was has does less yes plus previous various status bus gas glass class access process business address express
    cypress wordpress nuxt jas chess press boss keras celsius numbers slides pages notes keys sheets maps sms
    wales netherlands philippines brussels naples cannes alps andes""".split()
)
"""Words in -s that are no plurals, and names of things that would be mistaken for one."""

JOINED_UNITS = frozenset("am pm gb mb kb tb gib mib kg km cm mm ms kwh mhz ghz % px hz".split())
"""Written with a space or without behind a number."""
