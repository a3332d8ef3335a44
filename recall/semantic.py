"""Finding in other words: vectors of the entries, when the user has installed the extra `semantic` and switched it on.

    question ─ embed ─> vector ─┬─ nearest ─> entries that may share none of its words
                                └─ score ───> how near each text is that words have found

The vectors live in memory and nowhere else: nothing that was forgotten can be read out of a file of them.  The worker
makes them, about 90 µs each, anew in every process.  The weights are read from the files of the installed package,
whose code is not run: nothing is ever fetched.  numpy and tokenizers are imported on first use (D97).
"""

import hashlib
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from . import analyse

OFF, WORDLLAMA = "off", "wordllama"
CHOICES = (OFF, WORDLLAMA)
MOST = 20_000  # entries that have a vector, the first ones given
READ_CHARS = 600  # of each text
BATCH = 256  # texts that are embedded at once
BESIDE = 512  # changes after which the matrix is made anew
CENTRED_FROM = 50  # entries from which on their common direction is taken out

# Cosines, chosen by benchmarks/semantic.py: paraphrased questions against requests that nothing answers.
NEAR_SEARCH = 0.15  # for a search, which somebody looks through
NEAR_OWN = 0.20  # for recall: in a question about the user
NEAR_OTHER = 0.30  # in any other question; what asks nothing is told nothing by nearness
MOST_NEAR = 5  # entries that one recall is given by nearness
MOST_FOUND = 20  # the same for a search

_WORD = re.compile(r"[^\W_][\w'’-]*")
_ASKS = re.compile(
    r"[?？؟]\s*$|^\s*(?:who|what|which|when|where|why|how|wer|was|wie|wann|wo|warum|qui|que|quoi|quand|où|comment|quién|"
    r"qué|cuándo|dónde|cómo|quem|quando|onde|como)\b",
    re.IGNORECASE,
)


class Model(Protocol):
    """Turns texts into rows of a matrix of length 1."""

    def embed(self, texts: Sequence[str]) -> Any: ...


