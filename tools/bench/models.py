"""The models, each written once over a small table of operations that a peer fills.

A peer runs the very same formula on its own arrays, so that figures compare libraries and not
ways to write a loss.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.data import HORNER, SIZES

Function = Callable[..., Any]


@dataclass(frozen=True)
class Ops:
    """What the models need of a library, its own fastest form of each."""

    exp2: Function
    log2: Function
    sin: Function
    tanh: Function
    relu: Function
    gelu: Function  # in the form with tanh
    softmax: Function  # over the last axis
    layer_norm: Function  # (x, scale, shift) over the last axis, epsilon 1e-5
    permute: Function  # (x, axes)
    cross_entropy: Function  # (logits, labels) in the form the peer keeps labels in
    mask: Any


def chain10(x: Any) -> Any:
    """Ten operations: a polynomial in Horner's form."""
    y = x * HORNER[0]
    for coefficient in HORNER[1:-1]:
        y = (y + coefficient) * x
    return y + HORNER[-1]


def scalar_chain(ops: Ops, y: Any) -> Any:
    """1000 operations on one number."""
    for _ in range(250):
        y = ops.tanh(ops.sin(y * 1.02 + 0.001))
    return y


def forward(ops: Ops) -> dict[str, Function]:
    """The workloads that are a single expression, by name."""
    return {
        **dict.fromkeys((f"mm{n}" for n in SIZES), lambda a, b: a @ b),
        "chain10": chain10,
        "exp2": ops.exp2,
        "log2": ops.log2,
        "sin": ops.sin,
        "sum16M": lambda x: x.sum(),
        "rowsum": lambda x: x.sum(1),
        "colsum": lambda x: x.sum(0),
        "softmax": ops.softmax,
    }


def net_loss(ops: Ops, parameters: Sequence[Any], x: Any, labels: Any, activation: Function) -> Any:
    """A net of dense layers: the mean cross entropy of its classes."""
    h = x
    for at in range(0, len(parameters), 2):
        h = h @ parameters[at] + parameters[at + 1]
        if at + 2 < len(parameters):
            h = activation(h)
    return ops.cross_entropy(h, labels)


def plane_loss(parameters: Sequence[Any], x: Any, target: Any) -> Any:
    return ((x @ parameters[0] + parameters[1] - target) ** 2).mean()


def lin30_loss(parameters: Sequence[Any], x: Any, target: Any) -> Any:
    return ((x @ parameters[0] - target) ** 2).mean()


FIT_LOSSES = {"plane": plane_loss, "lin30": lin30_loss}


def block_loss(ops: Ops, arguments: Sequence[Any], weight: Any) -> Any:
    """A transformer block with 4 heads: the weighted sum of its results."""
    x, g1, b1, wq, bq, wo, bo, g2, b2, w1, c1, w2, c2 = arguments
    batch, places, wide, heads = 4, 64, 64, 4
    qkv = (ops.layer_norm(x, g1, b1) @ wq + bq).reshape(batch, places, 3, heads, wide // heads)
    q, k, v = (ops.permute(qkv[:, :, at], (0, 2, 1, 3)) for at in range(3))
    scores = ops.softmax(q @ ops.permute(k, (0, 1, 3, 2)) * 0.25 + ops.mask)
    mixed = ops.permute(scores @ v, (0, 2, 1, 3)).reshape(batch, places, wide)
    x = x + mixed @ wo + bo
    x = x + ops.gelu(ops.layer_norm(x, g2, b2) @ w1 + c1) @ w2 + c2
    return (x * weight).sum()
