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

from gradir.codegen import strides
from gradir.codegen.order import memory_order
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
from gradir.ir.ops import OPS
from gradir.ir.table import Node, Table
from gradir.ir.types import Extent, Shape, extent_bounds, product
from gradir.reference.plan import Loop, Plan, Step

MAX_INLINE = 64  # nodes computed inside one root
MAX_NEST = 96  # nodes computed in one nest: C compilers take more than linear time
SHORT_FOLD = 32  # terms; up to here a fold is one chain
WINDOW = 8  # steps back that a node may join a nest: further, it would only live longer

VIEWS = frozenset(
    ("reshape", "permute", "expand", "flip", "shrink", "pad", "take", "detach", "iota")
)
LEAVES = frozenset(("const", "size", "stage", "range", "buffer"))


@dataclass
class Schedule:
    """Steps in order; `alias` maps loads to the values they see; `cells` are the buffers that
    are written by index or in loops and keep their contents in memory of their own."""

    table: Table
    steps: list[Work]
    roots: set[int]
    alias: dict[int, int]
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
        self.cells = _cells(table)
        self.alias: dict[int, int] = {}
        self.stores: dict[int, int] = {}
        self.users: dict[int, list[int]] = defaultdict(list)
        self.through: set[tuple[int, int]] = set()  # user, node: read as a view of a memory
        self.bases: set[tuple[int, int]] = set()  # user, node: that memory
        self.products: dict[int, list[int]] = {}
        self.place: dict[int, tuple[list[Work], int]] = {}
        self.segment = 0  # where the values that are computed again now may begin
        self.checks: dict[int, tuple[list[Work], int]] = {}  # of takes: where they are checked
        self.nests: dict[int, dict[Shape, list[int]]] = defaultdict(lambda: defaultdict(list))

    def run(self) -> Schedule:
        for id in sorted(self.plan.needed):
            self._resolve(id)
        for id in sorted(self.plan.needed):
            for operand in dict.fromkeys(self._operands(id)):  # of a square's two, one is read
                self.users[operand].append(id)
        self._find_views()
        self.roots: set[int] = set()
        self._find_roots()
        steps: list[Work] = []
        self._schedule(self._ordered(self.plan.steps), steps)
        walk = Walk(self.table, self.roots, self._operands)
        steps = fuse(steps, walk, self.table.late)
        return Schedule(
            self.table,
            steps,
            self.roots,
            self.alias,
            self.cells,
            self.stores,
            self.products,
            walk,
        )

    # --- memory -------------------------------------------------------------------------

    def _resolve(self, id: int) -> None:
        """A whole load of a buffer that is no cell is the value stored before, or the slot."""
        node = self.table[id]
        if node.op.name == "store" and node.operands[0] not in self.cells:
            self.stores[node.operands[0]] = id
        if node.op.name != "load" or node.operands[0] in self.cells or len(node.operands) > 1:
            return
        self.alias[id] = self.contents(node)

    def contents(self, load: Node) -> int:
        """The node whose value a load of no cell sees: a stored value, or the buffer itself."""
        versions = self.table.versions[load.operands[0]]
        made = next(
            versions[at]
            for at in range(load.attr("version"), -1, -1)
            if self.table[versions[at]].op.name not in ("range", "end")
        )
        node = self.table[made]
        return self.source(node.operands[1]) if node.op.name == "store" else made

    def source(self, id: int) -> int:
        """The node itself, or what it is an alias of."""
        while True:
            node = self.table[id]
            if id in self.alias:
                id = self.alias[id]
            elif node.op.name == "detach":
                id = node.operands[0]
            else:
                return id

    def _operands(self, id: int) -> list[int]:
        node = self.table[id]
        if node.op.name == "load" and node.operands[0] not in self.cells:
            source = self.contents(node)
            if id in self.alias:
                return []
            return [source, *map(self.source, node.operands[1:])]
        return [self.source(o) for o in node.operands]

    # --- products -----------------------------------------------------------------------

    def _find_views(self) -> None:
        """What products read through strides, down to what must have memory for that."""
        for id in sorted(self.plan.needed):
            if self.table[id].op.name == "matmul":
                for operand in self._operands(id):
                    nodes = strides.readable(self.table, self._path(id, operand))
                    users = [id, *nodes]
                    self.through.update(zip(users, nodes[:-1], strict=False))
                    self.bases.add((users[-2], nodes[-1]))

    def _path(self, product: int, operand: int) -> list[int]:
        """An operand and what it is moved from, inside one loop of the program; a part that
        alone is used of what must be computed is no view of it."""
        table, regions = self.table, self.table.regions
        nodes = strides.path(table, operand, self.source, ())
        made = table[nodes[-1]].op.name not in LEAVES | {"matmul", "load", "scatter_add"}
        for at, id in enumerate(nodes):
            part = table[id].op.name == "shrink" and made
            alone = part and all(len(self.users[below]) == 1 for below in nodes[at + 1 :])
            if alone or regions.get(id) != regions.get(product):
                return nodes[: at + 1]
        return nodes

    def _moved(self, product: int) -> list[int] | None:
        """The path from a root to the product that it alone moves, if that can be written
        where the root is to lie."""
        table, nodes = self.table, [product]
        while nodes[0] not in self.roots:
            users = self.users[nodes[0]]
            if len(users) != 1 or table.regions.get(users[0]) != table.regions.get(product):
                return None
            nodes.insert(0, users[0])
        return nodes if strides.result(table, nodes) else None

    # --- roots --------------------------------------------------------------------------

    def _find_roots(self) -> None:
        """Nodes that are computed once, in a step of their own or with others of their shape."""
        table, roots = self.table, self.roots
        uses: dict[int, int] = {}
        inside: dict[int, int] = {}
        repeats: dict[int, bool] = defaultdict(bool)  # views that an expand reads, near or far
        folded: dict[int, bool] = {}  # computed inside a fold, as its terms are
        for id in sorted(self.plan.needed, reverse=True):
            users = self.users[id]
            uses[id] = sum(
                uses[user] if table[user].op.name in VIEWS and user not in roots else 1
                for user in users
            )
            node = table[id]
            name = node.op.name
            folded[id] = any(
                table[user].op.name == "reduce" or (user not in roots and folded[user])
                for user in users
            )
            if name in LEAVES or id in self.alias or name in ("detach", "end"):
                continue
            if name in ("matmul", "scatter_add", "load", "store", "output"):
                nodes = self._moved(id) if name == "matmul" else None
                if nodes:
                    self.products[nodes[0]] = nodes
                else:
                    roots.add(id)
                continue
            repeated = any(repeats[user] for user in users if user not in roots)
            repeats[id] = name == "expand" or (name in VIEWS and repeated)
            if (
                column_fold(node, table)
                or (name == "reduce" and folded[id])
                or any(self._wants_memory(user, id) for user in users)
                or (name not in VIEWS and (uses[id] != 1 or repeated) and not self._counts(id))
            ):
                roots.add(id)
        for id in sorted(self.plan.needed):
            inside[id] = 1
            for operand in self._operands(id):
                if operand not in roots:
                    inside[id] += inside.get(operand, 0)
            if inside[id] > MAX_INLINE and table[id].op.name not in LEAVES and id not in self.alias:
                roots.add(id)
        self.inside = inside

    def _counts(self, id: int) -> bool:
        """Whether a node compares indices, with one another or a constant: that is cheaper than
        to read what came out."""
        if self.table[id].op.name not in ("lt", "le", "eq", "ne"):
            return False
        found = set()
        for operand in self._operands(id):
            while self.table[operand].op.name in ("expand", "reshape"):
                (operand,) = self._operands(operand)
            node = self.table[operand]
            if node.op.name == "const" and node.type.elements != 1:
                return False
            found.add(node.op.name)
        return "iota" in found and found <= {"iota", "const"}

    def _wants_memory(self, user: int, id: int) -> bool:
        """Whether a user reads the node from memory, not at the point where it computes."""
        table = self.table
        node, by = table[id], table[user]
        name = by.op.name
        if table.regions.get(user) != table.regions.get(id):
            return True
        if (user, id) in self.bases:
            return True
        if (user, id) in self.through and (
            name != "reshape" or all((by, user) in self.through for by in self.users[user])
        ):
            return False
        if self._reads_memory(user):
            # a reshape is read where its operand lies, a counter not at all
            counted = name == "take" and id == by.operands[0] and counts_up(node)
            return not (node.op.name == "reshape" or counted)
        if name in ("pad", "range", "load"):
            return True
        if name == "store":
            return by.operands[0] in self.cells
        return name == "reshape" and self._is_flat(user) and node.op.name != "reshape"

    def _is_flat(self, id: int) -> bool:
        """Whether a reshape reads its operand in row-major order, for itself or for another."""
        table = self.table
        shape = table.type(id).shape
        return not only_ones(table.type(table[id].operands[0]).shape, shape) or any(
            self._reads_memory(user)
            or (table[user].op.name == "reshape" and user not in self.roots and self._is_flat(user))
            for user in self.users[id]
        )

    def _reads_memory(self, id: int) -> bool:
        """Whether a node reads its operands as they lie in memory."""
        node = self.table[id]
        return node.op.name in ("matmul", "scatter_add", "take") or column_fold(node, self.table)

    # --- steps --------------------------------------------------------------------------

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
            name == "store" and self.table[id].operands[0] in self.cells
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
        elif name == "load" or (name == "store" and node.operands[0] in self.cells):
            self._append(id, Access(id), into)
        elif name == "store" and self.stores[node.operands[0]] != id:
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
        stack = [(operand, self._pointwise(id)) for operand in self._operands(id)]
        while stack:
            at, here = stack.pop()
            if at in self.roots:
                found.append((at, here))
                continue
            if self._checked(at):
                found.append((at, None))
            below = here and self._pointwise(at)
            stack.extend((operand, below) for operand in self._operands(at))
        return found

    def _checked(self, id: int) -> bool:
        return self.table[id].op.name in ("take", "scatter_add")

    def _pointwise(self, id: int) -> bool:
        node = self.table[id]
        return node.op.elementwise or node.op.name in ("cast", "bitcast", "output", "store")


