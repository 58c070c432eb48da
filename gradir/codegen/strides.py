"""Views: where the elements of a moved tensor lie, if nothing is moved.

A matrix product reads its operands and writes its result through strides. So a permute, reshape,
shrink or expand in front of it costs nothing, and neither does a permute behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from gradir.codegen.loops import Matrices
from gradir.codegen.poly import Poly, elements, extent, number
from gradir.ir.table import Node, Table
from gradir.ir.types import Shape

MOVES = frozenset(("permute", "reshape", "shrink", "expand"))
ONE = number(1)

Source: TypeAlias = Callable[[int], int]


class View(NamedTuple):
    """Where the first element of a tensor lies in a memory, and how far apart the next ones on
    each axis are."""

    first: Poly
    strides: tuple[Poly, ...]


def contiguous(shape: Shape) -> View:
    return View(number(0), tuple(elements(shape[at + 1 :]) for at in range(len(shape))))


def moved(node: Node, shape: Shape, view: View) -> View | None:
    """What a node of MOVES makes of its operand's shape and view; None if it is no view then."""
    first, strides = view
    if node.op.name == "permute":
        return View(first, tuple(strides[axis] for axis in node.attrs[0]))
    if node.op.name == "shrink":
        for lo, stride in zip(node.attrs[0], strides, strict=True):
            first = first + number(lo) * stride
        return View(first, strides)
    if node.op.name == "expand":
        sizes = zip(shape, node.type.shape, strides, strict=True)
        return View(first, tuple(s if old == new else number(0) for old, new, s in sizes))
    found = reshaped(shape, strides, node.type.shape)
    return None if found is None else View(first, found)


def moved_back(node: Node, shape: Shape, view: View) -> View | None:
    """The operand's view, given the node's: a permute or reshape loses no element."""
    if node.op.name == "permute":
        return View(
            view.first, tuple(view.strides[node.attrs[0].index(a)] for a in range(len(shape)))
        )
    found = reshaped(node.type.shape, view.strides, shape)
    return None if found is None else View(view.first, found)


def reshaped(shape: Shape, strides: tuple[Poly, ...], wanted: Shape) -> tuple[Poly, ...] | None:
    """The strides of the same elements in another shape; None where steps would differ."""
    runs: list[tuple[Poly, Poly]] = []  # axes that lie as one: size, stride
    for size, stride in zip(map(extent, shape), strides, strict=True):
        if size == ONE:
            continue
        if runs and runs[-1][1] == size * stride:
            size = runs.pop()[0] * size
        runs.append((size, stride))
    found: list[Poly] = []
    for size in map(extent, reversed(wanted)):
        if size == ONE:
            found.append(ONE)
            continue
        rest = _quotient(runs[-1][0], size) if runs else None
        if rest is None:
            return None
        _, stride = runs.pop()
        found.append(stride)
        if rest != ONE:
            runs.append((rest, size * stride))
    return None if runs else tuple(reversed(found))


def _quotient(a: Poly, b: Poly) -> Poly | None:
    """a / b of two extents, where that is one."""
    if not a.terms or not b.terms:
        return None
    ((names, n),), ((others, m),) = a.terms, b.terms
    left = list(names)
    for name in others:
        if name not in left:
            return None
        left.remove(name)
    return None if n % m else Poly.of({tuple(left): n // m})


def inside(shape: Shape, view: View) -> tuple[Poly, Poly] | None:
    """The strides of the last two axes, if one of them is 1 or of no account."""
    row, column = view.strides[-2:]
    if ONE in (row, column):
        return row, column
    if shape[-1] == 1:
        return row, ONE
    return (ONE, column) if shape[-2] == 1 else None


def path(table: Table, id: int, source: Source, ends: Collection[int]) -> list[int]:
    """A node and what it is a movement of, down to what has or may have memory of its own."""
    found = [source(id)]
    while found[-1] not in ends and table[found[-1]].op.name in MOVES:
        found.append(source(table[found[-1]].operands[0]))
    return found


def view_of(table: Table, nodes: list[int]) -> View | None:
    """The first node of a path as a view of the last one's memory."""
    *above, base = nodes
    shape = table.type(base).shape
    view: View | None = contiguous(shape)
    for id in reversed(above):
        if view is None:
            return None
        view = moved(table[id], shape, view)
        shape = table[id].type.shape
    return view


def readable(table: Table, nodes: list[int]) -> list[int]:
    """The part of a path through which a matrix product can read, wherever on it memory is."""
    for end in range(2, len(nodes) + 1):
        view = view_of(table, nodes[:end])
        if view is None or inside(table.type(nodes[0]).shape, view) is None:
            return nodes[: end - 1]
    return nodes


def operand(table: Table, nodes: list[int]) -> Matrices:
    """The matrices that a product reads through a path of `readable`."""
    view = view_of(table, nodes)
    assert view is not None
    strides = inside(table.type(nodes[0]).shape, view)
    assert strides is not None
    return Matrices(nodes[-1], view.first, view.strides[:-2], *strides)


def result(table: Table, nodes: list[int]) -> Matrices | None:
    """Where a product, the last of a path, lies in the memory of the first; None if it cannot
    be written there. If columns are apart, rows are not."""
    view: View | None = contiguous(table.type(nodes[0]).shape)
    for id, below in pairwise(nodes):
        if view is None or table[id].op.name not in ("permute", "reshape"):
            return None
        view = moved_back(table[id], table.type(below).shape, view)
    strides = inside(table.type(nodes[-1]).shape, view) if view else None
    if view is None or strides is None:
        return None
    return Matrices(nodes[0], view.first, view.strides[:-2], *strides)


def joined(
    sizes: Shape, strides: Sequence[tuple[Poly, ...]]
) -> tuple[tuple[Poly, ...], list[tuple[Poly, ...]]]:
    """The sizes of a batch's axes and each memory's strides, for as few axes as will do: those
    along which every memory goes on in equal steps are one."""
    axes: list[tuple[Poly, tuple[Poly, ...]]] = []
    for size, steps in zip(map(extent, sizes), zip(*strides, strict=True), strict=True):
        if size == ONE:
            continue
        if axes and axes[-1][1] == tuple(size * step for step in steps):
            size = axes.pop()[0] * size
        axes.append((size, steps))
    made = tuple(size for size, _ in axes)
    return made, [tuple(steps[at] for _, steps in axes) for at in range(len(strides))]
