"""Float texts to bits and back, against NumPy and exact arithmetic."""

from __future__ import annotations

import random
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradir.text.literals import float_bits, format_float

READS = [
    ("1e-40", 32, 0x000116C2),
    ("0x1p-149", 32, 0x00000001),
    ("7e-46", 32, 0x00000000),
    ("7.1e-46", 32, 0x00000001),
    ("0x1p-150", 32, 0x00000000),
    ("0x1.000001p-150", 32, 0x00000001),
    ("3.4028235e38", 32, 0x7F7FFFFF),
    ("3.4028235677973366e38", 32, 0x7F7FFFFF),
    ("0x1.fffffefp+127", 32, 0x7F7FFFFF),
    ("3.141592653589793", 32, 0x40490FDB),
    ("3.141592653589793", 64, 0x400921FB54442D18),
    ("1.0", 32, 0x3F800000),
    ("2", 32, 0x40000000),
    ("0x10", 64, 0x4030000000000000),
    ("-0.0", 32, 0x80000000),
    ("-0.0", 64, 0x8000000000000000),
    ("inf", 32, 0x7F800000),
    ("-inf", 64, 0xFFF0000000000000),
    ("nan", 32, 0x7FC00000),
    ("nan", 64, 0x7FF8000000000000),
    ("16777217.0", 32, 0x4B800000),  # a tie, to even
    ("16777219.0", 32, 0x4B800002),
    ("16777217.0000000000000000001", 32, 0x4B800001),  # the nearest binary64 is the tie
    ("16777216.9999999999999999999", 32, 0x4B800000),
    ("0x1.000001000000000000001p0", 32, 0x3F800001),
    ("0x1.0000010000000p0", 32, 0x3F800000),
    ("1e-99999999999999999999", 32, 0),
    ("0x1p-99999999999999999999", 64, 0),
    ("0e99999999999999999999", 32, 0),
    ("0." + "0" * 900 + "1e901", 32, 0x3F800000),
]


@pytest.mark.parametrize(("text", "width", "bits"), READS)
def test_reads(text: str, width: int, bits: int) -> None:
    assert float_bits(text, width) == bits
    assert float_bits(format_float(bits, width), width) == bits


TOO_LARGE = [
    ("3.4028235677973367e38", 32),
    ("0x1.ffffffp+127", 32),
    ("0x1p128", 32),
    ("-1e39", 32),
    ("1e309", 64),
    ("1.7976931348623159e308", 64),
    ("0x1p1024", 64),
    ("0x1p99999999999999999999", 32),
    ("9" * 400, 64),
]


@pytest.mark.parametrize(("text", "width"), TOO_LARGE)
def test_finite_text_is_never_infinite(text: str, width: int) -> None:
    with pytest.raises(ValueError, match=f"too large for f{width}"):
        float_bits(text, width)


WRITES = [
    (0x3F800000, 32, "1.0"),
    (0x3DCCCCCD, 32, "0.1"),
    (0x00000001, 32, "1e-45"),
    (0x7F7FFFFF, 32, "3.4028235e38"),
    (0x40490FDB, 32, "3.1415927"),
    (0x3F317218, 32, "0.6931472"),
    (0x80000000, 32, "-0.0"),
    (0xBF000000, 32, "-0.5"),
    (0x38D1B717, 32, "0.0001"),
    (0x3727C5AC, 32, "1e-5"),
    (0x4B800000, 32, "16777216.0"),
    (0x0F800000, 32, "1.2621775e-29"),  # 2^-96: the nearest eight digits would do above only
    (0x7F800000, 32, "inf"),
    (0xFF800000, 32, "-inf"),
    (0xFFC12345, 32, "nan"),
    (0x3FB999999999999A, 64, "0.1"),
    (0x0000000000000001, 64, "5e-324"),
    (0x4341C37937E08000, 64, "1e16"),
    (0x430C6BF526340000, 64, "1000000000000000.0"),
    (0x7FEFFFFFFFFFFFFF, 64, "1.7976931348623157e308"),
    (0xFFF8000000000001, 64, "nan"),
]


@pytest.mark.parametrize(("bits", "width", "text"), WRITES)
def test_writes(bits: int, width: int, text: str) -> None:
    assert format_float(bits, width) == text


FORM = re.compile(r"-?(?:\d+\.\d+(?:e-?\d+)?|\d+e-?\d+)")


def significant(text: str) -> int:
    return len(text.split("e")[0].replace(".", "").strip("-0"))


def some_bits(width: int) -> list[int]:
    """Powers of two and their neighbours, subnormals, and random bits; no NaN."""
    rng = random.Random(width)
    shift = 23 if width == 32 else 52
    top = 255 if width == 32 else 2047
    found = [(e << shift) + k for e in range(top) for k in (-1, 0, 1) if e or k >= 0]
    found += [rng.getrandbits(width) for _ in range(20000)]
    found += [rng.getrandbits(rng.randrange(1, shift)) for _ in range(2000)]
    return [b for b in found if (b >> shift) & top != top]


def test_f32_round_trip_and_shortest() -> None:
    for bits in some_bits(32):
        text = format_float(bits, 32)
        value = np.uint32(bits).view(np.float32)
        assert FORM.fullmatch(text), text
        assert float_bits(text, 32) == bits
        shortest = np.format_float_scientific(value, unique=True)
        assert significant(text) == significant(shortest), (text, shortest)


def test_f64_round_trip_and_shortest() -> None:
    for bits in some_bits(64):
        text = format_float(bits, 64)
        value = float(np.uint64(bits).view(np.float64))
        assert FORM.fullmatch(text), text
        assert float_bits(text, 64) == bits
        assert float(text) == value and significant(text) == significant(repr(value))


def nearest32(value: Fraction) -> int:
    """The binary32 nearest to a value >= 0, ties to even, by search over all of them."""
    low, high = 0, 0x7F7FFFFF
    while low < high:
        middle = (low + high + 1) // 2
        if Fraction(float(np.uint32(middle).view(np.float32))) <= value:
            low = middle
        else:
            high = middle - 1
    below = Fraction(float(np.uint32(low).view(np.float32)))
    above = Fraction(float(np.uint32(low + 1).view(np.float32)))
    return low + (2 * value > below + above or (2 * value == below + above and low % 2))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 0x7F7FFFFE), st.sampled_from([-1, 0, 1]), st.integers(20, 60))
def test_texts_around_midpoints(bits: int, side: int, places: int) -> None:
    below, above = (Fraction(float(np.uint32(b).view(np.float32))) for b in (bits, bits + 1))
    middle = (below + above) / 2
    exponent = 200 + places
    value = int(middle * 10**exponent) + side
    text = f"{value}e-{exponent}"
    exact = Fraction(value, 10**exponent)
    assert float_bits(text, 32) == nearest32(exact)


@given(st.integers(0, 2**120), st.integers(-200, 0))
def test_hexadecimal_texts(digits: int, exponent: int) -> None:
    text = f"0x{digits:x}p{exponent}"
    if Fraction(digits) * Fraction(2) ** exponent < 2**127:
        assert float_bits(text, 32) == nearest32(Fraction(digits) * Fraction(2) ** exponent)
