"""Compiled programs under many threads, and how soon they are ready."""

from __future__ import annotations

import copy
import threading
import time
from typing import Any

import numpy as np
import pytest
from executables import LINEAR, WORK, cache, in_threads, same, zeros  # noqa: F401

from gradir import Program
from gradir.codegen import executable
from gradir.codegen.toolchain import find_compiler

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")


def test_eight_threads_build_and_run() -> None:
    x = np.random.default_rng(3).normal(size=(64, 64)).astype(np.float32)
    expected = Program.parse(WORK).session()(x=x)

    def work(number: int) -> list[dict[str, np.ndarray]]:
        step = Program.parse(WORK.replace("tanh", "tanh ") + "#" * number).compile(backend="c")
        return [step(x=x) for _ in range(20)]

    for found in in_threads(8, work):
        for outputs in found:
            same(expected, outputs)


def test_eight_threads_in_one_session() -> None:
    rng = np.random.default_rng(4)
    xs = [rng.normal(size=(64, 64)).astype(np.float32) for _ in range(8)]
    expected = [Program.parse(WORK).session()(x=x) for x in xs]
    step = Program.parse(WORK).session(backend="c")
    found = in_threads(8, lambda number: [step(x=xs[number]) for _ in range(50)])
    for number, outputs in enumerate(found):
        for output in outputs:
            same(expected[number], output)
    assert step.steps == 400


def test_steps_of_a_session_with_buffers_follow_one_another() -> None:
    step = Program.parse("%n = buffer i32\nstore %n (add (load %n) 1)").session(backend="c")
    bound = step.bind()
    in_threads(8, lambda number: [bound() if number % 2 else step() for _ in range(1000)])
    assert (step.steps, step.state["n"]) == (8000, 8000)


def test_compiled_once_however_many_threads_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    original = executable.Executable.__init__

    def counted(self: Any, *arguments: Any, **named: Any) -> None:
        made.append(1)
        original(self, *arguments, **named)

    monkeypatch.setattr(executable.Executable, "__init__", counted)
    program = Program.parse(WORK)
    sessions = in_threads(8, lambda number: program.session(backend="c"))
    assert len({id(s.engine) for s in sessions}) == 1 and made == [1]


def test_other_threads_run_during_a_call() -> None:
    step = Program.parse("%n = buffer i32\nstore %n (add (load %n) 1)").session(backend="c")
    bound = step.bind()
    began, ended = threading.Event(), threading.Event()

    def long() -> None:
        began.set()
        bound.run(20_000_000)  # one call of the library
        ended.set()

    thread = threading.Thread(target=long)
    thread.start()
    began.wait()
    turns = 0
    while not ended.is_set():
        turns += 1
    thread.join()
    assert step.steps == 20_000_000 and turns > 1000


def test_a_program_compiled_before_is_ready_soon() -> None:
    """Twenty nodes from the cache: well under 20 ms of this process's time."""
    lines = ["%y0 = stage f32[8]"]
    lines += [f"%y{n} = add %y{n - 1} (mul %y{n - 1} {n}.5)" for n in range(1, 7)]
    text = "\n".join([*lines, "output %y6"])
    taken = []
    for _ in range(6):
        program = Program.parse(text)
        began = time.process_time()
        program.session(backend="c")
        taken.append(time.process_time() - began)
    assert min(taken[1:]) < 0.02


def test_a_copy_of_a_program_compiles_for_itself() -> None:
    program = Program.parse(LINEAR)
    program.session(backend="c")
    twin = copy.copy(program)
    given = {"x": zeros(4, 3), "t": zeros(4, 2)}
    same(program.session()(given), twin.session(backend="c")(given))
    assert twin.session(backend="c").engine is not program.session(backend="c").engine
