"""The store against a dictionary: any sequence of deeds by two processes leaves what the dictionary says."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from cognition.merge import Delivery, push_batch
from cognition.stores import ops
from cognition.stores.entry import delivery_digest
from cognition.stores.limits import Limits
from cognition.stores.local import LocalStore
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from .support import SMALL, entry

REFS = st.sampled_from([f"cog-s-{n}" for n in range(8)] + ['odd "ref"\\', "日本-1"])
TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=300).filter(str.strip)
WHO = st.integers(0, 1)


class StoreMachine(RuleBasedStateMachine):
    """Two store objects on one home, each with or without the derived index."""

    @initialize(whole_max=st.sampled_from([10, 800, 1 << 20]), indexed=st.tuples(st.booleans(), st.booleans()))
    def start(self, whole_max: int, indexed: tuple[bool, bool]) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="cognition-model-"))
        self.limits = Limits(**{**SMALL.__dict__, "whole_max": whole_max})
        self.indexed = indexed
        self.stores = [self.opened(n) for n in (0, 1)]
        self.model: dict[str, Any] = {}
        self.serial = 0
        self.delivered: list[Delivery] = []

    def opened(self, who: int) -> LocalStore:
        index = self.home / "recall.db" if self.indexed[who] else None
        return LocalStore(self.home / "committed.json", index, limits=self.limits)

    @rule(who=WHO, changes=st.dictionaries(REFS, st.none() | TEXTS, max_size=4))
    def commit(self, who: int, changes: dict[str, str | None]) -> None:
        with self.stores[who].transaction() as txn:
            for ref, text in changes.items():
                if text is None:
                    txn.remove(ref)
                    self.model.pop(ref, None)
                else:
                    self.model[ref] = self.fresh(ref, text)
                    txn.put(self.model[ref])

    @rule(who=WHO, ref=REFS, text=TEXTS)
    def update(self, who: int, ref: str, text: str) -> None:
        if ref not in self.model:
            return
        new = self.fresh(ref, text)
        with self.stores[who].transaction() as txn:
            version = ops.update(txn, new)
        self.model[version] = {**self.model[ref], "ref": version, "superseded_by": ref}
        self.model[ref] = new

    @rule(who=WHO, ref=REFS, text=TEXTS, stale=st.booleans())
    def push(self, who: int, ref: str, text: str, stale: bool) -> None:
        new = self.fresh(ref, text)
        base = delivery_digest(self.model[ref]) if ref in self.model else None
        delivery = Delivery(ref, new, "0" * 64 if stale else base)
        (outcome,) = push_batch(self.stores[who], [delivery], now=float(self.serial), timeout=1.0)
        assert outcome.status == ("conflict" if stale else "applied")
        extra = {"conflict_with": ref} if stale else {}
        self.model[outcome.committed_ref] = {**new, "ref": outcome.committed_ref, **extra}
        self.delivered.append(delivery)

    @rule(who=WHO, which=st.integers(0, 30))
    def redeliver(self, who: int, which: int) -> None:
        if self.delivered:
            delivery = self.delivered[which % len(self.delivered)]
            push_batch(self.stores[who], [delivery], now=1.0, timeout=1.0)

    @rule(who=WHO)
    def fold(self, who: int) -> None:
        self.stores[who].fold()

    @rule(who=WHO)
    def sync(self, who: int) -> None:
        assert self.stores[who].sync_index() == self.indexed[who]

    @rule(who=WHO)
    def close(self, who: int) -> None:
        self.stores[who].close()

    @rule(who=WHO)
    def restart(self, who: int) -> None:
        self.stores[who] = self.opened(who)

    @rule(who=WHO, refs=st.lists(REFS, max_size=2))
    def purge(self, who: int, refs: list[str]) -> None:
        self.stores[who].purge(refs)
        for ref in refs:
            self.model.pop(ref, None)

    @rule()
    def lose_the_index(self) -> None:
        for store in self.stores:
            store.close()
        (self.home / "recall.db").unlink(missing_ok=True)

    def fresh(self, ref: str, text: str) -> dict[str, Any]:
        self.serial += 1
        return entry(ref, f"{self.serial} {text}", trace_id=f"t{self.serial}")

    @invariant()
    def both_show_the_model(self) -> None:
        if not hasattr(self, "stores"):
            return
        for store in self.stores:
            view = store.view()
            assert dict(view) == self.model
            assert len(view) == len(self.model)
            assert store.health() == []
        current = [ref for ref in view if not self.model[ref].get("superseded_by")]
        assert [each["ref"] for each in view.current()] == view.current_refs() == current

    def teardown(self) -> None:
        if hasattr(self, "home"):
            assert dict(LocalStore(self.home / "committed.json", limits=self.limits).view()) == self.model
            shutil.rmtree(self.home)


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
