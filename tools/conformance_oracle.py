"""What the specification says of single elements, computed by exact rational arithmetic.

Nothing here comes from gradir but the constants of the f64 functions, which are normative. A
float is a Python float that its type can hold; every rounding goes through `rounded`.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath  # type: ignore[import-untyped]

INF, NAN = math.inf, math.nan
DIGITS = {"f32": 24, "f64": 53}
LEAST = {"f32": -149, "f64": -1074}  # exponent of the least subnormal
LARGEST = {"f32": 127, "f64": 1023}
FLOATS, SIGNED, INTEGERS = ("f32", "f64"), ("i32", "i64"), ("i32", "i64", "u32")
TYPES = (*FLOATS, *INTEGERS, "bool")
WIDTH = {"f32": 32, "f64": 64, "i32": 32, "i64": 64, "u32": 32}


# --- floats ----------------------------------------------------------------------------------


def rounded(value: Fraction, dtype: str, zero: float = 0.0) -> float:
    """A rational number rounded once, ties to even; `zero` is what an exact zero gives."""
    if value == 0:
        return zero
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - DIGITS[dtype] + 1, LEAST[dtype])
    count = round(size / unit)  # Python rounds a Fraction's half to even
    result = count * unit
    if result >= Fraction(2) ** (LARGEST[dtype] + 1):
        return INF if value > 0 else -INF
    return float(result if value > 0 else -result)


def number(text: str | float, dtype: str) -> float:
    """A decimal text, or a float, as the nearest value of the type."""
    if isinstance(text, float) and (not math.isfinite(text) or text == 0):
        return text
    return rounded(Fraction(text), dtype)


def negative(x: float) -> bool:
    return math.copysign(1.0, x) < 0


def add(a: float, b: float, dtype: str) -> float:
    if not (math.isfinite(a) and math.isfinite(b)):
        return a + b
    return rounded(Fraction(a) + Fraction(b), dtype, -0.0 if negative(a) and negative(b) else 0.0)


def mul(a: float, b: float, dtype: str) -> float:
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b
    zero = math.copysign(0.0, math.copysign(1, a) * math.copysign(1, b))
    result = rounded(Fraction(a) * Fraction(b), dtype, zero)
    return math.copysign(result, zero)


def div(a: float, b: float, dtype: str) -> float:
    sign = math.copysign(1, a) * math.copysign(1, b)
    if math.isnan(a) or math.isnan(b) or (math.isinf(a) and math.isinf(b)):
        return NAN
    if math.isinf(a) or math.isinf(b):
        return math.copysign(INF if math.isinf(a) else 0.0, sign)
    if b == 0:
        return NAN if a == 0 else math.copysign(INF, sign)
    return math.copysign(rounded(Fraction(a) / Fraction(b), dtype), sign)


def recip(a: float, dtype: str) -> float:
    return div(1.0, a, dtype)


def fma(a: float, b: float, c: float, dtype: str) -> float:
    if math.isnan(a) or math.isnan(b) or math.isnan(c):
        return NAN
    if math.isinf(a) or math.isinf(b):
        return NAN if a == 0 or b == 0 else math.copysign(1, a) * math.copysign(INF, b) + c
    if math.isinf(c):
        return c
    same = (negative(a) != negative(b)) == negative(c)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    return rounded(exact, dtype, -0.0 if same and negative(c) else 0.0)


def maximum(a: Any, b: Any, dtype: str) -> Any:
    """MAX-1."""
    if dtype not in FLOATS:
        return max(a, b)
    if math.isnan(a) or math.isnan(b):
        return NAN
    if a == 0 and b == 0:
        return -0.0 if negative(a) and negative(b) else 0.0
    return b if a < b else a


def sqrt(a: float, dtype: str) -> float:
    if a == 0 or math.isnan(a) or a == INF:
        return a
    if a < 0:
        return NAN
    with mpmath.workprec(3000):
        return rounded(exact(mpmath.sqrt(mpmath.mpf(a))), dtype)


def exact(value: Any) -> Fraction:
    """An mpf as the rational number that it is."""
    sign, man, exp, _ = value._mpf_
    return Fraction(-1 if sign else 1) * Fraction(int(man)) * Fraction(2) ** int(exp)


SPECIAL: dict[str, Callable[[float], float | None]] = {
    "exp": lambda x: {INF: INF, -INF: 0.0, 0.0: 1.0}.get(x),
    "exp2": lambda x: {INF: INF, -INF: 0.0, 0.0: 1.0}.get(x),
    "log": lambda x: -INF if x == 0 else NAN if x < 0 else {INF: INF, 1.0: 0.0}.get(x),
    "log2": lambda x: -INF if x == 0 else NAN if x < 0 else {INF: INF, 1.0: 0.0}.get(x),
    "sin": lambda x: x if x == 0 else NAN if math.isinf(x) else None,
    "cos": lambda x: 1.0 if x == 0 else NAN if math.isinf(x) else None,
    "tanh": lambda x: x if x == 0 else math.copysign(1.0, x) if math.isinf(x) else None,
    "erf": lambda x: x if x == 0 else math.copysign(1.0, x) if math.isinf(x) else None,
}


def function(name: str, x: float, dtype: str = "f32") -> float:
    """The exact value of an elementary function, rounded once (FUNC-1)."""
    if math.isnan(x):
        return NAN
    special = SPECIAL[name](x)
    if special is not None:
        return special
    if name in ("exp", "exp2") and abs(x) > 2000:
        return INF if x > 0 else 0.0
    if name in ("tanh", "erf") and abs(x) > 40:
        return rounded(Fraction(math.copysign(1, x)), dtype)
    with mpmath.workprec(4000):
        point = mpmath.mpf(x)
        value = {
            "exp": mpmath.exp,
            "exp2": lambda t: mpmath.power(2, t),
            "log": mpmath.log,
            "log2": lambda t: mpmath.log(t) / mpmath.log(2),
            "sin": mpmath.sin,
            "cos": mpmath.cos,
            "tanh": mpmath.tanh,
            "erf": mpmath.erf,
        }[name](point)
        if name == "log2" and math.frexp(x)[0] == 0.5:
            value = mpmath.mpf(math.frexp(x)[1] - 1)  # a power of two: the exact integer
        return rounded(exact(value), dtype)


def function64(name: str, x: float) -> float:
    """The f64 function by the steps of FUNC-2, checked against the exact value (FUNC-6)."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "numerics"))
    from test_numerics_steps import STEPS  # type: ignore[import-not-found]

    if math.isnan(x):
        return NAN
    value: float = STEPS[name](x)
    special = SPECIAL[name](x)
    if special is not None:
        assert struct.pack("d", special) == struct.pack("d", value) or math.isnan(special)
        return special
    best = function(name, x, "f64")
    if math.isfinite(best):
        steps = abs(Fraction(value) - Fraction(best)) / Fraction(math.ulp(best))
        assert steps <= 1, f"{name} {x}: {value} is {float(steps)} units from {best}"
    else:
        assert value == best
    return value


