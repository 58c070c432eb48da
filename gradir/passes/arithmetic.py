"""Simplifications of elementwise arithmetic, a rule a row, each with the reason why no bit changes.

A NaN has no payload and no sign in the language (OP-8), so "x for every x" holds where x is NaN
if the result is NaN too. What counts is -0.0, infinities, overflow and the moment of rounding.
"""

from __future__ import annotations

import math

import numpy as np

from gradir.ir.ops import OPS
from gradir.ir.table import Node
from gradir.ir.types import DType
from gradir.passes.rewriting import Rewriter, Rules

RULES = Rules()
_rule = RULES.rule

_COMMUTATIVE = "add mul max eq ne and or xor"


def _ordered(r: Rewriter, id: int) -> tuple[bool, int]:
    """Constants come last, else the older node first."""
    return r.uniform(id) is not None, id


@_rule(
    f"{_COMMUTATIVE} fma",
    "a + b is b + a",
    "IEEE addition, multiplication and comparison commute, -0.0 included; so do max and integers",
)
def _order(r: Rewriter, n: Node) -> int | None:
    a, b, *rest = n.operands
    if _ordered(r, a) <= _ordered(r, b):
        return None
    return r.elementwise(n.op.name, b, a, *rest)


# --- neutral elements -----------------------------------------------------------------------


@_rule("mul", "x * 1 is x", "the product is exact; signs of zeros and infinities stay", "float int")
def _mul_one(r: Rewriter, n: Node) -> int | None:
    return n.operands[0] if r.is_full(n.operands[1], 1) else None


@_rule("div", "x / 1 is x", "the quotient is exact", "float")
def _div_one(r: Rewriter, n: Node) -> int | None:
    return n.operands[0] if r.is_full(n.operands[1], 1) else None


@_rule("add", "x + -0.0 is x", "-0.0 + -0.0 is -0.0, +0.0 + -0.0 is +0.0, all else exact", "float")
def _add_minus_zero(r: Rewriter, n: Node) -> int | None:
    return n.operands[0] if r.is_full(n.operands[1], 0, negative_zero=True) else None


@_rule("add", "x + 0.0 is x, where x is never -0.0", "only -0.0 + 0.0 differs from x", "float")
def _add_zero(r: Rewriter, n: Node) -> int | None:
    x, zero = n.operands
    return x if r.no_minus_zero[x] and r.is_full(zero, 0) else None


@_rule("add or xor", "x + 0 is x, and so with `or`, `xor`", "integers have one zero", "int bool")
def _integer_zero(r: Rewriter, n: Node) -> int | None:
    return n.operands[0] if r.is_full(n.operands[1], 0) else None


@_rule("shl shr", "a shift by 0 is x", "no bit moves", "int")
def _shift_zero(r: Rewriter, n: Node) -> int | None:
    return n.operands[0] if r.is_full(n.operands[1], 0) else None


@_rule("idiv", "idiv x 1 is x", "integers divide by 1 exactly", "int")
def _idiv_one(r: Rewriter, n: Node) -> int | None:
    return n.operands[0] if r.is_full(n.operands[1], 1) else None


@_rule("and", "x and all ones is x", "every bit stays", "int bool")
def _and_ones(r: Rewriter, n: Node) -> int | None:
    return n.operands[0] if r.uniform(n.operands[1]) == _ones(n.type.dtype) else None


def _ones(dtype: DType) -> bytes:
    return b"\x01" if dtype.kind == "bool" else b"\xff" * dtype.itemsize


# --- results that do not depend on x --------------------------------------------------------


@_rule("mul and", "x * 0 is 0", "integers have one zero and no NaN", "int bool", drops=True)
def _times_zero(r: Rewriter, n: Node) -> int | None:
    return n.operands[1] if r.is_full(n.operands[1], 0) else None


@_rule("or", "x or all ones is all ones", "every bit is set", "int bool", drops=True)
def _or_ones(r: Rewriter, n: Node) -> int | None:
    return n.operands[1] if r.uniform(n.operands[1]) == _ones(n.type.dtype) else None


@_rule("mod", "mod x 1 is 0", "1 divides every integer", "int", drops=True)
def _mod_one(r: Rewriter, n: Node) -> int | None:
    return r.full(bytes(n.type.dtype.itemsize), n.type) if r.is_full(n.operands[1], 1) else None


@_rule("xor", "x xor x is 0", "equal bits cancel", "int bool", drops=True)
def _xor_same(r: Rewriter, n: Node) -> int | None:
    a, b = n.operands
    return r.full(bytes(n.type.dtype.itemsize), n.type) if a == b else None


