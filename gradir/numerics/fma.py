"""Fused multiply-add on f32 and f64 arrays: a * b + c with a single rounding (FMA-1 to FMA-3).

f32: the product is exact in f64; the sum is rounded to odd in f64, which has enough bits more
than f32 that rounding it again is harmless.  f64: Boldo and Melquiond's scheme, the last two
of four error-free parts added by rounding to odd.  Where a product's error could fall below
2^-1074, or a step overflow, the element is computed in exact integers instead.
"""

from __future__ import annotations

import numpy as np

from gradir.numerics.exact import BLOCK, Array, two_product, two_sum

# |a|, |b| and |c| below this, |a * b| below 2^1000 and not below 2^-960: nothing over- or
# underflows in the f64 scheme.
_LARGE = float.fromhex("0x1p+990")
_PRODUCT_LARGE = float.fromhex("0x1p+1000")
_PRODUCT_SMALL = float.fromhex("0x1p-960")
_F32_NORMAL = float.fromhex("0x1p-126")
_ONE = np.uint64(1)


def fma(a: Array, b: Array, c: Array) -> Array:
    """a * b + c rounded once; operands of one float dtype, shapes that broadcast."""
    a, b, c = np.broadcast_arrays(a, b, c)
    if not (a.dtype == b.dtype == c.dtype and a.dtype in _KERNELS):
        raise TypeError(f"fma takes one float dtype, not {a.dtype}, {b.dtype} and {c.dtype}")
    kernel = _KERNELS[a.dtype]
    flat = [np.ascontiguousarray(v).reshape(-1) for v in (a, b, c)]
    result = np.empty_like(flat[0])
    with np.errstate(all="ignore"):
        for start in range(0, result.size, BLOCK):
            part = slice(start, start + BLOCK)
            result[part] = kernel(*(v[part] for v in flat))
    return result.reshape(a.shape)


def round_to_odd(s: Array, error: Array) -> Array:
    """The f64 with an odd last bit next to s + error, where error != 0 and s is even; else s.

    s is finite and the rounded sum whose error is `error`.
    """
    bits = s.view(np.uint64)
    even = (bits & _ONE) == 0
    away = (bits ^ error.view(np.uint64)) >> np.uint64(63) == 0  # |s + error| > |s|
    step = np.where(away, _ONE, ~np.uint64(0))
    return np.where((error != 0) & even, bits + step, bits).view(np.float64)


def _fma32(a: Array, b: Array, c: Array) -> Array:
    product = a.astype(np.float64) * b.astype(np.float64)  # exact: 48 bits
    s, error = two_sum(product, c.astype(np.float64))
    odd = round_to_odd(s, np.where(np.isfinite(s), error, 0.0))
    return odd.astype(np.float32)


def _fma64(a: Array, b: Array, c: Array) -> Array:
    product = a * b
    magnitude = np.abs(product)
    plain = (np.abs(a) < _LARGE) & (np.abs(b) < _LARGE) & (np.abs(c) < _LARGE)
    plain &= (magnitude < _PRODUCT_LARGE) & (magnitude >= _PRODUCT_SMALL) & (c != 0)
    result = _fma64_plain(a, b, c)
    if plain.all():
        return result
    rest = np.nonzero(~plain)[0]
    result[rest] = _fma64_special(a[rest], b[rest], c[rest])
    return result


def _fma64_plain(a: Array, b: Array, c: Array) -> Array:
    product, product_error = two_product(a, b)
    t_high, t_low = two_sum(c, product_error)
    v_high, v_low = two_sum(product, t_high)
    return v_high + round_to_odd(*two_sum(t_low, v_low))


def _fma64_special(a: Array, b: Array, c: Array) -> Array:
    """Non-finite operands, zeros, and magnitudes that the plain scheme cannot take."""
    finite = np.isfinite(a) & np.isfinite(b)
    result = np.where(finite & ~np.isfinite(c), c, a * b + c)
    zero_product = (a == 0) | (b == 0)
    result = np.where((c == 0) & ~zero_product, a * b, result)
    hard = finite & np.isfinite(c) & ~zero_product & (c != 0)
    for i in np.nonzero(hard)[0]:
        result[i] = _exact(float(a[i]), float(b[i]), float(c[i]))
    return result


def _exact(a: float, b: float, c: float) -> float:
    """a * b + c in integers, rounded once; finite nonzero operands."""
    (a_top, a_scale), (b_top, b_scale), (c_top, c_scale) = map(_integer_parts, (a, b, c))
    product, product_scale = a_top * b_top, a_scale + b_scale
    scale = min(product_scale, c_scale)
    total = (product << (product_scale - scale)) + (c_top << (c_scale - scale))
    return _round_scaled(total, scale)


def _integer_parts(x: float) -> tuple[int, int]:
    """(n, e): x = n * 2^e."""
    numerator, denominator = x.as_integer_ratio()
    if denominator != 1:
        return numerator, 1 - denominator.bit_length()
    return numerator, 0


def _round_scaled(n: int, scale: int) -> float:
    """n * 2^scale to the nearest f64, ties to even, subnormals and overflow included."""
    magnitude = abs(n)
    drop = max(magnitude.bit_length() - 53, -1074 - scale, 0)
    kept = magnitude >> drop
    lost = magnitude - (kept << drop)
    half = (1 << drop) >> 1
    if drop and (lost > half or (lost == half and kept & 1)):
        kept += 1
    exponent = scale + drop
    if kept and kept.bit_length() + exponent > 1024:
        value = float("inf")
    else:
        value = _scaled(kept, exponent)
    return -value if n < 0 else value


def _scaled(n: int, exponent: int) -> float:
    """n * 2^exponent, which is an f64."""
    return float(n << exponent) if exponent >= 0 else n / (1 << -exponent)


_KERNELS = {np.dtype(np.float32): _fma32, np.dtype(np.float64): _fma64}
