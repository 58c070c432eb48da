"""What a library leaves to its caller: which of its memories is what, and how large.

A layout lies behind its library in the cache, so that a program that is found there needs no
passes. It is read back without trust: what is no layout, or not one of the program at hand, is
refused by ValueError.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from gradir.codegen.arena import Memory, arrange
from gradir.ir.table import Table
from gradir.ir.types import DTYPES, Dim, Extent, Shape, evaluate_extent, product
from gradir.reference.memory import VIEWS, WINDOWS
from gradir.reference.plan import inner_nodes

if TYPE_CHECKING:
    from gradir.codegen.stages import Staged


@dataclass(frozen=True)
class Layout:
    """Memories by their numbers, sizes in bytes."""

    words: int
    inputs: list[tuple[str, int]]
    outputs: list[tuple[str, int]]
    # name, numbers of the old and the new contents, whether they start from a copy
    slots: list[tuple[str, int, int | None, bool]]
    scratch: list[tuple[int, str, Shape]]  # stores that another one follows: number, type
    arena: list[tuple[int, Extent, int, int]]  # number, size, first and last call that touch it
    # what the interpreter would hold more after each node, or less; windows: lo, size, whole
    growth: list[Extent]
    windows: list[tuple[int, Extent, Extent]]
    constants: list[tuple[int, bytes]]

    def fits(self, dims: Mapping[str, int], limit: int) -> bool:
        """Whether the interpreter would find memory and windows right (R606, R607)."""
        live = 0
        for gained in self.growth:
            live += evaluate_extent(gained, dims)
            if live > limit:
                return False
        return all(
            lo + evaluate_extent(size, dims) <= evaluate_extent(whole, dims)
            for lo, size, whole in self.windows
        )

    def place(self, dims: Mapping[str, int]) -> tuple[dict[int, int], int]:
        """Offsets in the arena by number, and the arena's size."""
        return arrange(
            [
                Memory(evaluate_extent(size, dims), first, last, number)
                for number, size, first, last in self.arena
            ]
        )


# --- made -----------------------------------------------------------------------------------


def make_layout(staged: Staged, can_fail: bool) -> Layout:
    """The layout of a program; `can_fail`: whether a kernel may report."""
    table, schedule, numbers = staged.table, staged.schedule, staged.memory.numbers
    inputs, outputs, scratch, constants = [], [], [], []
    number = len(numbers)
    last = set(schedule.stores.values())
    for node, at in numbers.items():
        name = table[node].op.name
        if name == "stage":
            inputs.append((table[node].attr("name"), at))
        elif name == "output":
            outputs.append((table[node].attr("name"), at))
        elif name == "const":
            constants.append((at, table[node].attrs[0]))
        elif name == "store" and node not in last:
            scratch.append((at, table.type(node).dtype.name, table.type(node).shape))
    slots: list[tuple[str, int, int | None, bool]] = []
    for name, node in table.buffers.items():
        store, cell = schedule.stores.get(node), node in schedule.cells
        if store is None and not cell and node not in numbers:
            continue
        now = numbers.get(node, number)
        number += node not in numbers
        following: int | None = None
        if store is not None:
            following = numbers[store]
        elif cell and can_fail:
            following = number
            number += 1
        slots.append((name, now, following, cell))
    arena = [
        (numbers[node], _bytes(table, node), *life) for node, life in staged.memory.arena.items()
    ]
    growth, windows = _checks(staged)
    return Layout(number, inputs, outputs, slots, scratch, arena, growth, windows, constants)


def _bytes(table: Table, node: int) -> Extent:
    return product((table.type(node).dtype.itemsize, *table.type(node).shape))


def _checks(staged: Staged) -> tuple[list[Extent], list[tuple[int, Extent, Extent]]]:
    """What `check_before` computes, for sizes to come."""
    table, plan = staged.table, staged.plan
    growth: list[Extent] = []
    for at, step in enumerate(plan.steps):
        growth += [_held(table, node) for node in inner_nodes(step)]
        growth += [product((-1, _held(table, node))) for node in plan.dead_after.get(at, ())]
    if not any(isinstance(gained, Dim) for gained in growth):
        growth = [max(accumulate(evaluate_extent(gained, {}) for gained in growth), default=0)]
    windows: list[tuple[int, Extent, Extent]] = []
    for node in sorted(plan.needed):
        if table[node].op in WINDOWS:
            outer, inner = table.type(node).shape, table.type(table[node].operands[0]).shape
            if table[node].op.name == "shrink":
                outer, inner = inner, outer
            windows += zip(table[node].attrs[0], inner, outer, strict=True)
    return [gained for gained in growth if gained != 0], [w for w in windows if not _inside(*w)]


