"""The state of a rewrite: a new table, and what is known about its nodes.

Nodes are added in simplified form: `add` asks the rules and falls back to the node itself. A rule
that would let a check of an index disappear, or move a node out of its range, is not applied.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from gradir.ir.ops import OPS
from gradir.ir.table import Node, Origin, Table, constant
from gradir.ir.types import BOOL, DType, Shape, TensorType

Rewrite = Callable[["Rewriter", Node], int | None]

_CONST, _EXPAND, _RESHAPE = OPS["const"], OPS["expand"], OPS["reshape"]
COMPARISONS = frozenset(OPS[name] for name in ("lt", "le", "eq", "ne"))
MAX_ELEMENTS = 4096  # of a value that is folded
_NO_ORIGIN = (Origin(None),)


@dataclass(frozen=True)
class Rule:
    """One simplification: where it looks, why no bit changes, and how the node is made anew."""

    name: str
    ops: tuple[str, ...]
    kinds: tuple[str, ...]  # of the first operand's elements; () is any
    why: str
    drops: bool  # whether an operand may vanish; then it must hold no check
    rewrite: Rewrite


class Rules:
    """The rules, in the order in which they are tried on an op's nodes."""

    def __init__(self) -> None:
        self.all: list[Rule] = []
        self.by_op: dict[tuple[str, str], list[Rule]] = {}  # and kind of element

    def rule(
        self, ops: str, what: str, why: str, kinds: str = "", drops: bool = False
    ) -> Callable[[Rewrite], Rewrite]:
        """Register a rule; `ops` and `kinds` are names with spaces between."""

        def register(rewrite: Rewrite) -> Rewrite:
            self.append(Rule(what, tuple(ops.split()), tuple(kinds.split()), why, drops, rewrite))
            return rewrite

        return register

    def append(self, rule: Rule) -> None:
        self.all.append(rule)
        for op, kind in product(rule.ops, rule.kinds or ("float", "int", "bool")):
            self.by_op.setdefault((op, kind), []).append(rule)


class Rewriter:
    """Builds `table` out of simplified nodes."""

    def __init__(self, table: Table, rules: Rules, fold: Rewrite) -> None:
        self.table, self.rules, self.fold = table, rules, fold
        self.origins: Sequence[Origin] = _NO_ORIGIN  # of what is added now
        self.values: dict[int, np.ndarray] = {}  # of nodes whose value is known
        self.uses: Counter[int] = Counter()  # by nodes of the table that is rewritten
        self.budget = 16 << 20  # bytes of values still to be known
        self.fallible: list[bool] = []  # whether a check stands in what the node needs
        self.knowable: list[bool] = []  # small, and cheap to know
        self.no_minus_zero: list[bool] = []
        self.applied: Counter[str] = Counter()

    def type(self, id: int) -> TensorType:
        return self.table.nodes[id].type

    def shape(self, id: int) -> Shape:
        return self.table.nodes[id].type.shape

    # --- adding -------------------------------------------------------------------------

    def add(self, node: Node) -> int:
        """The node, simplified."""
        if self.table.find(node) is None:
            folded = self.fold(self, node)
            if folded is not None:
                return folded
            for rule in self.rules.by_op.get((node.op.name, self._kind(node)), ()):
                made = rule.rewrite(self, node)
                if made is not None and self._keeps(rule, node, made):
                    self.applied[rule.name] += 1
                    return made
        return self.plain(node)

    def _kind(self, node: Node) -> str:
        return self.type(node.operands[-1]).dtype.kind if node.operands else node.type.dtype.kind

    def _keeps(self, rule: Rule, node: Node, made: int) -> bool:
        """Whether type, range and checks of the node are those of its replacement."""
        assert self.type(made) is node.type, rule.name
        if self.table.regions.get(made) != self.region(node.operands):
            return False
        return not rule.drops or not any(self.fallible[o] for o in node.operands if o != made)

    def plain(self, node: Node) -> int:
        """The node as it is."""
        id = self.table.add(node, self.origins[0])
        self.table.origins[id].extend(self.origins[1:])
        if id == len(self.fallible):
            region = self.region(node.operands)
            if region is not None:
                self.table.regions[id] = region
            self.fallible.append(any(self.fallible[o] for o in node.operands) or self._checks(node))
            self.knowable.append(self._knowable(node))
            self.no_minus_zero.append(_no_minus_zero(self, node))
        return id

    def _knowable(self, node: Node) -> bool:
        name = node.op.name
        if name not in ("const", "iota", "reshape", "expand") and node.op not in COMPARISONS:
            return False
        return all(self.knowable[o] for o in node.operands) and small(node.type)

    def region(self, operands: Sequence[int]) -> int | None:
        """The innermost range that any of them depends on."""
        regions = self.table.regions
        return max((regions[o] for o in operands if o in regions), default=None)

    def _checks(self, node: Node) -> bool:
        """Whether a run may fail at this node."""
        name = node.op.name
        if name in ("take", "scatter_add"):
            return True
        if name in ("load", "store"):
            return len(node.operands) > (1 if name == "load" else 2)
        if name in ("pad", "shrink"):
            return not (node.type.is_static and self.type(node.operands[0]).is_static)
        return False

    # --- building blocks ----------------------------------------------------------------

    def elementwise(self, name: str, *operands: int) -> int:
        type = self.type(operands[-1])
        op = OPS[name]
        result = type.with_dtype(BOOL) if op.result == "bool" else type
        return self.add(Node(op, operands, (), result))

    def constant(self, dtype: DType, value: int | float) -> int:
        """A scalar; the value must be one of the type."""
        return self.plain(constant(dtype, np.array(value, dtype.numpy).tobytes()))

    def full(self, bits: bytes, type: TensorType) -> int:
        """A scalar constant spread over a shape."""
        return self.spread(self.plain(constant(type.dtype, bits)), type.shape)

    def spread(self, scalar: int, shape: Shape) -> int:
        """The one form of a scalar in another shape: a reshape to 1s, then an expand."""
        return self.expand(self.reshape(scalar, (1,) * len(shape)), shape)

    def reshape(self, id: int, shape: Shape) -> int:
        return self.add(Node(_RESHAPE, (id,), (shape,), self.type(id).with_shape(shape)))

    def expand(self, id: int, shape: Shape) -> int:
        return self.add(Node(_EXPAND, (id,), (shape,), self.type(id).with_shape(shape)))

    def permute(self, id: int, axes: tuple[int, ...]) -> int:
        shape = self.shape(id)
        moved = tuple(shape[axis] for axis in axes)
        return self.add(Node(OPS["permute"], (id,), (axes,), self.type(id).with_shape(moved)))

    # --- what is known ------------------------------------------------------------------

    def scalar(self, id: int) -> int | None:
        """The node of one element that this one repeats, as a scalar; None if there is none."""
        nodes = self.table.nodes
        start = id
        while nodes[id].op is _EXPAND or nodes[id].op is _RESHAPE:
            id = nodes[id].operands[0]
        if any(extent != 1 for extent in nodes[id].type.shape):
            return None
        if start == id and nodes[id].type.shape:
            return None
        return self.reshape(id, ()) if nodes[id].type.shape else id

    def uniform(self, id: int) -> bytes | None:
        """The bits that every element has, if they are known."""
        nodes = self.table.nodes
        while nodes[id].op is _EXPAND or nodes[id].op is _RESHAPE:
            id = nodes[id].operands[0]
        node = nodes[id]
        return node.attrs[0] if node.op is _CONST and not node.type.shape else None

    def number(self, id: int) -> int | float | bool | None:
        """The value that every element has; for a float compare bits where -0.0 counts."""
        bits = self.uniform(id)
        return None if bits is None else np.frombuffer(bits, self.type(id).dtype.numpy)[0].item()

    def is_full(self, id: int, value: int | float, negative_zero: bool = False) -> bool:
        """Whether every element is the value, down to the sign of a zero."""
        bits = self.uniform(id)
        if bits is None:
            return False
        wanted = np.array(-0.0 if negative_zero else value, self.type(id).dtype.numpy)
        return bits == wanted.tobytes()

    def used_once(self, id: int) -> bool:
        """Whether nothing but the node that is added now needs this one."""
        return self.uses[id] <= 1

    def remember(self, id: int, value: np.ndarray) -> None:
        """Know a node's value, as long as there is room."""
        if id not in self.values and value.nbytes <= self.budget:
            self.budget -= value.nbytes
            self.values[id] = value


