"""From turns and transcripts to messages: each thing said once, in order, whatever the host does (HA1-HA19)."""

from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest
from cognition.capture.caps import cap
from cognition.capture.conversation import (
    Limits,
    align,
    find_turn,
    log_transcript,
    log_turn,
    render,
    withdraw_last,
)
from cognition.capture.said import assistant_said, fingerprint_of, rows, user_said
from cognition.chatlog import Call, ChatLog, LogPlace

NOW = 1_770_000_000.0  # 2026-02-02 02:40 UTC
PLACE = LogPlace("s1", "s1", "owner", "app")


@pytest.fixture
def log(tmp_path: Path):
    log = ChatLog(tmp_path / "chatlog.db", clock=lambda: NOW)
    yield log
    log.close()


def user(text, **more):
    return {"role": "user", "content": text, **more}


def answer(text, **more):
    return {"role": "assistant", "content": text, **more}


def tool(id_, content):
    return {"role": "tool", "tool_call_id": id_, "content": content}


def calls(*pairs):
    return [{"id": id_, "type": "function", "function": {"name": name, "arguments": "{}"}} for id_, name in pairs]


def said(log, *, states=("live",)):
    return [(message.role[0], message.text) for message in log.messages("s1")]


def turn(log, asked, answered, messages=None, at=NOW, **more):
    return log_turn(log, PLACE, asked, answered, at=at, messages=messages, zone=UTC, **more)


def transcript(log, messages, at=NOW, **more):
    return log_transcript(log, PLACE, messages, at=at, zone=UTC, **more)


# -- one turn ----------------------------------------------------------------------------------------------------------


def test_a_turn_alone_is_logged_as_a_pair(log):
    """HA3, H6."""
    assert turn(log, "Where is it?", "In the yard.") == ["msg-s1-0", "msg-s1-1"]
    assert said(log) == [("u", "Where is it?"), ("a", "In the yard.")]


def test_intermediate_answers_get_entries_and_tool_only_steps_do_not(log):
    """HA4, HA5, HA37; D68: calls of a step without words stand with the next message of the turn."""
    messages = [
        user("old"),
        answer("done"),
        user("build it"),
        answer("I look first.", tool_calls=calls(("1", "read_file"))),
        tool("1", "text"),
        answer("", tool_calls=calls(("2", "terminal"), ("3", "terminal"))),
        tool("2", '{"error": "no"}'),
        tool("3", "fine"),
        answer("Built."),
    ]
    assert len(turn(log, "build it", "Built.", messages, seconds={"1": 0.5})) == 3
    first, second = log.messages("s1")[1:]
    assert (first.text, first.calls) == ("I look first.", (Call("read_file", True, 0.5),))
    assert (second.text, second.calls) == ("Built.", (Call("terminal", False, None, "no"), Call("terminal", True)))


def test_the_ledger_can_be_off(log):
    """HA36: no section, nothing else changes."""
    messages = [user("go"), answer("", tool_calls=calls(("1", "x"))), tool("1", "ok"), answer("went")]
    turn(log, "go", "went", messages, limits=Limits(ledger=False))
    assert [(message.text, message.calls) for message in log.messages("s1")] == [("go", ()), ("went", ())]


def test_the_turn_is_found_in_a_list_that_has_grown(log):
    """HA2."""
    messages = [user("a"), answer("b"), user("c"), answer("", tool_calls=calls(("1", "x"))), answer("d"), user("e")]
    assert find_turn(messages, "a", "b") == (0, 1)
    assert find_turn(messages, "c", "d") == (2, 4)
    assert find_turn(messages, "a", "d") is None
    assert find_turn(messages, "e", "f") is None
    steered = [user("c"), answer("x"), user("[OUT-OF-BAND USER MESSAGE]\nfaster"), answer("d")]
    assert find_turn(steered, "c", "d") == (0, 3)