@_rule("eq le", "x = x is true", "integers and bools have no NaN", "int bool", drops=True)
def _same_true(r: Rewriter, n: Node) -> int | None:
    return r.full(b"\x01", n.type) if n.operands[0] == n.operands[1] else None


@_rule("ne", "x != x is false", "integers and bools have no NaN", "int bool", drops=True)
def _same_differs(r: Rewriter, n: Node) -> int | None:
    return r.full(b"\x00", n.type) if n.operands[0] == n.operands[1] else None


@_rule("lt", "x < x is false", "no value is less than itself, nor is NaN", "float int", drops=True)
def _same_less(r: Rewriter, n: Node) -> int | None:
    return r.full(b"\x00", n.type) if n.operands[0] == n.operands[1] else None


@_rule("max and or", "max x x is x", "of two equal values, -0.0 and NaN included, either is taken")
def _idempotent(r: Rewriter, n: Node) -> int | None:
    return n.operands[0] if n.operands[0] == n.operands[1] else None


# --- constants brought together -------------------------------------------------------------


def _pair(r: Rewriter, n: Node) -> tuple[int, np.ndarray, np.ndarray] | None:
    """x and the constants c, d of (x op c) op d, as scalars of the type."""
    inner = r.table[n.operands[0]]
    if inner.op is not n.op:
        return None
    c, d = r.uniform(inner.operands[1]), r.uniform(n.operands[1])
    if c is None or d is None:
        return None
    numpy = n.type.dtype.numpy
    return inner.operands[0], np.frombuffer(c, numpy)[0], np.frombuffer(d, numpy)[0]


def _again(r: Rewriter, n: Node, x: int, value: np.ndarray) -> int:
    return r.elementwise(n.op.name, x, r.full(value.tobytes(), n.type))


@_rule(
    "mul",
    "(x * c) * -1 is x * -c",
    "changing a sign is exact and commutes with rounding, which is symmetric; no constant but "
    "1 and -1 may be multiplied in, since x * c may round, overflow or underflow",
    "float",
)
def _signs(r: Rewriter, n: Node) -> int | None:
    pair = _pair(r, n)
    if pair is None:
        return None
    x, c, d = pair
    if (abs(c) != 1 and abs(d) != 1) or np.isnan(c * d):
        return None
    return _again(r, n, x, c * d)


@_rule(
    "mul",
    "(x * -1) * y is (x * y) * -1",
    "changing a sign is exact and commutes with rounding; outside, a constant takes it in or a sum "
    "subtracts. Only where nothing else needs x * -1: the sign would be changed twice",
    "float",
)
def _sign_outwards(r: Rewriter, n: Node) -> int | None:
    for negated, other in (n.operands, n.operands[::-1]):
        inner = r.table[negated]
        if inner.op is n.op and r.is_full(inner.operands[1], -1) and r.used_once(negated):
            product = r.elementwise("mul", inner.operands[0], other)
            return r.elementwise("mul", product, inner.operands[1])
    return None


@_rule("add mul and or xor", "(x + c) + d is x + (c + d)", "integers wrap: associative", "int bool")
def _associate(r: Rewriter, n: Node) -> int | None:
    pair = _pair(r, n)
    if pair is None:
        return None
    x, c, d = pair
    operation = {"add": np.add, "mul": np.multiply, "and": np.bitwise_and, "or": np.bitwise_or}
    with np.errstate(all="ignore"):
        return _again(r, n, x, operation.get(n.op.name, np.bitwise_xor)(c, d))


@_rule(
    "div",
    "x / 2^k is x * 2^-k",
    "both round the same exact value once, if 2^-k is a number of the type",
    "float",
)
def _divide_by_power(r: Rewriter, n: Node) -> int | None:
    bits = r.uniform(n.operands[1])
    if bits is None:
        return None
    divisor = np.frombuffer(bits, n.type.dtype.numpy)[0]
    if not np.isfinite(divisor) or divisor == 0 or abs(math.frexp(divisor)[0]) != 0.5:
        return None
    with np.errstate(all="ignore"):
        inverse = divisor.dtype.type(1) / divisor
    if not np.isfinite(inverse) or inverse == 0:
        return None
    return r.elementwise("mul", n.operands[0], r.full(inverse.tobytes(), n.type))


