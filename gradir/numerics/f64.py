"""exp, exp2, log, log2, sin, cos, tanh and erf on f64: the algorithms of the specification.

Each function is a kernel on 1-d arrays.  Plain f64 operations in the order written here define
the bits (FUNC-2 and the sentences after it); nothing is fused.  Lanes that another formula
replaces may hold anything, so warnings are off in the caller.
"""

from __future__ import annotations

import numpy as np

from gradir.numerics import coefficients as c
from gradir.numerics import erf_table as e
from gradir.numerics.angle import reduce_angle
from gradir.numerics.exact import (
    ROUND_INTEGER,
    Array,
    fast_two_sum,
    horner,
    two_product,
    two_sum,
)

Parts = tuple[Array, ...]

_INF = float("inf")
_NAN = float("nan")
_SUBNORMAL_SCALE = float.fromhex("0x1p-1022")


def power_of_two(k: Array) -> Array:
    """2^k for integers k in -1022 .. 1023."""
    return ((k + 1023) << 52).view(np.float64)


def nearest_integer(t: Array) -> tuple[Array, Array]:
    """(n as f64, n as i64): t rounded to nearest even, |t| < 2^31."""
    shifted = t + ROUND_INTEGER
    return shifted - ROUND_INTEGER, shifted.view(np.int64) - np.int64(0x4338000000000000)


def _exp_parts(x: Array) -> Parts:
    """(k, hi, lo): e^x = 2^k (hi + lo), hi + lo in [0.99, 2); |x| < 800."""
    n, i = nearest_integer(x * c.LOG2E_128)
    r = (x - n * c.LN2_128_HI) - n * c.LN2_128_LO
    p = r + (r * r) * horner(r, c.EXP_Q)
    return _times_table(i, p)


def _times_table(i: Array, p: Array) -> Parts:
    j = i & 127
    high = c.EXP_HI[j]
    return i >> 7, high, c.EXP_LO[j] + high * p


def _scaled(k: Array, high: Array, low: Array) -> Array:
    """2^k (high + low), rounded once more only where it is subnormal."""
    half = k >> 1
    result = ((high + low) * power_of_two(half)) * power_of_two(k - half)
    tiny = k <= -1022
    if tiny.any():
        # In units of 2^-1022 the subnormal grid is that of the numbers in [1, 2).
        unit = power_of_two(np.where(tiny, k + 1022, 0))
        s, rest = fast_two_sum(high, low)
        s, rest = s * unit, rest * unit
        one_more, lost = fast_two_sum(1.0, s)
        rounded = ((one_more + (lost + rest)) - 1.0) * _SUBNORMAL_SCALE
        result = np.where(tiny & (s < 1.0), rounded, result)
    return result


def exp(x: Array) -> Array:
    inside = np.where(x > 710.0, 710.0, np.where(x < -746.0, -746.0, x))
    result = _scaled(*_exp_parts(np.where(x == x, inside, 0.0)))
    return np.where(x == x, result, _NAN)


def exp2(x: Array) -> Array:
    inside = np.where(x > 1024.0, 1024.0, np.where(x < -1076.0, -1076.0, x))
    inside = np.where(x == x, inside, 0.0)
    n, i = nearest_integer(inside * 128.0)
    t = inside - n * 0.0078125
    p = t * c.LN2 + (t * t) * horner(t, c.EXP2_Q)
    result = _scaled(*_times_table(i, p))
    return np.where(x == x, result, _NAN)


def _log_parts(x: Array) -> Parts:
    """(k, j, r, r_low): x = 2^k (1 + r + r_low) / c_j, exactly; x positive and finite."""
    small = x < _SUBNORMAL_SCALE
    bits = np.where(small, x * 2.0**54, x).view(np.int64)
    offset = bits - np.int64(0x3FE6000000000000)
    j = (offset >> 45) & 127
    k = offset >> 52
    m = (bits - (k << 52)).view(np.float64)
    k = k - np.where(small, 54, 0)
    centre = c.LOG_C[j]
    m_high = (m.view(np.int64) & np.int64(-(1 << 27))).view(np.float64)
    r, r_low = two_sum(m_high * centre - 1.0, (m - m_high) * centre)
    return k.astype(np.float64), j, r, r_low


