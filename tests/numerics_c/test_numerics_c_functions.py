"""The elementary functions in C against the NumPy twins, bit for bit."""

import numpy as np
import pytest
from numerics_c_library import (
    assert_same_bits,
    elementwise,
    library,
    random_bits,
    special_floats,
)

from gradir.numerics import FUNCTIONS
from gradir.numerics.exceptions import EXCEPTIONS

FORMS = {np.float32: ("one", "vector", "pair"), np.float64: ("one", "vector")}


def arguments(name: str, dtype) -> np.ndarray:
    random = np.random.default_rng(11)
    n = 6000
    parts = [
        special_floats(dtype),
        random_bits(dtype, n, 5),
        random.uniform(-40, 40, n),
        random.uniform(-1, 1, n),
        np.exp2(random.uniform(-30, 30, n)) * random.choice([-1, 1], n),
        np.exp2(random.uniform(-149 if dtype == np.float32 else -1074, -100, n)),
        random.uniform(-1100, 1100, n),
        random.uniform(-110, -85, n),
        random.uniform(0.9, 1.1, n),
        np.pi * random.integers(-1000, 1000, n),
        np.pi / 2 * random.integers(-(2**20), 2**20, n),
    ]
    x = np.concatenate([np.asarray(p).astype(dtype) for p in parts])
    if dtype == np.float32:
        known = [pair[0] for pair in EXCEPTIONS[name]]
        bits = np.array([b ^ s for b in known for s in (0, 0x80000000)], np.uint32)
        x = np.concatenate([x, bits.view(np.float32)])
    return x


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_equals_twin(name, dtype, build):
    x = arguments(name, dtype)
    expected = FUNCTIONS[name](x)
    for form in FORMS[dtype]:
        function = getattr(library(build), f"{form}_{name}_f{8 * np.dtype(dtype).itemsize}")
        assert_same_bits(elementwise(function, dtype, x), expected, x)


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_far_angles_in_one_vector_with_near_ones(name, build):
    x = np.array([1e300, 0.5, -(2.0**18), np.inf, 2.0**18 - 1, -1e20, 3.0, 1e5] * 4)
    expected = FUNCTIONS[name](x)
    function = getattr(library(build), f"vector_{name}_f64")
    assert_same_bits(elementwise(function, np.float64, x), expected, x)


def test_masked_exponentials_are_zero_beside_ordinary_ones(build):
    x = np.full(64, -np.inf, np.float32)
    x[::3] = np.linspace(-5, 5, 22, dtype=np.float32)
    x[1::7] = -104.5
    expected = FUNCTIONS["exp"](x)
    for form in FORMS[np.float32]:
        function = getattr(library(build), f"{form}_exp_f32")
        assert_same_bits(elementwise(function, np.float32, x), expected, x)


@pytest.mark.parametrize("optimisation", ["-O0", "-O3"])
def test_optimisation_changes_no_bit(optimisation, build):
    """-O3 with clang and in the emulator is left to the proof: it takes long to compile."""
    if build.endswith("watched"):
        pytest.skip("always at one level")
    if optimisation == "-O3" and build not in ("gcc-avx512", "gcc-baseline"):
        pytest.skip("one vector target and the plain one are enough")
    for name in FUNCTIONS:
        for dtype, suffix in ((np.float32, "f32"), (np.float64, "f64")):
            x = arguments(name, dtype)[::5]
            expected = FUNCTIONS[name](x)
            for form in FORMS[dtype]:
                function = getattr(library(build, optimisation), f"{form}_{name}_{suffix}")
                assert_same_bits(elementwise(function, dtype, x), expected, x)
