"""Error-free transformations on f64 arrays, and the frame in which every function here runs.

`two_sum` and `two_product` return a rounded result and its exact error (Knuth, Dekker).  Only
IEEE basic operations are used, so the bits do not depend on the processor.  Nothing here scales:
callers keep away from overflow, and from products whose error would be below 2^-1074.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Operand = Any  # an array or a float

SPLITTER = 134217729.0  # 2^27 + 1
ROUND_INTEGER = float.fromhex("0x1.8p52")  # adding it leaves the nearest integer in the low bits
BLOCK = 8192  # elements a pass: the temporaries stay in the cache


def two_sum(a: Operand, b: Operand) -> tuple[Array, Array]:
    """(s, e): s = a + b rounded, s + e = a + b exactly."""
    s = a + b
    part = s - a
    return s, (a - (s - part)) + (b - part)


def fast_two_sum(a: Operand, b: Operand) -> tuple[Array, Array]:
    """`two_sum` for |a| >= |b| (or a = 0 = b)."""
    s = a + b
    return s, b - (s - a)


def split(a: Operand) -> tuple[Array, Array]:
    """(high, low): a = high + low, both of at most 26 bits."""
    scaled = SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high


def two_product(a: Operand, b: Operand) -> tuple[Array, Array]:
    """(p, e): p = a * b rounded, p + e = a * b exactly."""
    p = a * b
    a_high, a_low = split(a)
    b_high, b_low = split(b)
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


def horner(x: Array, coefficients: Array | Sequence[Any]) -> Array:
    """c[0] + x (c[1] + x (c[2] + ...)), each operation rounded."""
    result = coefficients[-1] * x + coefficients[-2]
    for c in coefficients[-3::-1]:
        result = result * x + c
    return result


def in_blocks(kernel: Callable[[Array], Array], x: Array) -> Array:
    """Apply an elementwise kernel for 1-d arrays to an array of any shape."""
    flat = np.ascontiguousarray(x).reshape(-1)
    result = np.empty_like(flat)
    with np.errstate(all="ignore"):
        for start in range(0, flat.size, BLOCK):
            part = slice(start, start + BLOCK)
            result[part] = kernel(flat[part])
    return result.reshape(np.shape(x))
