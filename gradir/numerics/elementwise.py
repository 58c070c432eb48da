"""Elementwise operations whose bits NumPy's own leave to the processor, and casts.

Operands of a binary operation have one dtype and shapes that broadcast.  Results of NaN are
some NaN: `canonical_nan` fixes the bits where the language shows them.  Integer operations are
in integer.py.
"""

from __future__ import annotations

import numpy as np

_NAN_BITS = {
    np.dtype(np.float32): (np.uint32, 0x7FC00000),
    np.dtype(np.float64): (np.uint64, 0x7FF8000000000000),
}


def maximum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The larger; NaN if either is NaN; max(-0.0, +0.0) = +0.0."""
    a, b = np.asarray(a), np.asarray(b)
    with np.errstate(all="ignore"):
        larger = np.where(a > b, a, b)
        if a.dtype.kind == "f":
            larger = np.where((a == 0) & (b == 0), a + b, larger)  # only -0 + -0 is -0
            larger = np.where((a != a) | (b != b), a.dtype.type(np.nan), larger)
    return larger


def add(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a + b: one rounding on floats, modulo 2^width on integers."""
    with np.errstate(all="ignore"):
        return np.asarray(np.add(a, b))


def mul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a * b: one rounding on floats, modulo 2^width on integers."""
    with np.errstate(all="ignore"):
        return np.asarray(np.multiply(a, b))


def div(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The correctly rounded quotient of floats."""
    with np.errstate(all="ignore"):
        return np.asarray(np.divide(a, b))


def recip(x: np.ndarray) -> np.ndarray:
    """The correctly rounded 1 / x of floats."""
    x = np.asarray(x)
    with np.errstate(all="ignore"):
        return np.asarray(np.divide(x.dtype.type(1), x))


def sqrt(x: np.ndarray) -> np.ndarray:
    """The correctly rounded square root of floats."""
    with np.errstate(all="ignore"):
        return np.asarray(np.sqrt(x))


def canonical_nan(x: np.ndarray) -> np.ndarray:
    """x with every NaN replaced by the positive quiet NaN without payload."""
    x = np.asarray(x)
    if x.dtype.kind != "f":
        return x
    integer, bits = _NAN_BITS[x.dtype]
    flat = np.array(x, order="C").reshape(-1)
    flat.view(integer)[flat != flat] = bits
    return flat.reshape(x.shape)


def bitcast(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The same bits read as another type of the same width; NaN is made canonical first."""
    x, dtype = np.asarray(x), np.dtype(dtype)
    if x.dtype.itemsize != dtype.itemsize or "b" in (x.dtype.kind, dtype.kind):
        raise TypeError(f"bitcast from {x.dtype} to {dtype}: the widths differ or one is bool")
    flat = np.ascontiguousarray(canonical_nan(x)).reshape(-1)
    return canonical_nan(flat.view(dtype).reshape(x.shape))


def cast(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Convert values: CAST-1 to CAST-6 of the specification."""
    x, dtype = np.asarray(x), np.dtype(dtype)
    with np.errstate(all="ignore"):
        if dtype.kind == "b":
            return np.asarray(x != 0)
        if x.dtype.kind == "f" and dtype.kind in "iu":
            return _float_to_integer(x, dtype)
        return np.asarray(x.astype(dtype))


def _float_to_integer(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Truncate, saturate, NaN to 0; no value out of range ever reaches `astype`."""
    limits = np.iinfo(dtype)
    whole = np.trunc(x.astype(np.float64))
    too_large = whole >= float(limits.max) + (1.0 if dtype.itemsize == 4 else 0.0)
    too_small = whole < float(limits.min)
    inside = (whole == whole) & ~too_large & ~too_small
    result = np.where(inside, whole, 0.0).astype(np.int64).astype(dtype)
    result = np.where(too_large, dtype.type(limits.max), result)
    return np.where(too_small, dtype.type(limits.min), result)