class Semantic:
    """The vectors of one home's entries.  Any thread may call it; until `sync` has run there is nothing near.

    Most stand in one matrix; those of entries that came or changed since stand beside it, until it is made anew.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._lock = threading.Lock()
        self._syncing = threading.Lock()
        self._marks: dict[str, bytes] = {}  # of the texts, by ref
        self._rows: dict[str, Any] = {}  # as the model gave them
        self._refs: list[str] = []
        self._matrix: Any = None  # of length 1, the common direction taken out
        self._centre: Any = None
        self._fresh: dict[str, Any] = {}
        self._gone: set[int] = set()  # rows of the matrix that do not count any more

    def __len__(self) -> int:
        return len(self._rows)

    def sync(self, items: Iterable[tuple[str, str]]) -> int:
        """Bring the vectors up to (ref, text) of all current entries; how many were made.  For the worker."""
        with self._syncing:
            marks: dict[str, bytes] = {}
            texts: dict[str, str] = {}
            for ref, text in items:
                marks[ref] = _mark(text)
                if self._marks.get(ref) != marks[ref] or ref not in self._rows:
                    texts[ref] = text
                if len(marks) >= MOST:
                    break
            rows = {ref: self._rows[ref] for ref in marks if ref not in texts} | self._embedded(texts)
            if texts or len(rows) != len(self._rows) or self._matrix is None:
                self._rebuild(rows)
            self._marks = marks
            return len(texts)

    def change(self, items: Mapping[str, str | None]) -> int:
        """The same for the entries that came, changed or, with None, went; how many vectors were made."""
        with self._syncing:
            texts = {
                ref: text for ref, text in items.items() if text is not None and self._marks.get(ref) != _mark(text)
            }
            rows = self._embedded(texts)
            dead = [ref for ref, text in items.items() if text is None or ref in texts]
            kept = {ref: row for ref, row in self._rows.items() if ref not in items or ref not in dead} | rows
            if len(self._fresh) + len(self._gone) + len(items) > BESIDE or self._matrix is None:
                self._rebuild(kept)
            elif dead:
                with self._lock:
                    places = {ref: at for at, ref in enumerate(self._refs)}
                    self._gone = self._gone | {places[ref] for ref in dead if ref in places}
                    beside = {ref: row for ref, row in self._fresh.items() if ref not in dead}
                    self._fresh = beside | {ref: self._turned(row) for ref, row in rows.items()}
                    self._rows = kept
            self._marks = {ref: mark for ref, mark in self._marks.items() if ref not in dead}
            self._marks |= {ref: _mark(text) for ref, text in texts.items()}
            return len(texts)

    def _embedded(self, texts: Mapping[str, str]) -> dict[str, Any]:
        import numpy

        rows: dict[str, Any] = {}
        wanted = list(texts)
        for at in range(0, len(wanted), BATCH):
            part = wanted[at : at + BATCH]
            made = self._model.embed([telling(texts[ref]) for ref in part])
            rows.update(zip(part, made.astype(numpy.float16), strict=True))
        return rows

    def _rebuild(self, rows: dict[str, Any]) -> None:
        import numpy

        refs = list(rows)
        matrix: Any = numpy.stack([rows[ref] for ref in refs]).astype(numpy.float32) if refs else None
        centre = matrix.mean(axis=0) if len(refs) >= CENTRED_FROM else None
        if matrix is not None:
            matrix = _unit(matrix if centre is None else matrix - centre)
        with self._lock:
            self._rows, self._refs, self._matrix, self._centre = rows, refs, matrix, centre
            self._fresh, self._gone = {}, set()

    def _turned(self, row: Any) -> Any:
        import numpy

        row = row.astype(numpy.float32)[None]
        return _unit(row if self._centre is None else row - self._centre)[0]

    def nearest(self, question: str, most: int, least: float) -> list[tuple[str, float]]:
        """(ref, nearness) of at most `most` entries that are at least so near, the nearest first."""
        import numpy

        with self._lock:
            refs, matrix, centre, fresh, gone = self._refs, self._matrix, self._centre, self._fresh, self._gone
        if (matrix is None and not fresh) or not question.strip():
            return []
        asked = self._asked(question, centre)
        near = matrix @ asked if matrix is not None else numpy.zeros(0, numpy.float32)
        if gone:
            near[list(gone)] = -2.0
        if fresh:
            refs = [*refs, *fresh]
            near = numpy.concatenate([near, numpy.stack(list(fresh.values())) @ asked])
        best = numpy.argsort(-near, kind="stable")[:most]
        return [(refs[at], round(float(near[at]), 4)) for at in best if near[at] >= max(least, -1.0)]

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """How near each text is to the question, 0 to 1."""
        if not texts or not question.strip():
            return [0.0] * len(texts)
        centre = self._centre
        matrix = self._model.embed([telling(text) for text in texts])
        near = _unit(matrix if centre is None else matrix - centre) @ self._asked(question, centre)
        return [round(min(1.0, max(0.0, float(one))), 4) for one in near]

    def _asked(self, question: str, centre: Any) -> Any:
        asked = self._model.embed([telling(question)])
        return _unit(asked if centre is None else asked - centre)[0]


def _mark(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=12).digest()


def _unit(matrix: Any) -> Any:
    """Rows of length 1; an empty row stays empty."""
    import numpy

    return matrix / numpy.maximum(numpy.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)


def least_near(question: str) -> float:
    """How near an entry must be for recall to tell it; above 1 for what asks nothing."""
    if not _ASKS.search(question):
        return 2.0
    return NEAR_OWN if analyse.is_personal(question) else NEAR_OTHER


def telling(text: str) -> str:
    """A text without its small words, in which a mean of vectors drowns; the text itself when nothing else is left."""
    words = _WORD.findall(text[:READ_CHARS])
    kept = [word for word in words if analyse.fold(word) not in _SMALL]
    return " ".join(kept) or text[:READ_CHARS]


_SMALL = frozenset(analyse.fold(word) for stop in analyse.STOP.values() for word in stop)


# ── the model ─────────────────────────────────────────────────────────────────────────────────────────────


class Unusable(Exception):
    """The model cannot be had; one sentence says why and what to do."""


class WordLlama:
    """Static vectors of 256 numbers for 32,000 pieces of words, 16 MB, as the package wordllama (MIT) brings them."""

    def __init__(self) -> None:
        folder = package()
        weights = folder / "weights" / "l2_supercat_256.safetensors" if folder else None
        pieces = folder / "tokenizers" / "l2_supercat_tokenizer_config.json" if folder else None
        if weights is None or pieces is None or not (weights.is_file() and pieces.is_file()):
            raise Unusable("the package wordllama 0.4 is not installed beside Hermes: hermes cognition doctor")
        try:
            from safetensors.numpy import load_file
            from tokenizers import Tokenizer

            self._vectors = next(iter(load_file(str(weights)).values()))
            self._pieces = Tokenizer.from_file(str(pieces))
        except Exception as error:
            raise Unusable(f"wordllama's files cannot be read ({type(error).__name__}): install it again") from error
        self._pieces.no_padding()
        self._pieces.no_truncation()

    def embed(self, texts: Sequence[str]) -> Any:
        import numpy

        made = numpy.zeros((len(texts), self._vectors.shape[1]), numpy.float32)
        for at, encoded in enumerate(self._pieces.encode_batch(list(texts), add_special_tokens=False)):
            if encoded.ids:
                made[at] = self._vectors[encoded.ids].astype(numpy.float32).mean(axis=0)
        return _unit(made)


def package() -> Path | None:
    """The folder of the installed package, found without running any of its code."""
    try:
        spec = find_spec("wordllama")
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return Path(places[0]) if places else None


def load(choice: object) -> Semantic | None:
    """The tier that the setting `recall.semantic` names, None when it is off.  Raises Unusable."""
    return Semantic(WordLlama()) if choice == WORDLLAMA else None
