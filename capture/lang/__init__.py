"""The languages besides English, each a table of its own; see docs/languages.md."""

from ..rule import Language
from . import de, es, fr, ja, pt, zh

LANGUAGES: tuple[Language, ...] = (de.TABLE, es.TABLE, fr.TABLE, pt.TABLE, zh.TABLE, ja.TABLE)
