"""Simplifications of movement, and of computation moved before it: fewer elements, same bits.

Movement rounds nothing: a rule is right if every element of the result comes from the same
element of the source. Computation commutes with `expand`, since equal operands have equal results.
"""

from __future__ import annotations

from gradir.ir.ops import OPS
from gradir.ir.table import Node
from gradir.ir.types import Extent, Shape, extent_bounds, product, quotient
from gradir.passes.rewriting import Rewriter, Rules

RULES = Rules()
_rule = RULES.rule

_EXPAND, _RESHAPE = OPS["expand"], OPS["reshape"]
POINTWISE = (
    *(name for name, op in OPS.items() if op.elementwise),
    *("cast", "bitcast"),
)


@_rule(
    "reshape expand permute flip shrink pad",
    "movement that moves nothing is x",
    "every element stays where it is",
)
def _nothing(r: Rewriter, n: Node) -> int | None:
    (x,) = n.operands
    if r.type(x) is not n.type:
        return None
    if n.op.name == "permute" and n.attrs[0] != tuple(range(n.type.rank)):
        return None
    if n.op.name in ("pad", "shrink") and any(n.attrs[0]):
        return None  # a symbolic window that cannot fit: the run refuses it
    if n.op.name == "flip" and any(n.type.shape[axis] != 1 for axis in n.attrs[0]):
        return None
    return x


@_rule("reshape", "reshape (reshape x) is reshape x", "row-major order is kept by both")
def _reshape_twice(r: Rewriter, n: Node) -> int | None:
    inner = r.table[n.operands[0]]
    return r.reshape(inner.operands[0], n.attrs[0]) if inner.op is n.op else None


@_rule("expand", "expand (expand x) is expand x", "an element repeated, and repeated again")
def _expand_twice(r: Rewriter, n: Node) -> int | None:
    inner = r.table[n.operands[0]]
    return r.expand(inner.operands[0], n.attrs[0]) if inner.op is n.op else None


@_rule("permute", "permute (permute x) is permute x", "one order of axes after another")
def _permute_twice(r: Rewriter, n: Node) -> int | None:
    inner = r.table[n.operands[0]]
    if inner.op is not n.op:
        return None
    axes = tuple(inner.attrs[0][axis] for axis in n.attrs[0])
    return r.permute(inner.operands[0], axes)


@_rule("flip", "flip (flip x) is flip x", "an axis turned twice is as it was")
def _flip_twice(r: Rewriter, n: Node) -> int | None:
    inner = r.table[n.operands[0]]
    if inner.op is not n.op:
        return None
    axes = tuple(sorted(set(n.attrs[0]) ^ set(inner.attrs[0])))
    return r.add(n._replace(operands=inner.operands, attrs=(axes,)))


@_rule("shrink", "shrink (shrink x) is shrink x", "a window in a window")
def _shrink_twice(r: Rewriter, n: Node) -> int | None:
    inner = r.table[n.operands[0]]
    if inner.op is not n.op or not _static(r, n, inner):
        return None
    lo = tuple(a + b for a, b in zip(n.attrs[0], inner.attrs[0], strict=True))
    return r.add(n._replace(operands=inner.operands, attrs=(lo, n.attrs[1])))


@_rule("pad", "pad (pad x) is pad x, of one value", "a margin around a margin")
def _pad_twice(r: Rewriter, n: Node) -> int | None:
    inner = r.table[n.operands[0]]
    if inner.op is not n.op or not _static(r, n, inner) or n.attrs[2] != inner.attrs[2]:
        return None
    lo = tuple(a + b for a, b in zip(n.attrs[0], inner.attrs[0], strict=True))
    return r.add(n._replace(operands=inner.operands, attrs=(lo, *n.attrs[1:])))


@_rule("shrink", "shrink (pad x) is x, where it takes the margin away", "the window holds x")
def _shrink_pad(r: Rewriter, n: Node) -> int | None:
    inner = r.table[n.operands[0]]
    if inner.op is not OPS["pad"] or not _static(r, n, inner) or n.attrs[0] != inner.attrs[0]:
        return None
    (x,) = inner.operands
    return x if r.type(x) is n.type else None


def _static(r: Rewriter, *nodes: Node) -> bool:
    """Whether all windows are proven to fit, so that no check at run time is lost."""
    return all(n.type.is_static and r.type(n.operands[0]).is_static for n in nodes)


@_rule(
    "reshape permute flip shrink",
    "movement of one repeated element is that element, repeated",
    "all elements are equal, whichever is taken",
)
def _of_scalar(r: Rewriter, n: Node) -> int | None:
    (x,) = n.operands
    if n.op is _RESHAPE and r.table[x].op is not _EXPAND:
        return None
    if n.op.name == "shrink" and not _static(r, n):
        return None
    scalar = r.scalar(x)
    return None if scalar is None else r.spread(scalar, n.type.shape)


@_rule(
    "reshape",
    "reshape (expand x) is expand (reshape x), where no joint axis is expanded in part",
    "the same elements are repeated in the same order",
)
def _reshape_expand(r: Rewriter, n: Node) -> int | None:
    inner = r.table[n.operands[0]]
    if inner.op is not _EXPAND:
        return None
    (x,) = inner.operands
    groups = _groups(inner.type.shape, n.type.shape)
    small: list[Extent] = []
    for old, new in groups or ():
        source = r.shape(x)[old.start : old.stop]
        large = inner.type.shape[old.start : old.stop]
        if source == large:
            small += n.type.shape[new.start : new.stop]
        elif all(extent == 1 for extent in source):
            small += [1] * len(new)
        else:
            return None
    return r.expand(r.reshape(x, tuple(small)), n.type.shape) if groups else None


