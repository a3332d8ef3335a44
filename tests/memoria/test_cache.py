"""What recall has asked already: fresh, joined, stale (M23, M26, MI1-MI3, B010, B090)."""

import threading
from concurrent.futures import Future

import pytest
from cognition.memoria.cache import Key, RecallCache, query_of
from cognition.memoria.errors import MemoriaError, ReadFailed
from cognition.memoria.models import Record

from .rig import Clock, delivered


def record(name: str) -> Record:
    return Record(memory_id=name, content=name)


class Asked:
    """Retrievals that end when a test says so."""

    def __init__(self) -> None:
        self.futures: list[tuple[Key, Future]] = []

    def __call__(self, key: Key) -> Future:
        future: Future = Future()
        self.futures.append((key, future))
        return future

    def answer(self, *names: str, which: int = -1) -> None:
        self.futures[which][1].set_result([record(name) for name in names])

    def fail(self, error: MemoriaError) -> None:
        self.futures[-1][1].set_exception(error)


K, OTHER = Key("s", "one", "where do I live?"), Key("s", "one", "what do I eat?")


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def cache(asked, clock) -> RecallCache:
    return RecallCache(asked, steady=clock)


def names(recalled) -> list[str]:
    return [one.memory_id for one in recalled.records]


def test_a_warmed_recall_costs_no_second_request(cache, asked):
    """M23, MA24, MI1."""
    cache.warm(K)
    cache.warm(K)
    asked.answer("a")
    assert (names(cache.recall(K, 0)), cache.recall(K, 0).state) == (["a"], "fresh")
    assert len(asked.futures) == 1


def test_a_recall_joins_the_request_in_flight(cache, asked):
    """MI1."""
    cache.warm(K)
    threading.Timer(0.05, asked.answer, ["a"]).start()
    found = cache.recall(K, 5)
    assert (names(found), found.state) == (["a"], "joined")
    assert len(asked.futures) == 1


@pytest.mark.parametrize("other", [Key("s", "two", K.query), Key("t", "one", K.query), OTHER])
def test_another_query_session_or_subject_is_another_request(cache, asked, other):
    cache.warm(K)
    asked.answer("a")
    assert cache.recall(other, 0).state in ("none", "stale")
    assert [key for key, _ in asked.futures] == [K, other]


def test_it_is_fresh_for_thirty_seconds(cache, asked, clock):
    """M23."""
    cache.warm(K)
    asked.answer("a")
    clock.now += 30
    assert cache.recall(K, 0).state == "fresh"
    clock.now += 0.1
    cache.warm(K)
    assert len(asked.futures) == 2


def test_a_failure_is_not_kept_as_empty(cache, asked):
    """B090."""
    cache.warm(K)
    asked.fail(ReadFailed("http_500"))
    assert cache.recall(K, 0).error == "network_failed"
    asked.answer("a")
    assert names(cache.recall(K, 0)) == ["a"]


def test_an_empty_answer_is_kept(cache, asked):
    cache.warm(K)
    asked.answer()
    assert cache.recall(K, 0).state == "fresh"


def test_a_write_makes_the_next_recall_ask_anew(cache, asked):
    """B090, M26: also when a request of before the write is running."""
    cache.warm(K)
    asked.answer("a")
    cache.invalidate()
    cache.warm(K)
    cache.invalidate()
    threading.Timer(0.05, asked.answer, ["b"]).start()
    found = cache.recall(K, 5)
    assert (names(found), found.state) == (["b"], "joined")
    assert len(asked.futures) == 3


def test_an_earlier_search_cannot_bring_back_what_has_been_forgotten(cache, asked):
    """M26, MA28: neither into the turn nor into the cache; the finished rest is used (MD2)."""
    done = []
    waiting = threading.Thread(target=lambda: done.append(cache.recall(K, 5)))
    waiting.start()
    while not asked.futures:
        pass
    cache.invalidate(["gone"])
    asked.answer("gone", "kept", which=0)
    waiting.join(5)
    assert names(done[0]) == ["kept"]
    assert cache.recall(K, 0).state == "none"  # not cached: it is asked anew
    assert len(asked.futures) == 2


def test_in_time_or_stale_with_a_mark(cache, asked, clock):
    """MI3, B010: recent rows of the subject stand in, without what is known to be gone."""
    for key, name in ((K, "a"), (OTHER, "b")):
        cache.warm(key)
        asked.answer(name)
    clock.now += 60
    found = cache.recall(K, 0)
    assert (names(found), found.state, found.error) == (["a", "b"], "stale", "network_failed")
    cache.invalidate(["a"])
    assert names(cache.recall(OTHER, 0)) == ["b"]
    clock.now += 600
    assert cache.recall(K, 0).state == "none"


def test_a_switch_of_session_drops_everything(cache, asked):
    """2.8: also what is running."""
    cache.warm(K)
    cache.switch()
    asked.answer("a")
    assert cache.recall(K, 0).state == "none"


def test_bounds(cache, asked):
    """M23: at most 32 entries; four warm-ups at once."""
    for n in range(10):
        cache.warm(Key("s", "one", str(n)))
    assert len(asked.futures) == 4
    for _, future in list(asked.futures):
        future.set_result([])
    for n in range(50):
        key = Key("s", "one", f"q{n}")
        cache.warm(key)
        asked.answer(str(n))
    assert len(cache._kept) == 32


def test_a_client_that_cannot_begin_is_no_exception(clock):
    """M25, M59."""

    def closed(key: Key) -> Future:
        raise RuntimeError("no thread")

    cache = RecallCache(closed, steady=clock)
    cache.warm(K)
    assert cache.recall(K, 1).state == "none"


def test_with_the_server(memoria, clock):
    """MA23, MA28: store, recall, update, forget; one request for a warmed turn."""
    store = memoria.store(clock)
    cache = RecallCache(lambda key: store.api.about(key.subject).begin(key.query, top_k=5, session_id=key.session_id))
    key = Key("hermes:test", "s1", query_of("  which proxy\nport? "))
    store.push([delivered("r1", "The proxy port is 7443.")])
    cache.warm(key)
    assert [one.content for one in cache.recall(key, 5).records] == ["The proxy port is 7443."]
    assert len(memoria.app.requests("POST", "*/retrieve")) == 1
    stands = store.update(
        "u1",
        "r1",
        "owner",
        "The proxy port is 8443.",
        {"source_session": "s1", "author": "Ada", "created_at": 1.0, "origin_repo": "default", "trace_id": "u"},
    )
    cache.invalidate([stands.previous])
    assert [one.content for one in cache.recall(key, 5).records] == ["The proxy port is 8443."]
    cache.invalidate(store.forget("r1", "owner"))
    assert cache.recall(key, 5).records == ()


def test_a_hanging_server_costs_the_deadline_and_no_more(memoria, clock):
    """B010."""
    api = memoria.api(recall=0.2)
    cache = RecallCache(lambda key: api.about(key.subject).begin(key.query, top_k=5))
    memoria.app.fault("delay", "POST", "*/retrieve", seconds=1.0)
    assert cache.recall(K, 0.1).state == "none"
    cache.recall(K, 1.0)
    assert cache.recall(K, 5.0).state in ("joined", "fresh")  # the first turn after recovery


assert Clock
