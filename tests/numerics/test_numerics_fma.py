"""fma against C's fma and fmaf on random and adversarial operands, and against rationals."""

import ctypes
import itertools
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numerics_oracle import UNSIGNED, assert_same_bits, bits, exact_fma

from gradir.numerics import fma

FMA_C = """
#include <math.h>
#include <stddef.h>
void fma32(const float *a, const float *b, const float *c, float *o, size_t n) {
    for (size_t i = 0; i < n; i++) o[i] = fmaf(a[i], b[i], c[i]);
}
void fma64(const double *a, const double *b, const double *c, double *o, size_t n) {
    for (size_t i = 0; i < n; i++) o[i] = fma(a[i], b[i], c[i]);
}
"""
COUNT = 1 << 17
FIELDS = {np.dtype(np.float32): (23, 8), np.dtype(np.float64): (52, 11)}


@pytest.fixture(scope="module")
def c_fma(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler to compare with")
    folder = tmp_path_factory.mktemp("fma")
    source, library = folder / "fma.c", folder / "fma.so"
    source.write_text(FMA_C)
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
    loaded = ctypes.CDLL(str(library))

    def call(a, b, c):
        result = np.empty_like(a)
        function = loaded.fma32 if a.dtype == np.float32 else loaded.fma64
        function.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_size_t]
        function(*(v.ctypes.data for v in (a, b, c, result)), a.size)
        return result

    return call


class Maker:
    """Floats with chosen exponents and dense or sparse significands."""

    def __init__(self, dtype, sparse, seed):
        self.dtype = np.dtype(dtype)
        self.places, width = FIELDS[self.dtype]
        self.bias, self.top = (1 << (width - 1)) - 1, (1 << width) - 1
        self.sparse, self.random = sparse, np.random.default_rng(seed)

    def exponents(self, low, high):
        return self.random.integers(low, high, COUNT)

    def floats(self, exponents):
        random, unsigned = self.random, UNSIGNED[self.dtype]
        significand = random.integers(0, 1 << self.places, COUNT).astype(np.uint64)
        if self.sparse:
            one = np.uint64(1)
            first, second = (random.integers(0, self.places, COUNT, np.uint64) for _ in "ab")
            few = (one << first) | np.where(random.integers(0, 2, COUNT) == 1, one << second, 0)
            few = np.where(random.integers(0, 4, COUNT) == 0, 0, few).astype(np.uint64)
            inverted = random.integers(0, 4, COUNT) == 0
            significand = np.where(inverted, few ^ np.uint64((1 << self.places) - 1), few)
        sign = random.integers(0, 2, COUNT).astype(np.uint64)
        width = np.uint64(8 * self.dtype.itemsize - 1)
        exponent = np.clip(exponents, 0, self.top).astype(np.uint64) << np.uint64(self.places)
        pattern = (sign << width) | exponent | significand
        return pattern.astype(unsigned).view(self.dtype)


def triples(kind, maker):
    bias, top, places = maker.bias, maker.top, maker.places
    if kind == "any bits":
        return [maker.floats(maker.exponents(0, top + 1)) for _ in "abc"]
    first = maker.exponents(bias // 2, 3 * bias // 2)
    second = maker.exponents(bias // 2, 3 * bias // 2)
    if kind == "small results":
        first = maker.exponents(0, bias)
        second = bias - first + maker.exponents(-2 * places - 10, places)
    if kind == "large results":
        first = maker.exponents(bias, top)
        second = 3 * bias - first + maker.exponents(-places - 8, 4)
    third = first + second - bias + maker.exponents(-2 * places - 12, 2 * places + 12)
    a, b, c = maker.floats(first), maker.floats(second), maker.floats(third)
    if kind == "cancellation":
        near = (-(a * b)).view(UNSIGNED[maker.dtype])
        c = (near + maker.random.integers(-3, 4, COUNT).astype(near.dtype)).view(maker.dtype)
    return [a, b, c]


KINDS = ["any bits", "comparable", "small results", "large results", "cancellation"]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fma_equals_c(c_fma, dtype, kind, sparse):
    # Exact integers take the f64 elements out of the vector scheme's range: fewer of them.
    slow = dtype == np.float64 and kind in ("any bits", "small results", "large results")
    rounds = 1 if slow else 4
    with np.errstate(all="ignore"):
        for seed in range(rounds):
            operands = triples(kind, Maker(dtype, sparse, seed))
            if slow:
                operands = [v[: COUNT // 2] for v in operands]
            assert_same_bits(fma(*operands), c_fma(*operands))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fma_of_special_values_equals_c(c_fma, dtype):
    limits = np.finfo(dtype)
    half = dtype(0.5)
    plain = [0.0, 1.0, 2.0, limits.max, limits.tiny, limits.smallest_subnormal, float("inf")]
    near = [1 + limits.eps, 1 - limits.epsneg, limits.eps * half, limits.tiny * half]
    values = np.array([*plain, *near, limits.tiny - limits.smallest_subnormal], dtype)
    values = np.concatenate([values, -values, np.array([np.nan], dtype)])
    a, b, c = (np.ascontiguousarray(v.ravel()) for v in np.meshgrid(values, values, values))
    with np.errstate(all="ignore"):
        assert_same_bits(fma(a, b, c), c_fma(a, b, c))


def test_fma_keeps_shapes_and_broadcasts():
    a = np.ones((2, 1, 3), np.float32)
    assert fma(a, a[:, :, :1], np.zeros((4, 1), np.float32)).shape == (2, 4, 3)
    assert fma(np.float64(2), np.float64(3), np.float64(4)).shape == ()
    assert fma(np.empty(0), np.empty(0), np.empty(0)).shape == (0,)


def test_fma_refuses_mixed_types_and_integers():
    one = np.ones(2, np.float32)
    for operands in ((one, one, np.ones(2)), (np.ones(2, np.int32),) * 3):
        with pytest.raises(TypeError, match="fma"):
            fma(*operands)


def test_fma_rounds_once():
    one = 1 + 2.0**-30
    assert float(fma(np.float64(one), np.float64(one), np.float64(-1 - 2.0**-29))) == 2.0**-60
    # Rounding to f64 first would make this a tie and lose the last bit.
    a, b, c = np.float32(1 + 2.0**-12), np.float32(1 + 2.0**-12), np.float32(2.0**-60)
    assert bits(fma(a, b, c)) == 0x3F801001


def test_zero_results_have_the_sign_of_ieee_754():
    zeros = [0.0, -0.0]
    for a, c in itertools.product(zeros, zeros):
        expected = np.float64(a) * np.float64(3) + np.float64(c)
        assert_same_bits(fma(np.float64(a), np.float64(3), np.float64(c)), np.asarray(expected))
    assert_same_bits(fma(np.float64(2), np.float64(3), np.float64(-6)), np.asarray(0.0))


NORMAL = st.floats(1e-100, 1e100) | st.floats(-1e100, -1e-100)


@given(NORMAL, NORMAL, NORMAL)
def test_fma_is_the_rounded_rational(a, b, c):
    assert float(fma(np.float64(a), np.float64(b), np.float64(c))) == exact_fma(a, b, c)
