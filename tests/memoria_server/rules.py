"""Memoria's record rules, with no HTTP in them: records, screening, similarity, keyword scores, an extractor."""

from __future__ import annotations

import math
import re
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

Extractor = Callable[
    [list[dict[str, str]], list[str]], list[dict[str, Any]]
]  # (turns, already saved) -> type, content, confidence

TYPES = ("semantic", "working", "episodic", "profile", "tool_result", "procedural")
TIERS = {
    "T1": (0.95, 365.0),
    "T2": (0.85, 180.0),
    "T3": (0.65, 60.0),
    "T4": (0.40, 30.0),
}  # confidence, half-life in days
SIGNALS = ("useful", "irrelevant", "outdated", "wrong")
BLOCKERS = {
    "aws_key": r"A(?:KI|BI|CC|SI)A[A-Z0-9]{16}",
    "private_key": r"-----BEGIN (?:(?:RSA|EC|DSA) )?PRIVATE KEY-----",
    "bearer_token": r"(?i)bearer\s+[\w.~+/-]+",
    "password_assign": r"(?i)(?:passw(?:or)?d|secret)\s*[=:]\s*\S",
}
REDACTIONS = {
    "[email]": r"(?a:[\w.+-]+)@[A-Za-z0-9-]+\.[A-Za-z]{2,}",
    "[phone]": r"\b\d{3}[.-]?\d{3,4}[.-]?\d{4}\b",
    "[ssn]": r"\b\d{3}-\d{2}-\d{4}\b",
    "[card]": r"\b\d(?:[ -]*\d){12,18}\b",
}
TOKEN = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]|[^\W\u3040-\u9fff\uac00-\ud7af]+")


class Refusal(Exception):
    """An error reply. A `kind` marks a service error, which routes with the untyped mapping turn into 500."""

    def __init__(self, status: int, text: str, kind: str = "", headers: dict[str, str] | None = None) -> None:
        super().__init__(text)
        self.status, self.text, self.kind, self.headers = status, text, kind, headers or {}


@dataclass
class Memory:
    memory_id: str
    user_id: str
    content: str
    memory_type: str
    trust_tier: str
    confidence: float
    observed_at: datetime
    session_id: str | None = None
    subject_id: str | None = None
    extra_metadata: dict[str, Any] | None = None
    created_at: datetime | None = None
    is_active: bool = True
    superseded_by: str | None = None

    def view(self, score: float | None = None, fresh: bool = False) -> dict[str, Any]:
        """Wire form. `fresh` is the record as just written: no created_at, confidence not yet rounded to float32."""
        out: dict[str, Any] = {"memory_id": self.memory_id, "user_id": self.user_id, "subject_id": self.subject_id}
        out |= {
            "memory_type": self.memory_type,
            "content": self.content,
            "trust_tier": self.trust_tier,
            "is_active": self.is_active,
        }
        out["initial_confidence"] = (
            self.confidence if fresh else struct.unpack("f", struct.pack("f", self.confidence))[0]
        )
        out |= {"session_id": self.session_id, "observed_at": self.observed_at.isoformat(), "retrieval_score": score}
        out["created_at"] = None if fresh or self.created_at is None else self.created_at.isoformat()
        out["extra_metadata"] = self.extra_metadata or None
        return {k: v for k, v in out.items() if v is not None or k not in ("subject_id", "extra_metadata")}


def now() -> datetime:
    return datetime.now(UTC)


def blank(value: str | None) -> str | None:
    return (value or "").strip() or None


def screen(text: str) -> str:
    """Refuse credentials, redact personal data, return what may be stored."""
    for label, pattern in BLOCKERS.items():
        if re.search(pattern, text):
            raise Refusal(403, f"Blocked: Memory blocked: contains sensitive content ({label})", "blocked")
    for label, pattern in REDACTIONS.items():
        text = re.sub(pattern, label, text)
    return text


def tokens(text: str) -> list[str]:
    return TOKEN.findall(text.lower())


def cosine(left: str, right: str) -> float:
    """Default stand-in for embedding similarity: cosine of word counts."""
    a, b = Counter(tokens(left)), Counter(tokens(right))
    if not a or not b:
        return float(left.strip() == right.strip())
    return sum(v * b[k] for k, v in a.items()) / math.sqrt(
        sum(v * v for v in a.values()) * sum(v * v for v in b.values())
    )


