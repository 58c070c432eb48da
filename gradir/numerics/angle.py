"""Argument reduction of sin and cos: x = n pi / 64 + r (SIN-2, SIN-3).

f64 below 2^18: four parts of pi / 64, the first three products exact.  Beyond: the bits of
1 / pi that matter, in exact integers.  f32 from 2^26: 1 / pi cut to exact products, in f64.
"""

from __future__ import annotations

import numpy as np

from gradir.numerics import coefficients as c
from gradir.numerics.exact import ROUND_INTEGER, Array, two_product, two_sum

NEAR = 262144.0  # 2^18
_FRACTION = 192  # bits kept after the point
_TABLE_SHIFT = 1280 - 6  # INVERSE_PI_BITS / 2^this is 64 / pi


def reduce_angle(x: Array) -> tuple[Array, Array, Array]:
    """(n, r, r_low): x = n pi / 64 + (r + r_low), n an i64 known modulo 128, |r| <= pi / 128.

    Elements that are not finite give anything.
    """
    far = ~(np.abs(x) < NEAR)
    inside = np.where(far, 0.0, x)
    shifted = inside * c.INVERSE_PI_64 + ROUND_INTEGER
    n = shifted - ROUND_INTEGER
    r1, low1 = two_sum(inside - n * c.PI_64_1, -(n * c.PI_64_2))
    r2, low2 = two_sum(r1, -(n * c.PI_64_3))
    r, r_low = two_sum(r2, (low1 + low2) - n * c.PI_64_4)
    count = shifted.view(np.int64) & np.int64(127)
    if far.any():
        lanes = np.nonzero(far & (np.abs(x) < np.inf))[0]
        parts = [_fraction_of_turn(v) for v in x[lanes].tolist()]
        if parts:
            turns, high, low = (np.array(column) for column in zip(*parts, strict=True))
            product, product_low = two_product(high, c.PI_64_HI)
            product_low = product_low + (high * c.PI_64_LO + low * c.PI_64_HI)
            count[lanes] = turns
            r[lanes], r_low[lanes] = two_sum(product, product_low)
    return count, r, r_low


def _fraction_of_turn(x: float) -> tuple[int, float, float]:
    """(n mod 128, high, low): 64 x / pi = n + high + low with the fraction cut to 192 bits."""
    significand, denominator = x.as_integer_ratio()  # |x| >= 2^18: the denominator is small
    product = abs(significand) * c.INVERSE_PI_BITS
    scaled = product >> (_TABLE_SHIFT - _FRACTION + denominator.bit_length() - 1)
    n = (scaled + (1 << (_FRACTION - 1))) >> _FRACTION
    rest = scaled - (n << _FRACTION)
    if x < 0:
        n, rest = -n, -rest
    high = float(rest)
    low = float(rest - int(high))
    unit = 2.0**-_FRACTION
    return n & 127, high * unit, low * unit


# f32 from 2^26: (2^k / pi) mod 2 for the exponents k of the last significand bit, cut into
# three pieces of at most 26 bits, so that their products with 24 bits are exact, and the rest.

FAR32 = 0x4C800000  # the bits of 2^26
_FIRST_EXPONENT = 150  # biased exponent whose last significand bit is worth 2^0


def _pi_table() -> Array:
    bits = 1280
    rows = np.empty((255 - _FIRST_EXPONENT, 4))
    for k in range(rows.shape[0]):
        rest = (c.INVERSE_PI_BITS << k) & ((1 << (bits + 1)) - 1)
        for column, place in enumerate((25, 51, 77)):
            piece = rest >> (bits - place)
            rest -= piece << (bits - place)
            rows[k, column] = piece * 2.0**-place
        rows[k, 3] = rest / (1 << bits)
    return rows


_PI_TABLE = _pi_table()


def reduce_far32(bits: Array) -> tuple[Array, Array, Array]:
    """(parity, r, r_low): |x| = n pi + (r + r_low) for f32 bits of finite |x| >= 2^26.

    The lowest bit of `parity` (an u64) is that of n.
    """
    exponent = (bits >> np.uint32(23)).astype(np.int64)
    significand = ((bits & np.uint32(0x7FFFFF)) | np.uint32(0x800000)).astype(np.float64)
    table = _PI_TABLE[exponent - _FIRST_EXPONENT]
    turn = significand * table[:, 0]
    first = turn + ROUND_INTEGER
    turn = (turn - (first - ROUND_INTEGER)) + significand * table[:, 1]
    second = turn + ROUND_INTEGER
    turn = turn - (second - ROUND_INTEGER)
    high, low = two_sum(turn, significand * table[:, 2])
    low = low + significand * table[:, 3]
    r, r_low = two_product(high, np.float64(c.PI_HI))
    r_low = (r_low + high * c.PI_LO) + low * c.PI_HI
    return first.view(np.uint64) + second.view(np.uint64), r, r_low
