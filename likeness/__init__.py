"""When two statements say the same, the opposite, or give another value for one thing; tables and no model (D69).

    form.py        the words that are left when nothing is left that could be said otherwise
    slots.py       what a statement gives a value for, and the value
    english.py, languages.py, categories.py    tables

`read` is the door: pure, cached, linear in the text.
"""

from functools import cached_property, lru_cache

from ..capture.restated import plainly
from .form import Form, form_of
from .slots import Slot, frame_of, slot_of


class Statement:
    """What is known of one text; the slot is looked for when it is asked for."""

    def __init__(self, content: str) -> None:
        self.form: Form | None = form_of(content)

    @cached_property
    def _plain(self) -> Form | None:
        """The form of what holds now, where the text says it anew: in other words it gives the same value."""
        if self.form is None or (plain := plainly(self.form.raw)) == self.form.raw:
            return self.form
        return form_of(plain)

    @cached_property
    def frame(self) -> Slot | None:
        """The slot by the statement's words: the only kind of which one value may be all there is."""
        return None if self._plain is None else frame_of(self._plain)

    @cached_property
    def slot(self) -> Slot | None:
        return None if self._plain is None else slot_of(self._plain)

    def same(self, other: "Statement") -> bool:
        """Both say the same; resolved dates, where both have some, are equal."""
        one, two = self.form, other.form
        if one is None or two is None or one.key != two.key:
            return False
        return not one.dates or not two.dates or one.dates == two.dates

    def denies(self, other: "Statement") -> bool:
        """One says that the other is not so."""
        one, two = self.form, other.form
        return one is not None and two is not None and one.bare == two.bare and one.denied != two.denied


@lru_cache(maxsize=4096)
def read(content: str) -> Statement:
    """The statement that a text makes."""
    return Statement(content)


__all__ = ["Form", "Slot", "Statement", "read"]