def any_function(name: str, x: float, dtype: str) -> float:
    if name == "sqrt":
        return sqrt(x, dtype)
    return function(name, x) if dtype == "f32" else function64(name, x)


# --- integers and conversion ----------------------------------------------------------------


def limits(dtype: str) -> tuple[int, int]:
    width = WIDTH[dtype]
    return (0, 2**width - 1) if dtype == "u32" else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)


def wrap(value: int, dtype: str) -> int:
    low, high = limits(dtype)
    return (value - low) % (high - low + 1) + low


def integer(op: str, a: int, b: int, dtype: str) -> int:
    """The integer operations, on Python's unbounded integers, wrapped at the end."""
    if op in ("shl", "shr"):
        count = b % WIDTH[dtype]
        return wrap(a << count if op == "shl" else a >> count, dtype)
    if op in ("idiv", "mod") and b == 0:
        return 0 if op == "idiv" else a
    table: dict[str, Callable[[int, int], int]] = {
        "add": lambda a, b: a + b,
        "mul": lambda a, b: a * b,
        "max": max,
        "idiv": lambda a, b: a // b,
        "mod": lambda a, b: a % b,
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
    }
    return wrap(table[op](a, b), dtype)


def cast(value: Any, source: str, target: str) -> Any:
    """CAST-1 to CAST-6."""
    if target == "bool":
        return value != 0
    if source == "bool":
        value = int(value)
    if target in FLOATS:
        if source in FLOATS:
            return number(value, target)
        return rounded(Fraction(value), target)
    if source in FLOATS:
        low, high = limits(target)
        if math.isnan(value):
            return 0
        return low if value < low else high if value > high else math.trunc(value)
    return wrap(value, target)


def to_bits(value: Any, dtype: str) -> int:
    """The bits as an unsigned integer; every NaN has the bits of LIT-15."""
    if dtype in FLOATS:
        if math.isnan(value):
            return 0x7FC00000 if dtype == "f32" else 0x7FF8000000000000
        form = ("f", "I") if dtype == "f32" else ("d", "Q")
        return int(struct.unpack("<" + form[1], struct.pack("<" + form[0], value))[0])
    return int(value) % 2 ** WIDTH[dtype]


def from_bits(bits: int, dtype: str) -> Any:
    if dtype in FLOATS:
        form = ("f", "I") if dtype == "f32" else ("d", "Q")
        return struct.unpack("<" + form[0], struct.pack("<" + form[1], bits))[0]
    return wrap(bits, dtype)


# --- folds ----------------------------------------------------------------------------------


def quick(op: str, a: float, b: float, dtype: str) -> float:
    """`add` or `mul` by the host's f64, for long folds; finite operands only.

    A product of two f32 is exact in f64. A sum of two f32 is rounded twice, which is harmless:
    53 digits are more than twice 24 and two (Figueroa).
    """
    value = a + b if op == "add" else a * b
    return number32(value) if dtype == "f32" else value


def number32(value: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return INF if value > 0 else -INF


def left_fold(step: Callable[[float, float], float], start: float, items: Sequence[float]) -> float:
    for item in items:
        start = step(start, item)
    return start


def lanes(op: str, items: Sequence[float], dtype: str) -> float:
    """FOLD-2 to FOLD-4."""
    identity = 0.0 if op == "add" else 1.0

    def step(a: float, b: float) -> float:
        return quick(op, a, b, dtype)

    if len(items) > 4096:
        chunks = [items[at : at + 4096] for at in range(0, len(items), 4096)]
        return lanes(op, [lanes(op, chunk, dtype) for chunk in chunks], dtype)
    if len(items) <= 32:
        return left_fold(step, identity, items)
    partial = [left_fold(step, identity, items[lane::32]) for lane in range(32)]
    for half in (16, 8, 4, 2, 1):
        partial = [step(partial[lane], partial[lane + half]) for lane in range(half)]
    return partial[0]


def inner(a: Sequence[float], b: Sequence[float], dtype: str) -> float:
    """MATMUL-1 to MATMUL-4: one element of a product."""
    blocks = []
    for start in range(0, len(a), 512):
        acc = 0.0
        for left, right in zip(a[start : start + 512], b[start : start + 512], strict=True):
            acc = fma(left, right, acc, dtype)
        blocks.append(acc)
    if not blocks:
        return 0.0
    return left_fold(lambda x, y: add(x, y, dtype), blocks[0], blocks[1:])
