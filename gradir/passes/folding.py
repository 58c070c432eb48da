"""Constants folded: values known while compiling, computed by the reference interpreter.

What is folded is small, and all of it together is bounded, so that a program cannot make the
compiler slow or large. A constant takes as few elements as it can: an axis along which nothing
changes is an `expand`. An index out of range is left for the run to report.
"""

from __future__ import annotations

import math

import numpy as np

from gradir.ir.ops import OPS
from gradir.ir.table import Node
from gradir.passes.rewriting import COMPARISONS, Rewriter, small
from gradir.reference.failures import IndexOutOfRange
from gradir.reference.semantics import ELEMENTWISE, SEMANTICS, Result

MAX_PRODUCTS = 1 << 18  # of a matmul

# Known without being written out: they cost nothing at run time, or less than memory does.
_KEPT = frozenset(OPS[name] for name in ("iota", "expand", "reshape"))
_FOLDED = frozenset(OPS[name] for name in SEMANTICS if name not in ("detach", "const")) | frozenset(
    OPS[name] for name in ELEMENTWISE
)


def fold(r: Rewriter, node: Node) -> int | None:
    """The node as a constant, or None where its value is not known or not small."""
    if node.op is OPS["const"]:
        return _constant(r, node)
    if not all(r.knowable[o] for o in node.operands):
        return None
    if node.op in _KEPT or node.op not in _FOLDED or not small(node.type) or _counts(r, node):
        return None
    operands = [_value(r, o) for o in node.operands]
    known = [o for o in operands if o is not None]
    if len(known) < len(operands):
        return None
    if node.op is OPS["matmul"] and _elements(node) * known[0].shape[-1] > MAX_PRODUCTS:
        return None
    value = _evaluate(node, known)
    if value is None or value.nbytes > r.budget:
        return None
    id = _written(r, node, value)
    r.remember(id, value)
    return id


def _counts(r: Rewriter, node: Node) -> bool:
    """Whether a node compares indices: that is cheaper than reading what is known."""
    if node.op not in COMPARISONS:
        return False
    sources = [r.table[_source(r, o)].op for o in node.operands]
    return OPS["iota"] in sources and all(
        op is OPS["iota"] or r.uniform(o) is not None
        for op, o in zip(sources, node.operands, strict=True)
    )


def _source(r: Rewriter, id: int) -> int:
    """What a node is an expand or a reshape of."""
    while r.table[id].op in _KEPT and r.table[id].operands:
        id = r.table[id].operands[0]
    return id


def _value(r: Rewriter, id: int) -> np.ndarray | None:
    """The value of a knowable node; None if there is no room for it."""
    stack = [id]
    while stack:
        at = stack[-1]
        node = r.table[at]
        missing = [o for o in node.operands if o not in r.values]
        if at in r.values or not missing:
            stack.pop()
            if at in r.values:
                continue
            value = _evaluate(node, [r.values[o] for o in node.operands])
            if value is None or value.nbytes > r.budget:
                return None
            r.remember(at, value)
        else:
            stack += missing
    return r.values.get(id)


def _elements(node: Node) -> int:
    return math.prod(_sizes(node))


def _sizes(node: Node) -> tuple[int, ...]:
    """The shape, which is static."""
    return tuple(extent for extent in node.type.shape if isinstance(extent, int))


def _evaluate(node: Node, operands: list[np.ndarray]) -> np.ndarray | None:
    with np.errstate(all="ignore"):
        if node.op.elementwise:
            return np.asarray(ELEMENTWISE[node.op.name](*operands))
        result = Result(node, _sizes(node), np.dtype(node.type.dtype.numpy))
        try:
            return np.asarray(SEMANTICS[node.op.name](result, *operands))
        except IndexOutOfRange:
            return None


def _constant(r: Rewriter, node: Node) -> int | None:
    """A constant of the source: in its smallest form, and known if it is small."""
    value = np.frombuffer(node.attrs[0], node.type.dtype.numpy).reshape(_sizes(node))
    return _written(r, node, value)


def _written(r: Rewriter, node: Node, value: np.ndarray) -> int:
    """A constant with this value: no axis is written out along which all is equal."""
    if node.type.dtype.is_float:  # what a bitcast yields has the one NaN of its type
        same = Result(node, value.shape, np.dtype(node.type.dtype.numpy))
        value = np.asarray(SEMANTICS["bitcast"](same, value))
    small = value
    for axis in range(value.ndim):
        if small.shape[axis] > 1 and small.size:
            first = small.take([0], axis=axis)
            if _bits(np.broadcast_to(first, small.shape)) == _bits(small):
                small = first
    if small.size == 1:
        id = r.full(small.tobytes(), node.type)
    else:
        type = node.type.with_shape(small.shape)
        id = r.plain(Node(OPS["const"], (), (small.tobytes(),), type))
        if type is not node.type:
            id = r.plain(Node(OPS["expand"], (id,), (node.type.shape,), node.type))
    return id


def _bits(value: np.ndarray) -> bytes:
    return np.ascontiguousarray(value).tobytes()
