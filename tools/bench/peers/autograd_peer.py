"""HIPS autograd: the gradients of NumPy code. Its forward workloads are NumPy's, not repeated."""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Callable, Sequence
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd import value_and_grad

from bench import data, models
from bench.peer import FullPeer, Gradients, Last, Makers, Workload, absolute_sum
from bench.peers.numpy_peer import adam_fit


def cross_entropy(logits: Any, targets: Any) -> Any:
    h = logits - anp.max(logits, axis=1, keepdims=True)
    logs = h - anp.log(anp.sum(anp.exp(h), axis=1, keepdims=True))
    return -anp.mean(anp.sum(logs * targets, axis=1))


def softmax(x: Any) -> Any:
    powers = anp.exp(x - anp.max(x, axis=-1, keepdims=True))
    return powers / anp.sum(powers, axis=-1, keepdims=True)


def layer_norm(x: Any, scale: Any, shift: Any) -> Any:
    c = x - anp.mean(x, axis=-1, keepdims=True)
    variance = anp.mean(c * c, axis=-1, keepdims=True)
    return c / anp.sqrt(variance + np.float32(1e-5)) * scale + shift


def gelu(u: Any) -> Any:
    inner = np.float32(math.sqrt(2 / math.pi)) * (u + np.float32(0.044715) * u * u * u)
    return np.float32(0.5) * u * (1 + anp.tanh(inner))


OPS = models.Ops(
    exp2=anp.exp2,
    log2=anp.log2,
    sin=anp.sin,
    tanh=anp.tanh,
    relu=lambda h: anp.maximum(h, np.float32(0)),
    gelu=gelu,
    softmax=softmax,
    layer_norm=layer_norm,
    permute=anp.transpose,
    cross_entropy=cross_entropy,
    mask=data.MASK,
)


class Autograd(FullPeer):
    def versions(self) -> dict[str, str]:
        return {"autograd": importlib.metadata.version("autograd"), "numpy": np.__version__}

    def makers(self) -> Makers:
        return self.trainings()

    def net(self, name: str) -> tuple[list[np.ndarray], Callable[[Any], tuple[Any, Any]]]:
        """Parameters, and loss with gradients as a function of such."""
        x, labels, parameters = data.net(name)
        targets = data.one_hot(labels, 10)
        return parameters, value_and_grad(
            lambda parameters: models.net_loss(OPS, parameters, x, targets, OPS.relu)
        )

    def sgd(self, dtype: str) -> Workload:
        x, labels, start = data.mlp2(dtype)
        targets, rate, last = data.one_hot(labels, 3, dtype), x.dtype.type(data.MLP2_RATE), Last()
        both = value_and_grad(
            lambda parameters: models.net_loss(OPS, parameters, x, targets, OPS.tanh)
        )

        def run() -> None:
            parameters = start
            for _ in range(data.MLP2_STEPS):
                last.value, gradients = both(parameters)
                parameters = [p - rate * g for p, g in zip(parameters, gradients, strict=True)]

        return Workload(run, lambda: float(last.value))

    def step(self, net: str) -> Workload:
        start, both = self.net(net)
        state, rate = Last(), np.float32(data.NET_RATE)
        state.value = start

        def run() -> None:
            _, gradients = both(state.value)
            state.value = [p - rate * g for p, g in zip(state.value, gradients, strict=True)]

        return Workload(run, lambda: float(both(start)[0]))

    def gradients(self, net: str) -> Gradients:
        parameters, both = self.net(net)
        return lambda: both(parameters)[1]

    def adam(self, fit: str) -> Workload:
        loss = models.FIT_LOSSES[fit]

        def gradients(parameters: Sequence[Any], x: Any, target: Any) -> Any:
            return value_and_grad(lambda parameters: loss(parameters, x, target))(parameters)

        return adam_fit(fit, gradients)

    def block(self) -> Workload:
        x, weight, parameters = data.block()
        both, last = value_and_grad(lambda given: models.block_loss(OPS, given, weight)), Last()

        def run() -> None:
            last.value = both([x, *parameters])[1]

        return Workload(run, lambda: absolute_sum(last.value))

    def scalar1000(self) -> Workload:
        both, last = value_and_grad(lambda x: models.scalar_chain(OPS, x)), Last()

        def run() -> None:
            last.value = both(data.SCALAR_START)[1]

        return Workload(run, lambda: float(last.value))
