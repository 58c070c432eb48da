"""Reshapes and transposes moved to where they cancel out. These rules ask who else uses a node:
what is moved must not be computed a second time.
"""

from __future__ import annotations

from gradir.ir.ops import OPS
from gradir.ir.table import Node
from gradir.ir.types import Shape, TensorType
from gradir.passes.movement import POINTWISE
from gradir.passes.rewriting import Rewriter, Rules

RULES = Rules()
_rule = RULES.rule

MAX_DEPTH = 32
_RESHAPE, _EXPAND, _PERMUTE, _MATMUL = (
    OPS[name] for name in ("reshape", "expand", "permute", "matmul")
)
_POINTWISE = frozenset(OPS[name] for name in POINTWISE)
# Read element by element at another index; a reshape above them costs a division an element.
_SCATTERED = frozenset(OPS[name] for name in ("permute", "flip", "pad", "shrink", "iota", "take"))


@_rule(
    "reshape",
    "reshape (f (reshape x)) is f x, where the reshapes cancel out",
    "a reshape keeps the row-major order of elements, and f looks at one element at a time",
)
def _reshape_pointwise(r: Rewriter, n: Node) -> int | None:
    (x,) = n.operands
    if r.table[x].op not in _POINTWISE or not r.used_once(x):
        return None
    found = _reshaped(r, x, n.attrs[0], MAX_DEPTH)
    return found[0] if found is not None and found[1] else None


def _reshaped(r: Rewriter, id: int, shape: Shape, depth: int) -> tuple[int, int] | None:
    """The node in another shape, and how many reshapes cancelled out; None if one would stay
    above what is computed in place."""
    node = r.table[id]
    if r.uniform(id) is not None:
        return r.reshape(id, shape), 0
    if node.op is _RESHAPE:
        return r.reshape(id, shape), int(r.shape(node.operands[0]) == shape)
    if node.op is _EXPAND:
        made = r.reshape(id, shape)
        return None if r.table[made].op is _RESHAPE else (made, 0)
    if node.op in _SCATTERED or not depth:
        return None
    if node.op not in _POINTWISE or not r.used_once(id):
        return r.reshape(id, shape), 0
    operands, gain = [], 0
    for operand in node.operands:
        found = _reshaped(r, operand, shape, depth - 1)
        if found is None:
            return None
        operands.append(found[0])
        gain += found[1]
    moved = node._replace(operands=tuple(operands), type=node.type.with_shape(shape))
    return r.add(moved), gain


@_rule(
    "permute",
    "the transpose of (matmul a b) is matmul of the transposes of b and a, if one was transposed",
    "k runs in the same order in the same blocks, and fma a b c is fma b a c",
)
def _transposed_product(r: Rewriter, n: Node) -> int | None:
    (x,) = n.operands
    product, axes, rank = r.table[x], n.attrs[0], n.type.rank
    if product.op is not _MATMUL or not r.used_once(x):
        return None
    if axes.index(rank - 1) > axes.index(rank - 2):
        return None
    a, b = product.operands
    if not (_is_transposed(r, a) or _is_transposed(r, b)):
        return None
    swap = (*range(rank - 2), rank - 1, rank - 2)
    made = Node(_MATMUL, (r.permute(b, swap), r.permute(a, swap)), (), _swapped(r, x))
    return r.permute(r.add(made), tuple(swap[axis] for axis in axes))


def _is_transposed(r: Rewriter, id: int) -> bool:
    """Whether another transpose brings the elements of its rows back together in memory."""
    node = r.table[id]
    return node.op is _PERMUTE and node.attrs[0][-2] == node.type.rank - 1


def _swapped(r: Rewriter, id: int) -> TensorType:
    shape = r.shape(id)
    return r.type(id).with_shape((*shape[:-2], shape[-1], shape[-2]))
