"""A recovery that breaks off in the middle: the next one brings what is missing, and nothing twice (H13, D62, P46)."""

import contextlib
import sqlite3
import unittest

from .test_recovery import RecoveryCase

PLACES = {
    "before facts and marks": "CREATE TRIGGER stop BEFORE INSERT ON seen WHEN NEW.root = 'gone' BEGIN {} END",
    "before it is noted down": "CREATE TRIGGER stop BEFORE INSERT ON meta WHEN NEW.key = 'recovered_to' BEGIN {} END",
    "before the second session": "CREATE TRIGGER stop BEFORE INSERT ON seen WHEN NEW.root = 'lost' BEGIN {} END",
}


class BrokenOff(RecoveryCase):
    def change(self, statement: str) -> None:
        with contextlib.closing(sqlite3.connect(self.outbox.path)) as db, db:
            db.execute(statement)

    def up_to(self) -> int:
        with contextlib.closing(sqlite3.connect(self.outbox.path)) as db:
            row = db.execute("SELECT value FROM meta WHERE key = 'recovered_to'").fetchone()
        return int(row[0]) if row else 0

    def test_at_each_place(self) -> None:
        """The log is caught up first, facts follow with their marks, the mark of the whole comes last."""
        for place, trigger in PLACES.items():
            with self.subTest(place):
                self.tearDown()
                self.setUp()
                self.lost("gone", "I prefer tabs.", "My desk is 4B.")
                self.lost("lost", "I live in Oslo.")
                self.change(trigger.format("SELECT RAISE(ABORT, 'broken off');"))
                provider = self.provider("now")
                worker = provider._handle.runtime.worker
                while worker._jobs or worker._one_job.locked():
                    provider._drain_due()
                self.assertLess(self.up_to(), 6, "it is not noted as done")
                provider.shutdown()
                self.change("DROP TRIGGER stop")
                provider = self.start("later")
                self.assertEqual(self.contents(), ["I live in Oslo", "I prefer tabs", "My desk is 4B"])
                self.assertEqual({entry["seen"] for entry in self.store().values()}, {1})
                refs = [ref for ref, _ in self.logged(provider) if "first" not in ref]
                self.assertEqual(sorted(refs), sorted({*refs}))
                self.assertEqual(len(refs), 6)
                provider.shutdown()


if __name__ == "__main__":
    unittest.main()
