"""The arrays of the workloads: the same numbers for every peer, from fixed seeds."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

LONG = 1 << 24  # the length of the vectors: 64 MiB of f32, more than any cache
SIZES = (128, 512, 1024, 2048)  # of the matrix products
HORNER = (0.9, -0.7, 0.31, 0.17, -0.11, 0.05)  # five products and five sums
SCALAR_START = 0.3

# Adam, wherever it is used.
RATE, DECAY_MEAN, DECAY_SQUARE, EPSILON = 0.05, 0.9, 0.999, 1e-8

_SHAPES = {"rowsum": (4096, 4096), "colsum": (4096, 4096), "softmax": (4096, 1024)}
_ELEMENTWISE = ("chain10", "exp2", "log2", "sin")
FORWARD = (*(f"mm{n}" for n in SIZES), *_ELEMENTWISE, "sum16M", *_SHAPES)


class Classes(NamedTuple):
    """Samples, the class of each, and the weights and biases of a net, layer by layer."""

    x: np.ndarray
    labels: np.ndarray
    parameters: list[np.ndarray]


class Fit(NamedTuple):
    """Samples, what is to come out for each, the parameters before the first step."""

    x: np.ndarray
    target: np.ndarray
    parameters: list[np.ndarray]


class Block(NamedTuple):
    """A transformer block's input, the weights of its results in the loss, 12 parameters."""

    x: np.ndarray
    weight: np.ndarray
    parameters: list[np.ndarray]


def normal(seed: int, *shape: int, dtype: DTypeLike = np.float32, scale: float = 1.0) -> np.ndarray:
    """Normally distributed numbers, drawn in f64 whatever the dtype."""
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(dtype)


def one_hot(labels: np.ndarray, classes: int, dtype: DTypeLike = np.float32) -> np.ndarray:
    return np.eye(classes, dtype=dtype)[labels]


def forward_arguments(name: str) -> tuple[np.ndarray, ...]:
    """What a workload that is a single expression is called with."""
    if name.startswith("mm"):
        n = int(name[2:])
        return normal(1, n, n), normal(2, n, n)
    generator = np.random.default_rng(1)
    if name in _SHAPES:
        return (generator.uniform(-1, 1, _SHAPES[name]).astype(np.float32),)
    return (generator.uniform(0.1, 2.0, LONG).astype(np.float32),)


def forward_check(name: str, result: Any) -> float:
    """The element of such a workload's result that is compared: never one that is reused."""
    return float(result.reshape(-1)[7 if name in _ELEMENTWISE else 0])


def mlp2(dtype: DTypeLike) -> Classes:
    """512 points around three centres, for a net 2 → 32 → 3."""
    labels = np.arange(512) % 3
    angle = 2 * np.pi * labels / 3
    noise = np.random.default_rng(2).standard_normal((512, 2))
    x = np.stack([np.cos(angle), np.sin(angle)], 1) + 0.3 * noise
    first, second = (
        normal(3, 2, 32, dtype=dtype, scale=0.5),
        normal(4, 32, 3, dtype=dtype, scale=0.5),
    )
    parameters = [first, np.zeros(32, dtype), second, np.zeros(3, dtype)]
    return Classes(x.astype(dtype), labels, parameters)


NETS = {"mlp784_128": ((128,), 64), "mlp784_512_512": ((512, 512), 256)}


def net(name: str) -> Classes:
    """Images of 784 numbers in ten classes, for a net with the hidden layers of its name."""
    hidden, batch = NETS[name]
    widths = [784, *hidden, 10]
    parameters = []
    for at, (rows, columns) in enumerate(pairwise(widths)):
        scale = (2 / rows) ** 0.5
        parameters += [normal(10 + at, rows, columns, scale=scale), np.zeros(columns, np.float32)]
    return Classes(normal(5, batch, 784), np.arange(batch) % 10, parameters)


def plane() -> Fit:
    """100 points of a plane over the plane; weights and an offset, from zero."""
    x = normal(6, 100, 2)
    target = (x @ np.array([1.5, -2.0], np.float32) + np.float32(0.5)).astype(np.float32)
    return Fit(x, target, [np.zeros(2, np.float32), np.zeros((), np.float32)])


def lin30() -> Fit:
    """20 samples of a linear map of 30 numbers to 30."""
    x = normal(7, 20, 30)
    return Fit(x, x @ normal(8, 30, 30), [normal(9, 30, 30, scale=0.1)])


FITS = {"plane": plane, "lin30": lin30}
FIT_STEPS = {"plane": 1000, "lin30": 100}
MLP2_STEPS, MLP2_RATE, NET_RATE = 300, 0.5, 1e-3

# Nothing may look ahead: what is added to a score before softmax.
MASK = np.triu(np.full((64, 64), -1e9, np.float32), 1)


def block() -> Block:
    """4 sequences of 64 places, 64 wide; 256 wide inside. Parameters in order of use."""
    wide, inner = 64, 256
    scale = wide**-0.5

    def zeros(length: int) -> np.ndarray:
        return np.zeros(length, np.float32)

    def ones(length: int) -> np.ndarray:
        return np.ones(length, np.float32)

    parameters = [
        *(ones(wide), zeros(wide)),  # the first normalisation: scale and shift
        *(normal(20, wide, 3 * wide, scale=scale), zeros(3 * wide)),  # queries, keys, values
        *(normal(21, wide, wide, scale=scale), zeros(wide)),
        *(ones(wide), zeros(wide)),  # the second normalisation
        *(normal(22, wide, inner, scale=scale), zeros(inner)),
        *(normal(23, inner, wide, scale=inner**-0.5), zeros(wide)),
    ]
    return Block(normal(24, 4, 64, wide), normal(25, 4, 64, wide), parameters)
