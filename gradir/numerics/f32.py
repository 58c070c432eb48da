"""exp, exp2, log, log2, sin, cos, tanh and erf on f32, correctly rounded.

Each function is a kernel on 1-d f32 arrays: the value in f64, to about 2^-52, and one rounding.
The few arguments whose value lies too close to half way between two f32 are listed in
exceptions.py, found by tools/fit_exceptions.py among all 2^32.  The `*_f64` functions are what
is rounded.
"""

from __future__ import annotations

import numpy as np

from gradir.numerics import coefficients as c
from gradir.numerics import f64
from gradir.numerics.angle import FAR32, reduce_far32
from gradir.numerics.exact import ROUND_INTEGER, Array, horner, two_sum
from gradir.numerics.exceptions import EXCEPTIONS, ODD

Parts = tuple[Array, ...]

_NAN = float("nan")
_INF = float("inf")
_SIGN = np.uint32(0x80000000)
_U = np.uint64


def _shifted_exponent(p: Array, t: Array) -> Array:
    """p times 2^n, where t is n + ROUND_INTEGER."""
    return (p.view(_U) + (t.view(_U) << _U(52))).view(np.float64)


def exp2_f64(x: Array) -> Array:
    d = np.where(x < -160, np.float32(-160), np.where(x > 130, np.float32(130), x))
    d = np.where(x == x, d, np.float32(0)).astype(np.float64)
    t = d + ROUND_INTEGER
    r = d - (t - ROUND_INTEGER)
    return np.where(x == x, _shifted_exponent(1.0 + r * horner(r, c.F32_EXP2), t), _NAN)


def exp_f64(x: Array) -> Array:
    d = np.where(x < -110, np.float32(-110), np.where(x > 90, np.float32(90), x))
    t, p = _exp_parts(np.where(x == x, d, np.float32(0)).astype(np.float64))
    return np.where(x == x, _shifted_exponent(1.0 + p, t), _NAN)


def _exp_parts(d: Array) -> Parts:
    """(t, p): e^d = 2^n (1 + p), t = n + ROUND_INTEGER."""
    t = d * c.LOG2E + ROUND_INTEGER
    n = t - ROUND_INTEGER
    r = (d - n * c.LN2_HI) - n * c.LN2_LO
    return t, r * horner(r, c.F32_EXP)


_SQRT_HALF = np.uint64(0x3FE6A09E667F3BCD)
_BIAS = np.uint64(1024 << 52)


def _log_parts(x: Array) -> Parts:
    """(k, f, s, R): x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt 2), s = f / (2 + f)."""
    bits = x.astype(np.float64).view(_U)
    shifted = bits - _SQRT_HALF + _BIAS
    k = ((shifted >> _U(52)) | _U(0x4330000000000000)).view(np.float64) - (2.0**52 + 1024)
    m = (bits - (shifted & _U(0xFFF0000000000000)) + _BIAS).view(np.float64)
    f = m - 1.0
    s = f / (m + 1.0)
    z = s * s
    return k, f, s, horner(z, c.F32_LOG) * z


def log_f64(x: Array) -> Array:
    k, f, s, rest = _log_parts(x)
    half_square = 0.5 * (f * f)
    correction = half_square - (s * (half_square + rest) + k * c.LN2_LO)
    return _log_special(x, k * c.LN2_HI - (correction - f))


def log2_f64(x: Array) -> Array:
    k, f, s, rest = _log_parts(x)
    half_square = 0.5 * (f * f)
    correction = half_square - s * (half_square + rest)
    large = f * c.LOG2E_29
    small = f * c.LOG2E_29_REST - correction * c.LOG2E
    high = k + large
    return _log_special(x, high + (((k - high) + large) + small))


def _log_special(x: Array, result: Array) -> Array:
    result = np.where(x == _INF, _INF, np.where(x == 0, -_INF, result))
    return np.where(x >= 0, result, _NAN)


def _sin_poly(r: Array) -> tuple[Array, Array]:
    z = r * r
    return z, (r * z) * horner(z, c.F32_SIN)