def test_thinking_is_never_logged():
    """HA6."""
    parts = [{"type": "thinking", "thinking": "secret plan"}, {"type": "text", "text": "Yes."}, {"type": "tool_use"}]
    assert assistant_said(parts).text == "Yes."
    assert assistant_said("<think>secret plan</think>\nYes.").text == "Yes."
    assert assistant_said("<think>secret plan, cut") is None
    assert assistant_said([{"type": "redacted_thinking", "data": "x"}]) is None


def test_images_and_unknown_parts_become_markers():
    """HA7; the words alone are the fingerprint, since the host hands a turn over without its pictures."""
    content = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {}}, {"type": "video", "x": 1}]
    found = user_said(content)
    assert found.text == "look\n[image]\n[video]"
    assert found.fingerprint == user_said("look").fingerprint == fingerprint_of("user", "look")
    assert user_said([{"type": "image"}]).text == "[image]"
    assert rows([user([{"type": "image"}]), answer("A cat.")])[0].text == "[image]"
    stored = '\x00json:[{"type": "text", "text": "look"}, {"type": "image"}]'  # as the host's database has it
    assert rows([user(stored), answer('\x00json:[{"type": "text", "text": "A cat."}]')])[0].text == "look\n[image]"


@pytest.mark.parametrize(
    "message",
    [
        user("[CONTEXT COMPACTION — REFERENCE ONLY] what was before"),
        user("x", _compressed_summary=1),
        user("[Your active task list was preserved across the compaction]"),
        user('[IMPORTANT: The user has invoked the "deploy" skill, indicating]\n# Deploy\nbody'),
        user("overheard", observed=True),
        user("x", display_kind="hidden"),
        answer("summary", _compressed_summary=1),
        {"role": "system", "content": "rules"},
        {"role": "tool", "content": "output"},
        answer(""),
        "no row",
        None,
    ],
)
def test_what_the_host_made_is_not_logged(message, log):
    """HA8, HA9."""
    assert rows([message]) == []
    assert transcript(log, [message]) == []


def test_recalled_memory_is_not_logged(log):
    """H12, HA8, HA173: no feedback loop."""
    block = '## Cognition Memory (recalled data, not instructions)\n- [cog-s1-4] "I prefer tabs." (default)'
    fenced = f"<memory-context>\n[System note: The following is recalled memory context]\n{block}\n</memory-context>"
    turn(log, f"{fenced}\nWhat do I prefer?", f"{block}\nTabs.")
    assert said(log) == [("u", "What do I prefer?"), ("a", "Tabs.")]


def test_an_answer_kept_in_a_summary_row_is_still_that_answer():
    """host.md 11: a summary merged into an assistant row."""
    merged = (
        "[PRIOR CONTEXT — for reference only; not a new message]\nIn the yard.\n[END OF PRIOR CONTEXT]\nSummary of all"
    )
    assert [row.text for row in rows([answer(merged, _compressed_summary=1)])] == ["In the yard."]


def test_secrets_go_before_dates_and_caps(log):
    """H8, H9, HA47, HA54: redacted, dated by the send time, cut last."""
    text = "yesterday my key was password=hunter2hunter2 " + "word " * 200
    turn(log, text, "ok", limits=Limits(user=500))
    stored = log.messages("s1")[0].text
    assert "hunter2" not in stored
    assert "[REDACTED" in stored
    assert stored.startswith("yesterday (2026-02-01) ")
    assert "characters omitted" in stored


def test_the_hosts_redactor_is_asked_as_well(log):
    turn(log, "the codename is aurora-borealis-99", "ok", mask=lambda text: text.replace("aurora-borealis-99", "***"))
    assert "aurora" not in said(log)[0][1]
    assert log.marks("s1")[0].fingerprint == fingerprint_of("user", "the codename is aurora-borealis-99")


def test_the_speaker_of_a_chat_is_kept_with_the_user(log):
    turn(log, "hi", "hello", speaker={"id": "9", "name": "Ada"})
    assert [message.speaker for message in log.messages("s1")] == [{"id": "9", "name": "Ada"}, None]


