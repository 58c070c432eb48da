"""Gradients against central differences of the same program, evaluated in f64.

For each `gradient y x` the value x is moved, y is evaluated again, and the quotient is compared
with the gradient's own nodes. What `detach` gives, and what a load finds, stays as it is at the
base point: through these no share flows. x may be any value of the program, not only an input.
Small x are checked element by element, large ones along random directions.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from gradir.ir.build import Gradient
from gradir.ir.ops import OPS
from gradir.ir.table import Table
from gradir.ir.types import TensorType
from gradir.passes.copying import closure
from gradir.passes.widen import widen
from gradir.reference.interpreter import evaluate
from gradir.reference.plan import Plan, effects, make_plan
from gradir.runtime.filling import Inputs, fill_missing, filled
from gradir.runtime.program import Program

TOLERANCE = 1e-6
STEP = float(np.cbrt(np.finfo(np.float64).eps))  # times max(1, |x|)
FINER = 1 / 8  # a second step, where the first one may cross a kink
ALL_ELEMENTS = 64
DIRECTIONS = 16
# How missing inputs are filled: anything, or, where that leaves the domain, positive numbers.
FILLS = ("normal:1.0:{seed}", "uniform:0.25:1.25:{seed}")

_FROZEN = (OPS["detach"], OPS["load"])


@dataclass(frozen=True)
class Finding:
    """How a gradient compares: its largest relative error, and over how many quotients."""

    gradient: Gradient
    error: float
    quotients: int
    directions: bool
    trouble: str = ""

    @property
    def agrees(self) -> bool:
        return not self.trouble and self.error <= TOLERANCE


def check_gradients(program: Program, given: Inputs) -> Iterator[Finding]:
    """Compare each gradient of a program, once for each pair of y and x."""
    pairs = list({(g.y, g.x): g for g in program.gradients}.values())
    if not pairs:
        return
    wide, ids = widen(program.table)
    undecided = pairs
    for number, fill in enumerate(FILLS):
        point = Point(program, given, fill, pairs, wide, ids)
        left = []
        for gradient in undecided:
            finding = point.compare(gradient)
            if finding.trouble and number < len(FILLS) - 1:
                left.append(gradient)
            else:
                yield finding
        undecided = left
        if not undecided:
            return


def numeric_gradient(program: Program, given: Inputs, gradient: Gradient) -> np.ndarray | None:
    """What central differences in f64 give for one gradient at a point; None of a large x."""
    wide, ids = widen(program.table)
    point = Point(program, given, FILLS[0], [gradient], wide, ids)
    return point.numeric(gradient)


class Point:
    """A base point: inputs, buffers, and the values there of all that the checks need."""

    def __init__(
        self,
        program: Program,
        given: Inputs,
        fill: str,
        pairs: list[Gradient],
        wide: Table,
        ids: dict[int, int],
    ) -> None:
        table = program.table
        self.table, self.wide, self.ids = table, wide, ids
        self.users: dict[int, dict[int, list[int]]] = {}  # by y, of the nodes it is computed from
        roots = list(effects(table))
        for gradient in pairs:
            roots += [gradient.x, gradient.result]
        # The values of all that a y is computed from are kept: a move of x computes again only
        # what depends on x.
        of_y = closure(table, sorted({gradient.y for gradient in pairs}))
        roots += [id for id in of_y if table[id].op is not OPS["buffer"]]
        here = replace(given, stages=dict(given.stages), dims=dict(given.dims))
        plan = make_plan(table, roots)
        make = _maker(fill)
        fill_missing(here, table, plan.needed, make)
        buffers = dict(given.buffers)
        for name, id in table.buffers.items():
            # Zeros are the worst place to look at: every relu and every max is at its kink.
            plain = name not in buffers and table[id].attr("init") is None
            if plain and table.type(id).dtype.is_float:
                buffers[name] = make(name, table.type(id))
        session = program.session(dims=here.dims, state=buffers)
        session.plan = plan
        arrays = session.arguments(here.stages)
        self.dims = session.dimensions(arrays)
        self.inputs = {name: _wide(array) for name, array in arrays.items()}
        self.values = evaluate(
            wide,
            inputs=self.inputs,
            dims=self.dims,
            buffers={name: _wide(array) for name, array in session.state.items()},
            roots=[ids[root] for root in roots],
        ).values

    def compare(self, gradient: Gradient) -> Finding:
        base = np.array(self.values[self.ids[gradient.x]], np.float64)
        found = np.array(self.values[self.ids[gradient.result]], np.float64)
        value = float(self.values[self.ids[gradient.y]])
        few = base.size <= ALL_ELEMENTS
        if not np.isfinite(value):
            return Finding(gradient, np.inf, 0, not few, f"y is {value:g} at this point")
        move = self.mover(gradient, base, value)
        errors = [
            min(_error(move, base, found, direction, value, step) for step in (STEP, STEP * FINER))
            for direction in _directions(base, few)
        ]
        # Python's max of a NaN depends on the order; here any NaN counts as the largest.
        largest = max((np.inf if np.isnan(e) else e for e in errors), default=0.0)
        return Finding(gradient, float(largest), len(errors), not few)

    def numeric(self, gradient: Gradient) -> np.ndarray | None:
        """The gradient as central differences give it, element by element; None of a large x."""
        base = np.array(self.values[self.ids[gradient.x]], np.float64)
        if base.size > ALL_ELEMENTS:
            return None
        move = self.mover(gradient, base, float(self.values[self.ids[gradient.y]]))
        found = np.zeros(base.size)
        for at, direction in enumerate(_directions(base, True)):
            by = direction * STEP * np.maximum(1.0, np.abs(base))
            moved = float(((base + by) - (base - by)).sum())
            found[at] = (move(by) - move(-by)) / moved
        return found.reshape(base.shape)

    def mover(
        self, gradient: Gradient, base: np.ndarray, value: float
    ) -> Callable[[np.ndarray], float]:
        """y as a function of how far x is moved from `base`, where y is `value`."""
        y, x = self.ids[gradient.y], self.ids[gradient.x]
        moving = self.moving(x, y)
        still = {o for id in moving for o in self.wide[id].operands if o != x} - set(moving)
        frozen = {id: np.asarray(self.values[id]) for id in still}
        plan = Plan(list(moving), {x, *moving}, {})

        def move(by: np.ndarray) -> float:
            if y != x and y not in plan.needed:
                return value  # y does not depend on x, or only by way of a detach
            outcome = evaluate(
                self.wide,
                inputs=self.inputs,
                dims=self.dims,
                roots=[y],
                overrides={**frozen, x: base + by},
                plan=plan,
            )
            return float(outcome.values[y])

        return move

    def moving(self, x: int, y: int) -> list[int]:
        """What y is computed from that changes with x: nothing does behind `detach` and loads."""
        users = self.users.get(y)
        if users is None:
            users = self.users[y] = {}
            for id in closure(self.wide, [y]):
                if self.wide[id].op not in _FROZEN:
                    for operand in self.wide[id].operands:
                        users.setdefault(operand, []).append(id)
        found = {x}
        stack = [x]
        while stack:
            for user in users.get(stack.pop(), ()):
                if user not in found:
                    found.add(user)
                    stack.append(user)
        return sorted(found - {x})


def _directions(base: np.ndarray, few: bool) -> Iterator[np.ndarray]:
    """Unit steps along each element, or random signs in all of them."""
    if few:
        for at in range(base.size):
            direction = np.zeros(base.size)
            direction[at] = 1.0
            yield direction.reshape(base.shape)
        return
    random = np.random.default_rng(0)
    for _ in range(DIRECTIONS):
        yield random.choice([-1.0, 1.0], base.shape)


def _error(
    move: Callable[[np.ndarray], float],
    base: np.ndarray,
    found: np.ndarray,
    direction: np.ndarray,
    value: float,
    step: float,
) -> float:
    """The relative error along one direction; large where either side is not finite."""
    by = direction * step * np.maximum(1.0, np.abs(base))
    if not np.isfinite(by).all():
        return np.inf
    difference = move(by) - move(-by)
    # A move is what the addition really gave, not what was asked for.
    moved = (base + by) - (base - by)
    with np.errstate(all="ignore"):
        expected = float((found * moved).sum())
        length = float(np.abs(found * moved).max(initial=0.0))
        noise = 1e-3 * abs(value) * float(np.abs(moved).max(initial=0.0))
    if not (np.isfinite(difference) and np.isfinite(expected)):
        return np.inf
    scale = max(abs(difference), abs(expected), length, noise, 1e-300)
    return abs(difference - expected) / scale


def _wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64) if array.dtype == np.float32 else array


def _maker(fill: str) -> Callable[[str, TensorType], np.ndarray]:
    """Fills a stage or buffer by its name: the language's own random numbers; integers are 0."""

    def make(name: str, type: TensorType) -> np.ndarray:
        seed = zlib.crc32(name.encode("utf-8"))
        description = fill.format(seed=seed) if type.dtype.is_float else "zeros"
        return filled(description, type, name, None)

    return make
