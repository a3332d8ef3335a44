"""Whose memory a session reads and writes (D44, D45, P36, P38; B005, B104)."""

from pathlib import Path

import pytest
from cognition.audience import OWNER, Place, Speaker, place_of, project_of


@pytest.mark.parametrize("platform", ["cli", "tui", "acp", "local", "desktop", "", None, "CLI"])
def test_local_platforms_are_the_owner(platform):
    """D44, D45."""
    assert place_of({"platform": platform, "user_id": "someone"}).audience == OWNER


@pytest.mark.parametrize(
    ("facts", "audience"),
    [
        ({"platform": "telegram", "user_id": "111"}, "person/telegram/111"),
        ({"platform": "telegram", "user_id": 111, "chat_type": "dm", "chat_id": "9"}, "person/telegram/111"),
        ({"platform": "irc", "user_id": "ann", "chat_id": "#room", "chat_type": "group"}, "room/irc/%23room"),
        ({"platform": "irc", "user_id": "ann", "chat_id": "#room"}, "room/irc/%23room"),
        ({"platform": "irc", "chat_id": "#room", "chat_type": "channel"}, "room/irc/%23room"),
        ({"platform": "irc"}, ""),
        ({"platform": "irc", "user_id": ""}, ""),
        ({"platform": "cron"}, ""),
        ({"platform": "api_server"}, ""),
        ({"platform": "x", "user_id": "../a/b"}, "person/x/..%2Fa%2Fb"),
    ],
)
def test_a_chat_is_attributed_to_a_person_or_a_room_or_to_nobody(facts, audience):
    """HA71, D44: what the host cannot attribute is nobody's."""
    assert place_of(facts).audience == audience


def test_api_clients_are_told_apart_by_their_session_key():
    """D44."""
    one, two = (place_of({"platform": "api_server", "gateway_session_key": k}).audience for k in ("a", "b"))
    assert one != two
    assert one.startswith("key/api_server/")


def test_named_direct_chats_are_the_owner():
    """D45."""
    assert place_of({"platform": "telegram", "user_id": "111"}, ["telegram:111"]).audience == OWNER
    assert place_of({"platform": "telegram", "user_id": "222"}, ["telegram:111"]).audience != OWNER
    room = {"platform": "telegram", "user_id": "111", "chat_id": "-5", "chat_type": "group"}
    assert place_of(room, ["telegram:111"]).audience == "room/telegram/-5"


@pytest.mark.parametrize(
    ("facts", "writes"),
    [
        ({"platform": "cli", "agent_context": "primary"}, True),
        ({"platform": "cli"}, True),
        ({"platform": "cli", "agent_context": "subagent"}, False),
        ({"platform": "cli", "agent_context": "cron"}, False),
        ({"platform": "cli", "agent_context": "flush"}, False),
        ({"platform": "cron"}, False),
        ({"platform": "subagent"}, False),
        ({"platform": "irc"}, False),
    ],
)
def test_unattended_and_unattributed_contexts_do_not_write(facts, writes):
    """P36, CD92."""
    assert place_of(facts).writes is writes


def test_a_strangers_turn_in_a_direct_chat_belongs_to_nobody():
    """B005."""
    place = place_of({"platform": "telegram", "user_id": "111"})
    assert place.spoken_by(Speaker("111")).audience == "person/telegram/111"
    assert place.spoken_by(None).audience == "person/telegram/111"
    other = place.spoken_by(Speaker("222"))
    assert (other.audience, other.writes) == ("", False)


def test_in_a_shared_room_nobody_is_named_for_what_is_said():
    """P38: only a session of one person's own, or a turn that names its author, is that person's."""
    room = {"platform": "irc", "user_id": "ann", "chat_id": "#r", "chat_type": "group"}
    assert place_of(room).speaker == Speaker("#r")
    own = {**room, "gateway_session_key": "agent:main:irc:group:#r:ann"}
    assert place_of(own).speaker == Speaker("ann")


def test_in_a_room_the_turn_carries_its_speaker():
    """P38."""
    place = place_of({"platform": "irc", "user_id": "ann", "chat_id": "#r", "chat_type": "group"})
    assert place.spoken_by(Speaker("bob", "Bob")).speaker == Speaker("bob", "Bob")


def test_the_project_is_the_git_top_level(tmp_path: Path):
    """Design Decision 11."""
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "shop" / "src" / "deep").mkdir(parents=True)
    assert project_of(tmp_path / "shop" / "src" / "deep") == "shop"
    assert project_of(tmp_path / "shop") == "shop"
    assert project_of(None) == ""


def test_a_checkout_is_named_as_it_lies_on_the_disk(tmp_path: Path, monkeypatch):
    """HA67-HA70, as Decision 11 reads them: a link has its target's name, a worktree its own; no git is run.

    So no variable that git would inherit counts, and no answer can time out.
    """
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "shop")
    (tmp_path / "hotfix" / "src").mkdir(parents=True)
    (tmp_path / "hotfix" / ".git").write_text(f"gitdir: {tmp_path}/shop/.git/worktrees/hotfix\n")
    (tmp_path / "plain").mkdir()
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "shop" / ".git"))
    monkeypatch.setenv("PATH", "")
    found = {name: project_of(tmp_path / name) for name in ("link", "hotfix", "hotfix/src", "plain", "nowhere")}
    assert found == {"link": "shop", "hotfix": "hotfix", "hotfix/src": "hotfix", "plain": "", "nowhere": ""}
    assert project_of(Path("/")) == ""


@pytest.mark.parametrize("name", ["shop", "my shop, v2", "läden", "x" * 200, "sk-proj-" + "Ab3" * 16, "lone \ud835"])
def test_a_project_name_is_made_safe_once(name: str):
    """HA66: what may not be kept is replaced, every other name is unchanged, and doing it twice changes nothing."""
    made = Place(OWNER, name).safe()
    assert made.safe() == made
    assert (made.project == name) is (name[:3] not in ("sk-", "lon"))
