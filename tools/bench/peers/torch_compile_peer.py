"""PyTorch by torch.compile: a whole step, gradients and update, is one graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from bench import data, models
from bench.peer import Gradients, Last, Workload, absolute_sum
from bench.peers.torch_peer import OPS, Torch, tensor

Loss = Callable[[Any], Any]


class TorchCompiled(Torch):
    def applied(self, function: Callable[..., Any]) -> Callable[..., Any]:
        compiled: Callable[..., Any] = torch.compile(function, dynamic=False)
        return compiled

    def without_tape(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function compiled, called where no gradients are recorded besides its own."""
        compiled = self.applied(function)

        def call(*arguments: Any) -> Any:
            with torch.no_grad():
                return compiled(*arguments)

        return call

    def warm(self) -> None:
        self.applied(lambda x: x * 2 + 1)(torch.ones(1000))

    def descent(self, loss: Loss, rate: float) -> Callable[..., Any]:
        """Parameters to new parameters and the loss."""

        def step(parameters: list[Any]) -> tuple[list[Any], Any]:
            gradients, value = torch.func.grad_and_value(loss)(parameters)
            return [p - rate * g for p, g in zip(parameters, gradients, strict=True)], value

        return self.without_tape(step)

    def sgd(self, dtype: str) -> Workload:
        x, labels, start = data.mlp2(dtype)
        step, last = self.descent(net_loss(x, labels, OPS.tanh), data.MLP2_RATE), Last()

        def run() -> None:
            parameters = [tensor(array) for array in start]
            for _ in range(data.MLP2_STEPS):
                parameters, last.value = step(parameters)

        return Workload(run, lambda: float(last.value))

    def step(self, net: str) -> Workload:
        x, labels, start = data.net(net)
        step, state = self.descent(net_loss(x, labels, OPS.relu), data.NET_RATE), Last()
        state.value = [tensor(array) for array in start]

        def run() -> None:
            state.value, _ = step(state.value)

        return Workload(run, lambda: float(step([tensor(array) for array in start])[1]))

    def gradients(self, net: str) -> Gradients:
        x, labels, start = data.net(net)
        parameters = [tensor(array) for array in start]
        compiled = self.applied(torch.func.grad(net_loss(x, labels, OPS.relu)))
        return lambda: [gradient.numpy() for gradient in compiled(parameters)]

    def adam(self, fit: str) -> Workload:
        x, target, start = data.FITS[fit]()
        x_tensor, target_tensor, last = tensor(x), tensor(target), Last()
        loss_of, mean, square = models.FIT_LOSSES[fit], data.DECAY_MEAN, data.DECAY_SQUARE
        steps = range(1, data.FIT_STEPS[fit] + 1)
        mean_shares = torch.tensor([1 / (1 - mean**step) for step in steps])
        square_shares = torch.tensor([1 / (1 - square**step) for step in steps])

        def step(
            parameters: list[Any], means: list[Any], squares: list[Any], k1: Any, k2: Any
        ) -> tuple[list[Any], list[Any], list[Any], Any]:
            gradients, value = torch.func.grad_and_value(
                lambda parameters: loss_of(parameters, x_tensor, target_tensor)
            )(parameters)
            means = [mean * m + (1 - mean) * g for m, g in zip(means, gradients, strict=True)]
            squares = [
                square * s + (1 - square) * g * g for s, g in zip(squares, gradients, strict=True)
            ]
            moved = [
                p - data.RATE * k1 * m / (torch.sqrt(s * k2) + data.EPSILON)
                for p, m, s in zip(parameters, means, squares, strict=True)
            ]
            return moved, means, squares, value

        compiled = self.without_tape(step)

        def run() -> None:
            parameters = [tensor(array) for array in start]
            means = [torch.zeros_like(p) for p in parameters]
            squares = [torch.zeros_like(p) for p in parameters]
            for k1, k2 in zip(mean_shares, square_shares, strict=True):
                parameters, means, squares, last.value = compiled(
                    parameters, means, squares, k1, k2
                )

        return Workload(run, lambda: float(last.value))

    def block(self) -> Workload:
        x, weight, parameters = data.block()
        arguments, weight_tensor = [tensor(array) for array in (x, *parameters)], tensor(weight)
        both = torch.func.grad_and_value(lambda given: models.block_loss(OPS, given, weight_tensor))
        gradients, last = self.without_tape(both), Last()

        def run() -> None:
            last.value = gradients(arguments)[0]

        return Workload(run, lambda: absolute_sum(last.value))

    def scalar1000(self) -> Workload:
        derivative = self.without_tape(torch.func.grad(lambda x: models.scalar_chain(OPS, x)))
        x, last = torch.tensor(data.SCALAR_START), Last()

        def run() -> None:
            last.value = derivative(x)

        return Workload(run, lambda: float(last.value))


def net_loss(x: Any, labels: Any, activation: models.Function) -> Loss:
    x_tensor, labels_tensor = tensor(x), tensor(labels)
    return lambda parameters: models.net_loss(OPS, parameters, x_tensor, labels_tensor, activation)
