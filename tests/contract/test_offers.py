"""What `register` offers beside the provider, where a host takes it (P13, P14)."""

from pathlib import Path
from typing import Any

import cognition

from .home import HomeCase


class Context:
    """A loader that takes everything; `refusing` raises for all but the provider."""

    def __init__(self, *, refusing: bool = False) -> None:
        self.refusing, self.taken = refusing, {}

    def register_memory_provider(self, provider: Any) -> None:
        self.taken["provider"] = provider

    def _take(self, kind: str, *given: Any, **more: Any) -> None:
        if self.refusing:
            raise RuntimeError(kind)
        self.taken[kind] = (given, more)

    def register_auxiliary_task(self, *given: Any, **more: Any) -> None:
        self._take("task", *given, **more)

    def register_command(self, *given: Any, **more: Any) -> None:
        self._take("command", *given, **more)


class Offers(HomeCase):
    def test_the_task_and_the_slash_command(self) -> None:
        """4.3, H27: a task with a timeout of 120 s, and one command that does what the command line does."""
        context = Context()
        cognition.register(context)
        (key, *_), more = context.taken["task"]
        self.assertEqual((key, more["defaults"]), ("cognition_consolidation", {"timeout": 120}))
        (name, answer), _ = context.taken["command"]
        self.assertEqual(name, "summarise")
        self.assertIn("say something first", answer(""))
        provider = context.taken["provider"]
        provider.initialize("s1", hermes_home=str(self.home), platform="cli", agent_context="primary")
        self._made.append(provider)
        self.assertIn("No model is chosen", (self.say(provider, "I prefer tabs."), answer(""))[1])
        self.assertIn("knows no such session", answer("s9"))

    def test_a_host_that_refuses_them_has_the_provider(self) -> None:
        """P13, HA193."""
        context = Context(refusing=True)
        cognition.register(context)
        self.assertIn("provider", context.taken)

    def test_nothing_of_it_touches_the_home(self) -> None:
        """P6."""
        cognition.register(Context())
        self.assertEqual(list(Path(self.home).iterdir()), [])