def _log_special(x: Array, result: Array) -> Array:
    result = np.where(x == 0.0, -_INF, result)
    return np.where(x > 0.0, np.where(x == _INF, _INF, result), np.where(x == 0.0, result, _NAN))


def _positive(x: Array) -> Array:
    return np.where((x > 0.0) & (x < _INF), x, 1.0)


def log(x: Array) -> Array:
    k, j, r, r_low = _log_parts(_positive(x))
    high, low = two_sum(k * c.LN2_HI + c.LOG_HI[j], r)
    low = low + ((k * c.LN2_LO + c.LOG_LO[j]) + r_low)
    square = r * r
    result = high + (low + ((r * square) * horner(r, c.LOG_P) - 0.5 * square))
    return _log_special(x, result)


def log2(x: Array) -> Array:
    k, j, r, r_low = _log_parts(_positive(x))
    r_top = (r.view(np.int64) & np.int64(-(1 << 27))).view(np.float64)
    high, low = two_sum(k + c.LOG2_HI[j], r_top * c.LOG2E_26)
    rest = (r - r_top) * c.LOG2E_26 + (r * c.LOG2E_26_REST + r_low * c.LOG2E)
    low = low + (rest + c.LOG2_LO[j])
    square = r * r
    result = high + (low + ((r * square) * horner(r, c.LOG2_P) - (0.5 * c.LOG2E) * square))
    return _log_special(x, result)


def _sin_phase(x: Array, phase: int) -> Array:
    """sin(x + phase pi / 64), phase a multiple of 32."""
    n, r, r_low = reduce_angle(x)
    j = (n + phase) & 127
    i = (j + 32) & 127
    sine, cosine = c.SIN_HI[j], c.SIN_HI[i]
    z = r * r
    product, product_low = two_product(cosine, r)
    high, low = two_sum(sine, product)
    low = low + (c.SIN_LO[j] + product_low)
    low = low + (cosine * (r_low + (r * z) * horner(z, c.SIN_S)) + c.SIN_LO[i] * r)
    result = high + (low + sine * (z * horner(z, c.SIN_C) - r * r_low))
    return np.where(np.abs(x) < _INF, result, _NAN)


def sin(x: Array) -> Array:
    return np.where(x == 0.0, x, _sin_phase(x, 0))


def cos(x: Array) -> Array:
    return _sin_phase(x, 32)


def tanh(x: Array) -> Array:
    """By the addition theorem from the middle c of an interval: tanh(c + h)."""
    size = np.abs(x)
    inside = np.where(size < 20.0, size, 20.0)
    top = inside.view(np.int64) >> 48  # exponent and the first four bits of the significand
    far = inside >= 0.0625
    j = np.where(far, top - 0x3FAF, 0)
    middle = ((top << 48) + (1 << 47)).view(np.float64)
    h = inside - np.where(far, middle, 0.0)
    z = h * h
    t = h + (h * z) * horner(z, c.TANH_T)
    high, low = c.TANH_HI[j], c.TANH_LO[j]
    slope = ((1.0 - high) - low) * (1.0 + high)
    result = high + (low + (slope * t) / (1.0 + high * t))
    result = np.where(size < 20.0, result, 1.0)
    return np.where(x == x, np.copysign(result, x), _NAN)


def erf(x: Array) -> Array:
    size = np.abs(x)
    z = size * size
    near_zero = size + size * (e.ERF_E + z * horner(z, e.ERF_Z))
    inside = np.where(size < 6.0, size, 6.0)
    n, j = nearest_integer(inside * 8.0)
    h = inside - n * 0.125
    p = e.ERF_P[11][j] * h + e.ERF_P[10][j]
    for row in e.ERF_P[9::-1]:
        p = p * h + row[j]
    result = e.ERF_HI[j] + (e.ERF_LO[j] + h * p)
    result = np.where(size < 0.25, near_zero, np.where(size < 6.0, result, 1.0))
    return np.where(x == x, np.copysign(result, x), _NAN)
