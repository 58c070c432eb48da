"""Checks of the gradient rules, each independent of the others. A check gives what it finds wrong.

- differences: each rule against central differences of the program itself, in f64
- ties: exact shares at kinks, dead branches, `detach`, integers, and at points without a path
- spelled_out: each rule's nodes are those of the specification's table, the same interned ones
- by_hand: three models against gradients derived by hand in NumPy
- conformance: the files of spec/conformance that hold a gradient

test_rules.py runs them on the rules as they are, tools/mutate_rules.py on wrong ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import models_numpy
import numpy as np
import transformer_numpy
from example_helpers import Array, gradients, slope, values
from rule_programs import RULE_PROGRAMS, TIES, RuleProgram

import gradir
from gradir.conform.executor import Own
from gradir.conform.suite import run_file
from gradir.reference.interpreter import evaluate

STEP = 2.0**-7  # and the inputs are multiples of 2^-10: exact in f32 too
ROOT = Path(__file__).parents[2]
MODELS = ("transformer", "attention", "layernorm")


def refused(check: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """A program that is refused, or a rule that cannot be applied, is a finding as well."""

    def checked(*arguments: object) -> list[str]:
        try:
            return check(*arguments)
        except gradir.GirError as problem:
            return [str(problem)]

    return checked


# --- differences ---------------------------------------------------------------------------------


def inputs_of(case: RuleProgram) -> dict[str, Array]:
    """Numbers from 0.5 to 2, no two of them close; `r` gives each element a share of its own."""
    draw = np.random.default_rng(4)
    found: dict[str, Array] = {}
    for name, shape in case.stages.items():
        size = int(np.prod(shape))
        grid = np.linspace(0.5, 2.0, size) + (0.37 / size if name == "b" else 0.0)
        dtype = {"f32": np.float32, "f64": np.float64}[case.types.get(name, "f64")]
        rounded = np.round(draw.permutation(grid) * 1024) / 1024
        found[name] = rounded.reshape(shape).astype(dtype)
    return found


@refused
def difference_of(case: RuleProgram) -> list[str]:
    names = [name for name in case.stages if name != "r"]
    statements = "".join(f"%d{name} = gradient %loss %{name}\n" for name in names)
    table = gradir.parse(case.text + statements).table
    inputs = inputs_of(case)
    ids = [table.names[f"d{name}"] for name in names]
    shares = evaluate(table, inputs=inputs, roots=ids).values
    loss = table.names["loss"]
    wrong = []
    for name, id in zip(names, ids, strict=True):
        if table.type(id) is not table.type(table.names[name]):
            wrong.append(f"{case.name}: type of the share of %{name}")
            continue
        expected = np.zeros(inputs[name].shape)
        for place in np.ndindex(expected.shape):
            unit = np.zeros(expected.shape)
            unit[place] = 1.0

            def moved(by: float, name: str = name, unit: Array = unit) -> float:
                given = {**inputs, name: (inputs[name] + by * unit).astype(inputs[name].dtype)}
                return float(evaluate(table, inputs=given, roots=[loss]).values[loss])

            expected[place] = slope(moved, STEP)
        scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
        if not np.abs(shares[id] - expected).max(initial=0.0) <= 1e-8 * scale:
            wrong.append(f"{case.name}: share of %{name}")
    return wrong


def differences() -> Iterator[str]:
    for case in RULE_PROGRAMS:
        yield from difference_of(case)


# --- ties ----------------------------------------------------------------------------------------


@refused
def tie_of(text: str, inputs: Mapping[str, object], expected: Mapping[str, object]) -> list[str]:
    found = gradir.parse(text).session().run(inputs)
    wrong = []
    for name, value in expected.items():
        wanted = np.array(value, found[name].dtype)
        if found[name].tobytes() != wanted.tobytes():
            wrong.append(f"{text.splitlines()[1]}: {name} is {found[name].tolist()}")
    return wrong


def ties() -> Iterator[str]:
    for case in TIES:
        yield from tie_of(*case)


# --- spelled out ---------------------------------------------------------------------------------


@refused
def spelled_out_of(case: RuleProgram) -> list[str]:
    """Each share, written as the specification's table writes it, is the gradient's own node."""
    statements = [case.share_of_result]
    for name, share in case.shares.items():
        statements.append(f"%d{name} = gradient %loss %{name}")
        statements.append(f"%w{name} = {share}")
    table = gradir.parse(case.text + "\n".join(statements) + "\n").table
    return [
        f"{case.name}: share of %{name}"
        for name in case.shares
        if table.names[f"d{name}"] != table.names[f"w{name}"]
    ]


def spelled_out() -> Iterator[str]:
    for case in RULE_PROGRAMS:
        yield from spelled_out_of(case)


# --- by hand -------------------------------------------------------------------------------------


class Derived(NamedTuple):
    state: dict[str, np.ndarray]
    gradients: dict[str, Array]


@cache
def derived(name: str) -> Derived:
    """The buffers of an example, moved off their start, and the gradients derived by hand."""
    program = gradir.load(f"example:{name}")
    state = dict(program.session().state)
    draw = np.random.default_rng(11)
    for buffer, array in state.items():
        if array.dtype == np.float64:
            state[buffer] = array + draw.normal(0.0, 0.1, array.shape)
    if name == "transformer":
        return Derived(state, transformer_numpy.backward(state, 0)[1])
    inputs = {"layernorm": ("x", "t"), "attention": ("x", "labels")}[name]
    data = values(program, list(inputs), state)
    form = getattr(models_numpy, name)
    return Derived(state, form(state, *(data[i] for i in inputs))[1])


@refused
def by_hand_of(name: str) -> list[str]:
    state, expected = derived(name)
    found = gradients(gradir.load(f"example:{name}"), state)
    return [
        f"{name}: gradient of {weight}"
        for weight, share in expected.items()
        if found[weight].shape != share.shape
        or not np.abs(found[weight] - share).max() <= 1e-10 * np.abs(share).max()
    ]


def by_hand() -> Iterator[str]:
    for name in MODELS:
        yield from by_hand_of(name)


# --- conformance ---------------------------------------------------------------------------------


def passes(path: Path) -> bool:
    return run_file(path, Own()).status == "passed"


@cache
def gradient_files() -> tuple[Path, ...]:
    """The files of the suite that hold a gradient and are passed by the rules as they are."""
    found = []
    for path in sorted((ROOT / "spec" / "conformance").rglob("*.gir")):
        if b"gradient" in path.read_bytes() and passes(path):
            found.append(path)
    return tuple(found)


def conformance() -> Iterator[str]:
    for path in gradient_files():
        if not passes(path):
            yield path.stem


CHECKS: dict[str, Callable[[], Iterator[str]]] = {
    "differences": differences,
    "ties": ties,
    "by hand": by_hand,
    "conformance": conformance,
    "spelled out": spelled_out,
}
