"""The derivative of every operation: one row an op, one share an operand (spec/gradient.md).

A share is written in terms of g, the node's accumulated share, u, the node's own value, and its
operands. None means that no share flows to the operand, whatever its type. An op without a row
has no rule: a gradient's path may not run through it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from gradir.ir.expr import Expr, apply
from gradir.ir.literals import Lit
from gradir.ir.table import Node
from gradir.ir.types import I64

Share: TypeAlias = Callable[..., Expr]

LN2 = Lit("float", "0.693147180559945309417232121458176568075500134360255")
HALF_PI = Lit("float", "1.57079632679489661923132169163975144209858469968755")
TWO_OVER_SQRT_PI = Lit("float", "1.12837916709551257389615890312154517168810125865800")


def recip(a: Expr) -> Expr:
    return apply("recip", a)


def sin(a: Expr) -> Expr:
    return apply("sin", a)


def exp(a: Expr) -> Expr:
    return apply("exp", a)


def lt(a: Expr, b: Expr) -> Expr:
    return apply("lt", a, b)


def eq(a: Expr, b: Expr) -> Expr:
    return apply("eq", a, b)


def where(c: Expr, a: Expr | float, b: Expr | float) -> Expr:
    return apply("where", c, a, b)


def tie(g: Expr, a: Expr, b: Expr) -> Expr:
    """Half of g where a and b are equal."""
    return where(eq(a, b), g * 0.5, 0.0)


def swap(a: Expr) -> Expr:
    """The last two axes swapped."""
    rank = a.type.rank
    return a.permute([*range(rank - 2), rank - 1, rank - 2])


def unpermute(g: Expr, u: Expr, a: Expr, axes: tuple[int, ...]) -> Expr:
    return g.permute([axes.index(axis) for axis in range(len(axes))])


def kept(a: Expr, axes: tuple[int, ...]) -> tuple[Any, ...]:
    """The shape of a with the reduced axes as 1s."""
    return tuple(1 if at in axes else extent for at, extent in enumerate(a.shape))


def spread(g: Expr, a: Expr, axes: tuple[int, ...]) -> Expr:
    """g, which lacks a's reduced axes, over the whole of a."""
    return g.reshape_to(kept(a, axes)).expand_to(a.shape)


def share_of_max(g: Expr, u: Expr, a: Expr, axes: tuple[int, ...]) -> Expr:
    """Equal shares to all that equal the greatest; they are counted as integers."""
    greatest = eq(a, spread(u, a, axes))
    count = greatest.cast(I64).reduce("add", axes).cast(g.dtype)
    return where(greatest, spread(g * recip(count), a, axes), 0.0)


def unexpand(g: Expr, u: Expr, a: Expr) -> Expr:
    """The sum over the axes that expand made longer."""
    axes = [at for at, (old, new) in enumerate(zip(a.shape, u.shape, strict=True)) if old != new]
    return g.reduce("add", axes).reshape_to(a.shape) if axes else g


def unpad(g: Expr, u: Expr, a: Expr, lo: tuple[int, ...]) -> Expr:
    return apply("shrink", g, lo=list(lo), shape=list(a.shape))


def unshrink(g: Expr, u: Expr, a: Expr, lo: tuple[int, ...]) -> Expr:
    return apply("pad", g, lo=list(lo), shape=list(a.shape))


def untake(g: Expr, u: Expr, a: Expr, i: Expr, axis: int) -> Expr:
    return apply("scatter_add", a.full_like(0.0), i, g, axis=axis)


RULES: dict[str, tuple[Share | None, ...]] = {
    "add": (lambda g, u, a, b: g, lambda g, u, a, b: g),
    "mul": (lambda g, u, a, b: g * b, lambda g, u, a, b: g * a),
    "recip": (lambda g, u, a: g * (u * u * -1.0),),
    "div": (lambda g, u, a, b: g / b, lambda g, u, a, b: g * u / b * -1.0),
    "max": (
        lambda g, u, a, b: where(lt(b, a), g, tie(g, a, b)),
        lambda g, u, a, b: where(lt(a, b), g, tie(g, a, b)),
    ),
    "where": (None, lambda g, u, c, a, b: where(c, g, 0.0), lambda g, u, c, a, b: where(c, 0.0, g)),
    "exp2": (lambda g, u, a: g * u * LN2,),
    "log2": (lambda g, u, a: g * recip(a * LN2),),
    "sqrt": (lambda g, u, a: g * recip(u * 2.0),),
    "sin": (lambda g, u, a: g * sin(a + HALF_PI),),
    "cos": (lambda g, u, a: g * (sin(a) * -1.0),),
    "exp": (lambda g, u, a: g * u,),
    "log": (lambda g, u, a: g / a,),
    "tanh": (lambda g, u, a: g * (1.0 + u * u * -1.0),),
    "erf": (lambda g, u, a: g * (exp(a * a * -1.0) * TWO_OVER_SQRT_PI),),
    "fma": (lambda g, u, a, b, c: g * b, lambda g, u, a, b, c: g * a, lambda g, u, a, b, c: g),
    "cast": (lambda g, u, a, dtype: g if a.dtype is g.dtype else g.cast(a.dtype),),
    "bitcast": (lambda g, u, a, dtype: g,),
    "reduce add": (lambda g, u, a, op, axes, order: spread(g, a, axes),),
    "reduce max": (lambda g, u, a, op, axes, order: share_of_max(g, u, a, axes),),
    "matmul": (lambda g, u, a, b: g @ swap(b), lambda g, u, a, b: swap(a) @ g),
    "reshape": (lambda g, u, a, shape: g.reshape_to(a.shape),),
    "permute": (lambda g, u, a, axes: unpermute(g, u, a, axes),),
    "expand": (lambda g, u, a, shape: unexpand(g, u, a),),
    "flip": (lambda g, u, a, axes: apply("flip", g, axes=list(axes)),),
    "pad": (lambda g, u, a, lo, shape, value: unpad(g, u, a, lo),),
    "shrink": (lambda g, u, a, lo, shape: unshrink(g, u, a, lo),),
    "take": (lambda g, u, a, i, axis: untake(g, u, a, i, axis), None),
    "scatter_add": (
        lambda g, u, a, i, v, axis: g,
        None,
        lambda g, u, a, i, v, axis: apply("take", g, i, axis=axis),
    ),
    "detach": (None,),
}

# Ops that yield a float and have no rule: an error on a path.
NO_RULE = {
    "reduce mul": "the product's derivative divides by the operands; write it with `mul`",
    "call": "a function is opaque to gradient; use a macro",
}

# Ops through which no float share can flow: their results or all their operands are not floats,
# or they have no operands.
NO_SHARE = frozenset(
    [
        "lt",
        "le",
        "eq",
        "ne",
        "and",
        "or",
        "xor",
        "shl",
        "shr",
        "idiv",
        "mod",
        "const",
        "iota",
        "size",
        "stage",
        "buffer",
        "load",
        "store",
        "range",
        "end",
        "output",
    ]
)


def rule_key(node: Node) -> str:
    """The row of a node: the op's name, for reduce with its fold."""
    return f"reduce {node.attrs[0]}" if node.op.name == "reduce" else node.op.name
