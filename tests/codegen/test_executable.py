"""Compiled programs against the interpreter, bit for bit, and everything around a call."""

from __future__ import annotations

import copy
import ctypes
import platform
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradir import GirError, Program, Session
from gradir.codegen import driver, executable, toolchain
from gradir.codegen.toolchain import find_compiler, library
from gradir.runtime.arrays import concrete_shape
from gradir.runtime.program import example_names

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One cache for this file: what is compiled once is compiled for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def pair(text: str, **session: Any) -> tuple[Session, Session]:
    """A program interpreted and compiled."""
    program = Program.parse(text)
    return program.session(**session), program.session(**session, backend="c")


def same(expected: dict[str, np.ndarray], found: dict[str, np.ndarray]) -> None:
    assert list(expected) == list(found)
    for name, array in expected.items():
        assert (array.shape, array.dtype) == (found[name].shape, found[name].dtype), name
        assert array.tobytes() == found[name].tobytes(), name


def refusal(run: Callable[[], Any]) -> str:
    with pytest.raises(GirError) as caught:
        run()
    return caught.value.diagnostics[0].code


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

LINEAR = """dim B = 1..64
%x = stage f32[B,3]
%t = stage f32[B,2]
%w = buffer f32[3,2] init=0.5
%wv = load %w
%loss = mean (square (sub (matmul %x %wv) %t))
%gx = gradient %loss %x
%gw = gradient %loss %wv
store %w (sub %wv (mul %gw 0.125))
output %loss
output %gx
output %gw
"""


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


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


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


# --- host arrays --------------------------------------------------------------------------

ARRAYS = """%a = stage f32[10]
%b = stage f32[3,2]
%c = stage f32[3]
%d = stage i32
%e = stage bool[4]
%s = reduce %a op=add
%p = mul %b 1.0
%q = mul %c 1.0
%r = add %d 1
%t = where %e 1 2
%u = xor %e true
output %s
output %p
output %q
output %r
output %t
output %u
"""


def unaligned(array: np.ndarray) -> np.ndarray:
    room = np.zeros(array.nbytes + 1, np.uint8)
    view = room[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    assert not view.flags.aligned
    return view


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def test_arrays_of_every_layout() -> None:
    """The bytes mean what the array means, not what they would mean elsewhere."""
    f32 = np.float32
    inputs = {
        "a": np.ones(10, ">f4"),
        "b": np.arange(6, dtype=f32).reshape(2, 3).T,
        "c": np.arange(6, dtype=f32)[::-2],
        "d": np.array(7, ">i4"),
        "e": np.array([0, 1, 2, 3], np.uint8).view(np.bool_),
    }
    others = {
        "a": np.broadcast_to(np.array(1, f32), (10,)),
        "b": unaligned(np.array([[0, 3], [1, 4], [2, 5]], f32)),
        "c": read_only(np.array([5, 3, 1], f32)),
        "d": np.int32(7),
        "e": [False, True, True, True],
    }
    third = {**others, "a": [1.0] * 10, "d": 7}
    step = Program.parse(ARRAYS).session(backend="c")
    for given in (inputs, others, third):
        bound = step.bind(given)
        bound()
        for outputs in (step(given), bound()):
            assert outputs["s"] == 10.0
            assert outputs["p"].tolist() == [[0, 3], [1, 4], [2, 5]]
            assert outputs["q"].tolist() == [5, 3, 1]
            assert outputs["r"] == 8
            assert outputs["t"].tolist() == [2, 1, 1, 1]
            assert outputs["u"].view(np.uint8).tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("a", np.ones(10), "R602"),
        ("a", np.ones(10, np.float16), "R602"),
        ("d", np.int64(7), "R602"),
        ("d", 2**31, "R602"),
        ("d", 1.5, "R602"),
        ("e", np.array([0, 1, 2, 3], np.uint8), "R602"),
        ("b", np.zeros(6, np.float32), "R603"),
        ("b", np.zeros((2, 3), np.float32), "R603"),
        ("c", np.zeros((3, 1), np.float32), "R603"),
        ("c", [[1.0], [2.0, 3.0]], "R603"),
    ],
)
def test_other_types_and_shapes_are_refused(name: str, value: Any, code: str) -> None:
    given: dict[str, Any] = {"a": zeros(10), "b": zeros(3, 2), "c": zeros(3), "d": 1}
    given = {**given, "e": [True] * 4, name: value}
    for session in pair(ARRAYS):
        assert refusal(lambda s=session: s(given)) == code


