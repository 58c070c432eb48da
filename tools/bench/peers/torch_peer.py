"""PyTorch as it runs by itself, an operation at a time; also what both ways of it share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from bench import data, models
from bench.peer import FullPeer, Gradients, Last, Makers, Workload, absolute_sum

OPS = models.Ops(
    exp2=torch.exp2,
    log2=torch.log2,
    sin=torch.sin,
    tanh=torch.tanh,
    relu=torch.relu,
    gelu=lambda u: functional.gelu(u, approximate="tanh"),
    softmax=lambda x: torch.softmax(x, -1),
    layer_norm=lambda x, g, b: functional.layer_norm(x, (x.shape[-1],), g, b, 1e-5),
    permute=lambda x, axes: x.permute(axes),
    cross_entropy=functional.cross_entropy,
    mask=torch.from_numpy(data.MASK),
)
FORWARD = models.forward(OPS)
UNARY: dict[str, Callable[..., Any]] = {
    "exp2": torch.exp2,
    "log2": torch.log2,
    "sin": torch.sin,
}


def tensor(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.array(array))


def leaves(arrays: Sequence[np.ndarray]) -> list[torch.Tensor]:
    """Tensors whose gradients will be asked for."""
    return [tensor(array).requires_grad_() for array in arrays]


class Torch(FullPeer):
    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        torch.set_num_threads(threads)

    def versions(self) -> dict[str, str]:
        return {"torch": torch.__version__}

    def applied(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function in the form that is run."""
        return function

    def forward(self, name: str) -> Workload:
        arguments = [tensor(array) for array in data.forward_arguments(name)]
        function, last = self.applied(FORWARD[name]), Last()

        def run() -> None:
            last.value = function(*arguments)

        return Workload(run, lambda: data.forward_check(name, last.value))


class TorchEager(Torch):
    """Gradients by the tape; steps, and results of one operation, in place."""

    def makers(self) -> Makers:
        return super().makers() | {
            "chain10/in_place": chain10_in_place,
            **{f"{name}/out": partial(into, name) for name in UNARY},
            **{f"adam_{fit}/fused": partial(adam_fit, fit, True) for fit in data.FITS},
        }

    def sgd(self, dtype: str) -> Workload:
        x, labels, start = data.mlp2(dtype)
        step = Descent(x, labels, OPS.tanh, data.MLP2_RATE)
        last = Last()

        def run() -> None:
            parameters = leaves(start)
            for _ in range(data.MLP2_STEPS):
                last.value = step(parameters)

        return Workload(run, lambda: float(last.value))

    def step(self, net: str) -> Workload:
        x, labels, start = data.net(net)
        step = Descent(x, labels, OPS.relu, data.NET_RATE)
        parameters = leaves(start)
        return Workload(lambda: step(parameters), lambda: float(step(leaves(start))))

    def gradients(self, net: str) -> Gradients:
        x, labels, start = data.net(net)
        step = Descent(x, labels, OPS.relu, data.NET_RATE)
        parameters = leaves(start)
        return lambda: [gradient.numpy() for gradient in step.gradients(parameters)[1]]

    def adam(self, fit: str) -> Workload:
        return adam_fit(fit, False)

    def block(self) -> Workload:
        x, weight, parameters = data.block()
        arguments, weight_tensor, last = leaves([x, *parameters]), tensor(weight), Last()

        def run() -> None:
            loss = models.block_loss(OPS, arguments, weight_tensor)
            last.value = torch.autograd.grad(loss, arguments)

        return Workload(run, lambda: absolute_sum(last.value))

    def scalar1000(self) -> Workload:
        x, last = torch.tensor(data.SCALAR_START, requires_grad=True), Last()

        def run() -> None:
            last.value = torch.autograd.grad(models.scalar_chain(OPS, x), x)[0]

        return Workload(run, lambda: float(last.value))


class Descent:
    """A step of plain descent for a net, in place; its loss."""

    def __init__(
        self, x: np.ndarray, labels: np.ndarray, activation: models.Function, rate: float
    ) -> None:
        self.x, self.labels = tensor(x), tensor(labels)
        self.activation, self.rate = activation, rate

    def gradients(self, parameters: list[torch.Tensor]) -> tuple[Any, Sequence[torch.Tensor]]:
        loss = models.net_loss(OPS, parameters, self.x, self.labels, self.activation)
        return loss, torch.autograd.grad(loss, parameters)

    def __call__(self, parameters: list[torch.Tensor]) -> torch.Tensor:
        loss, gradients = self.gradients(parameters)
        with torch.no_grad():
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter.sub_(gradient, alpha=self.rate)
        detached: torch.Tensor = loss.detach()
        return detached


def adam_fit(fit: str, fused: bool) -> Workload:
    """With the library's own optimiser."""
    x, target, start = data.FITS[fit]()
    x_tensor, target_tensor, last = tensor(x), tensor(target), Last()
    loss_of = models.FIT_LOSSES[fit]

    def run() -> None:
        parameters = leaves(start)
        optimiser = torch.optim.Adam(
            parameters,
            lr=data.RATE,
            betas=(data.DECAY_MEAN, data.DECAY_SQUARE),
            eps=data.EPSILON,
            fused=fused,
        )
        for _ in range(data.FIT_STEPS[fit]):
            optimiser.zero_grad()
            loss = loss_of(parameters, x_tensor, target_tensor)
            loss.backward()
            optimiser.step()
        last.value = loss.detach()

    return Workload(run, lambda: float(last.value))


def into(name: str) -> Workload:
    """Into a tensor that is there."""
    (array,) = data.forward_arguments(name)
    x, function = tensor(array), UNARY[name]
    result = torch.empty_like(x)
    return Workload(lambda: function(x, out=result), lambda: data.forward_check(name, result))


def chain10_in_place() -> Workload:
    x = tensor(data.forward_arguments("chain10")[0])
    result = torch.empty_like(x)
    first, *middle, last = data.HORNER

    def run() -> None:
        torch.mul(x, first, out=result)
        for coefficient in middle:
            result.add_(coefficient).mul_(x)
        result.add_(last)

    return Workload(run, lambda: data.forward_check("chain10", result))
