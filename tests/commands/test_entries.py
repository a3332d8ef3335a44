"""Looking: whose entries, how many others, nothing made on disk."""

from cognition.chatlog import ChatLog, Draft, LogPlace
from cognition.recall.episodes import EpisodeIndex

from .conftest import NOW, Cli


def test_looking_at_an_empty_home_makes_no_file(cli: Cli) -> None:
    """MI14: a command that only looks leaves nothing behind."""
    cli("status")  # the host itself makes its folders at its first look
    before = cli.bytes_of_files()
    for verb in ("status", "doctor", "list", "dream", "conflicts", "queue", "tombstones", "fold", "export"):
        assert cli(verb) in (0, 1), verb
        cli.json(verb)
    assert cli("search", "tabs") == 0
    assert cli("show", "cog-s1-1") == 2
    assert cli.bytes_of_files() == before
    assert not cli.folder.exists()


def test_a_kind_that_is_none_is_refused_with_those_that_are(cli: Cli) -> None:
    cli.commit(cli.entry("cog-s1-1", "I prefer tabs.", kind="gadget"))
    refused = cli.json("list", "--kind", "nonsense", code=2)
    assert refused["error"] == "usage"
    for kind in ("note", "fact", "preference", "rule", "taboo", "summary", "work_unit", "gadget"):
        assert kind in refused["hint"]
    assert cli.json("list", "--kind", "rule")["entries"] == []
    assert len(cli.json("list", "--kind", "gadget")["entries"]) == 1


def test_a_log_that_is_switched_off_is_seen(cli: Cli) -> None:
    """What is not kept has to be seen before it is missed."""
    assert cli.json("status")["log"] is True
    assert cli("status") == 0
    assert "capture.log" not in cli.out
    (cli.home / "config.yaml").write_text(
        "memory: {provider: cognition, cognition: {author: Ada, capture: {log: false}}}"
    )
    assert cli.json("status")["log"] is False
    assert cli("status") == 0
    assert "off (capture.log)" in cli.out
    cli("doctor")
    assert "off (capture.log)" in cli.out


def test_every_command_answers_one_json_object(cli: Cli) -> None:
    """D106: text and --json everywhere, before the command and after it."""
    cli.commit(cli.entry("cog-s1-1", "I prefer tabs."))
    assert cli.json("list")["entries"][0]["ref"] == "cog-s1-1"
    assert cli.json("search", "tabs")["results"][0]["score"] > 0
    shown = cli.json("show", "cog-s1-1")
    assert shown["state"] == "committed"
    assert shown["entry"]["provenance"]["author"] == "Ada"
    refused = cli.json("show", "cog-s1-2", code=2)
    assert refused["error"] == "not_found"
    assert refused["candidates"][0]["ref"] == "cog-s1-1"
    assert cli("--json", "list") == 0
    assert cli.out.startswith("{")


def test_the_owner_sees_every_audience_but_is_shown_their_own_first(cli: Cli) -> None:
    """D45, Decision 11: owner by default, the others are counted and can be asked for."""
    cli.commit(
        cli.entry("cog-s1-1", "I live in Oslo."),
        cli.entry("cog-s2-1", "Mia lives in Bergen.", audience="person/telegram/7"),
        cli.entry("cog-s2-2", "Bo lives in Turin.", audience="room/telegram/9"),
    )
    listed = cli.json("list")
    assert [one["ref"] for one in listed["entries"]] == ["cog-s1-1"]
    assert listed["other_audiences"] == {"person/telegram/7": 1, "room/telegram/9": 1}
    assert cli.json("list", "--audience", "all")["count"] == 3
    assert [one["ref"] for one in cli.json("list", "--audience", "room/telegram/9")["entries"]] == ["cog-s2-2"]
    assert cli.json("search", "lives")["count"] == 1
    found = cli.json("search", "lives", "--audience", "all")
    assert {one["audience"] for one in found["results"]} == {"owner", "person/telegram/7", "room/telegram/9"}
    assert cli.json("show", "cog-s2-1")["content"] == "Mia lives in Bergen."