def _held(table: Table, node: int) -> Extent:
    if not table.type(node).shape or table[node].op in VIEWS:
        return 0
    return _bytes(table, node)


def _inside(lo: int, size: Extent, whole: Extent) -> bool:
    return isinstance(size, int) and isinstance(whole, int) and lo + size <= whole


# --- written and read -----------------------------------------------------------------------


def to_bytes(layout: Layout) -> bytes:
    """A line of JSON, and the constants' bytes."""
    fields = dict(vars(layout))
    fields["constants"] = [(number, len(content)) for number, content in layout.constants]
    return b"\n".join(
        [json.dumps(fields).encode(), b"".join(content for _, content in layout.constants)]
    )


def from_bytes(content: bytes, table: Table) -> Layout:
    """The layout of this program. ValueError where it is none."""
    head, found, rest = content.partition(b"\n")
    try:
        fields = json.loads(head)
        layout = _read(fields, rest)
    except (KeyError, TypeError, RecursionError) as problem:
        raise ValueError(f"no layout: {problem}") from None
    if not found or not _is_of(layout, table):
        raise ValueError("a layout of another program")
    return layout


def _read(fields: dict[str, Any], rest: bytes) -> Layout:
    words = _natural(fields["words"])
    constants, at = [], 0
    for number, size in fields["constants"]:
        constants.append((_natural(number, words), rest[at : at + _natural(size)]))
        at += size
    if at != len(rest):
        raise ValueError("constants are missing")
    return Layout(
        words,
        [(str(name), _natural(number, words)) for name, number in fields["inputs"]],
        [(str(name), _natural(number, words)) for name, number in fields["outputs"]],
        [
            (
                str(name),
                _natural(now, words),
                None if following is None else _natural(following, words),
                bool(cell),
            )
            for name, now, following, cell in fields["slots"]
        ],
        [
            (_natural(number, words), DTYPES[dtype].name, tuple(map(_extent, shape)))
            for number, dtype, shape in fields["scratch"]
        ],
        [
            (_natural(number, words), _extent(size), _natural(first), _natural(last))
            for number, size, first, last in fields["arena"]
        ],
        [_extent(gained) for gained in fields["growth"]],
        [(_natural(lo), _extent(size), _extent(whole)) for lo, size, whole in fields["windows"]],
        constants,
    )


def _natural(value: Any, end: int | None = None) -> int:
    if type(value) is not int or value < 0 or (end is not None and value >= end):
        raise ValueError(f"{value!r} is no number of this layout")
    return value


def _extent(value: Any) -> Extent:
    if type(value) is int:
        return value
    coefficient, symbols = value
    if type(coefficient) is not int:
        raise ValueError(f"{value!r} is no extent")
    return Dim(coefficient, tuple(map(str, symbols)))


def _is_of(layout: Layout, table: Table) -> bool:
    """Whether names and symbols are the program's, and every memory has one owner."""
    extents: Iterable[Extent] = [
        *(extent for _, _, shape in layout.scratch for extent in shape),
        *(size for _, size, _, _ in layout.arena),
        *layout.growth,
        *(extent for _, *pair in layout.windows for extent in pair),
    ]
    symbols = {s for extent in extents if isinstance(extent, Dim) for s in extent.symbols}
    owners = [
        *(number for _, number in (*layout.inputs, *layout.outputs)),
        *(n for _, *pair, _ in layout.slots for n in pair if n is not None),
        *(entry[0] for entry in (*layout.scratch, *layout.arena, *layout.constants)),
    ]
    return (
        {name for name, _ in layout.inputs} <= set(table.stages)
        and {name for name, _ in layout.outputs} == set(table.outputs)
        and {slot[0] for slot in layout.slots} <= set(table.buffers)
        and symbols <= set(table.dims)
        and len(set(owners)) == len(owners)
    )
