"""Roots: the nodes that get memory, or are written out. Others are computed inside their user.

A node is a root where it is read more than once, or where a user reads its operands as they lie
in memory. What a matrix product reads through strides, or is written through, needs none. A thin
product, of few terms an element, is computed inside its user as other operations are.
"""

from __future__ import annotations

from collections import defaultdict

from gradir.codegen import strides
from gradir.codegen.needed import Needed
from gradir.ir.table import Node, Table
from gradir.ir.types import Shape, product

MAX_INLINE = 64  # nodes computed inside one root
SHORT_FOLD = 32  # terms; up to here a fold is one chain
THIN = 8  # terms of a product that may be computed inside its user
WIDE = 128  # bytes of a row of it, at least: its columns fill vectors

VIEWS = frozenset(
    ("reshape", "permute", "expand", "flip", "shrink", "pad", "take", "detach", "iota")
)
LEAVES = frozenset(("const", "size", "stage", "range", "buffer"))


class Roots:
    """`ids` are the roots; `inside` is how many nodes are computed with a node, itself counted;
    `products` has, of products that are written where they are moved to, the path from the root
    to the product."""

    def __init__(self, needed: Needed) -> None:
        self.table, self.needed = needed.table, needed
        self.ids: set[int] = set()
        self.inside: dict[int, int] = {}
        self.products: dict[int, list[int]] = {}
        self.through: set[tuple[int, int]] = set()  # user, node: read as a view of a memory
        self.bases: set[tuple[int, int]] = set()  # user, node: that memory
        self._find_views()
        self._find_roots()
        self._divide()

    # --- products -----------------------------------------------------------------------

    def _find_views(self) -> None:
        """What products read through strides, down to what must have memory for that."""
        for id in self.needed.ids:
            node = self.table[id]
            if node.op.name == "matmul" and not thin(node, self.table):
                for operand in self.needed.operands(id):
                    nodes = strides.readable(self.table, self._path(id, operand))
                    users = [id, *nodes]
                    self.through.update(zip(users, nodes[:-1], strict=False))
                    self.bases.add((users[-2], nodes[-1]))

    def _path(self, product: int, operand: int) -> list[int]:
        """An operand and what it is moved from, inside one loop of the program; a part that
        alone is used of what must be computed is no view of it."""
        table, regions = self.table, self.table.regions
        nodes = strides.path(table, operand, self.needed.source, ())
        made = table[nodes[-1]].op.name not in LEAVES | {"matmul", "load", "scatter_add"}
        for at, id in enumerate(nodes):
            part = table[id].op.name == "shrink" and made
            alone = part and all(len(self.needed.users[below]) == 1 for below in nodes[at + 1 :])
            if alone or regions.get(id) != regions.get(product):
                return nodes[: at + 1]
        return nodes

    def _moved(self, product: int) -> list[int] | None:
        """The path from a root to the product that it alone moves, if that can be written
        where the root is to lie."""
        table, nodes = self.table, [product]
        while nodes[0] not in self.ids:
            users = self.needed.users[nodes[0]]
            if len(users) != 1 or table.regions.get(users[0]) != table.regions.get(product):
                return None
            nodes.insert(0, users[0])
        return nodes if strides.result(table, nodes) else None

    # --- roots --------------------------------------------------------------------------

    def _find_roots(self) -> None:
        """Nodes that are computed once, in a step of their own or with others of their shape."""
        table, roots = self.table, self.ids
        uses: dict[int, int] = {}
        repeats: dict[int, bool] = defaultdict(bool)  # views that an expand reads, near or far
        folded: dict[int, bool] = {}  # computed inside a fold, as its terms are
        for id in reversed(self.needed.ids):
            users = self.needed.users[id]
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
            if name in LEAVES or id in self.needed.alias or name in ("detach", "end"):
                continue
            if name in ("matmul", "scatter_add", "load", "store", "output"):
                nodes = self._moved(id) if name == "matmul" else None
                if nodes:
                    self.products[nodes[0]] = nodes
                    continue
                if folded[id] or not self._joins(id):
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

    def _joins(self, id: int) -> bool:
        """Whether a node is a thin product that one elementwise operation alone reads."""
        users = self.needed.users[id]
        alone = len(users) == 1 and self.table[users[0]].op.elementwise
        return alone and thin(self.table[id], self.table)

    def _divide(self) -> None:
        """More roots, so that no more than MAX_INLINE nodes are computed inside one."""
        inside, alias = self.inside, self.needed.alias
        for id in self.needed.ids:
            inside[id] = 1
            for operand in self.needed.operands(id):
                if operand not in self.ids:
                    inside[id] += inside.get(operand, 0)
            leaf = self.table[id].op.name in LEAVES or id in alias
            if inside[id] > MAX_INLINE and not leaf:
                self.ids.add(id)

    def _counts(self, id: int) -> bool:
        """Whether a node compares indices, with one another or a constant: that is cheaper than
        to read what came out."""
        if self.table[id].op.name not in ("lt", "le", "eq", "ne"):
            return False
        found = set()
        for operand in self.needed.operands(id):
            while self.table[operand].op.name in ("expand", "reshape"):
                (operand,) = self.needed.operands(operand)
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
            name != "reshape" or all((by, user) in self.through for by in self.needed.users[user])
        ):
            return False
        if self._reads_memory(user):
            # a reshape is read where its operand lies, a counter not at all
            counted = name == "take" and id == by.operands[0] and counts_up(node)
            return not (node.op.name == "reshape" or counted)
        if name in ("pad", "range", "load"):
            return True
        if name == "store":
            return by.operands[0] in self.needed.cells
        return name == "reshape" and self._is_flat(user) and node.op.name != "reshape"

    def _is_flat(self, id: int) -> bool:
        """Whether a reshape reads its operand in row-major order, for itself or for another."""
        table = self.table
        shape = table.type(id).shape
        return not only_ones(table.type(table[id].operands[0]).shape, shape) or any(
            self._reads_memory(user)
            or (table[user].op.name == "reshape" and user not in self.ids and self._is_flat(user))
            for user in self.needed.users[id]
        )

    def _reads_memory(self, id: int) -> bool:
        """Whether a node reads its operands as they lie in memory."""
        node = self.table[id]
        return node.op.name in ("matmul", "scatter_add", "take") or column_fold(node, self.table)


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


def thin(node: Node, table: Table) -> bool:
    """Whether a node is a product of so few terms an element, and so wide, that it costs no more
    inside its user."""
    if node.op.name != "matmul" or not node.type.dtype.is_float:
        return False
    terms, columns = table.type(node.operands[0]).shape[-1], node.type.shape[-1]
    if not isinstance(terms, int) or not isinstance(columns, int):
        return False
    return 0 < terms <= THIN and columns * node.type.dtype.itemsize >= WIDE


def only_ones(a: Shape, b: Shape) -> bool:
    """Whether two shapes differ by axes of size 1 only."""
    return [e for e in a if e != 1] == [e for e in b if e != 1]
