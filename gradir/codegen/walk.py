"""What roots read, and where: seen from an element of a row, or once a row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from enum import Enum
from typing import NamedTuple, TypeAlias

from gradir.ir.ops import OPS
from gradir.ir.table import Table
from gradir.ir.types import product

CASTS = (OPS["cast"], OPS["bitcast"])
EFFECTS = (OPS["output"], OPS["store"])
RESHAPE, EXPAND, REDUCE, _IOTA = (OPS[n] for n in ("reshape", "expand", "reduce", "iota"))

Operands: TypeAlias = Callable[[int], list[int]]


class At(Enum):
    """Where an expression is computed, seen from an element of a row."""

    ELEMENT = 1  # at the same row and column
    ROW = 2  # once a row
    ALL = 3  # at the same row, at all columns
    SIMPLE = 4  # at another place, or at none, that takes no division to find
    ELSEWHERE = 5


class Read(NamedTuple):
    root: int
    at: At


class Walk:
    """What roots read, and where. `operands` gives a node's, loads seen through."""

    def __init__(self, table: Table, roots: Collection[int], operands: Operands) -> None:
        self.table, self.roots, self._operands = table, roots, operands
        self._known: dict[int, list[int]] = {}
        self._reads: dict[tuple[int, At], tuple[list[Read], bool]] = {}

    def operands(self, id: int) -> list[int]:
        known = self._known.get(id)
        if known is None:
            known = self._known[id] = self._operands(id)
        return known

    def reads(self, root: int, at: At) -> list[Read]:
        """The roots that a root reads if it is computed at an element, or once a row."""
        return self._walk(root, at)[0]

    def simple(self, root: int, at: At) -> bool:
        """Whether no index must be divided to compute a root."""
        return self._walk(root, at)[1]

    def inside(self, root: int) -> Iterator[int]:
        """A root and what is computed inside it."""
        stack = [root]
        while stack:
            id = stack.pop()
            yield id
            stack.extend(o for o in self.operands(id) if o not in self.roots)

    def _walk(self, root: int, at: At) -> tuple[list[Read], bool]:
        known = self._reads.get((root, at))
        if known is None:
            found: dict[Read, None] = {}
            simple = True
            stack = [(root, at)]
            while stack:
                id, here = stack.pop()
                below = self.below(id, here)
                simple = simple and below is not At.ELSEWHERE
                for operand in self.operands(id):
                    if operand in self.roots:
                        found[Read(operand, below)] = None
                    else:
                        stack.append((operand, below))
            known = self._reads[root, at] = (list(found), simple)
        return known

    def below(self, id: int, at: At) -> At:
        """Where a node's operands are computed, if it is computed at `at`."""
        node = self.table[id]
        op, shape = node.op, node.type.shape
        if not node.operands:
            flat = op is not _IOTA or len(shape) == 1
            last = op is _IOTA and at is not At.ROW and node.attrs[0] == len(shape) - 1
            return at if flat or last else At.ELSEWHERE
        if at is At.ELSEWHERE or op.elementwise or op in CASTS or op in EFFECTS:
            return at
        inner = self.table.type(self.operands(id)[0]).shape
        if op is RESHAPE:
            if at is At.ROW or (inner and shape and inner[-1] == shape[-1]):
                return at
            return At.SIMPLE if product(inner) == 1 else At.ELSEWHERE
        if op is EXPAND:
            if product(inner) == 1 or inner == shape:
                return At.SIMPLE if inner != shape else at
            if at is At.ROW:
                return At.ELSEWHERE
            if inner[:-1] == shape[:-1]:
                return At.ROW if at in (At.ELEMENT, At.ALL) else At.SIMPLE
            return At.SIMPLE if product(inner[:-1]) == 1 else At.ELSEWHERE
        if op is REDUCE and at is At.ROW and node.attrs[1] == (len(inner) - 1,):
            return At.ALL
        return At.ELSEWHERE
