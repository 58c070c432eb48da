"""The whole pipeline: memory, ranges, run-time errors, hints, names, and generated programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from dense_programs import dense
from generate import generate

from gradir import GirError, Program
from gradir.ir.table import Table
from gradir.passes import optimise
from gradir.reference.interpreter import Outcome, evaluate
from gradir.text.printer import print_table


def outcome(table: Table, **given: Any) -> Outcome | str:
    """The outcome, or the text of the error with its place and notes."""
    try:
        return evaluate(table, **given)
    except GirError as failed:
        (problem,) = failed.diagnostics
        place = problem.span and (problem.span.line, problem.span.start)
        notes = [(n.message, n.span and n.span.line) for n in problem.notes]
        return f"{problem.code} {problem.message} {place} {notes}"


def same(text: str, inputs: Mapping[str, Any] | None = None, **given: Any) -> Outcome | str:
    """Assert that a program and its optimised form do the same; what they do."""
    program = Program.parse(text)
    session = program.session(dims=given.get("dims"))
    arrays = session.arguments(inputs or {})
    state = {"inputs": arrays, "dims": session.dimensions(arrays), "buffers": session.state}
    made = optimise(program.table)
    before, after = outcome(program.table, **state), outcome(made, **state)
    if isinstance(before, str) or isinstance(after, str):
        assert before == after
        return before
    for want, got in ((before.outputs, after.outputs), (before.buffers, after.buffers)):
        assert list(want) == list(got)
        for name in want:
            assert want[name].dtype == got[name].dtype and want[name].shape == got[name].shape
            assert want[name].tobytes() == got[name].tobytes(), name
    return before


def ops(text: str) -> list[str]:
    return [node.op.name for node in optimise(Program.parse(text).table).nodes]


# --- errors of a run ------------------------------------------------------------------------

HEAD = "%x = stage f32[3]\n%i = stage i32\n%c = stage bool\n"
FAILING = [
    "output (where true 1.0 (take %x %i)) name=o",
    "output (where %c (take %x %i) (take %x %i)) name=o",
    "output (mul (cast (take %x %i) dtype=i32) 0) name=o",
    "output (mod (cast (take %x %i) dtype=i32) 1) name=o",
    "%t = cast (take %x %i) dtype=i32\noutput (xor %t %t) name=o",
    "%t = cast (take %x %i) dtype=i32\noutput (eq %t %t) name=o",
    "output (and (lt (take %x %i) 1.0) false) name=o",
    "output (where %c (where %c 1.0 (take %x %i)) 2.0) name=o",
    "output (scatter_add %x (reshape %i shape=[1]) (const f32[1] [1.0])) name=o",
    "%b = buffer f32[3]\nstore %b 1.0 %i\noutput (mul (cast (load %b %i) dtype=i32) 0) name=o",
    "%a = take %x %i\n%b = take %x (add %i 0)\noutput (add %b %a) name=o",
    "%b = buffer f32\n%r = range 2\nstore %b (take %x (mul %r %i))\nend %r",
    "%b = buffer f32\n%r = range 0\nstore %b (take %x (add (mul %r 0) 7))\nend %r",
    "%w = buffer f32[3]\n%y = load %w\n%l = reduce (take %y %i) op=add\n"
    "output (gradient %l %y) name=o",
    "func @f(%v: f32[3], %k: i32) {\n  return (where true 1.0 (take %v %k))\n}\n"
    "output (call @f %x %i) name=o",
]


@pytest.mark.parametrize("body", FAILING, ids=range(len(FAILING)))
@pytest.mark.parametrize("index", [1, 3, -1])
def test_every_needed_index_is_checked(body: str, index: int) -> None:
    inputs = {"x": np.ones(3, "f4"), "i": np.array(index, "i4"), "c": np.array(True)}
    needed = {name: inputs[name] for name in inputs if f"%{name}" in body}
    declared = [line for line in HEAD.splitlines(True) if line.split()[0][1:] in needed]
    found = same("".join(declared) + body + "\n", needed)
    if index == 1:
        assert not isinstance(found, str)
    elif "range" not in body:
        assert isinstance(found, str) and found.startswith("R605")


def test_a_symbolic_window_is_checked() -> None:
    text = (
        "dim B = 1..9\n%x = stage f32[B]\n%s = shrink %x lo=[2] shape=[3]\n"
        "output (where true 1.0 (reduce %s op=add)) name=o\n"
    )
    assert isinstance(same(text, {"x": np.ones(5, "f4")}), Outcome)
    assert str(same(text, {"x": np.ones(4, "f4")})).startswith("R607")


def test_a_symbolic_window_that_cannot_fit_is_refused() -> None:
    text = "dim B = 1..9\n%x = stage f32[B]\noutput (shrink %x lo=[1] shape=[B]) name=o\n"
    assert str(same(text, {"x": np.ones(5, "f4")})).startswith("R607")


def test_the_greatest_of_nothing_is_the_least_value() -> None:
    text = (
        "dim B = 0..9\n%x = stage f32[3,1]\n%n = stage f32[B]\n"
        "output (reduce (expand %x shape=[3,B]) op=max axes=[1]) name=o\n"
        "output (reduce %n op=max) name=n\n"
    )
    for size in (0, 4):
        given = {"x": np.ones((3, 1), "f4"), "n": np.ones(size, "f4")}
        found = same(text, given)
        assert isinstance(found, Outcome)
        assert (found.outputs["o"] == (1.0 if size else -np.inf)).all()


def test_the_first_error_is_reported() -> None:
    text = (
        "%x = stage f32[3]\n%i = stage i32[2]\n%a = take %x (add %i 1)\n"
        "%b = take %x %i\noutput (add %b %a) name=o\n"
    )
    for pair in ([2, 0], [3, 0], [0, 3], [-1, 5]):
        same(text, {"x": np.ones(3, "f4"), "i": np.array(pair, "i4")})


# --- memory and ranges ----------------------------------------------------------------------

MEMORY = [
    "%b = buffer f32[2] init=3.0\n%v = load %b\nstore %b (mul %v 1.0)\noutput (load %b) name=o",
    "%b = buffer f32[2]\nstore %b nan\noutput (bitcast (load %b) dtype=i32) name=o",
    "%b = buffer f32[2]\nstore %b 1.0\nstore %b 2.0 1\noutput (load %b) name=o",
    "%b = buffer f32[2]\nstore %b 1.0\n%x = load %b\nstore %b 2.0\n%y = load %b\n"
    "output (add %x %y) name=o",
    "%b = buffer i32[4]\n%i = range 4\nstore %b (mul %i 0) %i\nend %i\noutput (load %b) name=o",
    "%b = buffer i32[4]\n%i = range 4\n%j = range 2\nstore %b (add (load %b %i) (xor %j %j)) %i\n"
    "end %j\nend %i\noutput (load %b) name=o",
    "%b = buffer f32[4] init=2.0\n%i = range 3\n%s = reduce (load %b) op=add\n"
    "store %b (mul %s 1.0) %i\nend %i\noutput (load %b) name=o",
    "%b = buffer f32\n%i = range 3\nstore %b (cast (add %i 0) dtype=f32)\nend %i\n"
    "output (load %b) name=o",
    "%b = buffer f32[2]\n%i = range 2\n%k = where true %i 5\nstore %b (cast %k dtype=f32) %k\n"
    "end %i\noutput (load %b) name=o",
    "%b = buffer f32[2] init=4.0\n%d = load %b\noutput (add (detach %d) 0.0) name=o",
]


@pytest.mark.parametrize("text", MEMORY, ids=range(len(MEMORY)))
def test_memory_keeps_its_order(text: str) -> None:
    assert isinstance(same(text + "\n"), Outcome)
    made = optimise(Program.parse(text + "\n").table)
    assert Program.parse(print_table(made)).table.same_as(made)


def test_a_load_of_what_was_stored_is_the_value() -> None:
    text = "%b = buffer f32[2]\n%x = stage f32[2]\nstore %b (exp %x)\noutput (load %b) name=o\n"
    assert "load" not in ops(text)
    cell = "%b = buffer f32[2]\n%x = stage f32[2]\nstore %b (exp %x)\nstore %b 1.0 0\n"
    assert "load" in ops(cell + "output (load %b) name=o\n")


# --- what is kept ---------------------------------------------------------------------------


def test_hints_are_kept() -> None:
    text = (
        "%x = stage f32[3]\n%h = exp (mul %x 1.0)\n%y = reduce (mul %h %h) op=add\n"
        "%g = gradient %y %x checkpoint=[%h]\noutput %g\n"
    )
    made = optimise(Program.parse(text).table)
    (hint,) = made.hints
    assert made[hint.y].op.name == "reduce" and made[hint.x].op.name == "stage"
    assert [made[id].op.name for id in hint.kept] == ["exp"]
    assert hint.result == made.names["g"]
    assert isinstance(same(text, {"x": np.ones(3, "f4")}), Outcome)


def test_names_and_places_are_kept() -> None:
    text = "%x = stage f32\n%y = mul %x 1.0\n%dead = exp %y\n%z = add %y %y\noutput %z\n"
    made = optimise(Program.parse(text).table)
    assert made.node_names == {0: ["x", "y"], 1: ["z"]}
    assert "exp" not in [node.op.name for node in made.nodes]
    span = made.span(made.names["z"])
    assert span is not None and span.line == 4


def test_stages_and_buffers_are_kept() -> None:
    text = "%x = stage f32\n%b = buffer f32[2]\noutput 1.0 name=o\n"
    made = optimise(Program.parse(text).table)
    assert list(made.stages) == ["x"] and list(made.buffers) == ["b"]


def test_a_deep_graph_is_no_deep_recursion() -> None:
    chain = "".join(f"%v{k + 1} = add %v{k} {k % 3}.5\n" for k in range(30_000))
    text = f"%v0 = stage f32\n{chain}output %v30000 name=o\n"
    assert isinstance(same(text, {"v0": np.array(1, "f4")}), Outcome)
    views = "".join(
        f"%v{k + 1} = reshape (mul (reshape %v{k} shape=[4]) 3.0) shape=[2,2]\n"
        for k in range(5_000)
    )
    text = f"%v0 = stage f32[2,2]\n{views}output %v5000 name=o\n"
    assert isinstance(same(text, {"v0": np.ones((2, 2), "f4")}), Outcome)


# --- generated programs ---------------------------------------------------------------------


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_generated_programs_keep_their_bits(first: int) -> None:
    for seed in range(first, first + 50):
        made = generate(seed)
        same(made.text, made.inputs, dims=made.dims)


@pytest.mark.parametrize("first", range(0, 120, 30))
def test_dense_programs_keep_their_bits_and_read_back(first: int) -> None:
    for seed in range(first, first + 30):
        text, inputs = dense(seed)
        same(text, inputs)
        made = optimise(Program.parse(text).table)
        assert Program.parse(print_table(made)).table.same_as(made)
        again = optimise(made)
        assert len(again) <= len(made)