def _groups(a: Shape, b: Shape) -> list[tuple[range, range]] | None:
    """The runs of axes that become one another in a reshape, each as short as it can be."""
    if 0 in a or 0 in b:
        return None
    found = []
    i = j = 0
    while i < len(a) or j < len(b):
        first, second = i, j
        i, j = min(i + 1, len(a)), min(j + 1, len(b))
        while product(a[first:i]) != product(b[second:j]):
            left, right = product(a[first:i]), product(b[second:j])
            if i < len(a) and (j == len(b) or quotient(right, left) is not None):
                i += 1
            elif j < len(b):
                j += 1
            else:
                return None
        found.append((range(first, i), range(second, j)))
    return found


@_rule(
    "permute",
    "a permute that only moves axes of size 1 is a reshape",
    "the order of the other axes is the row-major order of the elements",
)
def _permute_ones(r: Rewriter, n: Node) -> int | None:
    (x,) = n.operands
    shape = r.shape(x)
    moved = [axis for axis in n.attrs[0] if shape[axis] != 1]
    return r.reshape(x, n.type.shape) if moved == sorted(moved) else None


# --- computation before movement ------------------------------------------------------------


@_rule(
    " ".join(POINTWISE),
    "f (expand a) (expand b) is expand (f a b)",
    "equal operands give equal results, so each needs computing once",
)
def _compute_then_expand(r: Rewriter, n: Node) -> int | None:
    shape = n.type.shape
    if not shape or any(r.table[o].op is not _EXPAND and not _ones(r, o) for o in n.operands):
        return None
    scalars = [r.scalar(o) for o in n.operands]
    if any(extent != 1 for extent in shape) and all(s is not None for s in scalars):
        made = r.add(_on(r, n, tuple(s for s in scalars if s is not None), ()))
        return r.spread(made, shape)
    sources = [r.table[o].operands[0] if r.table[o].op is _EXPAND else o for o in n.operands]
    small = tuple(
        1 if all(r.shape(source)[axis] == 1 for source in sources) else extent
        for axis, extent in enumerate(shape)
    )
    if small == shape:
        return None
    made = r.add(_on(r, n, tuple(r.expand(source, small) for source in sources), small))
    return r.expand(made, shape)


def _ones(r: Rewriter, id: int) -> bool:
    """Whether a tensor has a single element."""
    return all(extent == 1 for extent in r.shape(id))


def _on(r: Rewriter, n: Node, operands: tuple[int, ...], shape: Shape) -> Node:
    return n._replace(operands=operands, type=n.type.with_shape(shape))


# --- folds and products ---------------------------------------------------------------------


@_rule(
    "reduce",
    "reduce over axes of size 1 is a reshape",
    "1 * x, max(-inf, x) and 0 + x are x, but 0.0 + -0.0 is 0.0: a sum of a float that may be "
    "-0.0 keeps that one addition",
)
def _reduce_ones(r: Rewriter, n: Node) -> int | None:
    (x,) = n.operands
    op, axes, _ = n.attrs
    if any(r.shape(x)[axis] != 1 for axis in axes):
        return None
    made = r.reshape(x, n.type.shape)
    if op == "add" and n.type.dtype.is_float and not r.no_minus_zero[x]:
        zero = r.full(bytes(n.type.dtype.itemsize), n.type)
        return r.elementwise("add", made, zero)
    return made


@_rule(
    "reduce",
    "the greatest of equal elements is that element",
    "max x x is x; the reduced axes are proven not to be empty",
)
def _max_of_equal(r: Rewriter, n: Node) -> int | None:
    op, axes, _ = n.attrs
    inner = r.table[n.operands[0]]
    if op != "max" or inner.op is not _EXPAND:
        return None
    (x,) = inner.operands
    for axis in axes:
        least, _most = extent_bounds(inner.type.shape[axis], r.table.dims)
        if r.shape(x)[axis] != 1 or least < 1:
            return None
    kept = tuple(e for axis, e in enumerate(r.shape(x)) if axis not in axes)
    return r.expand(r.reshape(x, kept), n.type.shape)


@_rule(
    "matmul",
    "matmul over one inner element is fma a b 0",
    "the block's chain is the one step fma(a, b, +0.0); on integers the product",
    "float int",
)
def _outer_product(r: Rewriter, n: Node) -> int | None:
    a, b = n.operands
    if r.shape(a)[-1] != 1:
        return None
    left, right = r.expand(a, n.type.shape), r.expand(b, n.type.shape)
    if n.type.dtype.is_int:
        return r.elementwise("mul", left, right)
    return r.elementwise("fma", left, right, r.full(bytes(n.type.dtype.itemsize), n.type))


@_rule("matmul", "matmul over no inner element is 0", "an empty chain is +0.0", drops=True)
def _empty_product(r: Rewriter, n: Node) -> int | None:
    if r.shape(n.operands[0])[-1] != 0:
        return None
    return r.full(bytes(n.type.dtype.itemsize), n.type)
