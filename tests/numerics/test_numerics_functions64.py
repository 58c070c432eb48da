"""The f64 functions: within the specification's bounds of mpmath, and the same bits as ever."""

import mpmath
import numpy as np
import pytest
from numerics_oracle import assert_same_bits, nearest, ulps

from gradir.numerics import FUNCTIONS, exp2
from gradir.numerics.angle import reduce_angle

INF, NAN = float("inf"), float("nan")
TINY = 2.0**-1074
BOUND = {"tanh": 1.0, "erf": 1.0}
SAMPLES = 400

SPECIAL = {
    "exp": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, 0.0), (710, INF), (-746, 0.0), (TINY, 1)],
    "exp2": [(0.0, 1), (INF, INF), (-INF, 0.0), (1024, INF), (-1074, TINY), (-1076, 0.0)],
    "log": [(1, 0.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (-1, NAN), (-INF, NAN)],
    "log2": [(1, 0.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (-TINY, NAN), (TINY, -1074)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (TINY, TINY), (-TINY, -TINY)],
    "cos": [(0.0, 1), (-0.0, 1), (INF, NAN), (-INF, NAN), (TINY, 1)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (TINY, TINY), (20, 1), (-300, -1)],
    "erf": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (TINY, TINY), (6, 1), (-9, -1)],
}


def arguments(name):
    random = np.random.default_rng(21)

    def uniform(low, high):
        return random.uniform(low, high, SAMPLES)

    def scales(low, high):
        return np.ldexp(uniform(1, 2), random.integers(low, high, SAMPLES))

    def signed(x):
        return x * random.choice([-1.0, 1.0], SAMPLES)

    steps = np.rint(uniform(-80000, 80000))
    logs = [scales(-1074, 1023), uniform(0.5, 2), 1 + signed(scales(-52, -6)), uniform(0.99, 1.01)]
    waves = [uniform(-10, 10), signed(scales(-30, 17)), signed(scales(18, 1023))]
    waves += [steps * np.pi, (steps + 0.5) * np.pi, signed(scales(-1074, -30))]
    small = [signed(scales(-1074, -1000)), signed(scales(-60, -3))]
    parts = {
        "exp": [uniform(-708, 709.8), uniform(-1, 1), uniform(-745.2, -708), scales(-60, 9)],
        "exp2": [uniform(-1022, 1024), uniform(-1, 1), uniform(-1075, -1021), scales(-60, 9)],
        "log": logs,
        "log2": logs,
        "sin": waves,
        "cos": waves,
        "tanh": [uniform(-20, 20), uniform(-0.3, 0.3), *small],
        "erf": [uniform(-6, 6), uniform(-0.6, 0.6), *small],
    }
    return np.concatenate(parts[name])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(name):
    x = np.array([row[0] for row in SPECIAL[name]] + [NAN, -NAN])
    expected = np.array([row[1] for row in SPECIAL[name]] + [NAN, NAN], np.float64)
    assert_same_bits(FUNCTIONS[name](x), expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_error_stays_within_the_bound(name):
    x = arguments(name)
    y = FUNCTIONS[name](x)
    worst = max((ulps(name, a, b), float(a).hex()) for a, b in zip(x, y, strict=True) if b != INF)
    assert worst[0] <= BOUND.get(name, 0.6), worst


# Arguments whose sine or cosine is smallest: the doubles closest to multiples of pi / 2, and
# others known to be hard for argument reduction.
HARD_ANGLES = [
    "0x1.921fb54442d18p+0",
    "0x1.921fb54442d18p+1",
    "0x1.2d97c7f3321d2p+2",
    "0x1.9017c74c0f5f8p+17",
    "0x1.6ac5b262ca1ffp+849",
    "0x1.7fffffffffffep+1023",
    "0x1.fffffffffffffp+1023",
    "0x1.0p+18",
    "0x1.fffffffffffffp+17",
    "0x1.4c26b2p+30",
    "0x1.0p+1000",
]


@pytest.mark.parametrize("name", ["sin", "cos"])
@pytest.mark.parametrize("text", HARD_ANGLES)
def test_hard_angles(name, text):
    for x in (float.fromhex(text), -float.fromhex(text)):
        with mpmath.workprec(1500):
            y = float(FUNCTIONS[name](np.float64(x)))
        assert ulps(name, x, y) <= 0.6


def test_reduced_angles_carry_a_hundred_bits():
    x = np.array([float.fromhex(text) for text in HARD_ANGLES])
    n, r, r_low = reduce_angle(x)
    with mpmath.workprec(1500):
        for i, value in enumerate(x):
            turns = mpmath.mpf(float(value)) * 64 / mpmath.pi
            whole = mpmath.nint(turns)
            rest = (turns - whole) * mpmath.pi / 64
            assert int(n[i]) == int(whole) % 128
            error = abs(mpmath.mpf(float(r[i])) + mpmath.mpf(float(r_low[i])) - rest)
            assert error <= abs(rest) * mpmath.mpf(2) ** -64
            assert error <= mpmath.mpf(2) ** -100


@pytest.mark.parametrize("name", ["sin", "tanh", "erf"])
def test_odd_functions_are_odd(name):
    x = arguments(name)
    assert_same_bits(FUNCTIONS[name](-x), -FUNCTIONS[name](x))


def test_cosine_is_even():
    x = arguments("cos")
    assert_same_bits(FUNCTIONS["cos"](-x), FUNCTIONS["cos"](x))


def test_powers_of_two_are_exact():
    k = np.arange(-1074, 1024)
    powers = np.array([2.0 ** int(v) for v in k])
    assert_same_bits(exp2(k.astype(np.float64)), powers)
    assert_same_bits(FUNCTIONS["log2"](powers), k.astype(np.float64))


def test_arguments_on_which_numpy_and_libm_differ():
    for argument, value in (
        ("0x1.e8d0432fc5d8p+3", "0x1.35d968648af81p+15"),
        ("-0x1.52756289f6f4cp+3", "0x1.574357acc4751p-11"),
    ):
        assert float(exp2(np.float64(float.fromhex(argument)))) == float.fromhex(value)


def test_subnormal_results_are_nearly_always_the_nearest():
    x = np.linspace(-745.1, -708.5, 300)
    with mpmath.workprec(200):
        expected = [nearest(mpmath.exp(mpmath.mpf(float(v))), np.float64) for v in x]
    same = FUNCTIONS["exp"](x) == np.array(expected)
    assert same.mean() > 0.98
