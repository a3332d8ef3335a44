"""User rows that the host, not a person, has written: their openings, and what of a mixed row the user did say.

The texts are those of the supported hosts (host.md 11 and P37).  A row that a newer host words otherwise is at worst
read as a user's message, which is why `turn` drops by the rows' own flags first.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re

from .lazy import lazy

# Whole rows without a word of the user.
_MACHINE_OPENINGS = (
    "[CONTEXT COMPACTION",
    "[CONTEXT SUMMARY]",
    "[Your active task list was preserved",
    "[Planning state preserved",
    "[ASYNC DELEGATION",
    "[Orphan recovery:",
    "[System:",
    "[SYSTEM",
    "[Runtime note:",
    "[IMPORTANT:",
    "[Delegation",
    "[Command interrupted",
    "Cronjob Response:",
    "<task-notification>",
    "<system-reminder>",
    "<local-command",
    "<command-message>",
    "<command-name>",
    "(The user sent a message with no text content)",
)
_SIGNAL = lazy(
    r"\s*(?:received signal \d{1,3}|operation interrupted\b[^\n]{0,200}|\[interrupted[^\]\n]{0,200}\])\.?\s*\Z", re.I
)

# Values of the host's `display_kind` on rows that a person wrote.
_SPOKEN_KINDS = frozenset({"", "steer", "skill_invocation"})

_PRIOR = "[PRIOR CONTEXT"
_PRIOR_END = "[END OF PRIOR CONTEXT"
_SUMMARY_END = lazy(r"--- END OF CONTEXT SUMMARY[^\n]{0,200}?---")

_SKILL = "[IMPORTANT: The user has invoked the "
_SKILL_SAID = "The user has provided the following instruction alongside the skill invocation: "
_BUNDLE = " skill bundle,"
_BUNDLE_SAID = "\nUser instruction: "
_BUNDLE_BODY = "\n\n[Loaded as part of the "
_AUTOLOADED = lazy(r'\[IMPORTANT: The "[^"\n]{0,200}" skill is auto-loaded')
_SKILL_FOOTER = "then run them with the terminal tool using the absolute path."
_RUNTIME = "\n\n[Runtime note:"

_STEER = lazy(r"\[OUT-OF-BAND USER MESSAGE[^\]\n]{0,400}\]\n?|\n?\[\x2fOUT-OF-BAND USER MESSAGE\]")
_CHANNEL = "[Recent channel messages]"
_CHANNEL_END = "[New message]"
_INTERRUPTED = "[Context from the interrupted assistant response]"
# Notes of one bracket that stand before, after or beside the user's words.
_NOTE = lazy(
    r"\[(?:System note:|System:|Runtime note:|Note: (?:model was|some earlier|the user|this message|the host)|Voice input|"
    r"Voice channel now|The user sent|Image attached|Attached image|Screenshot|Skills reloaded|IMPORTANT: )[^\]]{0,4000}\]"
)
_REPLY = lazy(r'\[Replying to[^:\n"]{0,120}: "[^\n]{0,2000}?"\]\n+')
_ATTACHED = lazy(r"\n--- (?:Attached Context|Context Warnings) ---\n")


def spoken(text: str) -> str:
    """What a person said in a user row's text, "" for a row that the host made alone."""
    opening = text.lstrip()
    if _SIGNAL.match(opening):
        return ""
    if opening.startswith(_PRIOR):
        # A summary merged into a kept row: the row's own words stand between the two delimiters.
        body = opening.partition("\n")[2]
        prior, found, _ = body.partition(_PRIOR_END)
        return spoken(prior) if found else ""
    if opening.startswith(("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")):
        ends = list(_SUMMARY_END.finditer(opening))
        return spoken(opening[ends[-1].end() :]) if ends else ""
    if opening.startswith(_SKILL):
        return _skill_words(opening)
    if _AUTOLOADED.match(opening):
        return opening.rpartition(_SKILL_FOOTER)[2] if _SKILL_FOOTER in opening else ""
    if opening.startswith(_CHANNEL):
        # What others wrote in the room before; only the new message is this turn's.
        return opening.partition(_CHANNEL_END)[2]
    if opening.startswith(_INTERRUPTED):
        return ""
    if opening.startswith(_MACHINE_OPENINGS):
        return ""
    return _without_notes(text)


def is_spoken_kind(kind: object) -> bool:
    """False for a host's display kind that marks a row as its own (`hidden`, `model_switch`, ...)."""
    return not isinstance(kind, str) or kind in _SPOKEN_KINDS


def _skill_words(text: str) -> str:
    """The instruction typed beside a skill call; the skill's body is dropped."""
    if _BUNDLE in text.partition("]")[0]:
        said = text.partition(_BUNDLE_SAID)[2]
        return said.partition(_BUNDLE_BODY)[0]
    said = text.rpartition(_SKILL_SAID)[2] if _SKILL_SAID in text else ""
    return said.partition(_RUNTIME)[0]


def _without_notes(text: str) -> str:
    if "[" in text:
        text = _STEER.sub("", text)
        text = _REPLY.sub("", text)
        text = _NOTE.sub("", text)
    if "\n--- " in text and (found := _ATTACHED.search(text)):
        text = text[: found.start()]
    return text
