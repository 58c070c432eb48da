"""Compiled programs against the interpreter, bit for bit, and their libraries."""

from __future__ import annotations

import ctypes
import platform
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from executables import LINEAR, WORK, cache, pair, refusal, same, zeros  # noqa: F401

from gradir import Program
from gradir.codegen import driver, toolchain
from gradir.codegen.toolchain import find_compiler, library
from gradir.runtime.arrays import concrete_shape
from gradir.runtime.program import example_names

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")


def random_inputs(program: Program) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(11)
    dims = {symbol: max(lo, min(4, hi)) for symbol, (lo, hi) in program.table.dims.items()}
    made = {}
    for name, id in program.table.stages.items():
        type = program.table.type(id)
        shape = concrete_shape(type, dims)
        drawn = rng.normal(size=shape) if type.dtype.is_float else rng.integers(0, 2, shape)
        made[name] = np.asarray(drawn).astype(type.dtype.numpy)
    return made


# --- the interpreter's bits ---------------------------------------------------------------

SMALL = sorted(set(example_names()) - {"spiral", "transformer", "map30_scalar"})


@pytest.mark.parametrize("name", SMALL)
def test_examples(name: str) -> None:
    program = Program.load(f"example:{name}")
    expected, found = program.session(), program.session(backend="c")
    inputs = random_inputs(program)
    same(expected.run(inputs, steps=20), found.run(inputs, steps=20))
    same(dict(expected.state), dict(found.state))
    assert (expected.steps, found.steps) == (20, 20)


def test_spiral_after_300_steps() -> None:
    program = Program.load("example:spiral")
    expected, found = program.session(), program.session(backend="c")
    for _ in range(3):
        same(expected.run(steps=100), found.run(steps=100))
        same(dict(expected.state), dict(found.state))
    assert found.steps == 300
    assert f"{float(found.run()['loss']):.4f}" == f"{float(expected.run()['loss']):.4f}"


# --- one library for all sizes ------------------------------------------------------------