def small(type: TensorType) -> bool:
    """Whether a value of the type may be folded."""
    elements = type.elements
    return isinstance(elements, int) and elements <= MAX_ELEMENTS and type.is_static


# Results that are -0.0 for no operands at all, by op.
_NEVER = frozenset(("exp", "exp2"))
# Results that are -0.0 only if one of the operands is.
_ONLY_FROM_OPERANDS = frozenset(
    ("sqrt", "max", "reshape", "permute", "expand", "flip", "shrink", "detach", "take")
)


def _no_minus_zero(rewriter: Rewriter, node: Node) -> bool:
    """Whether no element of a float node can be -0.0."""
    name, facts = node.op.name, rewriter.no_minus_zero
    if not node.type.dtype.is_float:
        return True
    if name in _NEVER:
        return True
    if name in _ONLY_FROM_OPERANDS:
        return facts[node.operands[0]] and (name != "max" or facts[node.operands[1]])
    if name == "where":
        return facts[node.operands[1]] and facts[node.operands[2]]
    if name == "add":  # only -0.0 + -0.0 is -0.0
        return facts[node.operands[0]] or facts[node.operands[1]]
    if name == "mul":  # a square has no sign, and underflows to +0.0
        return node.operands[0] == node.operands[1]
    if name == "reduce":  # a sum starts from +0.0, and +0.0 + -0.0 is +0.0
        return bool(node.attrs[0] == "add")
    if name == "scatter_add":
        return facts[node.operands[0]]
    if name == "cast":
        source = rewriter.type(node.operands[0]).dtype
        exact = source.width <= node.type.dtype.width  # else a small number may become -0.0
        return not source.is_float or (exact and facts[node.operands[0]])
    if name == "const":
        array: Any = np.frombuffer(node.attrs[0], node.type.dtype.numpy)
        return not bool(((array == 0) & np.signbit(array)).any())
    if name == "pad":
        value: Any = np.frombuffer(node.attrs[2], node.type.dtype.numpy)
        return facts[node.operands[0]] and not bool((value == 0) & np.signbit(value))
    return False
