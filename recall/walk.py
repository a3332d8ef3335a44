"""Walks along a full-text index: which rows hold a word, and which hold the most of several words."""

import heapq
import math
import sqlite3
from collections.abc import Sequence
from typing import Any


def numbers(db: sqlite3.Connection, query: str, values: Sequence[Any]) -> list[int]:
    """The whole numbers of a query's column `rowid`, in no order; as one text, because thousands of rows cost more
    than to read it."""
    (found,) = db.execute(f"SELECT group_concat(rowid) FROM ({query})", values).fetchone()
    return list(map(int, found.split(","))) if found else []


def sums_of(walked: Sequence[tuple[float, Sequence[int]]]) -> dict[int, float]:
    """What the words of each row say together."""
    sums: dict[int, float] = {}
    for worth, keys in walked:
        fresh = dict.fromkeys(keys, worth)
        for key in sums.keys() & fresh.keys():
            fresh[key] += sums[key]
        sums.update(fresh)
    return sums


def best_of(walked: Sequence[tuple[float, list[int]]], most: int) -> list[tuple[int, float]]:
    """(row, what its words say together) of the `most` that hold the most; of equal ones the newest.

    What says most comes first: as soon as `most` rows hold more than all that is left could say, the rest, which
    are the long lists of common words, only adds to what is there.
    """
    sums: dict[int, float] = {}
    left = math.fsum(worth for worth, _ in walked)
    full, least = False, -math.inf
    for worth, keys in sorted(walked, key=lambda walk: (-walk[0], len(walk[1]))):
        if not full and len(sums) >= most < len(keys):
            above = left + 1e-9 * max(1.0, abs(left))  # a sum of fractions is never exact
            full = sum([value > above for value in sums.values()]) >= most
            least = above if full else least
        if full:
            for key in sums.keys() & keys:
                sums[key] += worth
        else:
            fresh = dict.fromkeys(keys, worth)
            for key in sums.keys() & fresh.keys():
                fresh[key] += sums[key]
            sums.update(fresh)
        left -= worth
    found = [(value, key) for key, value in sums.items() if value > least]
    return [(key, value) for value, key in heapq.nlargest(most, found)]


def quoted(term: str) -> str:
    """A term as FTS5 takes it word for word."""
    return '"' + term.replace('"', '""') + '"'
