"""Whole descent steps, unrolled: a program whose outputs are trained weights and the losses.

The loss and its gradients are nodes already. A step is a copy of them with the weights replaced
by what the step before has made of them, and then `w - lr * g`; what does not depend on a weight
is copied once. The bits are those of running one step N times.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gradir.ir.builder import Builder
from gradir.ir.literals import Lit
from gradir.ir.table import Origin, Table
from gradir.passes.copying import Copier, closure

MAX_NODES = 10_000_000


@dataclass(frozen=True)
class Descent:
    """What is to be descended: a scalar, and each weight's name, node and gradient."""

    loss: int
    weights: Mapping[str, tuple[int, int]]
    rate: Lit
    steps: int


def descend(table: Table, descent: Descent, loss_name: str) -> Table:
    """The unrolled program: outputs `loss.0` … and each weight under its name."""
    roots = [descent.loss, *(gradient for _, gradient in descent.weights.values())]
    needed = closure(table, [*roots, *(weight for weight, _ in descent.weights.values())])
    target = Table(dims=dict(table.dims), functions=dict(table.functions))
    builder = Builder(target)
    weights = {name: weight for name, (weight, _) in descent.weights.items()}
    moving = _dependents(table, needed, weights.values())
    still = Copier(table, target)
    still.copy(id for id in needed if id not in moving)
    _carry_versions(table, target, still)
    now = {weight: still.ids[weight] for weight in weights.values() if weight in still.ids}
    losses: list[int] = []
    for step in range(descent.steps):
        copier = Copier(table, target)
        copier.ids = {**still.ids, **now}
        copier.copy(needed)
        if step == 0:
            for id, made in copier.ids.items():
                for name in table.node_names.get(id, ()):
                    target.bind(name, made)
        losses.append(copier.ids[descent.loss])
        for name, (weight, gradient) in descent.weights.items():
            builder.origin = Origin(table.span(weight))
            moved = _update(builder, copier.ids[weight], copier.ids[gradient], descent.rate)
            now[weight] = moved
            target.bind(f"{name}.{step + 1}", moved)
    for step, loss in enumerate(losses):
        builder.output(loss, f"{loss_name}.{step}")
    for name, weight in weights.items():
        builder.output(now[weight], name)
    return target


def _update(builder: Builder, weight: int, gradient: int, rate: Lit) -> int:
    """`sub w (mul lr g)`, as its expansion."""
    step = builder.apply("mul", rate, gradient)
    minus = Lit("int", "-1", builder.type(weight).dtype, True)
    return builder.apply("add", weight, builder.apply("mul", step, minus))


def _dependents(table: Table, needed: Sequence[int], weights: Iterable[int]) -> set[int]:
    """The weights' users, directly and on; the weights themselves are not among them."""
    roots = frozenset(weights)
    found: set[int] = set()
    for id in needed:
        if id not in roots and any(o in roots or o in found for o in table[id].operands):
            found.add(id)
    return found


def _carry_versions(table: Table, target: Table, copier: Copier) -> None:
    """Every buffer starts as it does in the source; nothing is stored here."""
    for buffer in table.versions:
        if buffer in copier.ids:
            target.versions[copier.ids[buffer]] = [copier.ids[buffer]]
