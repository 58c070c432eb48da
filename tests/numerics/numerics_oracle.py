"""What the tests of gradir.numerics compare with: slow definitions, exact or straight from the
specification, that share no code with the package."""

from fractions import Fraction

import mpmath
import numpy as np

UNSIGNED = {np.dtype(np.float32): np.uint32, np.dtype(np.float64): np.uint64}
PRECISION = {np.dtype(np.float32): (24, -149), np.dtype(np.float64): (53, -1074)}
EXACT = {
    "exp": mpmath.exp,
    "exp2": lambda x: mpmath.power(2, x),
    "log": mpmath.log,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tanh": mpmath.tanh,
    "erf": mpmath.erf,
}
INF = float("inf")


def bits(x):
    """The bits as integers, every NaN as one."""
    x = np.asarray(x)
    if x.dtype.kind != "f":
        return x
    plain = np.where(np.isnan(x), x.dtype.type(np.nan), x)
    return np.ascontiguousarray(plain).view(UNSIGNED[x.dtype])


def assert_same_bits(actual, expected):
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    np.testing.assert_array_equal(bits(actual), bits(expected))


def floats32(*patterns):
    return np.array(patterns, np.uint32).view(np.float32)


def floats64(*patterns):
    return np.array(patterns, np.uint64).view(np.float64)


def nearest(value: mpmath.mpf, dtype):
    """An mpf to the nearest float, ties to even, subnormals and overflow included."""
    if mpmath.isnan(value) or mpmath.isinf(value):
        return np.dtype(dtype).type(float(value))
    precision, least = PRECISION[np.dtype(dtype)]
    sign, mantissa, exponent, _ = value._mpf_
    drop = max(mantissa.bit_length() - precision, least - exponent, 0)
    kept, lost = mantissa >> drop, mantissa & ((1 << drop) - 1)
    if drop and 2 * lost + (kept & 1) > 1 << drop:
        kept += 1
    with np.errstate(over="ignore"):
        size = np.dtype(dtype).type(float(mpmath.ldexp(kept, exponent + drop)))
    return -size if sign else size


def exact(name, x):
    """The function's value with some 300 bits beyond what the argument asks for."""
    with mpmath.workprec(400):
        return EXACT[name](mpmath.mpf(float(x)))


def rounded_exact(name, x):
    """The correctly rounded values for an array of finite arguments in the domain."""
    values = [nearest(exact(name, v), x.dtype) for v in x.ravel()]
    return np.array(values, x.dtype).reshape(x.shape)


def ulps(name, x, y):
    """|y - exact| for scalars, in units of the last place of the exact value."""
    value = exact(name, x)
    if value == 0:
        return 0.0 if y == 0 else INF
    exponent = max(value.exp + value.bc - 53, -1074)
    with mpmath.workprec(400):
        return float(abs(mpmath.mpf(float(y)) - value) / mpmath.ldexp(1, exponent))


def exact_fma(a, b, c):
    """Finite f64 scalars, the result not zero and in the normal range."""
    return float(Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)))


def left_fold(operation, terms, start):
    for term in terms:
        start = operation(start, term)
    return start


def lanes_fold(operation, terms, start):
    """FOLD-2 to FOLD-4, one element at a time."""
    terms = list(terms)
    if len(terms) <= 32:
        return left_fold(operation, terms, start)
    if len(terms) <= 4096:
        lanes = [start] * 32
        for i, term in enumerate(terms):
            lanes[i % 32] = operation(lanes[i % 32], term)
        for half in (16, 8, 4, 2, 1):
            for lane in range(half):
                lanes[lane] = operation(lanes[lane], lanes[lane + half])
        return lanes[0]
    chunks = [terms[i : i + 4096] for i in range(0, len(terms), 4096)]
    return lanes_fold(operation, [lanes_fold(operation, c, start) for c in chunks], start)
