"""Integer operations of the language on i32, i64 and u32: flooring division and shifts.

Every operand pair has a result: nothing raises, warns or depends on the processor.
"""

from __future__ import annotations

import numpy as np


def idiv(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The quotient rounded down; 0 where b is 0; wraps at INT_MIN idiv -1."""
    a, b = np.asarray(a), np.asarray(b)
    with np.errstate(all="ignore"):
        quotient = np.floor_divide(a, _safe_divisor(b))
        if a.dtype.kind == "i":
            quotient = np.where(b == -1, np.negative(a), quotient)
        return np.where(b == 0, a.dtype.type(0), quotient)


def mod(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a - b * idiv(a, b), with the sign of b; the dividend where b is 0."""
    a, b = np.asarray(a), np.asarray(b)
    with np.errstate(all="ignore"):
        rest = np.remainder(a, _safe_divisor(b))
        return np.where(b == 0, a, rest)


def shl(a: np.ndarray, count: np.ndarray) -> np.ndarray:
    """a shifted left by count modulo the width."""
    a, count = np.asarray(a), np.asarray(count)
    unsigned = np.dtype(f"u{a.dtype.itemsize}")
    with np.errstate(all="ignore"):
        shifted = np.left_shift(a.astype(unsigned), _modulo_width(count, a.dtype, unsigned))
        return np.asarray(shifted.astype(a.dtype))


def shr(a: np.ndarray, count: np.ndarray) -> np.ndarray:
    """a shifted right by count modulo the width; arithmetic on signed types."""
    a, count = np.asarray(a), np.asarray(count)
    with np.errstate(all="ignore"):
        return np.asarray(np.right_shift(a, _modulo_width(count, a.dtype, a.dtype)))


def _safe_divisor(b: np.ndarray) -> np.ndarray:
    """b where NumPy may divide by it; 1 for 0 and -1, which the callers treat themselves."""
    unsafe = b == 0
    if b.dtype.kind == "i":
        unsafe = unsafe | (b == -1)
    return np.where(unsafe, b.dtype.type(1), b)


def _modulo_width(count: np.ndarray, dtype: np.dtype, to: np.dtype) -> np.ndarray:
    """The count's low bits: right for negative counts too, in two's complement."""
    return np.bitwise_and(count, count.dtype.type(8 * dtype.itemsize - 1)).astype(to)