def keyword_scores(query: str, pool: list[Memory]) -> dict[str, float]:
    """BM25 without length normalisation."""
    docs = {m.memory_id: Counter(tokens(m.content)) for m in pool}
    scores: dict[str, float] = {}
    for term in set(tokens(query)):
        df = sum(term in doc for doc in docs.values())
        for memory_id, doc in docs.items():
            if doc[term]:
                idf = math.log(1 + (len(docs) - df + 0.5) / (df + 0.5))
                scores[memory_id] = scores.get(memory_id, 0.0) + idf * doc[term] * 2.2 / (doc[term] + 1.2)
    return scores


VERBS = {
    "prefer",
    "like",
    "love",
    "hate",
    "dislike",
    "use",
    "want",
    "need",
    "drink",
    "eat",
    "speak",
    "live",
    "work",
    "own",
    "am",
    "have",
}
RULES: list[tuple[str, str, float, Callable[[re.Match[str]], str]]] = [
    (
        rf"i (?:(?:really|also|usually) )?({'|'.join(VERBS)}) (.+)",
        "profile",
        1.0,
        lambda m: f"User { {'am': 'is', 'have': 'has'}.get(m[1].lower(), m[1].lower() + 's') } {m[2]}",
    ),
    (r"my (.+?) (is|are) (.+)", "profile", 1.0, lambda m: f"User's {m[1]} {m[2].lower()} {m[3]}"),
    (r"(always|never) (.+)", "procedural", 1.0, lambda m: f"{m[1].capitalize()} {m[2]}"),
    (
        r"(?:i|we) (fixed|asked|visited|finished|deployed|wrote|built) (.+)",
        "episodic",
        0.7,
        lambda m: f"User {m[1].lower()} {m[2]}",
    ),
    (r"(?:the|our) (.+? (?:is|are|uses|runs|has) .+)", "semantic", 0.7, lambda m: f"The {m[1]}"),
]


def rule_extractor(turns: list[dict[str, str]], saved: list[str]) -> list[dict[str, Any]]:
    """Deterministic stand-in for the extraction model: facts the user stated, minus those already saved."""
    seen, out = {s.strip().casefold() for s in saved}, []
    text = "\n".join(m["content"] for m in turns if m["role"] == "user")
    for part in re.split(r"[.!?;\n。！？]+|,?\s+and\s+(?=(?:also )?(?:i|my)\b)", text, flags=re.IGNORECASE):
        sentence = re.sub(r"(?i)^(?:please )?remember (?:that )?|^also ", "", part.strip()).strip()
        for pattern, kind, confidence, render in RULES:
            if match := re.fullmatch(pattern, sentence, re.IGNORECASE):
                fact = render(match)
                out += [] if fact.casefold() in seen else [{"type": kind, "content": fact, "confidence": confidence}]
                seen.add(fact.casefold())
                break
    return out


def active(rows: dict[str, Memory], **filters: Any) -> list[Memory]:
    """Live rows, newest first, that equal every filter that is set."""
    wanted = {k: v for k, v in filters.items() if v is not None}
    kept = [m for m in rows.values() if m.is_active and all(getattr(m, k) == v for k, v in wanted.items())]
    return sorted(kept, key=lambda m: m.memory_id, reverse=True)


def types_of(values: list[str] | None) -> list[str] | None:
    kept = [v.strip() for v in values or [] if v.strip()]
    if unknown := [v for v in kept if v not in TYPES]:
        raise Refusal(422, f"Invalid memory type: {unknown[0]}")
    return kept or None


def rank(
    pool: list[Memory], query: str, similarity: Callable[[str, str], float] | None, boosts: dict[str, float]
) -> list[dict[str, Any]]:
    """.3 vector + .2 keyword + .2 recency + .3 confidence, times a feedback boost; without embeddings keyword alone."""
    keyword, found = keyword_scores(query, pool), []
    for m in pool:
        score = raw = keyword.get(m.memory_id, 0.0)
        if similarity:
            hours = (now() - m.observed_at).total_seconds() / 3600
            vector = 1 / (1 + math.sqrt(max(0.0, 2 * (1 - similarity(query, m.content)))))
            confidence = m.confidence * math.exp(-hours / 24 / TIERS[m.trust_tier][1])
            score = 0.3 * vector + 0.2 * raw / (raw + 1) + 0.2 * math.exp(-hours / 168) + 0.3 * confidence
            score = score if confidence >= 0.05 else 0.0
        if score > 0:
            found.append(m.view(score * min(2.0, max(0.5, 1 + boosts.get(m.memory_id, 0.0)))))
    return sorted(found, key=lambda hit: (-hit["retrieval_score"], hit["memory_id"]))
