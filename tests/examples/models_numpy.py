"""example:layernorm and example:attention by hand: loss and gradients in NumPy, f64.

As in transformer_numpy: derived on paper, nothing of gradir is used. The data, which the programs
draw themselves, are given.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from transformer_numpy import Weights, normed, normed_back

Array = NDArray[np.float64]


def layernorm(w: Weights, x: Array, t: Array) -> tuple[float, Weights]:
    """mean((layer_norm(x w) g + b - t)^2) and the gradients of w, g and b."""
    n, r = normed(x @ w["w"])
    e = n * w["g"] + w["b"] - t
    dy = 2.0 * e / e.size
    gradients = {
        "w": x.T @ normed_back(dy * w["g"], n, r),
        "g": (dy * n).sum(0),
        "b": dy.sum(0),
    }
    return float((e * e).mean()), gradients


def attention(w: Weights, x: Array, labels: NDArray[np.int64]) -> tuple[float, Weights]:
    """The classifier's mean cross entropy and the gradients of its six weights."""
    count, places, features = x.shape
    h = np.tanh(x @ w["embed"])
    keys, values = h @ w["key"], h @ w["value"]
    s = (keys @ w["query"][0]) / math.sqrt(8.0)
    a = np.exp(s - s.max(1, keepdims=True))
    a /= a.sum(1, keepdims=True)
    pooled = np.einsum("np,npd->nd", a, values)
    scores = pooled @ w["out"] + w["bias"]
    scores -= scores.max(1, keepdims=True)
    p = np.exp(scores)
    total = p.sum(1)
    loss = float((np.log(total) - scores[np.arange(count), labels]).mean())
    p /= total[:, None]

    g: Weights = {}
    dscores = p
    dscores[np.arange(count), labels] -= 1.0
    dscores /= count
    g["out"], g["bias"] = pooled.T @ dscores, dscores.sum(0)
    dpooled = dscores @ w["out"].T
    dvalues = a[:, :, None] * dpooled[:, None, :]
    da = np.einsum("nd,npd->np", dpooled, values)
    ds = a * (da - (da * a).sum(1, keepdims=True)) / math.sqrt(8.0)
    g["query"] = np.einsum("np,npd->d", ds, keys)[None, :]
    dkeys = ds[:, :, None] * w["query"][0]
    width = h.shape[-1]
    flat = h.reshape(-1, width)
    g["key"] = flat.T @ dkeys.reshape(-1, width)
    g["value"] = flat.T @ dvalues.reshape(-1, width)
    dz = (dkeys @ w["key"].T + dvalues @ w["value"].T) * (1.0 - h * h)
    g["embed"] = x.reshape(-1, features).T @ dz.reshape(-1, width)
    assert dz.shape == (count, places, width)
    return loss, g
