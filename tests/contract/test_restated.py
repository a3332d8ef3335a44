"""A fact said anew, from what a user types to what the next session is told (CD24; issue 6, current value only)."""

# ruff: noqa: E501 - a table is easier to read in long lines
from typing import Any

from .home import HomeCase


class TestSaidAnew(HomeCase):
    """Two sessions, then a third one that asks."""

    def talk(self, session: str, *turns: tuple[str, str]) -> None:
        provider = self.provider(session)
        messages: list[dict[str, Any]] = []
        for said, answer in turns:
            messages += [{"role": "user", "content": said}, {"role": "assistant", "content": answer}]
            provider.sync_turn(said, answer, session_id=session, messages=list(messages))
        provider.on_session_end(messages)
        provider.shutdown()

    def told_of(self, question: str) -> str:
        return str(self.provider("asks").prefetch(question, session_id="asks"))

    def test_only_the_current_value_is_told(self) -> None:
        for number, (before, answer, after, question, new, old) in enumerate(
            (
                ("I live in Oslo.", "You live in Oslo.", "No, it's Bergen now.", "Where do I live?", "Bergen", "Oslo"),
                ("I live in Oslo.", "Noted.", "I now live in Bergen.", "Where do I live?", "Bergen", "Oslo"),
                ("My manager is Joao.", "Your manager is Joao.", "Sorry, I meant Ana.", "Who is my manager?", "Ana", "Joao"),
                ("The deadline is April 2.", "Noted.", "The deadline moved to April 9.", "When is the deadline?", "April 9", "April 2"),
                ("We use MySQL.", "Noted.", "Our database is Postgres now.", "Which database do we use?", "Postgres", "MySQL"),
                ("J'habite à Paris.", "Noté.", "J'habite maintenant à Lyon.", "Où est-ce que j'habite ?", "Lyon", "Paris"),
                ("Moro em Lisboa.", "Certo.", "Agora moro no Porto.", "Onde eu moro?", "Porto", "Lisboa"),
                ("Vivo en Madrid.", "Vale.", "Me mudé a Sevilla.", "¿Dónde vivo?", "Sevilla", "Madrid"),
                ("Ich wohne in Mainz.", "Du wohnst in Mainz.", "Nein, jetzt ist es Worms.", "Wo wohne ich?", "Worms", "Mainz"),
                ("我住在上海。", "你住在上海。", "不对，现在是北京。", "我住在哪里？", "北京", "上海"),
                ("東京に住んでいます。", "はい。", "大阪に引っ越しました。", "私はどこに住んでいますか？", "大阪", "東京"),
            )
        ):  # fmt: skip
            with self.subTest(after=after):
                self.tearDown()
                self.setUp()
                self.talk(f"a{number}", (before, "Noted."))
                self.talk(f"b{number}", ("Hm?", answer), (after, "All right."))
                told = self.told_of(question)
                self.assertIn(new, told)
                self.assertNotIn(old, told)

    def test_both_are_told_where_both_hold(self) -> None:
        for number, (before, after, question, old) in enumerate(
            (
                ("I live in Oslo.", "My brother lives in Bergen now.", "Where do I live?", "Oslo"),
                ("I live in Oslo.", "I work in Bergen now.", "Where do I live?", "Oslo"),
                ("We use MySQL.", "Our customer's database is Postgres now.", "Which database do we use?", "MySQL"),
                ("We use MySQL.", "Our database is Postgres.", "Which database do we use?", "MySQL"),
                ("I use Vim.", "I also use Helix now.", "Which editor do I use?", "Vim"),
            )
        ):
            with self.subTest(after=after):
                self.tearDown()
                self.setUp()
                self.talk(f"a{number}", (before, "Noted."))
                self.talk(f"b{number}", (after, "Noted."))
                self.assertIn(old, self.told_of(question))

    def test_what_an_answer_means_does_not_keep_it_in_the_log(self) -> None:
        """A forgotten fact is taken out of the message that said it, though more stands behind its words (D63)."""
        self.talk("a", ("I live in Oslo.", "Noted."), ("No, it's Bergen now.", "Noted."))
        [ref] = [ref for ref, each in self.store().items() if "Bergen" in each["content"]]
        self.tool(self.provider("b"), "memoria_forget", memory_id=ref)
        self.shut()
        self.assertNotIn("Bergen", self.told_of("Where do I live now, is it Bergen?"))

    def shut(self) -> None:
        for provider in self._made:
            provider.shutdown()
