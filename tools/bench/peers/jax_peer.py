"""JAX: everything by jit; loops of training also as a whole, by scan."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import jaxlib
import numpy as np

from bench import data, models
from bench.peer import FullPeer, Gradients, Last, Makers, Workload, absolute_sum

Loss = Callable[[Any], Any]
jax.config.update("jax_enable_x64", True)


def cross_entropy(logits: Any, targets: Any) -> Any:
    return -(jax.nn.log_softmax(logits) * targets).sum(1).mean()


def layer_norm(x: Any, scale: Any, shift: Any) -> Any:
    c = x - x.mean(-1, keepdims=True)
    return c * jax.lax.rsqrt((c * c).mean(-1, keepdims=True) + 1e-5) * scale + shift


OPS = models.Ops(
    exp2=jnp.exp2,
    log2=jnp.log2,
    sin=jnp.sin,
    tanh=jnp.tanh,
    relu=lambda h: jnp.maximum(h, 0),
    gelu=lambda u: jax.nn.gelu(u, approximate=True),
    softmax=jax.nn.softmax,
    layer_norm=layer_norm,
    permute=lambda x, axes: x.transpose(axes),
    cross_entropy=cross_entropy,
    mask=jnp.asarray(data.MASK),
)
FORWARD = models.forward(OPS)


def ready(value: Any) -> Any:
    """The value once it is there: calls return before."""
    return jax.block_until_ready(value)


class Jax(FullPeer):
    def versions(self) -> dict[str, str]:
        return {"jax": jax.__version__, "jaxlib": jaxlib.__version__}

    def makers(self) -> Makers:
        return super().makers() | {
            **{f"sgd_mlp2_f{bits}/scan": partial(sgd_scan, f"float{bits}") for bits in (64, 32)},
            **{f"adam_{fit}/scan": partial(adam_fit, fit, True) for fit in data.FITS},
            **{f"step_{net}/donate": partial(net_step, net, (0,)) for net in data.NETS},
        }

    def warm(self) -> None:
        ready(jax.jit(lambda x: x * 2 + 1)(jnp.ones(1000)))

    def forward(self, name: str) -> Workload:
        arguments = [jnp.asarray(array) for array in data.forward_arguments(name)]
        function, last = jax.jit(FORWARD[name]), Last()

        def run() -> None:
            last.value = ready(function(*arguments))

        return Workload(run, lambda: data.forward_check(name, last.value))

    def sgd(self, dtype: str) -> Workload:
        step, start = mlp2_step(dtype)
        compiled, last = jax.jit(step), Last()

        def run() -> None:
            parameters = start
            for _ in range(data.MLP2_STEPS):
                parameters, last.value = compiled(parameters)
            ready((parameters, last.value))

        return Workload(run, lambda: float(last.value))

    def step(self, net: str) -> Workload:
        return net_step(net, ())

    def gradients(self, net: str) -> Gradients:
        x, labels, start = data.net(net)
        compiled = jax.jit(jax.grad(net_loss(x, data.one_hot(labels, 10), OPS.relu)))
        parameters = [jnp.asarray(array) for array in start]
        return lambda: [np.asarray(gradient) for gradient in compiled(parameters)]

    def adam(self, fit: str) -> Workload:
        return adam_fit(fit, False)

    def block(self) -> Workload:
        x, weight, parameters = data.block()
        arguments = [jnp.asarray(array) for array in (x, *parameters)]
        given_weight, last = jnp.asarray(weight), Last()
        both = jax.jit(
            jax.value_and_grad(lambda given: models.block_loss(OPS, given, given_weight))
        )

        def run() -> None:
            last.value = ready(both(arguments))[1]

        return Workload(run, lambda: absolute_sum(last.value))

    def scalar1000(self) -> Workload:
        derivative = jax.jit(jax.grad(lambda x: models.scalar_chain(OPS, x)))
        x, last = jnp.asarray(np.float32(data.SCALAR_START)), Last()

        def run() -> None:
            last.value = ready(derivative(x))

        return Workload(run, lambda: float(last.value))


def net_loss(x: Any, targets: Any, activation: models.Function) -> Loss:
    x, targets = jnp.asarray(x), jnp.asarray(targets)
    return lambda parameters: models.net_loss(OPS, parameters, x, targets, activation)


def descent(loss: Loss, rate: float) -> Callable[[list[Any]], tuple[list[Any], Any]]:
    """Parameters to new parameters and the loss, not compiled yet."""

    def step(parameters: list[Any]) -> tuple[list[Any], Any]:
        value, gradients = jax.value_and_grad(loss)(parameters)
        return [p - rate * g for p, g in zip(parameters, gradients, strict=True)], value

    return step


def mlp2_step(dtype: str) -> tuple[Callable[..., Any], list[Any]]:
    x, labels, start = data.mlp2(dtype)
    loss = net_loss(x, data.one_hot(labels, 3, dtype), OPS.tanh)
    return descent(loss, data.MLP2_RATE), [jnp.asarray(array) for array in start]


def sgd_scan(dtype: str) -> Workload:
    step, start = mlp2_step(dtype)
    last = Last()
    loop = jax.jit(
        lambda parameters: jax.lax.scan(
            lambda parameters, _: step(parameters), parameters, None, length=data.MLP2_STEPS
        )
    )

    def run() -> None:
        last.value = ready(loop(start)[1])[-1]

    return Workload(run, lambda: float(last.value))


def net_step(net: str, donated: tuple[int, ...]) -> Workload:
    """A step; where its argument is donated, the new parameters may lie in the old ones' place."""
    x, labels, start = data.net(net)
    loss = net_loss(x, data.one_hot(labels, 10), OPS.relu)
    step = jax.jit(descent(loss, data.NET_RATE), donate_argnums=donated)
    state = Last()
    state.value = [jnp.array(array) for array in start]

    def run() -> None:
        state.value = ready(step(state.value))[0]

    return Workload(run, lambda: float(step([jnp.array(array) for array in start])[1]))


