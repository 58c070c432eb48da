"""Arithmetic, rounding and logic: values against NumPy, edge cases by bit, gradients."""

import numpy as np
import pytest
from std_helpers import check_gradients, codes, gradients, same, value

INF, NAN = np.inf, np.nan
SMALL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -1.5, -2.5, 3.7, -3.7, 0.49999997]
LARGE = [8388607.5, -8388607.5, 8388608.0, 4194303.5, 1e30, -1e30, INF, -INF, NAN, 1e-45]
F32 = np.array([*SMALL, *LARGE, -0.99999994], np.float32)
F64 = np.concatenate([F32.astype(np.float64), [4503599627370495.5, -4503599627370497.0, 5e-324]])
I32 = np.array([0, 1, -1, 7, -8, 2**31 - 1, -(2**31)], np.int32)
I64 = np.array([0, 1, -1, 7, -8, 2**63 - 1, -(2**63)], np.int64)
U32 = np.array([0, 1, 5, 2**31, 2**32 - 1], np.uint32)
EVERY = [F32, F64, I32, I64, U32]
FLOATS = [F32, F64]


def pairs(x: np.ndarray) -> dict[str, np.ndarray]:
    """Every element against every other."""
    a, b = np.meshgrid(x, x)
    return {"a": a.copy(), "b": b.copy()}


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize("x", EVERY, ids=lambda x: str(x.dtype))
def test_sub_neg_square(x):
    given = pairs(x)
    same(value("sub %a %b", **given), given["a"] - given["b"])
    same(value("neg %a", a=x), np.multiply(x, np.array(-1).astype(x.dtype)))
    same(value("square %a", a=x), x * x)


@pytest.mark.parametrize("x", FLOATS, ids=lambda x: str(x.dtype))
def test_abs_and_min_of_floats(x):
    same(value("abs %a", a=x), np.abs(x))
    given = pairs(x)
    a, b = given["a"], given["b"]
    expected = np.where(a < b, a, b)
    expected = np.where((a == 0) & (b == 0) & (np.signbit(a) | np.signbit(b)), -0.0, expected)
    expected = np.where(np.isnan(a) | np.isnan(b), NAN, expected).astype(x.dtype)
    same(value("min %a %b", **given), expected)


@pytest.mark.parametrize("x", [I32, I64, U32], ids=lambda x: str(x.dtype))
def test_min_of_integers(x):
    given = pairs(x)
    same(value("min %a %b", **given), np.minimum(given["a"], given["b"]))


@pytest.mark.parametrize("x", [I32, I64], ids=lambda x: str(x.dtype))
def test_abs_of_integers_wraps_at_the_least(x):
    same(value("abs %a", a=x), np.where(x < 0, 0 - x, x))


@pytest.mark.parametrize("x", EVERY, ids=lambda x: str(x.dtype))
@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, 12])
def test_pow_multiplies_from_the_highest_bit(x, exponent):
    expected = np.ones_like(x)
    for bit in f"{exponent:b}":
        expected = expected * expected
        if bit == "1":
            expected = expected * x
    same(value(f"pow %a exponent={exponent}", a=x), expected)


def test_negative_powers():
    same(value("pow %a exponent=-3", a=F64), 1 / (F64 * F64 * F64))
    same(value("pow %a exponent=-1", a=F32), (1 / F32).astype(np.float32))
    assert codes("%a = stage i32\n%y = pow %a exponent=-1") == ["T310"]


@pytest.mark.parametrize("x", FLOATS, ids=lambda x: str(x.dtype))
def test_rounding_is_numpys(x):
    same(value("floor %a", a=x), np.floor(x))
    same(value("ceil %a", a=x), np.ceil(x))
    same(value("round %a", a=x), np.round(x))


