"""tinygrad on the processor, through clang, by its jit; no search for kernels."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tinygrad
from tinygrad.nn.optim import Adam

from bench import data, models
from bench.peer import FullPeer, Gradients, Last, Makers, Workload

Loss = Callable[[Any], Any]


def tensor(array: Any) -> Any:
    return tinygrad.Tensor(np.array(array)).contiguous().realize()


OPS = models.Ops(
    exp2=lambda x: x.exp2(),
    log2=lambda x: x.log2(),
    sin=lambda x: x.sin(),
    tanh=lambda x: x.tanh(),
    relu=lambda x: x.relu(),
    gelu=lambda x: x.gelu(),
    softmax=lambda x: x.softmax(-1),
    layer_norm=lambda x, scale, shift: x.layernorm(-1, 1e-5) * scale + shift,
    permute=lambda x, axes: x.permute(*axes),
    cross_entropy=lambda h, targets: -(h.log_softmax(1) * targets).sum(1).mean(),
    mask=tensor(data.MASK),
)
FORWARD = models.forward(OPS)


def wait() -> None:
    """Until what was started is done: calls return before."""
    tinygrad.Device["CPU"].synchronize()


def number(value: Any) -> float:
    return float(value.item())


class Tinygrad(FullPeer):
    def versions(self) -> dict[str, str]:
        return {"tinygrad": importlib.metadata.version("tinygrad")}

    def makers(self) -> Makers:
        """All but the chain of 1000: the time its first call takes grows as n^2.5, to an hour."""
        return {name: make for name, make in super().makers().items() if name != "scalar1000"}

    def warm(self) -> None:
        (tensor(np.ones(1000, np.float32)) * 2 + 1).realize()
        wait()

    def forward(self, name: str) -> Workload:
        arguments = [tensor(array) for array in data.forward_arguments(name)]
        function, last = FORWARD[name], Last()
        compiled = tinygrad.TinyJit(lambda *given: function(*given).realize())

        def run() -> None:
            last.value = compiled(*arguments)
            wait()

        return Workload(run, lambda: data.forward_check(name, last.value.numpy()))

    def sgd(self, dtype: str) -> Workload:
        x, labels, start = data.mlp2(dtype)
        loss, last = net_loss(x, data.one_hot(labels, 3, dtype), OPS.tanh), Last()
        parameters = [tensor(array) for array in start]
        step = descent(loss, data.MLP2_RATE, parameters)

        def run() -> None:
            reset(parameters, start)
            for _ in range(data.MLP2_STEPS):
                last.value = step()
            wait()

        return Workload(run, lambda: number(last.value))

    def step(self, net: str) -> Workload:
        x, labels, start = data.net(net)
        parameters = [tensor(array) for array in start]
        loss = net_loss(x, data.one_hot(labels, 10), OPS.relu)
        step = descent(loss, data.NET_RATE, parameters)

        def run() -> None:
            step()
            wait()

        def check() -> float:
            reset(parameters, start)
            return number(step())

        return Workload(run, check)

    def gradients(self, net: str) -> Gradients:
        x, labels, start = data.net(net)
        parameters = [tensor(array) for array in start]
        loss = net_loss(x, data.one_hot(labels, 10), OPS.relu)
        return lambda: [g.numpy() for g in loss(parameters).gradient(*parameters)]

    def adam(self, fit: str) -> Workload:
        x, target, given = data.FITS[fit]()
        x_tensor, target_tensor, last = tensor(x), tensor(target), Last()
        start = [np.atleast_1d(array) for array in given]
        parameters = [tensor(array).is_param_() for array in start]
        optimiser = Adam(
            parameters, lr=data.RATE, b1=data.DECAY_MEAN, b2=data.DECAY_SQUARE, eps=data.EPSILON
        )
        powers = [optimiser.b1_t, optimiser.b2_t]
        kept = [*powers, *optimiser.m, *optimiser.v]
        for value in kept:
            value.assign(value.contiguous()).realize()
        fresh = [np.ones(v.shape, np.float32) for v in powers]
        fresh += [np.zeros(v.shape, np.float32) for v in kept[len(powers) :]]

        @tinygrad.TinyJit
        def step() -> Any:
            optimiser.zero_grad()
            loss = models.FIT_LOSSES[fit](parameters, x_tensor, target_tensor)
            loss.backward()
            return loss.realize(*optimiser.schedule_step())

        def run() -> None:
            reset(parameters, start)
            reset(kept, fresh)
            for _ in range(data.FIT_STEPS[fit]):
                last.value = step()
            wait()

        return Workload(run, lambda: number(last.value))

    def block(self) -> Workload:
        x, weight, parameters = data.block()
        arguments, weight_tensor = [tensor(array) for array in (x, *parameters)], tensor(weight)
        last = Last()

        @tinygrad.TinyJit
        def gradients() -> Any:
            loss = models.block_loss(OPS, arguments, weight_tensor)
            found = loss.gradient(*arguments)
            loss.realize(*found)
            return found

        def run() -> None:
            last.value = gradients()
            wait()

        return Workload(run, lambda: sum(float(abs(g.numpy()).sum()) for g in last.value))


def net_loss(x: Any, targets: Any, activation: models.Function) -> Loss:
    x, targets = tensor(x), tensor(targets)
    return lambda parameters: models.net_loss(OPS, parameters, x, targets, activation)


def descent(loss: Loss, rate: float, parameters: Sequence[Any]) -> Callable[[], Any]:
    """A step that assigns to the parameters; its loss."""

    def step() -> Any:
        value = loss(parameters)
        gradients = value.gradient(*parameters)
        moved = [p - rate * g for p, g in zip(parameters, gradients, strict=True)]
        value.realize(*[p.assign(new) for p, new in zip(parameters, moved, strict=True)])
        return value

    compiled: Callable[[], Any] = tinygrad.TinyJit(step)
    return compiled


def reset(tensors: Sequence[Any], contents: Sequence[np.ndarray]) -> None:
    for value, array in zip(tensors, contents, strict=True):
        value.assign(tensor(array)).realize()
