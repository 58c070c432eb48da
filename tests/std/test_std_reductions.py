"""Reductions and scans: values, empty axes, NaN and ties, integers, gradients."""

import numpy as np
import pytest
from std_helpers import check_gradients, codes, run, same, value

INF, NAN = np.inf, np.nan
RNG = np.random.default_rng(3)
# Small whole numbers: sums and products are exact in any order.
WHOLE = RNG.integers(-3, 4, (3, 4, 5)).astype(np.float64)


def axes_text(axes: object) -> str:
    return "" if axes is None else f" axes={axes}".replace("(", "[").replace(")", "]")


@pytest.mark.parametrize("axes", [None, 1, [0, 2], [-1], []])
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint32])
def test_sum_prod_amax(axes, keep, dtype):
    x = WHOLE.astype(dtype)
    over = tuple(axes) if isinstance(axes, list) else axes
    tail = axes_text(axes) + (" keep=true" if keep else "")
    same(value(f"sum %x{tail}", x=x), np.sum(x, over, dtype, keepdims=keep))
    same(value(f"prod %x{tail}", x=x), np.prod(x, over, dtype, keepdims=keep))
    same(value(f"amax %x{tail}", x=x), np.max(x, over, keepdims=keep))


@pytest.mark.parametrize("axes", [None, 0, [0, 2], []])
@pytest.mark.parametrize("keep", [False, True])
def test_any_all(axes, keep):
    x = RNG.integers(0, 3, (2, 3, 2)).astype(np.float64)
    over = tuple(axes) if isinstance(axes, list) else axes
    tail = axes_text(axes) + (" keep=true" if keep else "")
    for given in (x, x > 0, x.astype(np.int64), x.astype(np.uint32)):
        same(value(f"any %x{tail}", x=given), np.any(given, over, keepdims=keep))
        same(value(f"all %x{tail}", x=given), np.all(given, over, keepdims=keep))


def test_nothing_reduced_over():
    empty = np.zeros((0, 2))
    same(value("any %x axes=0", x=empty), np.array([False, False]))
    same(value("all %x axes=0", x=empty), np.array([True, True]))
    same(value("sum %x axes=0", x=empty), np.zeros(2))
    same(value("prod %x axes=0", x=empty), np.ones(2))
    same(value("amax %x axes=0", x=empty), np.full(2, -INF))
    same(value("mean %x axes=0", x=empty), np.full(2, NAN))
    same(value("var %x axes=0", x=empty), np.full(2, NAN))


def test_nan_counts_as_true():
    same(value("any %x", x=np.array([0.0, NAN])), np.bool_(True))
    same(value("all %x", x=np.array([-0.0, 1.0])), np.bool_(False))


@pytest.mark.parametrize("axes", [None, 1, [0, 2]])
@pytest.mark.parametrize("keep", [False, True])
def test_mean_var(axes, keep):
    over = tuple(axes) if isinstance(axes, list) else axes
    tail = axes_text(axes) + (" keep=true" if keep else "")
    mean = WHOLE.mean(over, keepdims=keep)
    np.testing.assert_allclose(value(f"mean %x{tail}", x=WHOLE), mean, rtol=1e-15, atol=0)
    var = WHOLE.var(over, keepdims=keep)
    np.testing.assert_allclose(value(f"var %x{tail}", x=WHOLE), var, rtol=1e-14, atol=0)
    same(value("mean %x", x=np.array([1.0, 2.0, 6.0], np.float32)), np.float32(3.0))
    assert codes("%x = stage i32[3]\n%y = mean %x") == ["T302"]


def test_mean_of_a_symbolic_size():
    text = "dim B = 0..64\n%x = stage f64[B,3]\n%y = mean %x axes=0\noutput %y\n"
    same(run(text, x=np.array([[1.0, 2.0, 3.0], [3.0, 6.0, 1.0]]))["y"], np.array([2.0, 4.0, 2.0]))
    same(run(text, x=np.zeros((0, 3)))["y"], np.full(3, NAN))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint32])
def test_argmax(axis, dtype):
    x = WHOLE.astype(dtype)  # many ties
    same(value(f"argmax %x axis={axis}", x=x), np.argmax(x, axis).astype(np.int32))