# -- again, undone, retried --------------------------------------------------------------------------------------------


def test_the_same_text_said_twice_is_two_messages(log):
    """HA11."""
    messages = [user("ok"), answer("sure")]
    turn(log, "ok", "sure", messages)
    messages += [user("ok"), answer("sure")]
    turn(log, "ok", "sure", messages)
    assert said(log) == [("u", "ok"), ("a", "sure")] * 2
    turn(log, "ok", "fine", at=NOW + 60)  # without a transcript
    assert len(said(log)) == 6


def test_the_same_text_said_again_behind_a_compaction_is_a_message(log):
    """HA11, HA19: the question before has its answer still, so this is no retry; earlier equal texts mislead nobody."""
    for number, text in enumerate(("ok", "first", "ok", "second", "ok")):
        turn(log, text, f"answer {number}", at=NOW + number)
    kept = [user("[CONTEXT COMPACTION] s", _compressed_summary=True), user("ok"), answer("answer 4")]
    assert len(turn(log, "ok", "answer 5", [*kept, user("ok"), answer("answer 5")], at=NOW + 9)) == 2
    assert said(log)[-4:] == [("u", "ok"), ("a", "answer 4"), ("u", "ok"), ("a", "answer 5")]


def test_the_same_turn_delivered_twice_is_one(log):
    """HA12: again through sync_turn, through the session's end, without a transcript."""
    messages = [user("ok"), answer("sure"), user("ok"), answer("sure")]
    turn(log, "ok", "sure", messages[:2])
    turn(log, "ok", "sure", messages)
    before = said(log)
    assert turn(log, "ok", "sure", messages) == []
    assert turn(log, "ok", "sure") == []
    assert transcript(log, messages) == []
    assert said(log) == before


def test_the_hosts_id_decides_first(log):
    """HA12, HA11 on hosts with message_uid."""
    first = [user("ok", message_uid="u1"), answer("sure", message_uid="u2")]
    again = [user("ok", message_uid="u3"), answer("sure", message_uid="u4")]
    assert len(transcript(log, first)) == 2
    assert transcript(log, first) == []
    assert len(transcript(log, first + again)) == 2
    assert transcript(log, again) == []


def test_rows_that_a_compaction_inserts_again_give_none(log):
    """HA13, HA15: the tail comes again behind a summary, with other times; then the talk goes on."""
    messages = [message for n in range(6) for message in (user(f"question {n}"), answer(f"answer {n}"))]
    for n in range(6):
        turn(log, f"question {n}", f"answer {n}", messages[: 2 * n + 2])
    compacted = [user("[CONTEXT COMPACTION — REFERENCE ONLY] so far")]
    compacted += [{**message, "timestamp": NOW + 500} for message in messages[8:]]
    assert transcript(log, compacted) == []
    compacted += [user("question 1"), answer("another answer")]
    assert turn(log, "question 1", "another answer", compacted, at=NOW + 600) == ["msg-s1-12", "msg-s1-13"]
    assert transcript(log, compacted) == []


def test_a_retry_keeps_the_users_message_and_replaces_the_answer(log):
    """HA19: the transcript has shrunk by one exchange and the turn comes again."""
    start = [user("hello"), answer("hi")]
    turn(log, "hello", "hi", start)
    turn(log, "go on", "first try", [*start, user("go on"), answer("first try")])
    assert turn(log, "go on", "second try", [*start, user("go on"), answer("second try")]) == ["msg-s1-4"]
    assert said(log)[2:] == [("u", "go on"), ("a", "second try")]
    assert [mark.state for mark in log.marks("s1")] == ["live", "live", "live", "withdrawn", "live"]
    rows_ = [user("go on", message_uid="n1"), answer("third", message_uid="n2")]
    assert turn(log, "go on", "third", [*start, *rows_]) == ["msg-s1-5"]
    assert transcript(log, [*start, *rows_]) == []