@pytest.mark.parametrize("name", ["floor", "ceil", "round"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounding_over_random_bits(name, dtype):
    width = np.dtype(dtype).itemsize
    raw = np.random.default_rng(7).integers(0, 256, 4000 * width, dtype=np.uint8)
    x = raw.view(dtype)
    near = (np.arange(-4000, 4000) * 0.25).astype(dtype)
    for sample in (x, near, np.nextafter(near, dtype(INF)), np.nextafter(near, dtype(-INF))):
        same(value(f"{name} %a", a=sample), getattr(np, name)(sample))


@pytest.mark.parametrize("name", ["floor", "ceil", "round"])
def test_slope_of_rounding(name):
    """0 where the value is rounded, 1 where it is passed on."""
    x = np.array([0.0, 0.3, -0.3, 2.0, 2.0**52, -(2.0**60), INF, NAN])
    found = gradients(f"{name} %a", a=x)["a"]
    w = np.cos(np.arange(8) * 1.7) + 0.3
    np.testing.assert_array_equal(found, np.where(np.abs(x) < 2.0**52, 0.0, w))


def test_clamp_keeps_nan_and_the_bounds_pass_the_share():
    x = np.array([-2.0, -1.0, -0.0, 1.0, 2.0, NAN, INF, -INF])
    same(value("clamp %a -1.0 1.0", a=x), np.array([-1.0, -1.0, -0.0, 1.0, 1.0, NAN, 1.0, -1.0]))
    same(value("clamp %a 2.0 1.0", a=x[:2]), np.array([1.0, 1.0]))
    w = np.cos(np.arange(8) * 1.7) + 0.3
    same(gradients("clamp %a -1.0 1.0", a=x)["a"], np.where([0, 1, 1, 1, 0, 1, 0, 0], w, 0.0))
    same(value("clamp %a 2 5", a=I32), np.clip(I32, 2, 5))
    lo = np.array([[0.0], [1.0]])
    same(
        value("clamp %a %lo 1.5", a=x[:5], lo=lo), np.minimum(np.where(x[:5] < lo, lo, x[:5]), 1.5)
    )


def test_slopes_at_ties():
    x = np.array([0.0, -0.0, 2.0, -2.0])
    w = np.cos(np.arange(4) * 1.7) + 0.3
    same(gradients("abs %a", a=x)["a"], w * [0.0, 0.0, 1.0, -1.0])
    found = gradients("min %a %b", a=np.array([1.0, 2.0, 3.0]), b=np.array([1.0, 3.0, 2.0]))
    np.testing.assert_array_equal(found["a"], w[:3] * [0.5, 1.0, 0.0])
    np.testing.assert_array_equal(found["b"], w[:3] * [0.5, 0.0, 1.0])


X = np.array([0.3, 1.7, 2.2, 0.9])
Y = np.array([1.1, 0.4, -2.0, 3.0])
SMOOTH = ["neg %a", "square %a", "rsqrt %a", "log10 %a", "tan %a", "pow %a exponent=5"]
SMOOTH += ["pow %a exponent=-3", "pow %a exponent=0", "abs %a", "clamp %a 0.5 2.0"]


@pytest.mark.parametrize("expression", SMOOTH)
def test_gradients(expression):
    check_gradients(expression, a=X)


@pytest.mark.parametrize("expression", ["sub %a %b", "min %a %b", "clamp %b %a 2.0"])
def test_gradients_of_two(expression):
    check_gradients(expression, a=X, b=Y)
    check_gradients(expression, a=X[:1], b=Y.reshape(2, 2))


def test_functions_at_the_edges():
    x = np.array([0.0, -0.0, INF, -1.0, NAN])
    same(value("rsqrt %a", a=x), np.array([INF, -INF, 0.0, NAN, NAN]))
    same(value("log10 %a", a=x), np.array([-INF, -INF, INF, NAN, NAN]))
    same(value("log10 %a", a=np.array([1.0])), np.array([0.0]))
    same(value("tan %a", a=x[[0, 1, 2, 4]]), np.array([0.0, -0.0, NAN, NAN]))


@pytest.mark.parametrize("x", EVERY, ids=lambda x: str(x.dtype))
def test_comparisons(x):
    given = pairs(x)
    same(value("gt %a %b", **given), given["a"] > given["b"])
    same(value("ge %a %b", **given), given["a"] >= given["b"])


def test_not():
    same(value("not %a", a=np.array([True, False])), np.array([False, True]))
    assert codes("%a = stage i32\n%y = not %a") == ["T301"]


def test_literal_arguments():
    """A literal argument takes the type of the other argument before the expansion."""
    x = np.array([1.0, 2.0])
    same(value("sub 1.0 %a", a=x), 1.0 - x)
    same(value("min %a 1.5", a=x), np.minimum(x, 1.5))
    same(value("sub 3.0 1.0"), np.float32(2.0))
    same(value("sub 3 5"), np.int32(-2))
    assert codes("%a = stage f64\n%y = sub %a (mul 2.0 3.0)") == ["T301"]
    assert codes("%a = stage f64\n%y = min %a 1") == ["T305"]
    assert codes("%a = stage f64\n%y = floor 1") == ["T305"]
    assert codes("%a = stage f64\n%y = min %a 1:i32") == ["T301"]
