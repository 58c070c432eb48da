"""maximum, cast, bitcast, canonical NaN, and the integer operations, against tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numerics_oracle import assert_same_bits, floats32, floats64

from gradir.numerics import (
    add,
    bitcast,
    canonical_nan,
    cast,
    div,
    idiv,
    maximum,
    mod,
    mul,
    recip,
    shl,
    shr,
    sqrt,
)

FLOATS = [np.float32, np.float64]
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("dtype", FLOATS)
def test_maximum_table(dtype):
    rows = [
        (1, 2, 2),
        (2, 1, 2),
        (-0.0, 0.0, 0.0),
        (0.0, -0.0, 0.0),
        (-0.0, -0.0, -0.0),
        (NAN, 1, NAN),
        (1, NAN, NAN),
        (NAN, INF, NAN),
        (-INF, -5, -5),
        (INF, -INF, INF),
    ]
    a, b, expected = (np.array(column, dtype) for column in zip(*rows, strict=True))
    assert_same_bits(maximum(a, b), expected)


def test_maximum_of_integers():
    a = np.array([-3, 5, 2**31 - 1], np.int32)
    b = np.array([-4, 6, -(2**31)], np.int32)
    assert_same_bits(maximum(a, b), np.array([-3, 6, 2**31 - 1], np.int32))


def test_cast_float_to_integer_at_the_edges():
    x = np.array([NAN, INF, -INF, 3e9, -3e9, 2147483647.0, -0.9, 2.9, -2.9], np.float32)
    top, bottom = 2**31 - 1, -(2**31)
    expected = [0, top, bottom, top, bottom, top, 0, 2, -2]
    assert_same_bits(cast(x, np.int32), np.array(expected, np.int32))
    assert_same_bits(
        cast(x, np.uint32),
        np.array([0, 2**32 - 1, 0, 3000000000, 0, 2147483648, 0, 2, 0], np.uint32),
    )
    x = np.array([1e20, -1e20, 2.0**63, -(2.0**63), 2.0**62, NAN, -1.5])
    expected = [2**63 - 1, -(2**63), 2**63 - 1, -(2**63), 2**62, 0, -1]
    assert_same_bits(cast(x, np.int64), np.array(expected, np.int64))
    x = np.array([2147483647.5, 2147483648.0, -2147483648.5, -2147483649.0, 2147483646.9])
    assert_same_bits(cast(x, np.int32), np.array([top, top, bottom, bottom, top - 1], np.int32))
    x = np.array([4294967295.5, 4294967296.0, -0.5, -1.0])
    assert_same_bits(cast(x, np.uint32), np.array([2**32 - 1, 2**32 - 1, 0, 0], np.uint32))


def test_cast_to_bool_is_not_equal_zero():
    x = np.array([0.5, -0.0, NAN, 1e-45, -1, 0], np.float32)
    assert_same_bits(cast(x, np.bool_), np.array([1, 0, 1, 1, 1, 0], np.bool_))
    assert_same_bits(cast(np.array([0, -7], np.int64), np.bool_), np.array([0, 1], np.bool_))


def test_cast_rounds_once_to_nearest_even():
    integers = np.array([2**24 + 1, 2**24 + 3, 2**63 - 1, 2**54 + 2**30 + 1], np.int64)
    expected = floats32(0x4B800000, 0x4B800002, 0x5F000000, 0x5A800001)
    assert_same_bits(cast(integers, np.float32), expected)
    doubles = np.array([1 + 2.0**-24, 1 + 2.0**-24 + 2.0**-52, 2.0**-150, 2.0**-149, 1e39])
    expected = floats32(0x3F800000, 0x3F800001, 0, 1, 0x7F800000)
    assert_same_bits(cast(doubles, np.float32), expected)
    assert_same_bits(cast(np.array([True, False]), np.float32), np.array([1, 0], np.float32))
    assert_same_bits(cast(np.array([2**32 - 1], np.uint32), np.float32), floats32(0x4F800000))


def test_cast_between_integers_wraps():
    x = np.array([2**31, -1, 2**32 + 5, -(2**63)], np.int64)
    assert_same_bits(cast(x, np.int32), np.array([-(2**31), -1, 5, 0], np.int32))
    assert_same_bits(cast(x, np.uint32), np.array([2**31, 2**32 - 1, 5, 0], np.uint32))
    assert_same_bits(
        cast(np.array([2**32 - 1], np.uint32), np.int64), np.array([2**32 - 1], np.int64)
    )


def test_nan_is_canonical_in_bitcast():
    x = floats32(0xFFC00001, 0x7F800001, 0x80000000, 0xFF800000)
    expected = np.array([0x7FC00000, 0x7FC00000, 0x80000000, 0xFF800000], np.uint32)
    assert_same_bits(bitcast(x, np.uint32), expected)
    np.testing.assert_array_equal(canonical_nan(x).view(np.uint32), expected)
    y = floats64(0xFFF8000000000000, 0x7FF0000000000001)
    np.testing.assert_array_equal(canonical_nan(y).view(np.uint64), [0x7FF8000000000000] * 2)
    back = bitcast(np.array([0x7F800001, 5], np.uint32), np.float32)
    np.testing.assert_array_equal(back.view(np.uint32), [0x7FC00000, 5])
    assert bitcast(np.float64(1.0), np.int64).shape == ()
    for wrong in (np.float64, np.bool_):
        with pytest.raises(TypeError):
            bitcast(x, wrong)


def test_canonical_nan_leaves_its_argument_alone():
    x = floats32(0xFFC00001)
    canonical_nan(x)
    assert x.view(np.uint32)[0] == 0xFFC00001


def test_division_root_and_reciprocal():
    x = np.array([0.0, -0.0, INF, 3.0, NAN, -1.0], np.float32)
    assert_same_bits(recip(x), np.array([INF, -INF, 0.0, np.float32(1) / 3, NAN, -1], np.float32))
    assert_same_bits(
        sqrt(x), np.array([0.0, -0.0, INF, np.float32(3) ** 0.5, NAN, NAN], np.float32)
    )
    assert_same_bits(div(np.float64(1), np.float64(-0.0)), np.array(-INF))


# Integers


def test_idiv_and_mod_for_mixed_signs():
    a = np.array([-7, 7, -7, 7, -1, 1, -5, 5], np.int32)
    b = np.array([2, 2, -2, -2, 3, -3, 3, -3], np.int32)
    q, r = idiv(a, b), mod(a, b)
    assert_same_bits(q, np.array([-4, 3, 3, -4, -1, -1, -2, -2], np.int32))
    assert_same_bits(r, np.array([1, 1, -1, -1, 2, -2, 1, -1], np.int32))
    np.testing.assert_array_equal(b * q + r, a)


def test_overflow_wraps():
    top = np.int32(2**31 - 1)
    y = add(top, np.int32(1))
    assert int(y) == -(2**31)
    assert bool(y < top)
    assert int(mul(np.int32(65536), np.int32(65537))) == 65536
    square = np.int64(3037000500)
    assert int(mul(square, square)) == -9223372036709301616
    assert int(mul(np.int32(-(2**31)), np.int32(-1))) == -(2**31)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_division_by_zero_and_by_minus_one(dtype):
    least = np.iinfo(dtype).min
    a = np.array([5, -5, 0, least, least, 7], dtype)
    b = np.array([0, 0, 0, -1, 0, -1], dtype)
    assert_same_bits(idiv(a, b), np.array([0, 0, 0, least, 0, -7], dtype))
    assert_same_bits(mod(a, b), np.array([5, -5, 0, 0, least, 0], dtype))


def _wrap(value, dtype):
    width = np.dtype(dtype).itemsize * 8
    value &= (1 << width) - 1
    if np.dtype(dtype).kind == "i" and value >> (width - 1):
        value -= 1 << width
    return value


def _operands(dtype):
    limits = np.iinfo(dtype)
    near = st.sampled_from([int(limits.min), int(limits.max), 0, 1, int(limits.max) // 2])
    some = st.integers(int(limits.min), int(limits.max)) | near | st.integers(0, 70)
    return st.tuples(st.just(dtype), some, some)


@given(st.one_of([_operands(t) for t in (np.int32, np.int64, np.uint32)]))
def test_integer_operations_are_pythons_modulo_the_width(case):
    dtype, a, b = case
    x, y = np.array(a, dtype), np.array(b, dtype)
    width = np.dtype(dtype).itemsize * 8
    assert int(idiv(x, y)) == _wrap(a // b if b else 0, dtype)
    assert int(mod(x, y)) == _wrap(a % b if b else a, dtype)
    assert int(shl(x, y)) == _wrap(a << (b % width), dtype)
    assert int(shr(x, y)) == _wrap(a >> (b % width), dtype)
    assert int(add(x, y)) == _wrap(a + b, dtype)
    assert int(mul(x, y)) == _wrap(a * b, dtype)
    for operation in (idiv, mod, shl, shr, add, mul, maximum):
        assert operation(x, y).dtype == dtype