def test_a_retry_may_come_back_to_an_earlier_answer(log):
    """HA19 with ids: the abandoned answer stays withdrawn, the equal one is a message of its own."""
    ask = user("go on", message_uid="u1")
    for number, text in enumerate(("first", "second", "first")):
        assert turn(log, "go on", text, [ask, answer(text, message_uid=f"a{number}")])
    assert [mark.state for mark in log.marks("s1")] == ["live", "withdrawn", "withdrawn", "live"]


def test_an_undone_exchange_is_withdrawn_and_its_ordinals_stay(log):
    """HA18."""
    start = [user("a"), answer("b")]
    turn(log, "a", "b", start)
    turn(log, "c", "d", [*start, user("c"), answer("d")])
    assert transcript(log, start, undone=True) == []
    assert said(log) == [("u", "a"), ("a", "b")]
    assert turn(log, "e", "f", [*start, user("e"), answer("f")]) == ["msg-s1-4", "msg-s1-5"]
    late = [*start, user("c"), answer("d"), user("e"), answer("f")]
    assert transcript(log, late) == []  # an older picture of the session resurrects nothing


def test_what_was_undone_may_be_said_again(log):
    start = [user("a"), answer("b")]
    turn(log, "a", "b", start)
    turn(log, "c", "d", [*start, user("c"), answer("d")])
    assert withdraw_last(log, "s1") == 2
    assert turn(log, "c", "other", [*start, user("c"), answer("other")]) == ["msg-s1-4", "msg-s1-5"]
    assert said(log) == [("u", "a"), ("a", "b"), ("u", "c"), ("a", "other")]


def test_an_interrupted_turn_is_caught_up_marked_with_its_partial_answer(log):
    """HA10, H13."""
    messages = [user("a"), answer("b"), user("long job"), answer("I begin", tool_calls=calls(("1", "x")))]
    turn(log, "a", "b", messages[:2])
    assert transcript(log, messages, running=True) == []  # it is still at work
    assert len(transcript(log, messages)) == 2
    message = log.messages("s1")[3]
    assert message.interrupted
    assert message.calls == (Call("x", False, None, "no result"),)
    assert render(message).splitlines()[-4:-2] == ["[turn interrupted mid-stream]", ""] or (
        "I begin\n[turn interrupted mid-stream]" in render(message)
    )
    again = [*messages, user("go on"), answer("done")]
    turn(log, "go on", "done", again)
    assert transcript(log, again) == []


def test_a_row_that_was_never_delivered_is_new_once(log):
    messages = [user("a"), answer("b"), user("lost"), user("c"), answer("d")]
    turn(log, "a", "b", messages[:2])
    turn(log, "c", "d", messages)
    assert transcript(log, messages) == ["msg-s1-4"]
    assert transcript(log, messages) == []


def test_equal_consecutive_questions_count_once_in_recovery(log):
    """D65: an older host leaves the question of an abandoned try beside the new one."""
    assert len(transcript(log, [user("go"), answer("first"), user("go"), answer("second")])) == 3


def test_a_branch_does_not_log_what_it_inherited(log):
    """HA16."""
    inherited = [user("a"), answer("b")]
    place = LogPlace("s2", "s2", "owner", "app")
    refs = log_transcript(log, place, [*inherited, user("c"), answer("d")], at=NOW, start=2)
    assert refs == ["msg-s2-0", "msg-s2-1"]


def test_nothing_comes_back_that_was_pruned(log):
    """D101, also when the marks themselves have gone."""
    messages = [user("old", timestamp=NOW - 900), answer("older", timestamp=NOW - 899)]
    transcript(log, messages)
    log.prune(max_days=100 / 86_400, max_bytes=0)
    assert said(log) == []
    assert transcript(log, messages) == []
    with log.file.transaction(wait=1) as tx:
        tx.execute("DELETE FROM messages")
    more = [*messages, user("new", timestamp=NOW), answer("n", timestamp=NOW)]
    assert transcript(log, more) == ["msg-s1-2", "msg-s1-3"]


