"""What a run evaluates, and in which order (spec/running.md, spec/memory.md).

Needed is what the effects reach. Nodes run in id order; a node that depends on no range but
stands inside one runs just before that range, once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from gradir.ir.ops import OPS
from gradir.ir.table import Table

_STORE, _OUTPUT = OPS["store"], OPS["output"]
_RANGE, _END, _BUFFER = OPS["range"], OPS["end"], OPS["buffer"]


@dataclass
class Loop:
    """A range and the nodes that depend on it; `before` are those that do not."""

    range: int
    before: list[Step] = field(default_factory=list)
    body: list[Step] = field(default_factory=list)


Step: TypeAlias = int | Loop


@dataclass
class Plan:
    """The steps of a run, the nodes it needs, and what may be dropped after each top step."""

    steps: list[Step]
    needed: set[int]
    dead_after: dict[int, list[int]]  # by index of the step


def effects(table: Table) -> list[int]:
    """The stores and outputs, in program order."""
    return [i for i, node in enumerate(table.nodes) if node.op is _STORE or node.op is _OUTPUT]


def needed_nodes(table: Table, roots: Iterable[int]) -> set[int]:
    """All nodes that the roots reach, the ranges they depend on included."""
    needed: set[int] = set()
    stack = list(roots)
    while stack:
        id = stack.pop()
        if id in needed:
            continue
        needed.add(id)
        stack.extend(table.nodes[id].operands)
        region = table.regions.get(id)
        if region is not None:
            stack.append(region)
            parent = table.range_parents[region]
            if parent is not None:
                stack.append(parent)
    return needed


def make_plan(table: Table, roots: Iterable[int]) -> Plan:
    """The plan that evaluates the roots (nodes, stores, outputs)."""
    roots = list(roots)
    needed = needed_nodes(table, roots)
    steps: list[Step] = []
    open_loops: list[Loop] = []
    for id in sorted(needed | _ends(table, needed)):
        op = table.nodes[id].op
        if op is _END:
            open_loops.pop()
            continue
        region = table.regions.get(id)
        if op is _RANGE:
            loop = Loop(id)
            (open_loops[-1].body if open_loops else steps).append(loop)
            open_loops.append(loop)
            continue
        depth = next((d for d, loop in enumerate(open_loops) if loop.range == region), -1)
        if depth + 1 < len(open_loops):
            open_loops[depth + 1].before.append(id)
        else:
            (open_loops[-1].body if open_loops else steps).append(id)
    return Plan(steps, needed, _deaths(table, steps, set(roots)))


def _ends(table: Table, needed: set[int]) -> set[int]:
    if not table.regions:
        return set()
    return {id for id in table.of_op("end") if table.nodes[id].operands[0] in needed}


def inner_nodes(step: Step) -> Iterable[int]:
    """All nodes of a step, loops flattened."""
    if isinstance(step, int):
        return (step,)
    return _flattened(step)


def _flattened(step: Loop) -> Iterable[int]:
    stack: list[Step] = [step]
    while stack:
        item = stack.pop()
        if isinstance(item, Loop):
            yield item.range
            stack.extend(item.before)
            stack.extend(item.body)
        else:
            yield item


def _deaths(table: Table, steps: list[Step], roots: set[int]) -> dict[int, list[int]]:
    last: dict[int, int] = {}
    for at, step in enumerate(steps):
        if isinstance(step, int):
            last[step] = at
            for operand in table.nodes[step].operands:
                last[operand] = at
            continue
        for id in inner_nodes(step):
            last[id] = at
            for operand in table.nodes[id].operands:
                last[operand] = at
    dead: dict[int, list[int]] = {}
    for id, at in last.items():
        if id not in roots:
            dead.setdefault(at, []).append(id)
    return dead
