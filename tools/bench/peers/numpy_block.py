"""The transformer block's gradients, derived by hand for NumPy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bench.data import MASK

BATCH, PLACES, WIDE, HEADS = 4, 64, 64, 4
ROWS, EACH = BATCH * PLACES, WIDE // HEADS
HALF, SCALE, EPSILON = np.float32(0.5), np.float32(0.25), np.float32(1e-5)
GELU, CUBE = np.float32(math.sqrt(2 / math.pi)), np.float32(0.044715)


class Normal(NamedTuple):
    """A layer norm's result, with what its gradient needs."""

    result: np.ndarray
    centred: np.ndarray
    inverse: np.ndarray


def layer_norm(x: np.ndarray, scale: np.ndarray, shift: np.ndarray) -> Normal:
    centred = x - x.mean(-1, keepdims=True)
    inverse = 1 / np.sqrt((centred * centred).mean(-1, keepdims=True) + EPSILON)
    centred *= inverse
    return Normal(centred * scale + shift, centred, inverse)


def layer_norm_gradients(
    dy: np.ndarray, scale: np.ndarray, norm: Normal
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """With respect to input, scale and shift."""
    d = dy * scale
    along = (d * norm.centred).mean(-1, keepdims=True)
    dx = (d - d.mean(-1, keepdims=True) - norm.centred * along) * norm.inverse
    return dx, (dy * norm.centred).sum((0, 1)), dy.sum((0, 1))


def flat(x: np.ndarray) -> np.ndarray:
    return x.reshape(ROWS, -1)


def swapped(x: np.ndarray) -> np.ndarray:
    """The last two axes the other way round."""
    return x.transpose(0, 1, 3, 2)


class BlockGradients:
    """Gradients with respect to the input and the parameters, in the parameters' order."""

    def __init__(self, parameters: Sequence[np.ndarray]) -> None:
        self.parameters = parameters

    def __call__(self, x: np.ndarray, weight: np.ndarray) -> list[np.ndarray]:
        g1, b1, wq, bq, wo, bo, g2, b2, w1, c1, w2, _ = self.parameters

        n1 = layer_norm(x, g1, b1)
        parts = (flat(n1.result) @ wq + bq).reshape(BATCH, PLACES, 3, HEADS, EACH)
        q, k, v = np.ascontiguousarray(parts.transpose(2, 0, 3, 1, 4))
        a = q @ swapped(k)
        a *= SCALE
        a += MASK
        a -= a.max(-1, keepdims=True)
        np.exp(a, out=a)
        a /= a.sum(-1, keepdims=True)
        mixed = (a @ v).transpose(0, 2, 1, 3).reshape(ROWS, WIDE)
        x2 = x + (mixed @ wo + bo).reshape(x.shape)
        n2 = layer_norm(x2, g2, b2)
        u = flat(n2.result) @ w1 + c1
        t = np.tanh(GELU * (u + CUBE * u * u * u))
        gelu = HALF * u * (1 + t)
        # The results themselves are not needed: the loss is linear in them.

        dy = flat(weight)
        dw2, dc2 = gelu.T @ dy, dy.sum(0)
        du = dy @ w2.T
        du *= HALF * (1 + t) + HALF * u * (1 - t * t) * GELU * (1 + 3 * CUBE * u * u)
        dw1, dc1 = flat(n2.result).T @ du, du.sum(0)
        dx2, dg2, db2 = layer_norm_gradients((du @ w1.T).reshape(x.shape), g2, n2)
        dx2 += weight
        do = flat(dx2)
        dwo, dbo = mixed.T @ do, do.sum(0)
        dmixed = (do @ wo.T).reshape(BATCH, PLACES, HEADS, EACH).transpose(0, 2, 1, 3)
        dv, da = swapped(a) @ dmixed, dmixed @ swapped(v)
        da -= (da * a).sum(-1, keepdims=True)
        da *= a
        da *= SCALE
        dparts = np.stack([da @ k, swapped(da) @ q, dv]).transpose(1, 3, 0, 2, 4)
        dqkv = dparts.reshape(ROWS, 3 * WIDE)
        dwq, dbq = flat(n1.result).T @ dqkv, dqkv.sum(0)
        dx, dg1, db1 = layer_norm_gradients((dqkv @ wq.T).reshape(x.shape), g1, n1)
        dx += dx2
        return [dx, dg1, db1, dwq, dbq, dwo, dbo, dg2, db2, dw1, dc1, dw2, dc2]
