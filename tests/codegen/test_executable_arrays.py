"""What goes into a compiled step and comes out: arrays, results, buffers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from executables import LINEAR, cache, in_threads, pair, refusal, same, zeros  # noqa: F401

from gradir import GirError, Program
from gradir.codegen.toolchain import find_compiler

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")


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
