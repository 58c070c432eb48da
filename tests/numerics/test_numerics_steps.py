"""The f64 algorithms again, in Python floats, line by line as spec/numerics.md has them.

That the arrays of gradir.numerics give the same bits shows that the text is complete.
"""

import math

import numpy as np
import pytest
from numerics_oracle import assert_same_bits

from gradir.numerics import FUNCTIONS, coefficients, erf_table

T = {
    name: value.tolist() if isinstance(value, np.ndarray) else value
    for module in (coefficients, erf_table)
    for name, value in vars(module).items()
    if name.isupper()
}
INF, NAN = float("inf"), float("nan")


def h(x, c):
    y = c[-1]
    for coefficient in reversed(c[:-1]):
        y = y * x + coefficient
    return y


def two_sum(a, b):
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def fast_two_sum(a, b):
    s = a + b
    return s, b - (s - a)


def split(a):
    t = 134217729.0 * a
    high = t - (t - a)
    return high, a - high


def two_product(a, b):
    p = a * b
    (ah, al), (bh, bl) = split(a), split(b)
    return p, (((ah * bh - p) + ah * bl) + al * bh) + al * bl


def top(a):
    significand, exponent = math.frexp(a)
    return math.ldexp(math.trunc(significand * 2.0**26), exponent - 26)


def exp_parts(x):
    n = round(x * T["LOG2E_128"])
    r = (x - n * T["LN2_128_HI"]) - n * T["LN2_128_LO"]
    return table_parts(n, r + (r * r) * h(r, T["EXP_Q"]))


def table_parts(n, p):
    k, j = divmod(n, 128)
    return k, T["EXP_HI"][j], T["EXP_LO"][j] + T["EXP_HI"][j] * p


def scale(k, hi, lo):
    if k <= -1022:
        s, e = fast_two_sum(hi, lo)
        s, e = s * 2.0 ** (k + 1022), e * 2.0 ** (k + 1022)
        if s < 1:
            u, v = fast_two_sum(1.0, s)
            return ((u + (v + e)) - 1.0) * 2.0**-1022
    half = k // 2
    return ((hi + lo) * 2.0**half) * 2.0 ** (k - half)


def exp(x):
    return scale(*exp_parts(min(max(x, -746.0), 710.0)))


def exp2(x):
    x = min(max(x, -1076.0), 1024.0)
    n = round(x * 128)
    t = x - n * 2.0**-7
    return scale(*table_parts(n, t * T["LN2"] + (t * t) * h(t, T["EXP2_Q"])))


def log_parts(x):
    m, k = math.frexp(x)
    if m < 0.6875:
        m, k = 2 * m, k - 1
    if m < 1:
        j = math.floor((m - 0.6875) * 256)
    else:
        j = 80 + math.floor((m - 1) * 128)
    c = T["LOG_C"][j]
    return k, j, *two_sum(top(m) * c - 1, (m - top(m)) * c)


def log(x):
    if x == 0 or x == INF:
        return -INF if x == 0 else INF
    if x < 0:
        return NAN
    k, j, r, rl = log_parts(x)
    hi, lo = two_sum(k * T["LN2_HI"] + T["LOG_HI"][j], r)
    lo = lo + ((k * T["LN2_LO"] + T["LOG_LO"][j]) + rl)
    q = r * r
    return hi + (lo + ((r * q) * h(r, T["LOG_P"]) - 0.5 * q))


def log2(x):
    if x <= 0 or x == INF:
        return log(x)
    k, j, r, rl = log_parts(x)
    hi, lo = two_sum(k + T["LOG2_HI"][j], top(r) * T["LOG2E_26"])
    d = (r - top(r)) * T["LOG2E_26"] + (r * T["LOG2E_26_REST"] + rl * T["LOG2E"])
    lo = lo + (d + T["LOG2_LO"][j])
    q = r * r
    return hi + (lo + ((r * q) * h(r, T["LOG2_P"]) - (0.5 * T["LOG2E"]) * q))