def test_somebody_of_whom_only_conversations_are_kept_is_no_less_there(cli: Cli) -> None:
    """D45: `all` is everybody, in both tiers."""
    cli.commit(cli.entry("cog-s1-1", "The kiosk in Oslo opens at nine."))
    log = ChatLog(cli.folder / "chatlog.db", clock=lambda: cli.now, index=EpisodeIndex())
    log.append(LogPlace("s7", "s7", "room/telegram/9", ""), [Draft("user", "The kiosk is shut.", "0" * 64, NOW)])
    log.close()
    found = cli.json("search", "kiosk")
    assert ([one["ref"] for one in found["results"]], found["other_messages"]) == (["cog-s1-1"], {"room/telegram/9": 1})
    assert cli("search", "kiosk") == 0
    assert "1 message of 1 other audience not shown: --audience all, or one of room/telegram/9" in cli.out
    found = cli.json("search", "kiosk", "--audience", "all")
    assert sorted(one["ref"] for one in found["results"]) == ["cog-s1-1", "msg-s7-0"]


def test_a_project_is_filtered_before_anything_is_counted(cli: Cli) -> None:
    """D92, CD86: what another label would have taken up hides nothing, and the total is true."""
    cli.commit(
        *(cli.entry(f"cog-s1-{n}", f"The kiosk number {n}.") for n in range(60)),
        *(cli.entry(f"cog-s2-{n}", f"The old kiosk number {n} by the sea.", project="atlas") for n in range(5)),
    )
    found = cli.json("search", "kiosk", "--project", "atlas", "--limit", "3")
    assert (found["count"], found["total"]) == (3, 5)
    found = cli.json("search", "kiosk", "--project", "", "--limit", "50")
    assert (found["count"], found["total"]) == (50, 60)


def test_an_entry_of_an_earlier_file_without_an_audience_is_the_owners(cli: Cli) -> None:
    old = cli.entry("cog-s1-1", "I live in Oslo.")
    del old["audience"]
    cli.put(old)
    assert cli.json("list")["count"] == 1


def test_list_filters_and_says_how_many_more(cli: Cli) -> None:
    cli.commit(*(cli.entry(f"cog-s1-{n}", f"Fact number {n}.", project="atlas" if n % 2 else "") for n in range(1, 8)))
    assert cli.json("list", "--project", "atlas")["total"] == 4
    page = cli.json("list", "--limit", "3")
    assert (page["count"], page["total"]) == (3, 7)
    assert cli("list", "--limit", "3") == 0
    assert "4 entries more" in cli.out
    assert cli.json("list", "--repo", "another")["total"] == 0


def test_replaced_versions_are_shown_on_request_only(cli: Cli) -> None:
    """D52: history is kept and does not stand among what holds."""
    old = {**cli.entry("cog-s1-1-v1", "I live in Oslo."), "superseded_by": "cog-s1-1"}
    cli.put(cli.entry("cog-s1-1", "I live in Bergen."), old)
    assert cli.json("list")["total"] == 1
    assert cli.json("list", "--replaced")["total"] == 2
    assert [one["ref"] for one in cli.json("show", "cog-s1-1")["history"]] == ["cog-s1-1-v1"]


def test_a_secret_that_came_in_by_hand_is_not_shown(cli: Cli) -> None:
    """MI14: show is redacted."""
    cli.put(cli.entry("cog-s1-1", "password: hunter22secret"))
    for line in (("show", "cog-s1-1"), ("list",), ("dream",), ("search", "password")):
        assert cli(*line) == 0
        assert "hunter22secret" not in cli.out
        cli.json(*line)
        assert "hunter22secret" not in cli.out


def test_numbers_that_json_does_not_know_do_not_break_a_listing(cli: Cli) -> None:
    cli.put(cli.entry("cog-s1-1", "I live in Oslo."))
    path = cli.folder / "committed.json"
    path.write_text(path.read_text().replace('"salience": 0.5', '"salience": NaN'))
    assert cli.json("show", "cog-s1-1")["entry"]["salience"] is None
    assert cli("show", "cog-s1-1") == 0


def test_a_long_list_of_refs_is_searched_for_the_nearest(cli: Cli) -> None:
    """A wrong, ambiguous or made-up ref changes nothing and the nearest real ones are named."""
    cli.commit(*(cli.entry(f"cog-20260302_10{n:04d}-1", f"Fact number {n}.") for n in range(50)))
    refused = cli.json("show", "cog-20260302_100007", code=2)
    assert refused["candidates"][0]["ref"] == "cog-20260302_100007-1"
