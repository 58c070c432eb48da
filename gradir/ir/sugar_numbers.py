"""Sugar on numbers: arithmetic, rounding to whole numbers, and what scans an axis."""

from __future__ import annotations

from gradir.ir.expr import Expr, apply
from gradir.ir.literals import Lit
from gradir.ir.ops import FLOAT, NUMBER, Attr
from gradir.ir.sugar_rows import Misuse, axis_of, need_kind, replaced, sugar, whole_size
from gradir.ir.types import I32, I64, extent_bounds, tensor_type


def minus_one(x: Expr) -> Lit:
    """`-1:%x`: the -1 of x's element type."""
    return Lit("int", "-1", x.dtype, True)


def detach(x: Expr) -> Expr:
    return apply("detach", x)


def where(c: Expr, a: Expr, b: Expr | int) -> Expr:
    return apply("where", c, a, b)


@sugar("value")
def abs_(a: Expr) -> Expr:
    """max(a, -a); the two halves of a tie at 0 cancel in the gradient."""
    need_kind("abs", a, ("float", "i32", "i64"))
    return apply("max", a, a * minus_one(a))


@sugar("value value")
def min_(a: Expr, b: Expr) -> Expr:
    """-max(-a, -b) on floats, so that zeros, ties and NaN are those of max."""
    need_kind("min", a, NUMBER)
    if not a.dtype.is_float:
        return where(apply("lt", b, a), b, a)
    p = a * minus_one(a)
    q = b * minus_one(b)
    m = apply("max", p, q)
    return m * minus_one(m)


@sugar("value", Attr("exponent", "int"))
def pow_(a: Expr, exponent: int) -> Expr:
    """Square and multiply from the highest bit; integers have no reciprocal."""
    need_kind("pow", a, NUMBER)
    if exponent == 0:
        return a.full_like(Lit("int", "1", a.dtype, True))
    if exponent < 0 and not a.dtype.is_float:
        raise Misuse(
            "T310",
            f"exponent={exponent} on {a.dtype}",
            attr="exponent",
            help="a negative power is a reciprocal, which needs a float",
        )
    r = a
    for bit in f"{abs(exponent):b}"[1:]:
        r = r * r
        if bit == "1":
            r = r * a
    return apply("recip", r) if exponent < 0 else r


# --- rounding: all but the last step is on `detach a` ----------------------------------------


def bound_of(a: Expr) -> float:
    """From here on every float of the type is a whole number."""
    return 2.0**23 if a.dtype.width == 32 else 2.0**52


@sugar("value")
def floor(a: Expr) -> Expr:
    """By way of an integer: truncated, then one less where that was above."""
    need_kind("floor", a, FLOAT)
    d = detach(a)
    n = apply("max", d, d * -1.0)
    t = d.cast(I32 if a.dtype.width == 32 else I64).cast(a.dtype)
    f = where(apply("lt", d, t), t + -1.0, t)
    k = where(apply("eq", f, d), d, f)  # d, not f: -0.0 keeps its sign
    return where(apply("lt", n, bound_of(a)), k, a)


@sugar("value")
def round_(a: Expr) -> Expr:
    """The spacing of floats in [M, 2M] is 1: adding M rounds to a whole number, half to even."""
    need_kind("round", a, FLOAT)
    d = detach(a)
    n = apply("max", d, d * -1.0)
    r = n + bound_of(a) + -bound_of(a)
    s = where(apply("lt", d, 0.0), r * -1.0, r)
    k = where(apply("eq", s, d), d, s)
    return where(apply("lt", n, bound_of(a)), k, a)


# --- along an axis ---------------------------------------------------------------------------


@sugar("tensor", Attr("axis", "axis", -1))
def argmax(x: Expr, axis: int) -> Expr:
    """The least index of a maximum, as the greatest of the negated indices of all maxima."""
    need_kind("argmax", x, NUMBER)
    axis = axis_of(x, axis)
    if extent_bounds(x.shape[axis], x.builder.table.dims)[0] < 1:
        raise Misuse(
            "T313",
            f"argmax along axis {axis} of {x.type}, which may be empty",
            operand=0,
            help="declare the dimension with a lower bound of 1",
        )
    m = x.reduce("max", [axis], keep=True)
    h = apply("or", apply("eq", x, m), apply("ne", x, x))
    i = Expr(x.builder, x.builder.iota(tensor_type(I32, x.shape), axis))
    s = where(h, i * -1, -(2**31))
    return s.reduce("max", [axis]) * -1


@sugar("tensor tensor")
def dot(a: Expr, b: Expr) -> Expr:
    """A matmul in which vectors stand as a row and a column; their sizes of 1 are dropped."""
    need_kind("dot", a, NUMBER)
    need_kind("dot", b, NUMBER, 1)
    ranks = a.type.rank, b.type.rank
    if 1 not in ranks or not all(rank in (1, 2) for rank in ranks):
        raise Misuse(
            "T314",
            f"dot of rank {ranks[0]} and rank {ranks[1]}",
            help="dot takes two vectors, or a vector and a matrix; `matmul` takes the others",
        )
    row, column = a, b
    if ranks[0] == 1:
        row = a.reshape([1, a.shape[0]])
    if ranks[1] == 1:
        column = b.reshape([b.shape[0], 1])
    product = row @ column
    return product.reshape(product.shape[ranks[0] == 1 : 2 - (ranks[1] == 1)])


@sugar("tensor", Attr("axis", "axis", -1))
def cumsum(x: Expr, axis: int) -> Expr:
    """Doubling: after the step s each element is the sum of the last 2s elements."""
    need_kind("cumsum", x, NUMBER)
    axis = axis_of(x, axis)
    size = whole_size("cumsum", x.shape[axis])
    pad_value = -0.0 if x.dtype.is_float else 0  # -0.0 changes nothing it is added to
    y, step = x, 1
    none = [0] * x.type.rank
    while step < size:
        c = apply("shrink", y, lo=none, shape=replaced(x.shape, axis, size - step))
        lo = [step if at == axis else 0 for at in range(x.type.rank)]
        y = y + apply("pad", c, lo=lo, shape=list(x.shape), value=pad_value)
        step *= 2
    return y
