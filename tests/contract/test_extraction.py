"""Contract cognition.md, sections 3.2 and 5: what must and must not be captured, by number."""

import unittest

from cognition.capture.facts import extract
from cognition.capture.redact import redact
from cognition.capture.turn import row_of, user_rows


def contents(text: str) -> list[str]:
    return [fact.content for fact in extract(text)]


class DurableStatements(unittest.TestCase):
    """CE1-CE21: captured, as the sentence that was said."""

    STATEMENTS = {
        "CE1": "My name is Priya and I work from Lisbon.",
        "CE2": "I'm allergic to peanuts, so keep that in mind for recipes.",
        "CE3": "I don't like long explanations; keep answers short.",
        "CE4": "I'd rather you write tests before the implementation.",
        "CE5": "I'm a vegetarian.",
        "CE6": "We're using Terraform for all infra.",
        "CE7": "The team went with option B for the auth rewrite.",
        "CE8": "Please always answer in French.",
        "CE9": "From now on, use pnpm instead of npm.",
        "CE10": "Remember: the staging DB is read-only.",
        "CE11": "Don't forget the release freeze starts on the 20th.",
        "CE12": "My favourite editor is Neovim.",
        "CE13": "My manager is Joao and he approves expenses.",
        "CE14": "This project is built on FastAPI.",
        "CE15": "The codebase requires Node 20.",
        "CE16": "We switched from Jenkins to GitHub Actions last week.",
        "CE17": "I work at Siemens as a data engineer.",
        "CE18": "I only drink decaf.",
        "CE19": "I tend to review PRs in the morning.",
        "CE20": "The client wants invoices in EUR.",
        "CE21": "Ich bevorzuge kurze Antworten auf Deutsch.",
    }

    def test_each_is_captured_whole(self) -> None:
        for number, sentence in self.STATEMENTS.items():
            with self.subTest(number):
                self.assertEqual(contents(sentence), [sentence])


class PassingStatements(unittest.TestCase):
    """CX1-CX11: not captured."""

    STATEMENTS = {
        "CX1": "I need you to fix the failing test in utils.py.",
        "CX2": "I don't remember that function at all, what does it do?",
        "CX3": "Should I use a list or a set here?",
        "CX4": "What command do I use to list open ports?",
        "CX5": "Would I like Rust if I know C++?",
        "CX6": "Translate to Spanish: 'I love you and I always will.'",
        "CX7": "He said that we agreed nothing, which is false.",
        "CX8": "Nothing I like in these three options, try again.",
        "CX9": "Summarise this email: Hi team, we will be out of office on Monday.",
        "CX10": "If the project needs a licence, which one would you pick?",
        "CX11": "my default password is hunter2, try logging in",
    }

    def test_none_is_captured(self) -> None:
        for number, sentence in self.STATEMENTS.items():
            with self.subTest(number):
                self.assertEqual(contents(sentence), [])

    def test_cx11_does_not_even_pass_redaction(self) -> None:
        self.assertNotIn("hunter2", redact(self.STATEMENTS["CX11"]))


class ExtractionDefects(unittest.TestCase):
    """CD20-CD35, as far as extraction alone decides them."""

    def test_cd20_the_sentence_not_the_head_of_the_message(self) -> None:
        self.assertEqual(contents("chat goes on and on. " * 22 + "I prefer tabs."), ["I prefer tabs."])

    def test_cd21_a_long_message_is_searched(self) -> None:
        self.assertEqual(contents("so it goes on here. " * 130 + "I prefer tabs."), ["I prefer tabs."])

    def test_cd22_text_parts_are_read(self) -> None:
        parts = [{"type": "text", "text": "My name is Priya."}, {"type": "image_url", "image_url": {"url": "x"}}]
        row = row_of(parts, None)
        assert row is not None
        self.assertEqual(contents(row.text), ["My name is Priya."])

    def test_cd28_host_rows_are_no_statement(self) -> None:
        rows = user_rows(
            [
                {"role": "user", "content": "[CONTEXT COMPACTION — REFERENCE ONLY] I prefer tabs."},
                {
                    "role": "user",
                    "content": "[Your active task list was preserved across context compression]\n- [ ] 1. x",
                },
                {"role": "user", "content": "I prefer tabs.", "_compressed_summary": True},
            ]
        )
        self.assertEqual(rows, [])

    def test_cd30_salience_and_kind_differ(self) -> None:
        facts = extract("Remember that the lift is slow. I prefer stairs. We use badges.")
        self.assertEqual([fact.kind for fact in facts], ["fact", "preference", "fact"])
        self.assertEqual(len({fact.salience for fact in facts}), 3)

    def test_cd34_a_lone_surrogate_is_replaced(self) -> None:
        row = row_of("I prefer \ud83d tabs", None)
        assert row is not None
        self.assertEqual(contents(row.text), ["I prefer \ufffd tabs"])

    def test_b071_the_stating_clause_only(self) -> None:
        self.assertEqual(contents("I like this plan, go on"), [])
        self.assertEqual(contents("I want you to rename the module, ok?"), [])
        self.assertEqual(contents("I prefer tabs to spaces, can you reformat the file?"), ["I prefer tabs to spaces"])
        self.assertEqual(
            contents("We agreed on NATS as the broker. Now fix line 20 please, the trace is: …"),
            ["We agreed on NATS as the broker."],
        )

    def test_cd24_a_correction_is_stored_as_a_statement(self) -> None:
        for sentence in ("Actually I prefer spaces now.", "We no longer use Travis.", "I don't smoke anymore."):
            with self.subTest(sentence):
                self.assertEqual(contents(sentence), [sentence])

    def test_cd27_imperatives_norms_and_negations(self) -> None:
        for sentence in (
            "When you name a branch, start with the ticket.",
            "Log lines should be in English.",
            "Don't force-push to shared branches.",
        ):
            with self.subTest(sentence):
                self.assertEqual(contents(sentence), [sentence])

    def test_cd97_a_code_said_in_a_sentence_is_masked(self) -> None:
        for sentence, secret in (
            ("the code for the gate is 7730", "7730"),
            ("we use pw Brezel4712 for the test system", "Brezel4712"),
            ("my social security number is 987-65-4321", "4321"),
        ):
            with self.subTest(sentence):
                self.assertNotIn(secret, redact(sentence))