def counts_up(node: Node) -> bool:
    """Whether a node's elements are their own indices."""
    return node.op.name == "iota" and len(node.type.shape) == 1


def column_fold(node: Node, table: Table) -> bool:
    """Whether a node folds floats over neighbouring axes of its operand, and keeps some behind
    them. A maximum, or a fold of each of many matrices, is left to its users' loops where it is
    short: they have their own vectors."""
    if node.op.name != "reduce" or not node.type.dtype.is_float or not node.attrs[1]:
        return False
    op, axes, _ = node.attrs
    shape = table.type(node.operands[0]).shape
    first, last = axes[0], axes[-1]
    if axes != tuple(range(first, last + 1)) or last == len(shape) - 1:
        return False
    count = product(shape[first : last + 1])
    short = isinstance(count, int) and count <= SHORT_FOLD
    return not short or (op != "max" and first == 0)


def _key(steps: list[Work]) -> int:
    return id(steps)


def only_ones(a: Shape, b: Shape) -> bool:
    """Whether two shapes differ by axes of size 1 only."""
    return [e for e in a if e != 1] == [e for e in b if e != 1]


def _cells(table: Table) -> set[int]:
    """Buffers with a store by index or inside a loop."""
    return {
        node.operands[0]
        for id, node in enumerate(table.nodes)
        if node.op is OPS["store"] and (len(node.operands) > 2 or id in table.regions)
    }
