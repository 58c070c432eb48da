"""The arena: where memories of known sizes lie while they live."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from typing import NamedTuple

ALIGNMENT = 64
MAX_SORTED = 128  # memories; more would take long to place


class Memory(NamedTuple):
    """Bytes, and the first and the last call that touch them; `key` is the caller's."""

    size: int
    first: int
    last: int
    key: int


def arrange(memories: Sequence[Memory]) -> tuple[dict[int, int], int]:
    """The offset of every memory by its key, and the arena's size, in bytes.

    Best fit in the order of the calls; where there are few also in the order of their sizes, and
    the smaller arena is taken.
    """
    rounded = [
        memory._replace(size=-(-max(memory.size, 1) // ALIGNMENT) * ALIGNMENT)
        for memory in memories
    ]
    found = _by_calls(rounded)
    if len(rounded) <= MAX_SORTED:
        found = min(found, _by_size(rounded), key=lambda made: made[1])
    return found


def _by_calls(memories: Sequence[Memory]) -> tuple[dict[int, int], int]:
    offsets: dict[int, int] = {}
    peak = 0
    live: list[tuple[int, int, int]] = []  # offset, end, last call
    for size, first, last, key in sorted(memories, key=lambda m: (m.first, m.last)):
        live = sorted(entry for entry in live if entry[2] >= first)
        at = _best_fit(size, live)
        offsets[key] = at
        live.append((at, at + size, last))
        peak = max(peak, at + size)
    return offsets, peak


def _by_size(memories: Sequence[Memory]) -> tuple[dict[int, int], int]:
    offsets: dict[int, int] = {}
    peak = 0
    placed: list[tuple[int, int, int, int]] = []  # offset, end, first and last call
    for size, first, last, key in sorted(memories, key=lambda m: (-m.size, *m[1:])):
        at = _best_fit(size, [p for p in placed if p[2] <= last and p[3] >= first])
        offsets[key] = at
        insort(placed, (at, at + size, first, last))
        peak = max(peak, at + size)
    return offsets, peak


def _best_fit(size: int, taken: Sequence[tuple[int, ...]]) -> int:
    """The least gap that is large enough between memories, given in the order of offsets."""
    best, end = None, 0
    for offset, stop, *_ in taken:
        if offset - end >= size and (best is None or offset - end < best[1]):
            best = (end, offset - end)
        end = max(end, stop)
    return best[0] if best else end