def reduced(x):
    if abs(x) < 2.0**18:
        n = round(x * T["INVERSE_PI_64"])
        r1, e1 = two_sum(x - n * T["PI_64_1"], -(n * T["PI_64_2"]))
        r2, e2 = two_sum(r1, -(n * T["PI_64_3"]))
        return n, *two_sum(r2, (e1 + e2) - n * T["PI_64_4"])
    significand, exponent = math.frexp(abs(x))
    w = int(significand * 2.0**53) * T["INVERSE_PI_BITS"] << 1100
    w >>= 1100 + 1082 - (exponent - 53)
    n = (w + (1 << 191)) >> 192
    f = w - (n << 192)
    if x < 0:
        n, f = -n, -f
    fh = float(f)
    fl = float(f - int(fh)) * 2.0**-192
    fh *= 2.0**-192
    p, e = two_product(fh, T["PI_64_HI"])
    return n, *two_sum(p, e + (fh * T["PI_64_LO"] + fl * T["PI_64_HI"]))


def sin_of(n, r, rl):
    s, c = T["SIN_HI"][n % 128], T["SIN_HI"][(n + 32) % 128]
    z = r * r
    p, e = two_product(c, r)
    hi, lo = two_sum(s, p)
    lo = lo + (T["SIN_LO"][n % 128] + e)
    lo = lo + (c * (rl + (r * z) * h(z, T["SIN_S"])) + T["SIN_LO"][(n + 32) % 128] * r)
    return hi + (lo + s * (z * h(z, T["SIN_C"]) - r * rl))


def sin(x):
    if math.isinf(x):
        return NAN
    return x if x == 0 else sin_of(*reduced(x))


def cos(x):
    if math.isinf(x):
        return NAN
    n, r, rl = reduced(x)
    return sin_of(n + 32, r, rl)


def tanh(x):
    if x == 0 or math.copysign(1, x) < 0:
        return x if x == 0 else -tanh(-x)
    if x >= 20:
        return 1.0
    c, j = 0.0, 0
    if x >= 0.0625:
        e = math.frexp(x)[1] - 1
        i = int(16 * (x / 2.0**e - 1))
        c, j = 2.0**e * (1 + (i + 0.5) / 16), 16 * (e + 4) + i + 1
    d = x - c
    z = d * d
    t = d + (d * z) * h(z, T["TANH_T"])
    high, low = T["TANH_HI"][j], T["TANH_LO"][j]
    s = ((1 - high) - low) * (1 + high)
    return high + (low + (s * t) / (1 + high * t))


def erf(x):
    if x == 0 or math.copysign(1, x) < 0:
        return x if x == 0 else -erf(-x)
    if x < 0.25:
        z = x * x
        return x + x * (T["ERF_E"] + z * h(z, T["ERF_Z"]))
    if x >= 6:
        return 1.0
    j = round(x * 8)
    d = x - j * 0.125
    row = [T["ERF_P"][i][j] for i in range(12)]
    return T["ERF_HI"][j] + (T["ERF_LO"][j] + d * h(d, row))


STEPS = {
    "exp": exp,
    "exp2": exp2,
    "log": log,
    "log2": log2,
    "sin": sin,
    "cos": cos,
    "tanh": tanh,
    "erf": erf,
}


def arguments():
    random = np.random.default_rng(22)
    any_bits = random.integers(0, 1 << 64, 1500, dtype=np.uint64).view(np.float64)
    any_bits = any_bits[np.isfinite(any_bits)]
    scales = np.ldexp(random.uniform(-2, 2, 1500), random.integers(-70, 30, 1500))
    parts = [any_bits, scales, random.uniform(-1, 1, 500), random.uniform(-30, 30, 1500)]
    parts += [random.uniform(-1080, 1030, 1500), 1 + random.uniform(-0.05, 0.05, 500)]
    parts += [np.arange(-1200, 1200) / 8, [0.0, -0.0, INF, -INF, 2.0**18, 5e-324, -5e-324]]
    return np.concatenate(parts)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_steps_of_the_specification_give_these_bits(name):
    x = arguments()
    expected = np.array([STEPS[name](v) for v in x.tolist()], np.float64)
    assert_same_bits(FUNCTIONS[name](x), expected)
