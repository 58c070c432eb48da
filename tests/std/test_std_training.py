"""Training steps against NumPy, step by step; what they store, and what they refuse."""

import numpy as np
import pytest
from std_helpers import codes, same

from gradir.runtime.program import Program

W = np.array([1.0, -2.0, 0.5], np.float32)
G = np.array([0.3, -1.7, 1e-3], np.float32)


def steps(statement: str, states: str, count: int, dtype: str = "f32", **more: str):
    """Buffers after some steps on f(w) = the sum of g * w; `t` counts them."""
    text = f"%g = stage {dtype}[3]\n%tb = buffer i32\n%t = load %tb\nstore %tb (add %t 1)\n"
    for name in ("w", *states):
        text += f"%{name} = buffer {dtype}[3]\n"
    session = Program.parse(text + statement + "\n").session(state={"w": W.astype(np_type(dtype))})
    for step in range(count):
        session.run({"g": (G * (step + 1)).astype(np_type(dtype))})
    return session.state


def np_type(dtype: str) -> type:
    return {"f32": np.float32, "f64": np.float64}[dtype]


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_sgd(dtype):
    t = np_type(dtype)
    w = W.astype(t)
    for step in range(3):
        w = w - t(0.25) * (G * (step + 1)).astype(t)
    same(steps("sgd %w %g lr=0.25", "", 3, dtype)["w"], w)
    same(steps("sgd %w %g", "", 1, dtype)["w"], W.astype(t) - t(0.01) * G.astype(t))


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_momentum(dtype):
    t = np_type(dtype)
    w, v = W.astype(t), np.zeros(3, t)
    for step in range(4):
        v = t(0.9) * v + (G * (step + 1)).astype(t)
        w = w - t(0.01) * v
    state = steps("momentum %w %g %v", "v", 4, dtype)
    same(state["w"], w)
    same(state["v"], v)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("decay", [None, 0.0, 0.1])
def test_adam(dtype, decay):
    t = np_type(dtype)
    w, m, v = W.astype(np.float64), np.zeros(3), np.zeros(3)
    for step in range(5):
        g = (G * (step + 1)).astype(t).astype(np.float64)
        m = 0.9 * m + (1 - 0.9) * g
        v = 0.999 * v + (1 - 0.999) * g * g
        mh, vh = m / (1 - 0.9 ** (step + 1)), v / (1 - 0.999 ** (step + 1))
        w = w * (1 - 0.05 * (decay or 0.0)) - 0.05 * mh / (np.sqrt(vh) + 1e-8)
    name = "adam" if decay is None else "adamw"
    tail = "" if decay is None else f" decay={decay}"
    state = steps(f"{name} %w %g %m %v %t lr=0.05{tail}", "mv", 5, dtype)
    tolerance = 2e-6 if dtype == "f32" else 1e-12
    np.testing.assert_allclose(state["w"], w, rtol=tolerance)
    np.testing.assert_allclose(state["m"], m, rtol=tolerance)
    np.testing.assert_allclose(state["v"], v, rtol=tolerance)
    assert state["tb"] == 5


def test_adam_takes_its_first_step_at_full_length():
    """The corrections leave lr times the sign of the gradient."""
    state = steps("adam %w %g %m %v %t lr=0.5 eps=0.0", "mv", 1)
    np.testing.assert_allclose(state["w"], W - 0.5 * np.sign(G), rtol=1e-6)


def test_rate_from_a_value():
    text = "sgd %w %g lr=(none)"
    assert codes(text)  # an operation is no attribute
    state = steps("%rate = div 1.0 (cast (add %t 1) dtype=f32)\nsgd %w %g lr=%rate", "", 2)
    same(state["w"], W - np.float32(1) * G - np.float32(0.5) * (G * 2).astype(np.float32))
    state = steps("%rate = div 0.1 1.0\nadam %w %g %m %v %t lr=%rate", "mv", 1)
    other = steps("adam %w %g %m %v %t lr=0.1", "mv", 1)
    same(state["w"], other["w"])


def test_statement_gives_no_value():
    head = "%w = buffer f32[3]\n%g = stage f32[3]\n"
    assert codes(head + "%y = sgd %w %g") == ["M412"]
    assert codes(head + "sgd %w %g") == []
    assert codes(head + "sgd %g %g") == ["M404"]
    assert codes(head + "sgd %w") == ["T307"]
    assert codes(head + "sgd %w %g rate=0.1") == ["T308"]
    assert codes(head + "%h = stage f64[3]\nsgd %w %h") != []
    assert codes(head + "relu %g") == ["M413"]


def test_minimum_of_a_parabola():
    """Adam and momentum find the minimum of (w - 3)^2."""
    for step, states in [("momentum %w %d %m lr=0.05", "m"), ("adam %w %d %m %v %t lr=0.1", "mv")]:
        text = "%tb = buffer i32\n%t = load %tb\nstore %tb (add %t 1)\n%w = buffer f64\n"
        text += "".join(f"%{name} = buffer f64\n" for name in states)
        text += "%x = load %w\n%loss = square (sub %x 3.0)\n%d = gradient %loss %x\n"
        session = Program.parse(text + step + "\n").session()
        for _ in range(400):
            session.run({})
        assert abs(float(session.state["w"]) - 3.0) < 1e-3