def test_an_array_as_it_must_be_is_not_copied() -> None:
    """A bound call sees what is written into its arguments later."""
    step = Program.parse("%x = stage f32[3]\n%y = mul %x 2.0\noutput %y").session(backend="c")
    x = np.array([1, 2, 3], np.float32)
    assert step.arguments({"x": x})["x"] is x
    turned = np.array([1, 2, 3], ">f4")
    for given in (x, turned, x[::-1][::-1]):
        bound = step.bind(x=given)
        assert bound()["y"].tolist() == [2, 4, 6]
        given[1] = 5
        assert bound()["y"].tolist() == [2, 10, 6]
        given[1] = 2


# --- results ------------------------------------------------------------------------------


def test_outputs_are_fresh_unless_arrays_are_given() -> None:
    step = Program.parse("%x = stage f32[3]\n%y = mul %x 2.0\noutput %y").session(backend="c")
    first, second = step(x=[1, 2, 3])["y"], step(x=[4, 5, 6])["y"]
    assert (first.tolist(), second.tolist()) == ([2, 4, 6], [8, 10, 12])
    mine = np.zeros(3, np.float32)
    assert step(x=[1, 2, 3], out={"y": mine})["y"] is mine
    assert mine.tolist() == [2, 4, 6]
    bound = step.bind({"x": np.array([1, 1, 1], np.float32)}, out={"y": mine})
    assert bound()["y"] is mine and mine.tolist() == [2, 2, 2]


@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_arrays_that_results_cannot_go_to(backend: str) -> None:
    text = "%x = stage f32[3]\n%y = mul %x 2.0\n%z = mul %x 3.0\noutput %y\noutput %z"
    step = Program.parse(text).session(backend=backend)
    x = np.array([1, 2, 3], np.float32)
    room = np.zeros(6, np.float32)
    wrong: list[dict[str, Any]] = [
        {"y": np.zeros(3)},
        {"y": np.zeros(4, np.float32)},
        {"y": np.zeros((1, 3), np.float32)},
        {"y": room[::2]},
        {"y": unaligned(x)},
        {"y": read_only(np.zeros(3, np.float32))},
        {"y": np.zeros(3, ">f4")},
        {"y": [0, 0, 0]},
        {"y": x},
        {"y": room[:3], "z": room[2:5]},
        {"y": room[:3], "z": room[:3]},
        {"w": room[:3]},
    ]
    for out in wrong:
        assert refusal(lambda o=out: step(x=x, out=o)) == "U702"
    assert x.tolist() == [1, 2, 3] and step.steps == 0
    step(x=x, out={"y": room[:3], "z": room[3:]})
    assert room.tolist() == [2, 4, 6, 3, 6, 9]


# --- buffers ------------------------------------------------------------------------------

# i counts the steps; the take fails when it reaches 3. `a` is stored whole, `b` by index.
FAILING = """%i = buffer i32
%a = buffer f32[3] init=1.0
%b = buffer f32[3] init=1.0
%t = stage f32[3]
%iv = load %i
%av = load %a
store %a (mul %av 2.0)
store %b (mul (load %b 1) 3.0) 0
store %i (add %iv 1)
%n = range 2
%e = load %b 2
store %b (add %e 1.0) 2
end %n
%y = take %t %iv
output %y
"""


@pytest.mark.parametrize("backend", ["numpy", "c"])
@pytest.mark.parametrize("how", ["one by one", "at once", "bound"])
def test_a_step_that_fails_changes_nothing(backend: str, how: str) -> None:
    step = Program.parse(FAILING).session(backend=backend)
    t = np.array([1, 2, 3], np.float32)
    bound = step.bind(t=t)

    def steps() -> None:
        if how == "at once":
            step.run({"t": t}, steps=10)
        for _ in range(10):
            bound() if how == "bound" else step(t=t)

    for _ in range(2):  # the second time the very first step fails
        with pytest.raises(GirError) as caught:
            steps()
        (found,) = caught.value.diagnostics
        assert found.code == "R605" and "index 3 is outside axis 0 of size 3" in found.message
        assert found.span is not None and found.span.line == 14
        assert step.steps == 3
        assert step.state["i"] == 3
        assert step.state["a"].tolist() == [8.0] * 3
        assert step.state["b"].tolist() == [3.0, 1.0, 7.0]
    step.state["i"] = 0
    assert step(t=t)["y"] == 1.0
    assert step.state["b"].tolist() == [3.0, 1.0, 9.0]