def test_compiled_once_after_100_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, script = tmp_path / "runs", tmp_path / "cc"
    script.write_text(f'#!/bin/sh\necho run >> "{log}"\nexec cc "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rng = np.random.default_rng(7)
    expected, found = pair(LINEAR)
    compiled = log.read_text()
    assert compiled
    for call in range(100):
        size = (8, 16, 32)[call % 3]
        x, t = (rng.normal(size=(size, n)).astype(np.float32) for n in (3, 2))
        outputs = found(x=x, t=t)
        assert outputs["gx"].shape == (size, 3) and outputs["gw"].shape == (3, 2)
        same(expected(x=x, t=t), outputs)
    same(dict(expected.state), dict(found.state))
    assert log.read_text() == compiled
    assert len(list((tmp_path / "cache" / "gradir").glob("*.so"))) == 1


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"x": zeros(8, 3), "t": zeros(9, 2)}, "R604"),
        ({"x": zeros(65, 3), "t": zeros(65, 2)}, "R604"),
        ({"x": zeros(0, 3), "t": zeros(0, 2)}, "R604"),
        ({"x": zeros(8, 4), "t": zeros(8, 2)}, "R603"),
        ({"x": zeros(8, 3)}, "R601"),
        ({"x": zeros(8, 3), "t": zeros(8, 2).astype(np.float64)}, "R602"),
        ({"x": zeros(8, 3), "t": zeros(8, 2), "u": 1.0}, "R611"),
    ],
)
def test_refused_before_native_work(
    inputs: dict[str, Any], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Program.parse(LINEAR).session(backend="c")
    before = dict(session.state)

    def never(job: Any) -> int:
        raise AssertionError("native code was called")

    monkeypatch.setattr(session.engine, "entry", never)
    assert refusal(lambda: session(inputs)) == code
    assert refusal(lambda: session.bind(inputs)) == code
    same(before, dict(session.state))
    assert session.steps == 0


def test_a_dimension_that_no_input_shows() -> None:
    text = "dim N = 2..5\n%s = cast (size N) dtype=f32\n%z = full f32[N] 1.5\n"
    text += "%y = mul %z %s\noutput %y\n"
    for session in pair(text, dims={"N": 3}):
        assert session()["y"].tolist() == [4.5] * 3
    session = Program.parse(text).session(backend="c")
    assert refusal(session) == "R604"
    for wrong in ({"N": 6}, {"N": 1}, {"M": 3}):
        program = Program.parse(text)
        assert refusal(lambda p=program, w=wrong: p.session(dims=w, backend="c")) == "R604"


# --- the processor's mode -----------------------------------------------------------------

MODE = """
#include <stdint.h>
uint32_t get(void) { return __builtin_ia32_stmxcsr(); }
void set(uint32_t mode) { __builtin_ia32_ldmxcsr(mode); }
"""


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86 only")
@pytest.mark.parametrize("wrong", [0x8000, 0x0040, 0x8040, 0x6000, 0x2000])
def test_a_foreign_mode_is_set_right_and_put_back(wrong: int) -> None:
    """Flushed subnormals, subnormals read as zero, other roundings."""
    mode = ctypes.CDLL(str(library(MODE)))
    mode.get.restype = ctypes.c_uint32
    text = "%x = stage f32[3]\n%y = mul %x 0.5\n%z = add %y 1.0\noutput %y\noutput %z"
    step = Program.parse(text).session(backend="c")
    bound = step.bind(x=np.array([2**-126, 2**-24, -(2**-26)], np.float32))
    expected = {name: array.copy() for name, array in bound().items()}
    assert expected["y"].tolist() == [2**-127, 2**-25, -(2**-27)]
    assert expected["z"].tolist() == [1.0, 1.0, 1.0]
    usual = mode.get()
    mode.set(usual | wrong)
    try:
        found = {name: array.tobytes() for name, array in bound().items()}
        left = mode.get()
    finally:
        mode.set(usual)
    assert found == {name: array.tobytes() for name, array in expected.items()}
    assert left & 0xFFC0 == (usual | wrong) & 0xFFC0


# --- libraries ----------------------------------------------------------------------------


def test_a_library_of_another_interface_is_refused(tmp_path: Path) -> None:
    other = library(
        "#include <stdint.h>\nint64_t gir_interface(void *u) { return 1; }\n"
        "int gir_run_steps(void *u) { return 0; }\n"
    )
    assert refusal(lambda: driver.open_library(other)) == "U704"
    assert refusal(lambda: driver.open_library(library("int gir_nothing;"))) == "U704"
    assert refusal(lambda: driver.open_library(tmp_path / "missing.so")) == "U704"


def test_only_the_entry_and_the_program_are_exported() -> None:
    engine = Program.parse(WORK).session(backend="c").engine
    path = toolchain.library(engine.text)  # type: ignore[attr-defined]
    done = subprocess.run(["nm", "-D", "--defined-only", str(path)], capture_output=True, text=True)
    names = {line.split()[-1] for line in done.stdout.splitlines()}
    assert {"gir_run_steps", "gir_interface"} <= names
    assert all(name.startswith(("gir_", "_")) for name in names)


def test_the_memory_allowed_is_checked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "dim B = 1..100000\n%x = stage f32[B]\n%y = exp %x\noutput %y"
    step = Program.parse(text).session(backend="c")
    monkeypatch.setenv("GRADIR_MEMORY", "100000")
    assert step(x=np.zeros(10, np.float32))["y"].tolist() == [1.0] * 10
    assert refusal(lambda: step(x=np.zeros(100000, np.float32))) == "R606"


def test_a_window_outside_its_axis() -> None:
    text = "dim B = 1..9\n%x = stage f32[B]\n%y = shrink %x lo=[1] shape=[3]\noutput %y"
    for step in pair(text):
        assert step(x=[1, 2, 3, 4])["y"].tolist() == [2, 3, 4]
        assert refusal(lambda s=step: s(x=[1, 2, 3])) == "R607"


def test_usage() -> None:
    step = Program.parse(WORK).session(backend="c")
    assert refusal(lambda: step.run({"x": zeros(64, 64)}, steps=0)) == "U702"
    assert refusal(lambda: Program.parse(WORK).session(backend="gpu")) == "U702"
    assert refusal(lambda: Program.parse(WORK).compile(threads=0)) == "U702"
    assert step.threads == 1
    trace = refusal(lambda: step.run({"x": zeros(64, 64)}, trace=lambda id, value: None))
    assert trace == "U704"


def test_progress_is_told_between_steps() -> None:
    told: list[tuple[int, float]] = []
    text = "%n = buffer i32\n%v = add (load %n) 1\nstore %n %v\noutput %v"
    for step in pair(text):
        told.clear()
        step.run(steps=1000, progress=lambda done, out: told.append((done, int(out["v"]))))
        assert told[-1] == (1000, 1000)
        assert all(done == value for done, value in told)


def test_an_exception_between_steps_keeps_the_steps_done() -> None:
    """What Ctrl-C does."""
    text = "%n = buffer i32\nstore %n (add (load %n) 1)"

    def stop(done: int, outputs: Any) -> None:
        if done > 5:
            raise KeyboardInterrupt

    for step in pair(text):
        with pytest.raises(KeyboardInterrupt):
            step.run(steps=10**9, progress=stop)
        done = step.steps
        assert 5 < done < 10**9 and step.state["n"] == done
        step.run()
        assert step.state["n"] == done + 1
