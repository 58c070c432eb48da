"""What the tests of the examples share: values of named nodes, weights, central differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from gradir import Program, Session
from gradir.reference.interpreter import evaluate

Array = NDArray[np.float64]


def values(
    program: Program,
    names: list[str],
    state: Mapping[str, np.ndarray],
    inputs: Mapping[str, np.ndarray] | None = None,
) -> dict[str, np.ndarray]:
    """The values of named nodes, with the buffers' contents given."""
    ids = [program.table.names[name] for name in names]
    found = evaluate(program.table, buffers=state, inputs=inputs, roots=ids).values
    return {name: found[id] for name, id in zip(names, ids, strict=True)}


def gradients(program: Program, state: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The values of all gradients, by the names of the buffers whose loads they are by."""
    table = program.table
    made = {
        table[table[g.x].operands[0]].attr("name"): g.result
        for g in program.gradients
        if table[g.x].op.name == "load"
    }
    found = evaluate(table, buffers=state, roots=list(made.values())).values
    return {name: found[id] for name, id in made.items()}


def weights_of(session: Session, names: list[str]) -> dict[str, np.ndarray]:
    return {name: np.array(session.state[name]) for name in names}


def slope(f: Callable[[float], float], h: float) -> float:
    """f'(0) by central differences of sixth order."""
    near, mid, far = ((f(k * h) - f(-k * h)) / (2 * k * h) for k in (1, 2, 3))
    return 1.5 * near - 0.6 * mid + 0.1 * far