@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_a_bound_step_without_buffers_fails_and_goes_on(backend: str) -> None:
    step = Program.parse(
        "%i = stage i32[2]\noutput (take (stage f32[3] name=x) %i) name=y\n"
    ).session(backend=backend)
    index = np.array([0, 2], np.int32)
    bound = step.bind(x=np.array([1, 2, 4], np.float32), i=index)
    for _ in range(2):
        assert bound()["y"].tolist() == [1.0, 4.0]
        index[1] = 3
        with pytest.raises(GirError) as caught:
            bound()
        assert "index 3 at position [1] is outside" in caught.value.diagnostics[0].message
        index[1] = 2
        assert bound.run(3)["y"].tolist() == [1.0, 4.0]
        index[1] = 1
        assert bound()["y"].tolist() == [1.0, 2.0]
        index[1] = 2
    assert step.steps == 2 * 5


def test_threads_that_call_one_bound_step_wait_for_each_other() -> None:
    """Its arena is one, and its parts are used again: two at once would disturb each other."""
    lines = ["%v0 = stage f64[3000] name=x"]
    for at in range(8):
        lines.append(f"%v{at + 1} = mul %v{at} (recip (sum (mul %v{at} %v{at})))")
    step = Program.parse("\n".join([*lines, "output (sum %v8) name=y"])).session(backend="c")
    x = np.arange(3000.0) / 7
    bound = step.bind(x=x)
    expected = step(x=x)["y"]
    found = in_threads(8, lambda _: [float(bound()["y"]) for _ in range(300)])
    assert {y for thread in found for y in thread} == {float(expected)}
    assert step.steps == 8 * 300 + 1


def test_sessions_of_one_program_are_apart() -> None:
    program = Program.parse(LINEAR)
    first, second = (program.session(backend="c") for _ in range(2))
    one, two = (s.bind(x=zeros(4, 3) + 1, t=zeros(4, 2)) for s in (first, second))
    alone = program.session(backend="c")
    for turn in range(6):
        one()
        if turn % 2:
            two()
            first(x=zeros(2, 3), t=zeros(2, 2))
    for _ in range(3):
        alone(x=zeros(4, 3) + 1, t=zeros(4, 2))
    same(dict(alone.state), dict(second.state))
    assert (first.steps, second.steps) == (9, 3)


def test_calls_of_every_kind_share_the_state() -> None:
    given = {"x": zeros(4, 3) + 1, "t": zeros(4, 2)}
    expected, found = pair(LINEAR)
    expected.run(given, steps=14)
    bound, other = found.bind(given), found.bind(given)
    bound()
    found.run(given)
    found.run(given, steps=3)
    other()
    bound.run(4)
    other()
    assert found.state["w"].shape == (3, 2)
    bound()
    found.state["w"] = found.state["w"]
    bound()
    found.run(given)
    same(dict(expected.state), dict(found.state))
    assert found.steps == 14


@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_state_is_a_copy_and_what_is_set_is_checked(backend: str) -> None:
    given = {"x": zeros(4, 3) + 1, "t": zeros(4, 2)}
    step = Program.parse(LINEAR).session(backend=backend)
    kept = step.state["w"]
    step.run(given, steps=2)
    assert kept.tolist() == [[0.5] * 2] * 3
    mine = np.full((3, 2), 0.25, np.float32)
    step.state["w"] = mine
    step(given)
    assert mine.tolist() == [[0.25] * 2] * 3
    assert list(step.state) == ["w"] and len(step.state) == 1
    assert refusal(lambda: step.state.update(v=mine)) == "R608"
    assert refusal(lambda: step.state.update(w=mine[0])) == "R603"
    assert refusal(lambda: step.state.update(w=mine.astype(np.float64))) == "R602"
    with pytest.raises(TypeError):
        del step.state["w"]


def test_a_stored_input_is_a_copy() -> None:
    text = "%x = stage f32[3]\n%a = buffer f32[3]\nstore %a %x\nstore %a 5.0 1\n"
    for step in pair(text):
        x = np.array([1, 2, 3], np.float32)
        bound = step.bind(x=x)
        bound()
        x[:] = 7
        assert step.state["a"].tolist() == [1, 5, 3]
        assert x.tolist() == [7, 7, 7]


# --- threads ------------------------------------------------------------------------------


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What `work(0)`, `work(1)`, … give, all started at once."""
    gate, found = threading.Barrier(count), [None] * count

    def body(number: int) -> None:
        gate.wait()
        found[number] = work(number)

    threads = [threading.Thread(target=body, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


WORK = """%x = stage f32[64,64]
%h = tanh (matmul %x %x)
%y = softmax (matmul %h %x) axis=1
%s = reduce %y op=add axes=[0]
output %y
output %s
"""


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
