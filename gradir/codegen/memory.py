"""Memory: which nodes have any, and where in the arena each lies while it lives.

The arena's plan is made for concrete sizes, since symbols have values by then. Inputs, outputs,
slots and constants are not in the arena.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gradir.codegen.loops import Call, Kernel, LoopCall
from gradir.codegen.schedule import Schedule
from gradir.ir.table import Table
from gradir.ir.types import evaluate_extent

ALIGNMENT = 64
MAX_SORTED = 128  # nodes; more would take long to place


@dataclass
class MemoryPlan:
    """The memories in the order of their numbers, and the life of those in the arena."""

    numbers: dict[int, int]  # node → number
    arena: dict[int, tuple[int, int]]  # node → first and last call that touch it


def plan_memory(schedule: Schedule, calls: Sequence[Call]) -> MemoryPlan:
    """A node has memory if a kernel reads it, or if it leaves the program."""
    table = schedule.table
    lives: dict[int, tuple[int, int]] = {}
    read: set[int] = set()
    written: set[int] = set()
    for at, call in enumerate(calls):
        for kernel in _flat(call):
            touched = [*kernel.reads]
            read.update(kernel.reads)
            if isinstance(kernel, Kernel):
                touched += kernel.writes
                written.update(kernel.writes)
            else:
                touched.append(kernel.range)
                written.add(kernel.range)
            for node in touched:
                first, last = lives.get(node, (at, at))
                lives[node] = min(first, at), max(last, at)
    leaving = {id for id in written if table[id].op.name in ("output", "store")}
    owned = sorted(read | leaving | schedule.cells)
    numbers = {node: number for number, node in enumerate(owned)}
    outside = ("stage", "buffer", "const", "output", "store")
    arena = {node: lives[node] for node in owned if table[node].op.name not in outside}
    return MemoryPlan(numbers, arena)


def live_calls(table: Table, calls: Sequence[Call], cells: set[int]) -> list[Call]:
    """The calls without those whose results nothing reads; checks stay."""
    return _live(table, calls, set(cells))


def _live(table: Table, calls: Sequence[Call], wanted: set[int]) -> list[Call]:
    kept: list[Call] = []
    for call in reversed(calls):
        if isinstance(call, LoopCall):
            body = _live(table, call.body, wanted)
            kept.append(LoopCall(call.range, call.count, call.reads, body))
            wanted.update(call.reads)
            continue
        leaves = any(table[id].op.name in ("output", "store") for id in call.writes)
        if leaves or not call.writes or wanted & set(call.writes):
            kept.append(call)
            wanted.update(call.reads)
    return kept[::-1]


def _flat(call: Call) -> list[Call]:
    """A call and, of a loop, all calls inside; they live as long as the loop."""
    if isinstance(call, Kernel):
        return [call]
    return [call, *(inner for part in call.body for inner in _flat(part))]


def node_bytes(table: Table, id: int, dims: Mapping[str, int]) -> int:
    size = table.type(id).dtype.itemsize
    for extent in table.type(id).shape:
        size *= evaluate_extent(extent, dims)
    return size


def place(table: Table, plan: MemoryPlan, dims: Mapping[str, int]) -> tuple[dict[int, int], int]:
    """The offset of every node in the arena, and the arena's size, in bytes.

    Best fit in the order of the calls; where there are few nodes also in the order of their
    sizes, and the smaller arena is taken.
    """
    memories = [
        _Memory(-(-max(node_bytes(table, node, dims), 1) // ALIGNMENT) * ALIGNMENT, *life, node)
        for node, life in plan.arena.items()
    ]
    found = _by_calls(memories)
    if len(memories) <= MAX_SORTED:
        found = min(found, _by_size(memories), key=lambda made: made[1])
    return found


class _Memory(NamedTuple):
    size: int
    first: int
    last: int
    node: int


def _by_calls(memories: Sequence[_Memory]) -> tuple[dict[int, int], int]:
    offsets: dict[int, int] = {}
    peak = 0
    live: list[tuple[int, int, int]] = []  # offset, end, last call
    for size, first, last, node in sorted(memories, key=lambda m: (m.first, m.last)):
        live = sorted(entry for entry in live if entry[2] >= first)
        at = _best_fit(size, live)
        offsets[node] = at
        live.append((at, at + size, last))
        peak = max(peak, at + size)
    return offsets, peak


def _by_size(memories: Sequence[_Memory]) -> tuple[dict[int, int], int]:
    offsets: dict[int, int] = {}
    peak = 0
    placed: list[tuple[int, int, int, int]] = []  # offset, end, first and last call
    for size, first, last, node in sorted(memories, key=lambda m: (-m.size, *m[1:])):
        at = _best_fit(size, [p for p in placed if p[2] <= last and p[3] >= first])
        offsets[node] = at
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
