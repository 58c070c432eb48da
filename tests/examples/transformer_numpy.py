"""example:transformer by hand: forward, backward and descent in NumPy, f64.

Derived on paper and written with NumPy's own operations; nothing of gradir is used. `weights` are
dictionaries by the names that the program gives its buffers.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Weights = dict[str, Array]

NAMES = (
    *("E", "g1", "b1", "Wq", "Wk", "Wv", "Wo", "g2"),
    *("b2", "W1", "c1", "W2", "c2", "g3", "b3", "Wy"),
)
BATCH, PLACES, TOKENS, WIDTH, HEADS = 5, 7, 11, 16, 2
DEPTH = WIDTH // HEADS
EPS = 1e-5
_ERF = np.vectorize(math.erf, otypes=[np.float64])


def data(step: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The tokens read and the tokens to predict in a step, both [5, 7]."""
    n = step * BATCH + np.arange(BATCH)[:, None]
    tokens = ((n * 7) % 11 + (n % 3 + 1) * np.arange(PLACES + 1)[None, :]) % 11
    return tokens[:, :-1], tokens[:, 1:]


def places() -> Array:
    """The sine code of the places, [7, 16]."""
    speed = 2.0 ** (-0.5 * (np.arange(WIDTH) % 8))
    ahead = (np.arange(WIDTH) // 8) * (np.pi / 2)
    return np.sin(np.arange(PLACES)[:, None] * speed + ahead)


def split(x: Array) -> Array:
    return x.reshape(BATCH, PLACES, HEADS, DEPTH).transpose(0, 2, 1, 3)


def join(x: Array) -> Array:
    return x.transpose(0, 2, 1, 3).reshape(BATCH, PLACES, WIDTH)


def normed(x: Array) -> tuple[Array, Array]:
    """The normalised rows and one over their deviation."""
    d = x - x.mean(-1, keepdims=True)
    r = 1.0 / np.sqrt((d * d).mean(-1, keepdims=True) + EPS)
    return d * r, r


def normed_back(dn: Array, n: Array, r: Array) -> Array:
    """The share of x, where n, r = normed(x) and dn is the share of n."""
    return r * (dn - dn.mean(-1, keepdims=True) - n * (dn * n).mean(-1, keepdims=True))


def forward(w: Weights, step: int) -> tuple[float, dict[str, Array]]:
    """The loss, and what the backward pass needs."""
    read, following = data(step)
    c: dict[str, Array] = {}
    x0 = w["E"][read] + places()
    c["h1"], c["r1"] = normed(x0)
    c["n1"] = c["h1"] * w["g1"] + w["b1"]
    c["q"], c["k"], c["v"] = (split(c["n1"] @ w[name]) for name in ("Wq", "Wk", "Wv"))
    s = c["q"] @ c["k"].transpose(0, 1, 3, 2) / math.sqrt(DEPTH)
    s = np.where(np.tril(np.ones((PLACES, PLACES), bool)), s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    c["a"] = e / e.sum(-1, keepdims=True)
    c["mixed"] = join(c["a"] @ c["v"])
    x1 = x0 + c["mixed"] @ w["Wo"]
    c["h2"], c["r2"] = normed(x1)
    c["n2"] = c["h2"] * w["g2"] + w["b2"]
    c["z"] = c["n2"] @ w["W1"] + w["c1"]
    c["u"] = 0.5 * c["z"] * (1.0 + _ERF(c["z"] / math.sqrt(2.0)))
    x2 = x1 + c["u"] @ w["W2"] + w["c2"]
    c["h3"], c["r3"] = normed(x2)
    c["n3"] = c["h3"] * w["g3"] + w["b3"]
    scores = c["n3"] @ w["Wy"]
    scores = scores - scores.max(-1, keepdims=True)
    total = np.exp(scores).sum(-1, keepdims=True)
    c["p"] = np.exp(scores) / total
    logp = scores - np.log(total)
    return -float(np.take_along_axis(logp, following[..., None], -1).mean()), c


def _weight(x: Array, dy: Array) -> Array:
    """The share of W in x @ W, summed over batch and places."""
    return x.reshape(-1, x.shape[-1]).T @ dy.reshape(-1, dy.shape[-1])


def backward(w: Weights, step: int) -> tuple[float, Weights]:
    """The loss and all 16 gradients."""
    read, following = data(step)
    loss, c = forward(w, step)
    both = (0, 1)
    g: Weights = {}

    ds = c["p"].copy()
    ds[np.arange(BATCH)[:, None], np.arange(PLACES)[None, :], following] -= 1.0
    ds /= BATCH * PLACES
    g["Wy"] = _weight(c["n3"], ds)
    dn3 = ds @ w["Wy"].T
    g["g3"], g["b3"] = (dn3 * c["h3"]).sum(both), dn3.sum(both)
    dx2 = normed_back(dn3 * w["g3"], c["h3"], c["r3"])

    g["W2"], g["c2"] = _weight(c["u"], dx2), dx2.sum(both)
    z = c["z"]
    slope = 0.5 * (1.0 + _ERF(z / math.sqrt(2.0))) + z * np.exp(-z * z / 2) / math.sqrt(2 * np.pi)
    dz = dx2 @ w["W2"].T * slope
    g["W1"], g["c1"] = _weight(c["n2"], dz), dz.sum(both)
    dn2 = dz @ w["W1"].T
    g["g2"], g["b2"] = (dn2 * c["h2"]).sum(both), dn2.sum(both)
    dx1 = dx2 + normed_back(dn2 * w["g2"], c["h2"], c["r2"])

    g["Wo"] = _weight(c["mixed"], dx1)
    do = split(dx1 @ w["Wo"].T)
    dv = c["a"].transpose(0, 1, 3, 2) @ do
    da = do @ c["v"].transpose(0, 1, 3, 2)
    dscore = c["a"] * (da - (da * c["a"]).sum(-1, keepdims=True)) / math.sqrt(DEPTH)
    dq, dk = dscore @ c["k"], dscore.transpose(0, 1, 3, 2) @ c["q"]
    dn1 = np.zeros_like(c["n1"])
    for name, d in (("Wq", dq), ("Wk", dk), ("Wv", dv)):
        g[name] = _weight(c["n1"], join(d))
        dn1 += join(d) @ w[name].T
    g["g1"], g["b1"] = (dn1 * c["h1"]).sum(both), dn1.sum(both)
    dx0 = dx1 + normed_back(dn1 * w["g1"], c["h1"], c["r1"])
    g["E"] = np.zeros_like(w["E"])
    np.add.at(g["E"], read, dx0)
    return loss, g
