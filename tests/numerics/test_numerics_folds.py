"""reduce in its fixed order, bit for bit against one-element-at-a-time folds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numerics_oracle import assert_same_bits, floats32, lanes_fold, left_fold

from gradir.numerics import reduce_add, reduce_max, reduce_mul

FLOATS = [np.float32, np.float64]
LENGTHS = [0, 1, 2, 31, 32, 33, 63, 64, 65, 511, 512, 513, 4095, 4096, 4097, 4128, 4129]
LENGTHS += [8191, 8192, 8193, 12288 + 40, 33 * 4096, 33 * 4096 + 33]
OPERATIONS = {"add": (reduce_add, np.add, 0), "mul": (reduce_mul, np.multiply, 1)}
NAN, INF = float("nan"), float("inf")


def _terms(name, length, dtype, seed=0):
    random = np.random.default_rng(seed)
    if name == "mul":
        return (1 + 0.01 * random.standard_normal(length)).astype(dtype)
    return np.ldexp(random.standard_normal(length), random.integers(-20, 20, length)).astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("length", LENGTHS)
def test_fold_of_one_axis(length, name, dtype):
    reduce, operation, identity = OPERATIONS[name]
    x = _terms(name, length, dtype)
    start = dtype(identity)
    with np.errstate(all="ignore"):
        expected = lanes_fold(operation, x, start)
        strict = left_fold(operation, x, start)
    assert_same_bits(reduce(x, (0,)), np.asarray(expected))
    assert_same_bits(reduce(x, (0,), order="left"), np.asarray(strict))


SHAPES = [
    ((3, 70, 5), (1,)),
    ((70, 3), (0,)),
    ((3, 70), (1,)),
    ((5000, 3), (0,)),
    ((3, 5000), (1,)),
    ((4, 3, 50), (0, 2)),
    ((4, 3, 50), (0, 1)),
    ((4, 3, 50), (1, 2)),
    ((2, 3, 4, 5), (0, 3)),
    ((70, 2, 70), (0, 2)),
    ((2, 3), (0, 1)),
]


@pytest.mark.parametrize("order", ["lanes", "left"])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("shape", "axes"), SHAPES)
def test_several_axes_fold_in_row_major_order(shape, axes, dtype, order):
    x = _terms("add", int(np.prod(shape)), dtype).reshape(shape)
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    rows = np.ascontiguousarray(x.transpose(kept + list(axes)))
    rows = rows.reshape(*(shape[axis] for axis in kept), -1)
    expected = np.empty(rows.shape[:-1], dtype)
    fold = lanes_fold if order == "lanes" else left_fold
    for index in np.ndindex(expected.shape):
        expected[index] = fold(np.add, rows[index], dtype(0))
    assert_same_bits(reduce_add(x, axes, order), expected)
    # The memory layout of the operand must not matter.
    assert_same_bits(reduce_add(np.asfortranarray(x), axes, order), expected)
    padded = np.zeros((*shape[:-1], 2 * shape[-1]), dtype)
    padded[..., ::2] = x
    assert_same_bits(reduce_add(padded[..., ::2], axes, order), expected)


def test_left_order_is_the_sequential_sum():
    tenths = np.full(10, 0.1)
    assert float(reduce_add(tenths, (0,))) == 0.9999999999999999
    x = [-462914.25, -4450888, -3546839, 7919.85400391]
    x += [-3874966.25, -1358369.625, -420256.46875, -336801.9375]
    assert float(reduce_add(np.array(x, np.float32), (0,))) == -14443115.0
    assert float(reduce_add(np.array([1e8, 1, -1e8, 1], np.float32), (0,))) == 1.0
    million = np.full(1_000_000, np.float32(1 / 255))
    assert_same_bits(reduce_add(million, (0,), order="left"), floats32(0x457453B1)[0])
    rows = million.reshape(1000, 1000)
    assert_same_bits(reduce_add(rows, (0, 1), order="left"), floats32(0x457453B1)[0])


def test_a_sum_of_many_ones_is_exact():
    assert float(reduce_add(np.ones(1 << 25, np.float32), (0,))) == 2.0**25


@pytest.mark.parametrize("dtype", FLOATS)
def test_negative_zero_folds_into_the_identity(dtype):
    for length in (1, 40, 5000):
        assert_same_bits(reduce_add(np.full(length, -0.0, dtype), (0,)), np.asarray(dtype(0)))
    assert_same_bits(reduce_mul(np.full(1, -0.0, dtype), (0,)), np.asarray(dtype(-0.0)))
    assert_same_bits(reduce_add(np.array([-0.0, 1], dtype), ()), np.array([0, 1], dtype))
    assert_same_bits(reduce_mul(np.array([-0.0, 3], dtype), ()), np.array([-0.0, 3], dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values_and_subnormals_pass_through(dtype):
    tiny = np.finfo(dtype).smallest_subnormal
    assert_same_bits(reduce_add(np.full(100, tiny), (0,)), np.asarray(tiny * dtype(100)))
    for terms, expected in (([INF, 1], INF), ([INF, -INF], NAN), ([NAN, 1], NAN)):
        x = np.concatenate([np.array(terms, dtype), np.zeros(60, dtype)])
        assert_same_bits(reduce_add(x, (0,)), np.asarray(dtype(expected)))


def test_empty_reductions():
    x = np.zeros((0, 4), np.float32)
    assert_same_bits(reduce_add(x, (0,)), np.zeros(4, np.float32))
    assert_same_bits(reduce_mul(x, (0,)), np.ones(4, np.float32))
    assert_same_bits(reduce_max(x, (0,)), np.full(4, -INF, np.float32))
    for reduce in (reduce_add, reduce_mul, reduce_max):
        assert_same_bits(reduce(x, (1,)), np.zeros(0, np.float32))
    for dtype, least in ((np.int32, -(2**31)), (np.int64, -(2**63)), (np.uint32, 0)):
        empty = np.zeros((0,), dtype)
        assert_same_bits(reduce_add(empty, (0,)), np.asarray(dtype(0)))
        assert_same_bits(reduce_mul(empty, (0,)), np.asarray(dtype(1)))
        assert_same_bits(reduce_max(empty, (0,)), np.asarray(dtype(least)))


def test_integers_wrap():
    assert int(reduce_add(np.array([2**31 - 1, 1], np.int32), (0,))) == -(2**31)
    assert int(reduce_mul(np.array([65536, 65537], np.int32), (0,))) == 65536
    assert reduce_add(np.ones((2, 3), np.uint32), (1,)).dtype == np.uint32
    assert_same_bits(reduce_add(np.array([3, 4], np.int64), ()), np.array([3, 4], np.int64))


@pytest.mark.parametrize("dtype", FLOATS)
def test_max_table(dtype):
    rows = [
        ([-0.0, 0.0], 0.0),
        ([0.0, -0.0], 0.0),
        ([-0.0, -0.0], -0.0),
        ([NAN, INF], NAN),
        ([1, -NAN], NAN),
        ([-INF, -3], -3),
        ([-INF, -INF], -INF),
        ([-1, -2], -1),
        ([INF, 5], INF),
    ]
    x = np.array([row for row, _ in rows], dtype)
    expected = np.array([value for _, value in rows], dtype)
    assert_same_bits(reduce_max(x, (1,)), expected)
    assert_same_bits(reduce_max(x.T, (0,)), expected)
    assert_same_bits(reduce_max(expected, ()), expected)
    assert_same_bits(reduce_max(dtype(-2), ()), np.asarray(dtype(-2)))


@given(st.lists(st.floats(width=32), max_size=50))
def test_max_is_the_largest(values):
    x = np.array(values, np.float32)
    got = reduce_max(x, (0,))
    if any(v != v for v in values):
        assert got != got
    else:
        assert float(got) == max(values, default=-INF)


def test_an_unknown_order_is_refused():
    with pytest.raises(ValueError, match="lanes"):
        reduce_add(np.ones(3), (0,), order="pairwise")
