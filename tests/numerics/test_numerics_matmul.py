"""matmul bit for bit against one fma a term, in blocks of 512."""

import numpy as np
import pytest
from numerics_oracle import assert_same_bits

from gradir.numerics import fma, matmul

FLOATS = [np.float32, np.float64]
SHAPES = [
    (1, 1, 1),
    (5, 7, 3),
    (4, 511, 4),
    (4, 512, 4),
    (4, 513, 4),
    (3, 1024, 5),
    (3, 1500, 5),
    (2, 5000, 3),
    (200, 20, 200),
    (1, 3, 20000),
    (20000, 3, 1),
    (300, 600, 2),
]


def by_definition(a, b):
    """MATMUL-1 to MATMUL-4, vectorised over the result only."""
    total = None
    for first in range(0, a.shape[1], 512):
        accumulator = np.zeros((a.shape[0], b.shape[1]), a.dtype)
        for k in range(first, min(a.shape[1], first + 512)):
            accumulator = fma(a[:, k, None], b[k], accumulator)
        total = accumulator if total is None else total + accumulator
    return total


def operands(shape, dtype, seed=0):
    m, k, n = shape
    random = np.random.default_rng(seed)
    normal = [random.standard_normal(s).astype(dtype) for s in ((m, k), (k, n))]
    return random, *normal


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_random_operands(shape, dtype):
    random, a, b = operands(shape, dtype)
    assert_same_bits(matmul(a, b), by_definition(a, b))
    wide = [np.ldexp(v, random.integers(-30, 30, v.shape)).astype(dtype) for v in (a, b)]
    assert_same_bits(matmul(*wide), by_definition(*wide))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_few_bits_make_ties(shape, dtype):
    random, a, b = operands(shape, dtype, 1)
    places = 23 if dtype == np.float32 else 52

    def few_bits(v):
        significand = 1 + np.ldexp(1.0, -random.integers(1, places + 1, v.shape))
        scale = np.ldexp(1.0, random.integers(-places, places, v.shape))
        return (np.sign(v) * significand * scale).astype(dtype)

    few = few_bits(a), few_bits(b)
    assert_same_bits(matmul(*few), by_definition(*few))
    whole = np.rint(a * 8), np.rint(b * 8)
    assert_same_bits(matmul(*whole), by_definition(*whole))


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values(dtype):
    _, a, b = operands((6, 40, 5), dtype, 2)
    for value in (np.nan, np.inf, -np.inf, np.finfo(dtype).max, np.finfo(dtype).tiny, -0.0):
        special = a.copy()
        special[2, 3] = value
        with np.errstate(all="ignore"):
            expected = by_definition(special, b)
        assert_same_bits(matmul(special, b), expected)
    zero = -np.zeros((3, 4), dtype)
    assert_same_bits(matmul(zero, zero.T), np.zeros((3, 3), dtype))


@pytest.mark.parametrize(
    ("dtype", "scales"),
    [
        (np.float32, (1e-20, 1e-22)),
        (np.float32, (1e-30, 1e-12)),
        (np.float32, (1e20, 1e17)),
        (np.float64, (1e-160, 1e-150)),
        (np.float64, (1e-200, 1e-80)),
        (np.float64, (1e160, 1e146)),
    ],
)
def test_results_near_the_ends_of_the_range(dtype, scales):
    _, a, b = operands((4, 30, 5), dtype, 3)
    a, b = a * dtype(scales[0]), b * dtype(scales[1])
    with np.errstate(all="ignore"):
        assert_same_bits(matmul(a, b), by_definition(a, b))


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_step_that_double_rounding_gets_wrong(dtype):
    # 1 + 2^-p is a tie when rounded in two steps; the tiny rest must decide.
    places = 23 if dtype == np.float32 else 52
    half = 2.0 ** -(places + 1)
    a = np.array([[1, half, 1, 1 + 2.0**-places]], dtype)
    column = np.array([[1], [1], [half / 2], [half * (1 - 2.0**-places)]], dtype)
    b = np.repeat(column, 3, axis=1)
    b[1, 1] = 1 + 2.0**-places
    b[1, 2] = 1 - 2.0**-places
    assert_same_bits(matmul(a, b), by_definition(a, b))
    assert_same_bits(matmul(b.T, a.T), by_definition(b.T, a.T))


@pytest.mark.parametrize("dtype", [*FLOATS, np.int32])
def test_empty_operands(dtype):
    assert_same_bits(
        matmul(np.zeros((4, 0), dtype), np.zeros((0, 2), dtype)), np.zeros((4, 2), dtype)
    )
    assert matmul(np.zeros((0, 3), dtype), np.zeros((3, 2), dtype)).shape == (0, 2)
    assert matmul(np.zeros((5, 0, 3), dtype), np.zeros((5, 3, 2), dtype)).shape == (5, 0, 2)


@pytest.mark.parametrize("dtype", FLOATS)
def test_batches_and_layouts(dtype):
    random = np.random.default_rng(4)
    a = random.standard_normal((2, 3, 4, 5)).astype(dtype)
    b = random.standard_normal((2, 3, 6, 5)).astype(dtype).swapaxes(-1, -2)
    got = matmul(a, b)
    assert got.shape == (2, 3, 4, 6)
    for index in np.ndindex(2, 3):
        assert_same_bits(got[index], by_definition(a[index], b[index]))


def test_integers_wrap():
    a = np.array([[65536, 2**31 - 1]], np.int32)
    b = np.array([[65537], [2]], np.int32)
    assert_same_bits(matmul(a, b), np.array([[65536 - 2]], np.int32))
    a = np.array([[2**63 - 1, 5]], np.int64)
    assert_same_bits(matmul(a, a.T), np.array([[26]], np.int64))


def test_shapes_that_do_not_fit_are_refused():
    for a, b in (((2, 3), (2, 3)), ((3,), (3, 2)), ((1, 2, 3), (3, 2))):
        with pytest.raises(ValueError, match="matmul"):
            matmul(np.zeros(a), np.zeros(b))
