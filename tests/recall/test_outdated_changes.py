"""What was corrected is followed change by change, with the same result as reading everything (D110)."""

from cognition.recall.outdated import Outdated
from cognition.stores.records import Record
from cognition.stores.view import EMPTY, View
from hypothesis import given, settings
from hypothesis import strategies as st

REFS = [f"cog-s1-{number}" for number in range(5)]
CHANGE = st.tuples(
    st.sampled_from(REFS), st.sampled_from(["I live in Oslo.", "I live in Rome.", None]), st.sampled_from(["", *REFS])
)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(CHANGE, max_size=3), max_size=6))
def test_following_the_changes_is_reading_it_all(commits: list[list[tuple[str, str | None, str]]]) -> None:
    following, view = Outdated(), EMPTY
    for number, commit in enumerate(commits, start=1):
        changes: dict[str, Record | None] = {}
        for ref, content, newer in commit:
            entry = {"ref": ref, "content": content, "provenance": {"created_at": number}}
            if newer and newer != ref:
                entry["superseded_by"] = newer
            changes[ref] = None if content is None else Record(entry)
        view = View.with_changes(view, changes, (number,))
        following.read(view)
        anew = Outdated()
        anew.read(view)
        assert following.of("owner") == anew.of("owner")
