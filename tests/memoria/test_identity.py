"""Whose records are meant (M16-M22, D41-D47)."""

import hashlib
import json
import os
import threading

import pytest
from cognition.memoria import identity
from cognition.memoria.errors import Refused

ORIGIN, KEY = "https://api.example.com", "sk-" + "0a" * 16


def test_auto_is_the_subject_of_the_earlier_implementation(tmp_path):
    """M16, D41, memoria-plugin.md 2.2: present memories stay visible after an upgrade."""
    real = os.path.realpath(tmp_path)
    text = json.dumps([real, "local-user"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    who = identity.resolve(tmp_path)
    assert who.subject == "hermes:" + hashlib.sha256(text.encode()).hexdigest()[:32]
    assert not list(tmp_path.iterdir())


def test_a_link_to_a_home_is_that_home_and_another_home_is_another_subject(tmp_path):
    """MA17, MA18."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert identity.resolve(tmp_path / "link").subject == identity.resolve(tmp_path / "a").subject
    assert identity.resolve(tmp_path / "b").subject != identity.resolve(tmp_path / "a").subject


def test_portable_stays_when_the_home_moves_once_a_person_has_said_so(tmp_path):
    """D42."""
    home = tmp_path / "a"
    home.mkdir()
    first = identity.resolve(home, "portable")
    assert not first.doubt
    assert identity.resolve(home, "portable") == first
    moved = home.rename(tmp_path / "b")
    doubtful = identity.resolve(moved, "portable")
    assert "identity confirm" in doubtful.doubt
    settled = identity.confirm(moved, "moved")
    assert (settled.subject, settled.doubt) == (first.subject, "")
    assert identity.binding_of(settled, ORIGIN, KEY, "main") == identity.binding_of(first, ORIGIN, KEY, "main")
    assert (moved / "cognition" / "identity.json").stat().st_mode & 0o777 == 0o600


def test_a_copy_gets_an_identity_of_its_own(tmp_path):
    """D42, MA21: and with it another binding."""
    home = tmp_path / "a"
    home.mkdir()
    first = identity.resolve(home, "portable")
    import shutil

    shutil.copytree(home, tmp_path / "b")
    copy = identity.confirm(tmp_path / "b", "copied")
    assert copy.subject != first.subject
    assert not copy.doubt
    assert not identity.resolve(home, "portable").doubt
    assert identity.binding_of(copy, ORIGIN, KEY, "main") != identity.binding_of(first, ORIGIN, KEY, "main")


def test_a_copied_profile_with_a_shared_name_does_not_send_the_originals_queue(tmp_path):
    """D43, M16, M21."""
    one, two = (identity.resolve(tmp_path / name, "family") for name in "ab")
    assert one.subject == two.subject == "family"
    assert identity.binding_of(one, ORIGIN, KEY, "main") != identity.binding_of(two, ORIGIN, KEY, "main")


def test_two_processes_that_make_an_identity_at_once_agree(tmp_path):
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(identity.resolve(tmp_path, "portable").subject)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert [path.name for path in (tmp_path / "cognition").iterdir()] == ["identity.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"id": "x", "home": "y"}', '{"id": 5}'])
def test_an_identity_that_cannot_be_read_is_not_replaced(tmp_path, text):
    """Decision 14: fails closed."""
    (tmp_path / "cognition").mkdir()
    path = tmp_path / "cognition" / "identity.json"
    path.write_text(text)
    with pytest.raises(Refused, match="identity_unreadable"):
        identity.resolve(tmp_path, "portable")
    assert path.read_text() == text


def test_audiences(tmp_path):
    """D46: at most 128 bytes; what cannot be attributed has none (D44)."""
    who = identity.resolve(tmp_path, "n" * 111)
    assert who.of_audience("owner") == who.subject
    other = who.of_audience("person/telegram/7")
    assert other == who.subject + "~" + hashlib.sha256(b"person/telegram/7").hexdigest()[:16]
    assert len(other.encode()) == 128
    with pytest.raises(Refused):
        who.of_audience("")
    with pytest.raises(Refused):
        identity.resolve(tmp_path, "n" * 112)


def test_a_binding_depends_on_all_its_parts_and_shows_none(tmp_path):
    """M21, M22, MI9: nothing that can be tried without the key."""
    parts = [ORIGIN, KEY, "subject", "main", "/home"]
    whole = identity.binding(*parts)
    for n in range(5):
        assert identity.binding(*[part + "x" if n == m else part for m, part in enumerate(parts)]) != whole
    assert identity.binding(ORIGIN + "/", *parts[1:]) == whole
    assert hashlib.sha256(KEY.encode()).hexdigest() != whole
    earlier = json.dumps([ORIGIN, KEY, "subject", "main"], separators=(",", ":"))
    assert identity.earlier_binding(*parts[:4]) == hashlib.sha256(earlier.encode()).hexdigest()


def test_the_signature_changes_with_key_settings_and_home(tmp_path):
    """M22, MA4."""
    one = identity.signature(tmp_path, {"a": 1}, KEY)
    assert one == identity.signature(tmp_path, {"a": 1}, KEY)
    assert len({one, identity.signature(tmp_path, {"a": 2}, KEY), identity.signature(tmp_path, {"a": 1}, KEY + "x"),
                identity.signature(tmp_path / "b", {"a": 1}, KEY)}) == 4  # fmt: skip
