"""The f32 functions: correctly rounded, compared with mpmath rounded once."""

import numpy as np
import pytest
from numerics_oracle import assert_same_bits, exact, floats32, nearest, rounded_exact

from gradir.numerics import FUNCTIONS, exp2, sin
from gradir.numerics import f32 as kernels
from gradir.numerics.exceptions import EXCEPTIONS, ODD

INF, NAN = float("inf"), float("nan")
TINY = 2.0**-149
SAMPLES = 1500

SPECIAL = {
    "exp": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, 0.0), (89, INF), (-104, 0.0), (TINY, 1)],
    "exp2": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, 0.0), (128, INF), (-149, TINY)],
    "log": [(1, 0.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (-1, NAN), (-INF, NAN)],
    "log2": [(1, 0.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (-TINY, NAN), (TINY, -149)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (TINY, TINY), (-TINY, -TINY)],
    "cos": [(0.0, 1), (-0.0, 1), (INF, NAN), (-INF, NAN), (TINY, 1)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (TINY, TINY), (10, 1), (-30, -1)],
    "erf": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (TINY, TINY), (4, 1), (-9, -1)],
}


def arguments(name):
    """Random arguments, thick where the function does something."""
    random = np.random.default_rng(20)

    def exponents(low, high):
        bits = random.integers(low << 23, high << 23, SAMPLES, dtype=np.uint32)
        sign = random.integers(0, 2, SAMPLES, dtype=np.uint32) << np.uint32(31)
        return (bits | sign).view(np.float32)

    near_one = floats32(0x3F800000) + random.uniform(-0.01, 0.01, SAMPLES).astype(np.float32)
    parts = {
        "exp": [exponents(100, 134), random.uniform(-104, -86, SAMPLES).astype(np.float32)],
        "exp2": [exponents(100, 135), random.uniform(-150, -125, SAMPLES).astype(np.float32)],
        "log": [np.abs(exponents(0, 255)), near_one],
        "log2": [np.abs(exponents(0, 255)), near_one],
        "sin": [exponents(110, 160), exponents(0, 255)],
        "cos": [exponents(110, 160), exponents(0, 255)],
        "tanh": [exponents(112, 131), exponents(0, 255)],
        "erf": [exponents(100, 130), exponents(0, 255)],
    }
    return np.concatenate(parts[name])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(name):
    x = np.array([row[0] for row in SPECIAL[name]] + [NAN, -NAN], np.float32)
    expected = np.array([row[1] for row in SPECIAL[name]] + [NAN, NAN], np.float32)
    assert_same_bits(FUNCTIONS[name](x), expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_random_arguments_are_correctly_rounded(name):
    x = arguments(name)
    assert_same_bits(FUNCTIONS[name](x), rounded_exact(name, x))


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if EXCEPTIONS[name]])
def test_every_exception_is_needed_and_right(name):
    x = floats32(*(argument for argument, _ in EXCEPTIONS[name]))
    expected = floats32(*(value for _, value in EXCEPTIONS[name]))
    assert_same_bits(FUNCTIONS[name](x), expected)
    assert_same_bits(rounded_exact(name, x), expected)
    before = kernels.BEFORE_ROUNDING[name](x).astype(np.float32)
    assert (before != expected).all()
    if name in ODD:
        assert_same_bits(FUNCTIONS[name](-x), -expected)


# Values within 2^-48 or so of half way between two f32, one or more a function.
HARD = {
    "exp": [0x3B803FAB, 0xC2AEAC50],
    "exp2": [0x3B429D37, 0xBCF3A937],
    "log": [0x3F7FFFFE, 0x4C5D65A5, 0x65D890D3, 0x6F31A8EC, 0x4D604EBE],
    "log2": [0x3EA07AB9, 0x40207AB9, 0x3F7E3274],
    "sin": [0x46199998, 0x55CAFB2A],
    "cos": [0x5F18B878, 0x6115CB11, 0x7908CD73],
    "tanh": [0x3CD41B91],
    "erf": [0x3F800000],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_hard_cases(name):
    x = floats32(*HARD[name])
    assert_same_bits(FUNCTIONS[name](x), rounded_exact(name, x))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_value_before_rounding_is_close(name):
    """The bound that tools/fit_exceptions.py builds on, with 2^5 to spare."""
    x = arguments(name)[::4]
    with np.errstate(all="ignore"):
        y = kernels.BEFORE_ROUNDING[name](x)
    for argument, value in zip(x, y, strict=True):
        true = exact(name, argument)
        rounded = float(nearest(true, np.float32))
        settled = rounded in (0.0, 1.0, -1.0, INF)  # overflow, underflow, saturation
        assert settled or abs(value - true) <= abs(true) * 2.0**-50


def test_arguments_on_which_numpy_and_libm_differ():
    cases = [
        (exp2, "0x1.e4e734p+3", "0x1.1caf60p+15"),
        (exp2, "0x1.a6cdap+3", "0x1.28a57ep+13"),
        (sin, "0x1.25c16ep+3", "0x1.f0969ep-3"),
        (sin, "-0x1.3e3f52p+4", "-0x1.b9c8ecp-1"),
    ]
    for function, argument, value in cases:
        x = np.float32(float.fromhex(argument))
        assert float(function(x)) == float.fromhex(value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_shapes_and_types(name):
    function = FUNCTIONS[name]
    assert function.__name__ == name
    for dtype in (np.float32, np.float64):
        for shape in ((), (0,), (2, 0, 3), (3, 4), (20000,)):
            result = function(np.ones(shape, dtype))
            assert isinstance(result, np.ndarray)
            assert result.shape == shape
            assert result.dtype == dtype
        x = np.linspace(0.1, 2, 60).astype(dtype).reshape(6, 10)
        whole = function(x)
        assert_same_bits(function(x.T), whole.T)
        assert_same_bits(function(x[::2, ::3]), whole[::2, ::3])
        one_by_one = [function(v) for v in x.ravel()]
        assert_same_bits(np.array(one_by_one).reshape(6, 10), whole)
    with pytest.raises(TypeError, match=name):
        function(np.ones(3, np.int32))


def test_arguments_are_left_alone():
    x = floats32(0xFFC00001, 0x3F000000, 0x7F800000)
    before = x.view(np.uint32).copy()
    for function in FUNCTIONS.values():
        function(x)
    np.testing.assert_array_equal(x.view(np.uint32), before)
