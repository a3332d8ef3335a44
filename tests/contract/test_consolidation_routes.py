"""A route that fails and heals, with the runtime's own wiring (H32, HI9)."""

from typing import Any

from consolidate.desks import Script, reply

from .test_consolidation import Consolidation

ONE_TRY = {"consolidation": {"models": ["main:m"], "max_attempts": 1}}


class Routes(Consolidation):
    def test_what_failed_is_done_when_the_route_answers_again(self) -> None:
        """HA144, HA145, HD22: no restart; while the route rests, what waits spends no attempt and makes no call."""
        script = Script(*[OSError()] * 5, *[reply("- fine")] * 6)
        provider = self.attended(script, "s0", settings=ONE_TRY)
        part = provider._handle.runtime.consolidating
        now = [0.0]
        part.lane.desk.models._monotonic = lambda: now[0]
        part.lane.wake = lambda *_, **__: None  # nothing begins by itself
        for number in range(6):
            self.ended(provider, f"s{number}")
            self.work(provider)
        self.assertEqual(len(script.asked), 5)
        self.assertEqual(
            self.rows("SELECT state, attempts, count(*) FROM tasks GROUP BY 1, 2 ORDER BY 1"),
            [("deferred", 0, 1), ("failed", 1, 5)],
        )
        self.assertIn("resting", part.lane.last_error)
        now[0] += 61
        self.assertEqual(part.summarise("s5").outcome, "queued")  # HA185: what was deferred is due at once
        self.work(provider)
        self.assertEqual(len(script.asked), 11)
        self.assertEqual(self.refs("sum-"), [f"sum-s{number}-0-2" for number in range(6)])
        self.assertEqual(self.tasks(), [])

    def ended(self, provider: Any, session: str) -> None:
        provider.on_session_switch(session, parent_session_id="", reset=True)
        self.say(provider, f"Where does {session} run?", session=session)
        self.settle(provider)
        provider._handle.runtime.consolidating.consider(session, "boundary")