def _sin_or_cos(x: Array, shift: float) -> Array:
    """sin x for shift 0, cos x for shift 1/2, |x| < 2^26.

    With r = x - (n + shift) pi: sin x = (-1)^n sin r, cos x = (-1)^(n + 1) sin r.
    """
    d = x.astype(np.float64)
    t = (d * c.INVERSE_PI - shift) + ROUND_INTEGER
    n = (t - ROUND_INTEGER) + shift
    r = ((d - n * c.PI_1) - n * c.PI_2) - n * c.PI_3
    _, rest = _sin_poly(r)
    flip = t.view(_U) + _U(1 if shift else 0)
    result = ((r + rest).view(_U) ^ (flip << _U(63))).view(np.float64)
    return np.where(np.abs(x) < _INF, result, _NAN)


def sin_f64(x: Array) -> Array:
    result = np.where(x == 0, x.astype(np.float64), _sin_or_cos(x, 0.0))
    bits = x.view(np.uint32)
    lanes = _far(bits)
    if lanes.size:
        parity, r, r_low = reduce_far32(bits[lanes] & ~_SIGN)
        value = _sin_of_sum(r, r_low)
        sign = (parity << _U(63)) ^ ((bits[lanes] & _SIGN).astype(_U) << _U(32))
        result[lanes] = (value.view(_U) ^ sign).view(np.float64)
    return result


def cos_f64(x: Array) -> Array:
    result = _sin_or_cos(x, 0.5)
    lanes = _far(x.view(np.uint32))
    if lanes.size:
        parity, r, r_low = reduce_far32(x.view(np.uint32)[lanes] & ~_SIGN)
        u, u_low = two_sum(0.5 * c.PI_HI, -np.abs(r))  # cos r = sin(pi / 2 - |r|)
        u_low = u_low + (0.5 * c.PI_LO - np.where(r < 0.0, -r_low, r_low))
        value = _sin_of_sum(u, u_low)
        result[lanes] = (value.view(_U) ^ (parity << _U(63))).view(np.float64)
    return result


def _sin_of_sum(r: Array, r_low: Array) -> Array:
    """sin(r + r_low), |r_low| some 2^-53; 1 - 0.4 r^2 stands for cos r."""
    z, rest = _sin_poly(r)
    return r + (rest + r_low * (1.0 - z * 0.4))


def _far(bits: Array) -> Array:
    """The positions of finite elements of at least 2^26."""
    size = bits & ~_SIGN
    return np.nonzero((size >= FAR32) & (size < 0x7F800000))[0]


def tanh_f64(x: Array) -> Array:
    size = np.abs(x).astype(np.float64)
    inside = np.where(size < 10.0, size, 10.0)
    t, p = _exp_parts(inside + inside)
    power = _shifted_exponent(np.ones_like(p), t)
    scaled = power * p
    quotient = ((power - 1.0) + scaled) / ((power + 1.0) + scaled)
    quotient = np.where(size < 2.0**-13, size - size * (size * size) * (1 / 3), quotient)
    return np.where(x == x, np.copysign(quotient, x.astype(np.float64)), _NAN)


def erf_f64(x: Array) -> Array:
    return f64.erf(x.astype(np.float64))


BEFORE_ROUNDING = {
    "exp": exp_f64,
    "exp2": exp2_f64,
    "log": log_f64,
    "log2": log2_f64,
    "sin": sin_f64,
    "cos": cos_f64,
    "tanh": tanh_f64,
    "erf": erf_f64,
}


def rounded(name: str, x: Array) -> Array:
    """The function `name` of a 1-d f32 array, correctly rounded."""
    result = BEFORE_ROUNDING[name](x).astype(np.float32)
    bits = x.view(np.uint32)
    size = bits & ~_SIGN if name in ODD or name == "cos" else bits  # cos is even
    for argument, value in EXCEPTIONS[name]:
        lanes = size == argument
        if lanes.any():
            sign = bits[lanes] & _SIGN if name in ODD else np.uint32(0)
            result.view(np.uint32)[lanes] = np.uint32(value) ^ sign
    return result