@_rule(
    "recip",
    "1 / (2 * sqrt x) is 0.5 / sqrt x",
    "a root lies between 2^-75 and 2^64 in f32 (2^-537 and 2^512 in f64), or is 0, inf or NaN: "
    "neither doubling nor halving leaves the normal numbers, so both are exact",
    "float",
)
def _recip_of_double_root(r: Rewriter, n: Node) -> int | None:
    double = r.table[n.operands[0]]
    if double.op is not OPS["mul"] or not r.is_full(double.operands[1], 2):
        return None
    root = double.operands[0]
    if r.table[root].op is not OPS["sqrt"]:
        return None
    half = np.array(0.5, n.type.dtype.numpy)
    return r.elementwise("mul", r.elementwise("recip", root), r.full(half.tobytes(), n.type))


@_rule("fma", "fma a b -0.0 is a * b", "adding -0.0 changes no exact product, zeros included")
def _fma_without_sum(r: Rewriter, n: Node) -> int | None:
    a, b, c = n.operands
    return r.elementwise("mul", a, b) if r.is_full(c, 0, negative_zero=True) else None


@_rule("fma", "fma a 1 c is a + c", "the product is exact, so the sum is rounded once in both")
def _fma_without_product(r: Rewriter, n: Node) -> int | None:
    a, b, c = n.operands
    return r.elementwise("add", a, c) if r.is_full(b, 1) else None


# --- choices --------------------------------------------------------------------------------


@_rule("where", "where true a b is a", "the other branch is read by nobody", drops=True)
def _where_known(r: Rewriter, n: Node) -> int | None:
    c, a, b = n.operands
    known = r.uniform(c)
    return None if known is None else (a if known != b"\x00" else b)


@_rule("where", "where c a a is a", "both choices are the same node", drops=True)
def _where_same(r: Rewriter, n: Node) -> int | None:
    return n.operands[1] if n.operands[1] == n.operands[2] else None


@_rule("where", "where (xor c true) a b is where c b a", "the condition is the opposite")
def _where_not(r: Rewriter, n: Node) -> int | None:
    c, a, b = n.operands
    opposite = r.table[c]
    if opposite.op is not OPS["xor"] or not r.is_full(opposite.operands[1], 1):
        return None
    return r.elementwise("where", opposite.operands[0], b, a)


@_rule("where", "where c (where c a x) b is where c a b", "x is never chosen", drops=True)
def _where_twice(r: Rewriter, n: Node) -> int | None:
    c, a, b = n.operands
    inner, outer = r.table[a], r.table[b]
    if inner.op is n.op and inner.operands[0] == c:
        return r.elementwise("where", c, inner.operands[1], b)
    if outer.op is n.op and outer.operands[0] == c:
        return r.elementwise("where", c, a, outer.operands[2])
    return None


@_rule("where", "where c true false is c", "a bool is one of two values", "bool")
def _where_bool(r: Rewriter, n: Node) -> int | None:
    c, a, b = n.operands
    if r.is_full(a, 1) and r.is_full(b, 0):
        return c
    if r.is_full(a, 0) and r.is_full(b, 1):
        return r.elementwise("xor", c, r.full(b"\x01", n.type))
    return None


# --- conversions ----------------------------------------------------------------------------


@_rule("detach", "detach x is x", "its value is x; only a gradient could tell, and it is built")
def _detach(r: Rewriter, n: Node) -> int | None:
    return n.operands[0]


@_rule("cast bitcast", "a cast to the same type is x", "no value changes; a NaN has no payload")
def _cast_same(r: Rewriter, n: Node) -> int | None:
    (x,) = n.operands
    return x if r.type(x) is n.type else None


@_rule(
    "cast",
    "cast (cast x) is cast x",
    "the first cast keeps every value, so the second rounds, wraps or saturates the same number; "
    "not from one integer through a float to another that saturates where it would wrap",
)
def _cast_twice(r: Rewriter, n: Node) -> int | None:
    inner = r.table[n.operands[0]]
    if inner.op is not n.op:
        return None
    (x,) = inner.operands
    source, middle, target = r.type(x).dtype, inner.type.dtype, n.type.dtype
    if not _exact(source, middle):
        return None
    if source.is_int and middle.is_float and target.is_int and not _fits(source, target):
        return None
    return r.add(n._replace(operands=(x,)))


def _exact(source: DType, target: DType) -> bool:
    """Whether a cast keeps every value apart and as it is."""
    if source is target or source.kind == "bool":
        return True
    if target.kind == "bool":
        return False
    if source.is_int and target.is_int:
        return _fits(source, target)
    if source.is_int:
        return target.width == 64 and source.width == 32
    return target.is_float and source.width <= target.width


def _fits(source: DType, target: DType) -> bool:
    (low, high), (least, most) = source.int_range, target.int_range
    return least <= low and high <= most