def adam_fit(fit: str, scan: bool) -> Workload:
    samples = data.FITS[fit]()
    x, target = jnp.asarray(samples.x), jnp.asarray(samples.target)
    start = [jnp.asarray(array) for array in samples.parameters]
    zeros, last = [jnp.zeros_like(array) for array in start], Last()
    loss_of, mean, square = models.FIT_LOSSES[fit], data.DECAY_MEAN, data.DECAY_SQUARE
    steps = range(1, data.FIT_STEPS[fit] + 1)
    mean_shares = np.array([1 / (1 - mean**step) for step in steps], np.float32)
    square_shares = np.array([1 / (1 - square**step) for step in steps], np.float32)

    def step(state: Any, shares: Any) -> tuple[Any, Any]:
        parameters, means, squares = state
        value, gradients = jax.value_and_grad(lambda parameters: loss_of(parameters, x, target))(
            parameters
        )
        means = [mean * m + (1 - mean) * g for m, g in zip(means, gradients, strict=True)]
        squares = [
            square * s + (1 - square) * g * g for s, g in zip(squares, gradients, strict=True)
        ]
        moved = [
            p - data.RATE * shares[0] * m / (jnp.sqrt(s * shares[1]) + data.EPSILON)
            for p, m, s in zip(parameters, means, squares, strict=True)
        ]
        return (moved, means, squares), value

    if scan:
        shares = (jnp.asarray(mean_shares), jnp.asarray(square_shares))
        loop = jax.jit(lambda state: jax.lax.scan(step, state, shares))

        def run() -> None:
            last.value = ready(loop((start, zeros, zeros))[1])[-1]
    else:
        compiled = jax.jit(step)

        def run() -> None:
            state = (start, zeros, zeros)
            for pair in zip(mean_shares, square_shares, strict=True):
                state, last.value = compiled(state, pair)
            ready((state, last.value))

    return Workload(run, lambda: float(last.value))