def test_argmax_of_nan_infinities_and_zeros():
    x = np.array(
        [[1, NAN, 3, NAN], [INF, 1, INF, 0], [-INF, -INF, -INF, -INF], [-0.0, 0.0, 0.0, -0.0]]
    )
    same(value("argmax %x", x=x), np.array([1, 0, 0, 0], np.int32))
    same(value("argmax %x", x=np.full((2, 1), -(2**31), np.int32)), np.zeros(2, np.int32))


def test_argmax_needs_an_element():
    assert codes("%x = stage f32[3,0]\n%y = argmax %x") == ["T313"]
    assert codes("dim B = 0..4\n%x = stage f32[3,B]\n%y = argmax %x") == ["T313"]
    assert codes("dim B = 1..4\n%x = stage f32[3,B]\n%y = argmax %x") == []
    assert codes("%x = stage f32\n%y = argmax %x") == ["T311"]
    text = "dim B = 1..4\n%x = stage f32[B]\n%y = argmax %x\noutput %y"
    same(run(text, x=np.array([1, 2, 2], np.float32))["y"], np.int32(1))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 8, 9])
@pytest.mark.parametrize("axis", [0, 1])
def test_cumsum(size, axis):
    x = RNG.integers(-9, 9, (size, 3)).astype(np.float64)
    x = x if axis == 0 else x.T.copy()
    same(value(f"cumsum %x axis={axis}", x=x), np.cumsum(x, axis))
    for dtype in (np.int32, np.int64):
        whole = x.astype(dtype)
        same(value(f"cumsum %x axis={axis}", x=whole), np.cumsum(whole, axis, dtype))


def test_cumsum_edges():
    same(value("cumsum %x", x=np.array([-0.0, -0.0])), np.array([-0.0, -0.0]))
    found = value("cumsum %x", x=np.array([1.0, INF, 2.0, -INF, 3.0]))
    same(found, np.array([1.0, INF, INF, NAN, NAN]))
    wrapped = value("cumsum %x", x=np.array([2**31 - 1, 1, 1], np.int32))
    same(wrapped, np.array([2**31 - 1, -(2**31), -(2**31) + 1], np.int32))
    assert codes("dim B = 1..4\n%x = stage f32[B]\n%y = cumsum %x") == ["T315"]
    assert codes("%x = stage bool[3]\n%y = cumsum %x") == ["T302"]


@pytest.mark.parametrize(("m", "n"), [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((0,), (0,))])
def test_dot(m, n):
    a = RNG.integers(-4, 5, m).astype(np.float32)
    b = RNG.integers(-4, 5, n).astype(np.float32)
    same(value("dot %a %b", a=a, b=b), np.asarray(np.dot(a, b) + np.float32(0)))
    same(value("dot %a %b", a=a.astype(np.int64), b=b.astype(np.int64)), np.dot(a, b).astype("i8"))


def test_dot_refuses_other_ranks():
    assert codes("%a = stage f32[2,2]\n%y = dot %a %a") == ["T314"]
    assert codes("%a = stage f32[2]\n%b = stage f32\n%y = dot %a %b") == ["T314"]
    assert codes("%a = stage f32[2]\n%b = stage f32[2,2,2]\n%y = dot %a %b") == ["T314"]
    assert codes("%a = stage f32[2]\n%b = stage f32[3]\n%y = dot %a %b") == ["T313"]
    assert codes("%a = stage bool[2]\n%y = dot %a %a") == ["T302"]


X = np.array([[0.3, 1.7, -2.2], [0.9, -0.4, 1.1]])
EXPRESSIONS = ["sum %x", "sum %x axes=1 keep=true", "amax %x axes=0", "mean %x", "mean %x axes=-1"]
EXPRESSIONS += ["var %x", "var %x axes=0", "cumsum %x", "cumsum %x axis=0"]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_gradients(expression):
    check_gradients(expression, x=X)


def test_gradients_of_dot():
    check_gradients("dot %a %b", a=X[0], b=X[1])
    check_gradients("dot %a %b", a=X, b=X[1])


def test_prod_has_no_gradient():
    assert codes("%x = stage f32[3]\n%y = prod %x\n%g = gradient %y %x") == ["G104"]
