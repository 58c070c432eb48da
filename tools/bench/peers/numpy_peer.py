"""NumPy: gradients derived by hand, results into arrays that are there, in place where possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from bench import data
from bench.peer import FullPeer, Gradients, Last, Makers, Workload, absolute_sum
from bench.peers.numpy_block import BlockGradients

Arrays = list[np.ndarray]
CHUNK = 8192  # numbers that stay in the first cache, for a chain of operations


class NumPy(FullPeer):
    def versions(self) -> dict[str, str]:
        from threadpoolctl import threadpool_info

        blas = [
            f"{pool['internal_api']} {pool['version']} for {pool['architecture']}, "
            f"{pool['num_threads']} threads"
            for pool in threadpool_info()
            if pool["user_api"] == "blas"
        ]
        return {"numpy": np.__version__, "blas": "; ".join(blas)}

    def makers(self) -> Makers:
        return super().makers() | {
            "chain10/chunks": chain10_in_chunks,
            **{f"{name}/fresh": partial(fresh, name) for name in UNARY},
        }

    def forward(self, name: str) -> Workload:
        arguments = data.forward_arguments(name)
        if name in REDUCTIONS:
            last = Last()

            def reduce() -> None:
                last.value = REDUCTIONS[name](arguments[0])

            return Workload(reduce, lambda: data.forward_check(name, last.value))
        result = np.empty_like(arguments[0])
        function = INTO.get(name, np.matmul)

        def run() -> None:
            function(*arguments, out=result)

        return Workload(run, lambda: data.forward_check(name, result))

    def sgd(self, dtype: str) -> Workload:
        x, labels, start = data.mlp2(dtype)
        targets, rate, last = data.one_hot(labels, 3, dtype), x.dtype.type(data.MLP2_RATE), Last()

        def run() -> None:
            parameters = [array.copy() for array in start]
            for _ in range(data.MLP2_STEPS):
                last.value, gradients = net_gradients(parameters, x, targets, "tanh")
                for parameter, gradient in zip(parameters, gradients, strict=True):
                    parameter -= rate * gradient

        return Workload(run, lambda: float(last.value))

    def step(self, net: str) -> Workload:
        x, labels, parameters = data.net(net)
        targets, rate = data.one_hot(labels, 10), np.float32(data.NET_RATE)
        start = [array.copy() for array in parameters]

        def run() -> None:
            _, gradients = net_gradients(parameters, x, targets, "relu")
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter -= rate * gradient

        return Workload(run, lambda: float(net_gradients(start, x, targets, "relu")[0]))

    def gradients(self, net: str) -> Gradients:
        x, labels, parameters = data.net(net)
        targets = data.one_hot(labels, 10)
        return lambda: net_gradients(parameters, x, targets, "relu")[1]

    def adam(self, fit: str) -> Workload:
        return adam_fit(fit, FIT_GRADIENTS[fit])

    def block(self) -> Workload:
        x, weight, parameters = data.block()
        gradients, last = BlockGradients(parameters), Last()

        def run() -> None:
            last.value = gradients(x, weight)

        return Workload(run, lambda: absolute_sum(last.value))

    def scalar1000(self) -> Workload:
        last = Last()

        def run() -> None:
            last.value = scalar_derivative(data.SCALAR_START)

        return Workload(run, lambda: float(last.value))


def chain10_into(x: np.ndarray, out: np.ndarray) -> None:
    """Each operation over everything before the next."""
    first, *middle, last = np.array(data.HORNER, np.float32)
    np.multiply(x, first, out=out)
    for coefficient in middle:
        np.add(out, coefficient, out=out)
        np.multiply(out, x, out=out)
    np.add(out, last, out=out)


def chain10_in_chunks() -> Workload:
    """All operations over a piece that fits the cache before the next piece."""
    (x,) = data.forward_arguments("chain10")
    result = np.empty_like(x)

    def run() -> None:
        for at in range(0, len(x), CHUNK):
            chain10_into(x[at : at + CHUNK], result[at : at + CHUNK])

    return Workload(run, lambda: data.forward_check("chain10", result))


def softmax_into(x: np.ndarray, out: np.ndarray) -> None:
    np.subtract(x, x.max(1, keepdims=True), out=out)
    np.exp(out, out=out)
    np.divide(out, out.sum(1, keepdims=True), out=out)


UNARY: dict[str, Callable[..., Any]] = {"exp2": np.exp2, "log2": np.log2, "sin": np.sin}
INTO = UNARY | {"chain10": chain10_into, "softmax": softmax_into}
REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum16M": lambda x: x.sum(),
    "rowsum": lambda x: x.sum(1),
    "colsum": lambda x: x.sum(0),
}


def fresh(name: str) -> Workload:
    """A new array for every result: fast where the allocator gives the same one back."""
    (x,) = data.forward_arguments(name)
    function, last = UNARY[name], Last()

    def run() -> None:
        last.value = function(x)

    return Workload(run, lambda: data.forward_check(name, last.value))


def net_gradients(
    parameters: Sequence[np.ndarray], x: np.ndarray, targets: np.ndarray, activation: str
) -> tuple[float, Arrays]:
    """Loss and all gradients of a net of dense layers."""
    layers = len(parameters) // 2
    reached, h = [x], x
    for layer in range(layers):
        h = h @ parameters[2 * layer]
        h += parameters[2 * layer + 1]
        if layer + 1 < layers:
            np.tanh(h, out=h) if activation == "tanh" else np.maximum(h, 0, out=h)
            reached.append(h)
    h = h - h.max(1, keepdims=True)
    powers = np.exp(h)
    sums = powers.sum(1, keepdims=True)
    loss = (np.log(sums).sum() - (h * targets).sum()) / len(x)
    d = powers / sums
    d -= targets
    d *= x.dtype.type(1 / len(x))
    gradients: Arrays = []
    for layer in reversed(range(layers)):
        h = reached[layer]
        gradients[:0] = [h.T @ d, d.sum(0)]
        if layer:
            d = d @ parameters[2 * layer].T
            d *= (1 - h * h) if activation == "tanh" else (h > 0)
    return loss, gradients


def plane_gradients(parameters: Arrays, x: np.ndarray, target: np.ndarray) -> tuple[Any, Arrays]:
    e = x @ parameters[0] + parameters[1] - target
    d = e * np.float32(2 / len(e))
    return (e * e).mean(), [x.T @ d, d.sum()]


def lin30_gradients(parameters: Arrays, x: np.ndarray, target: np.ndarray) -> tuple[Any, Arrays]:
    e = x @ parameters[0] - target
    return (e * e).mean(), [x.T @ (e * np.float32(2 / e.size))]


FIT_GRADIENTS = {"plane": plane_gradients, "lin30": lin30_gradients}


def adam_fit(fit: str, gradients_of: Callable[..., tuple[Any, Sequence[Any]]]) -> Workload:
    """A fit with Adam, its means in place; also for another's gradients of NumPy arrays."""
    x, target, start = data.FITS[fit]()
    last = Last()
    keep_mean, add_mean = np.float32(data.DECAY_MEAN), np.float32(1 - data.DECAY_MEAN)
    keep_square, add_square = np.float32(data.DECAY_SQUARE), np.float32(1 - data.DECAY_SQUARE)

    def run() -> None:
        parameters = [array.copy() for array in start]
        means = [np.zeros_like(array) for array in start]
        squares = [np.zeros_like(array) for array in start]
        for step in range(1, data.FIT_STEPS[fit] + 1):
            last.value, gradients = gradients_of(parameters, x, target)
            rate = np.float32(data.RATE / (1 - data.DECAY_MEAN**step))
            share = np.float32(1 / (1 - data.DECAY_SQUARE**step))
            for parameter, mean, square, gradient in zip(
                parameters, means, squares, gradients, strict=True
            ):
                mean *= keep_mean
                mean += add_mean * gradient
                square *= keep_square
                square += add_square * gradient * gradient
                parameter -= rate * mean / (np.sqrt(square * share) + np.float32(data.EPSILON))

    return Workload(run, lambda: float(last.value))


def scalar_derivative(y: float) -> float:
    """By plain Python numbers, faster than NumPy's scalars: forward with a tape, then back."""
    tape = []
    for _ in range(250):
        inner = y * 1.02 + 0.001
        y = math.tanh(math.sin(inner))
        tape.append((inner, y))
    derivative = 1.0
    for inner, y in reversed(tape):
        derivative = derivative * (1 - y * y) * math.cos(inner) * 1.02
    return derivative