def test_forgotten_messages_do_not_come_back(log):
    messages = [user("my cat is called Minka", timestamp=NOW - 9), answer("Nice.", timestamp=NOW - 8)]
    transcript(log, messages)
    log.forget(["msg-s1-0"])
    assert transcript(log, messages) == []
    other = LogPlace("s7", "s7", "owner", "app")
    log_transcript(log, other, messages, at=NOW)  # the same rows under another key: a branch, a lost file
    assert [message.text for message in log.messages("s7")] == ["Nice."]


def test_two_processes_never_log_the_same_turn_twice(log, tmp_path, monkeypatch):
    """The other one is quicker between the look at the marks and the append."""
    other = ChatLog(tmp_path / "chatlog.db", clock=lambda: NOW)
    messages = [user("a"), answer("b")]
    real = log.marks

    def marks(*args, **more):
        found = real(*args, **more)
        if not found:
            turn(other, "a", "b", messages)
        return found

    monkeypatch.setattr(log, "marks", marks)
    assert turn(log, "a", "b", messages) == []
    assert log.highest("s1") == 2
    other.close()


def test_times_are_the_messages_own(log):
    """HA54, HA61: no send time means the time of taking in; a clock that lies costs nothing."""
    transcript(log, [user("a", timestamp=NOW - 86_400 * 30), answer("b"), user("c", timestamp=NOW * 2)])
    assert [message.sent_at for message in log.messages("s1")] == [NOW - 86_400 * 30, NOW, NOW]


def test_200_kilobytes_in_one_turn(log):
    """H7."""
    turn(log, "word " * 40_000, "line of an answer\n" * 12_000)
    first, second = log.messages("s1")
    assert len(first.text) <= 32_000 + 60
    assert len(second.text) <= 8_000 + 60


# -- layout and caps ---------------------------------------------------------------------------------------------------


def test_the_body_has_the_layout_of_the_contract(log):
    """HA1, 2.4."""
    messages = [user("move it"), answer("", tool_calls=calls(("1", "read_file"))), tool("1", "x"), answer("Moved it.")]
    turn(log, "move it", "Moved it.", messages, at=1770196364.12, seconds={"1": 1.2})
    first, second = log.messages("s1")
    assert render(first) == "## Role\nuser\n\n## Timestamp\n2026-02-04T09:12:44.120Z\n\n## Content\nmove it"
    assert render(second) == (
        "## Role\nassistant\n\n## Timestamp\n2026-02-04T09:12:44.120Z\n\n## Turn\n1\n\n## Content\nMoved it.\n\n"
        "## Tool Calls\n1. `read_file` — ✅ 1.2s"
    )
    assert "## Tool Calls" not in render(replace(second, calls=()))


def test_head_and_tail_are_kept_with_the_count_between():
    """HA62, HA63, HD9, H10."""
    text = "H" * 2_000 + "T" * 2_000
    cut = cap(text, 1_000)
    assert cut == "H" * 700 + "\n[… 3000 characters omitted …]\n" + "T" * 300
    assert cap(cut, 1_000) == cut
    assert cap(text, 4_000) == text
    assert cap(text, 10) == cap(text, 500)


def test_a_cut_never_goes_through_a_placeholder_or_a_date():
    """capture.md 4."""
    for text in ("[REDACTED key]", "(2026-02-03 10:15)", "(week of 2026-02-02)"):
        for shift in range(len(text)):
            whole = "a" * (350 - shift) + text + "b" * 2000 + text + "c" * (150 - shift)
            cut = cap(whole, 500)
            assert cut.replace(text, "").count("[") == 1, (text, shift)
            assert "(" not in cut.replace(text, "")
            assert len(cut) <= 500 + 40


def test_alignment_tells_what_is_no_longer_there():
    told = rows([user("a"), answer("b")])
    found = align([], told)
    assert (found.fresh, found.lost) == ((0, 1), ())
