"""Memory: which nodes have any, and where in the arena each lies while it lives.

The arena's plan is made for concrete sizes, since symbols have values by then. Inputs, outputs,
slots and constants are not in the arena.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradir.codegen.arena import Memory, arrange
from gradir.codegen.loops import Call, Kernel, LoopCall
from gradir.codegen.schedule import Schedule
from gradir.ir.table import Table
from gradir.ir.types import evaluate_extent


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
    """The offset of every node in the arena, and the arena's size, in bytes."""
    return arrange(
        [Memory(node_bytes(table, node, dims), *life, node) for node, life in plan.arena.items()]
    )
