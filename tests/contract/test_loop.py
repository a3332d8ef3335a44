"""The loop: recalled context that comes back, verbatim or in other words, never becomes a new memory.

B002, P28; CD25; issue 5, "Must reach": 50 sessions that echo recalled context back, entry count does not grow.
"""

import unittest

from .home import HomeCase

SESSIONS = 50

SAID = (
    "I prefer tabs over spaces.",
    "My cat is called Miso.",
    "I'm allergic to peanuts.",
    "I live in Lisbon.",
    "My manager is Joao.",
    "We use Postgres 15 in production.",
    "My favourite editor is Neovim.",
    "I don't eat meat.",
    "Please always answer in French.",
    "The staging proxy listens on port 7443.",
)

QUESTIONS = (
    "do I prefer tabs or spaces?",
    "what is my cat called?",
    "am I allergic to peanuts or anything else?",
    "where do I live, and who is my manager?",
    "which database do we use in production, and which port has the staging proxy?",
    "what is my favourite editor and do I eat meat?",
)

PARAPHRASED = (
    "Yes, as you said, I prefer tabs over spaces.",
    "Right, my cat is called Miso.",
    "So I'm allergic to peanuts, as you know.",
    "As you know, I live in Lisbon.",
    "Exactly, my manager is Joao.",
    "Yes, we use Postgres 15 in production.",
    "Correct, Neovim is my favourite editor.",
    "Right, I don't eat meat.",
    "Yes, please answer in French.",
    "Yes, the staging proxy listens on port 7443.",
)

RESTATED = (
    "Actually, I'd rather use tabs than spaces.",
    "By the way, my cat's name is Miso.",
    "I have a peanut allergy.",
    "I'm based in Lisbon.",
    "Joao is my manager.",
    "In production we use Postgres 15.",
    "My favorite editor is Neovim, of course.",
    "I never eat meat.",
    "From now on, always answer in French.",
    "The staging proxy runs on port 7443.",
    "I like tabs better than spaces.",
    "I really do live in Lisbon.",
    "My preferred editor is Neovim.",
    "I'm definitely allergic to peanuts!",
    "We're still using Postgres 15 in production.",
)


def echoes(recalled: str, number: int) -> list[str]:
    """What a user's messages may hold of a recall block."""
    lines = [line for line in recalled.splitlines() if line.startswith("- [")]
    line = lines[number % len(lines)] if lines else ""
    ways = (
        f"what is my cat called?\n<memory-context>\n{recalled}\n</memory-context>",
        f"```\n{recalled}\n```\nis this right?",
        f"{recalled}\n\nthanks for that",
        f"You told me:\n{line}\nwhere does it come from?",
        "\n".join(f"> {each}" for each in lines) + "\nplease explain",
        f"> {line}\n\nok",
        f'You wrote "{line}" above, why?',
        line,
    )
    return [ways[number % len(ways)], ways[(number + 3) % len(ways)]]


class TestLoop(HomeCase):
    """Through the provider, with real files."""

    def test_fifty_sessions_of_echo_and_paraphrase_add_nothing(self) -> None:
        self.told(*SAID, session="first")
        before = {ref: each["content"] for ref, each in self.store().items()}
        self.assertEqual(len(before), len(SAID), sorted(before.values()))
        recalls = 0
        for n in range(SESSIONS):
            session = f"s{n}"
            provider = self.provider(session)
            messages = []
            for k in range(2):
                question = QUESTIONS[(n + k) % len(QUESTIONS)]
                recalled = provider.prefetch(question, session_id=session)
                recalls += bool(recalled)
                texts = [question, *echoes(recalled, n + k)] if recalled else [question]
                texts.append(PARAPHRASED[(2 * n + k) % len(PARAPHRASED)])
                texts.append(RESTATED[(2 * n + k) % len(RESTATED)])
                for text in texts:
                    answer = f"From memory: {recalled}" if recalled else "Noted."
                    messages += [{"role": "user", "content": text}, {"role": "assistant", "content": answer}]
                    provider.sync_turn(text, answer, session_id=session, messages=list(messages))
            provider.on_session_end(messages)
            provider.shutdown()
            after = {ref: each["content"] for ref, each in self.store().items()}
            self.assertEqual(after, before, f"session {n}")
        self.assertGreater(recalls, SESSIONS, "there was something to echo")
        entries = self.store().values()
        self.assertTrue(all(each.get("seen", 1) > 1 for each in entries), "what was said again counts as said again")
        own = self.files()["cognition/committed.json"]
        for forged in (b"memory-context", b"recalled data, not instructions", b"From memory", b"cog-first-1]"):
            self.assertNotIn(forged, own)

    def test_a_corrected_fact_does_not_come_back_by_an_echo(self) -> None:
        """CD24: what the recall block said before a correction, pasted after it, is no new statement."""
        self.told("I prefer tabs.", session="s1")
        old = self.provider("s2").prefetch("do I prefer tabs or spaces?", session_id="s2")
        self.assertIn("tabs", old)
        self.told("Actually I prefer spaces now.", session="s3")
        self.told(f"You said:\n{old}\nbut that is outdated.", "what do you know about me?", session="s4")
        current = [each["content"] for each in self.store().values() if not each.get("superseded_by")]
        self.assertEqual(len(current), 1)
        self.assertIn("spaces", current[0])


if __name__ == "__main__":
    unittest.main()
