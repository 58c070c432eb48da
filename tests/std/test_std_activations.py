"""Activations and losses: values far out, NaN and infinities, several axes, gradients."""

import numpy as np
import pytest
from mpmath import erf, mp, mpf
from std_helpers import check_gradients, codes, gradients, same, value

INF, NAN = np.inf, np.nan
RNG = np.random.default_rng(5)
X = RNG.normal(size=(2, 3, 4)) * 2


def test_relu():
    x = np.array([-1.0, -0.0, 0.0, 2.0, NAN, INF, -INF])
    same(value("relu %x", x=x), np.array([0.0, 0.0, 0.0, 2.0, NAN, INF, 0.0]))
    w = np.cos(np.arange(7) * 1.7) + 0.3
    same(gradients("relu %x", x=x)["x"], np.where([0, 0, 0, 1, 1, 1, 0], w, 0.0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sigmoid_far_out(dtype):
    x = np.array([-INF, -1e4, 0.0, -0.0, 1e4, INF, NAN], dtype)
    same(value("sigmoid %x", x=x), np.array([0.0, 0.0, 0.5, 0.5, 1.0, 1.0, NAN], dtype))


def test_sigmoid_slope_far_out():
    x = np.array([-1e4, -800.0, 0.0, 800.0, 1e4])
    w = np.cos(np.arange(5) * 1.7) + 0.3
    np.testing.assert_array_equal(gradients("sigmoid %x", x=x)["x"], w * [0, 0, 0.25, 0, 0])


def test_silu_gelu_edges():
    x = np.array([0.0, -0.0, INF, NAN])
    same(value("silu %x", x=x), np.array([0.0, -0.0, INF, NAN]))
    same(value("gelu %x", x=x), np.array([0.0, -0.0, INF, NAN]))
    same(value("silu %x", x=np.array([-INF])), np.array([NAN]))
    with mp.workprec(120):
        expected = [float(mpf(v) / 2 * (1 + erf(mpf(v) / mp.sqrt(2)))) for v in (0.5, 1.0, 3.0)]
    np.testing.assert_allclose(value("gelu %x", x=np.array([0.5, 1.0, 3.0])), expected, rtol=4e-16)


def log_softmax(x: np.ndarray, axis: object) -> np.ndarray:
    """In twice the precision of f64."""
    wide = x.astype(np.longdouble)
    wide = wide - wide.max(axis, keepdims=True)
    return wide - np.log(np.exp(wide).sum(axis, keepdims=True))


@pytest.mark.parametrize("axis", [-1, 0, 1, [0, 2], [0, 1, 2]])
def test_softmax_family(axis):
    over = tuple(axis) if isinstance(axis, list) else axis
    expected = log_softmax(X, over)
    found = value(f"log_softmax %x axis={axis}", x=X)
    np.testing.assert_allclose(found, expected.astype(float), rtol=1e-14, atol=1e-15)
    found = value(f"softmax %x axis={axis}", x=X)
    np.testing.assert_allclose(found, np.exp(expected).astype(float), rtol=1e-14)
    found = value(f"logsumexp %x axis={axis}", x=X)
    wide = np.log(np.exp(X.astype(np.longdouble)).sum(over)).astype(float)
    assert found.shape == np.shape(wide)
    np.testing.assert_allclose(found, wide, rtol=1e-14)


def test_softmax_family_far_out():
    x = np.array([[1000.0, 0.0, -1000.0], [-INF, 0.0, 0.0], [-INF, -INF, -INF], [0.0, INF, 1.0]])
    rows = [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [NAN] * 3, [NAN] * 3]
    found = value("softmax %x", x=x)
    np.testing.assert_array_equal(found[:3], rows[:3])
    assert np.isnan(found[3]).any()
    same(value("logsumexp %x", x=x), np.array([1000.0, np.log(2.0), -INF, INF]))
    same(value("logsumexp %x", x=np.array([1.0, NAN])), np.float64(NAN))
    same(value("log_softmax %x", x=x[0]), np.array([0.0, -1000.0, -2000.0]))


def test_gradient_of_logsumexp_is_softmax():
    x = X[0, 0]
    w = np.cos(0.0) + 0.3
    found = gradients("logsumexp %x", x=x)["x"]
    np.testing.assert_allclose(found, w * value("softmax %x", x=x), rtol=1e-14)


@pytest.mark.parametrize("labels", [np.int32, np.int64])
def test_cross_entropy(labels):
    x, y = X[0], np.array([1, 0, 3], labels)
    expected = -log_softmax(x, -1)[np.arange(3), y].mean()
    found = value("cross_entropy %x %y", x=x, y=y)
    assert found.shape == ()
    np.testing.assert_allclose(found, float(expected), rtol=1e-14)
    other = value("cross_entropy %x %y axis=0", x=x.T.copy(), y=y)
    np.testing.assert_allclose(other, float(expected), rtol=1e-14)
    same(value("cross_entropy %x %y", x=x.astype(np.float32), y=y).dtype.type(0), np.float32(0))


def test_cross_entropy_far_out():
    """A hopeless label costs its distance; no infinity arises from finite scores."""
    x = np.array([[1e4, 0.0], [0.0, 1e4]])
    same(value("cross_entropy %x %y", x=x, y=np.array([1, 0], np.int32)), np.float64(1e4))
    same(value("cross_entropy %x %y", x=x, y=np.array([0, 1], np.int32)), np.float64(0.0))


def test_cross_entropy_refuses_other_labels():
    head = "%x = stage f32[3,4]\n"
    assert codes(head + "%y = stage f32[3]\n%l = cross_entropy %x %y") == ["T302"]
    assert codes(head + "%y = stage i32[4]\n%l = cross_entropy %x %y") == ["T313"]
    assert codes(head + "%y = stage i32[3,1]\n%l = cross_entropy %x %y") == ["T313"]


@pytest.mark.parametrize("axis", [-1, 0, [1, 2]])
def test_layer_norm(axis):
    over = tuple(axis) if isinstance(axis, list) else axis
    mean, var = X.mean(over, keepdims=True), X.var(over, keepdims=True)
    expected = (X - mean) / np.sqrt(var + 1e-5)
    np.testing.assert_allclose(value(f"layer_norm %x axis={axis}", x=X), expected, rtol=1e-12)
    expected = (X - mean) / np.sqrt(var + 0.5)
    found = value(f"layer_norm %x axis={axis} eps=0.5", x=X)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_layer_norm_of_a_constant_row_is_zero():
    same(value("layer_norm %x", x=np.full(4, 3.0, np.float32)), np.zeros(4, np.float32))


SMOOTH = ["relu %x", "sigmoid %x", "silu %x", "gelu %x", "softmax %x", "softmax %x axis=[0,1]"]
SMOOTH += ["log_softmax %x axis=0", "logsumexp %x", "logsumexp %x axis=[0,1]"]
SMOOTH += ["layer_norm %x", "layer_norm %x axis=[0,1] eps=0.1"]


@pytest.mark.parametrize("expression", SMOOTH)
def test_gradients(expression):
    check_gradients(expression, x=X[0])


def test_gradient_of_cross_entropy():
    check_gradients("cross_entropy %x %y", x=X[0], y=np.array([1, 0, 3], np.int32))


@pytest.mark.parametrize("name", ["relu", "sigmoid", "silu", "gelu", "softmax", "layer_norm"])
def test_no_integers(name):
    assert codes(f"%x = stage i32[3]\n%y = {name} %x")[0] in ("T301", "T302", "T320")
