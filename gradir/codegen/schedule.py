"""The schedule: which nodes are computed inside others, which get memory, and in which steps.

A step is a nest of loops over one iteration space that computes several nodes (its roots), or
something with an order of its own: a matmul, a scatter_add, an index check, an access to a
buffer by index, a loop of the program. What is not a root is computed inside its only user.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from gradir.codegen.needed import Needed
from gradir.codegen.order import memory_order
from gradir.codegen.roots import Roots, column_fold
from gradir.codegen.rows import fuse
from gradir.codegen.steps import (
    Access,
    Check,
    Columns,
    Matmul,
    Nest,
    Repeat,
    ScatterAdd,
    Work,
)
from gradir.codegen.walk import Walk
from gradir.ir.table import Table
from gradir.ir.types import Extent, Shape, extent_bounds, product
from gradir.reference.plan import Loop, Plan, Step

MAX_NEST = 96  # nodes computed in one nest: C compilers take more than linear time
WINDOW = 8  # steps back that a node may join a nest: further, it would only live longer


@dataclass
class Schedule:
    """Steps in order; `cells` are the buffers that are written by index or in loops and keep
    their contents in memory of their own."""

    table: Table
    steps: list[Work]
    roots: set[int]
    needed: Needed
    cells: set[int]
    stores: dict[int, int]  # of other buffers: the store that makes the last version
    products: dict[int, list[int]]  # of moved products: the path from the root to the product
    walk: Walk


def make_schedule(table: Table, plan: Plan) -> Schedule:
    """Schedule a plan. Its table has no calls (`gradir.passes.inline`)."""
    return _Scheduler(table, plan).run()


class _Scheduler:
    def __init__(self, table: Table, plan: Plan) -> None:
        self.table, self.plan = table, plan
        self.needed = Needed(table, plan)
        found = Roots(self.needed)
        self.roots, self.inside, self.products = found.ids, found.inside, found.products
        self.place: dict[int, tuple[list[Work], int]] = {}
        self.segment = 0  # where the values that are computed again now may begin
        self.checks: dict[int, tuple[list[Work], int]] = {}  # of takes: where they are checked
        self.nests: dict[int, dict[Shape, list[int]]] = defaultdict(lambda: defaultdict(list))

    def run(self) -> Schedule:
        steps: list[Work] = []
        self._schedule(self._ordered(self.plan.steps), steps)
        needed = self.needed
        walk = Walk(self.table, self.roots, needed.operands)
        return Schedule(
            self.table,
            fuse(steps, walk, self.table.late),
            self.roots,
            needed,
            needed.cells,
            needed.stores,
            self.products,
            walk,
        )

    def _schedule(self, steps: Iterable[Step], into: list[Work]) -> None:
        for step in steps:
            if isinstance(step, Loop):
                self._schedule(step.before, into)
                inner: list[Work] = []
                into.append(Repeat(step.range, inner))
                self._schedule(step.body, inner)
                continue
            self._node(step, into)

    def _ordered(self, steps: list[Step]) -> list[Step]:
        """The steps in an order that keeps memory small; that of the plan where loops are."""
        ids = [step for step in steps if isinstance(step, int)]
        if len(ids) < len(steps):
            return steps
        items = [id for id in ids if id in self.roots or self._ordered_effect(id)]
        inside = set(items)
        reads: dict[int, set[int]] = {}
        previous: int | None = None
        for id in items:
            found = {o for o, _ in self._reads(id) if o != id and o in inside}
            if self._ordered_effect(id):
                if previous is not None:
                    found.add(previous)
                previous = id
            reads[id] = found
        sizes = {id: self._bytes(id) if id in self.roots else 0 for id in items}
        spaces = {id: self._space(id) for id in items if self._in_nest(id)}
        return list(memory_order(items, reads, sizes, spaces))

    def _in_nest(self, id: int) -> bool:
        node = self.table[id]
        return not (
            self._ordered_effect(id)
            or id in self.products
            or node.op.name in ("matmul", "output", "store")
            or column_fold(node, self.table)
        )

    def _space(self, id: int) -> tuple[Extent, ...]:
        """Rows and columns of the nest that computes a root."""
        shape = self.table[id].type.shape
        return (product(shape[:-1]), shape[-1]) if shape else ()

    def _ordered_effect(self, id: int) -> bool:
        """Whether a node checks an index or touches a cell."""
        name = self.table[id].op.name
        return name in ("take", "scatter_add", "load") or (
            name == "store" and self.table[id].operands[0] in self.needed.cells
        )

    def _bytes(self, id: int) -> int:
        """An estimate: with every symbol at its upper bound."""
        type = self.table[id].type
        if self.table[id].op.name in ("output", "store"):
            return 0
        return type.dtype.itemsize * extent_bounds(type.elements, self.table.dims)[1]

    def _node(self, id: int, into: list[Work]) -> None:
        if id in self.table.late and id - 1 not in self.table.late:
            self.segment = len(into)
        node = self.table[id]
        name = node.op.name
        if self._checked(id):
            self.checks[id] = (into, len(into))
            into.append(Check(id))
        if id not in self.roots:
            return
        if name == "matmul" or id in self.products:
            self._append(id, Matmul(id), into)
        elif column_fold(node, self.table):
            self._append(id, Columns(id), into)
        elif name == "scatter_add":
            self._append(id, ScatterAdd(id), into)
        elif name == "load" or (name == "store" and node.operands[0] in self.needed.cells):
            self._append(id, Access(id), into)
        elif name == "store" and self.needed.stores[node.operands[0]] != id:
            return  # a later store of the same buffer replaces it
        else:
            self._into_nest(id, into)

    def _append(self, id: int, work: Work, into: list[Work]) -> None:
        self.place[id] = (into, len(into))
        into.append(work)

    def _into_nest(self, id: int, into: list[Work]) -> None:
        """The first nest of this shape behind all that the node needs, or a new one."""
        shape = self.table[id].type.shape
        least = self.segment if id in self.table.late else 0
        for operand, here in self._reads(id):
            steps, at = (self.checks if here is None else self.place).get(operand, (into, -1))
            if steps is not into:
                continue
            nest = into[at] if at >= 0 else None
            joint = here and isinstance(nest, Nest) and nest.shape == shape
            least = max(least, at if joint else at + 1)
        near = max(least, len(into) - WINDOW)
        places = self.nests[_key(into)][shape]
        for at in places[bisect_left(places, near) :]:
            nest = into[at]
            assert isinstance(nest, Nest)
            if nest.weight + self.inside[id] <= MAX_NEST:
                break
        else:
            at = len(into)
            nest = Nest(shape)
            into.append(nest)
            self.nests[_key(into)][shape].append(at)
        nest.roots.append(id)
        nest.weight += self.inside[id]
        self.place[id] = (into, at)

    def _reads(self, id: int) -> list[tuple[int, bool | None]]:
        """The roots a root reads; whether at its own point only (through elementwise ops).

        And, with None, the takes it computes: their indices must have been checked.
        """
        found: list[tuple[int, bool | None]] = [(id, None)] if self._checked(id) else []
        stack = [(operand, self._pointwise(id)) for operand in self.needed.operands(id)]
        while stack:
            at, here = stack.pop()
            if at in self.roots:
                found.append((at, here))
                continue
            if self._checked(at):
                found.append((at, None))
            below = here and self._pointwise(at)
            stack.extend((operand, below) for operand in self.needed.operands(at))
        return found

    def _checked(self, id: int) -> bool:
        return self.table[id].op.name in ("take", "scatter_add")

    def _pointwise(self, id: int) -> bool:
        node = self.table[id]
        return node.op.elementwise or node.op.name in ("cast", "bitcast", "output", "store")


def _key(steps: list[Work]) -> int:
    return id(steps)
