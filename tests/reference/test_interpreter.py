"""Running: memory, loops, functions, indices, checks before a run (spec/memory.md, running.md)."""

from __future__ import annotations

import numpy as np
import pytest
from generate import generate
from helpers import run

from gradir import GirError, Program
from gradir.ir.ops import OPS
from gradir.reference.interpreter import NO_SEMANTICS
from gradir.reference.semantics import ELEMENTWISE, SEMANTICS

SPECIAL = {"stage", "size", "load", "store", "output", "call"}


def test_every_op_has_a_meaning_or_a_reason() -> None:
    assert set(OPS) == set(ELEMENTWISE) | set(SEMANTICS) | set(NO_SEMANTICS) | SPECIAL
    assert set(ELEMENTWISE) == {name for name, op in OPS.items() if op.elementwise}


def failure(text: str, inputs: dict[str, object] | None = None, **session: object) -> str:
    program = Program.parse(text)
    with pytest.raises(GirError) as caught:
        program.session(**session).run(inputs or {})
    (diagnostic,) = caught.value.diagnostics
    return diagnostic.code


def test_a_loop_fills_a_buffer_in_order() -> None:
    text = """%f = buffer i32[10] init=1
%n = buffer i32
%i = range 8
%a = load %f %i
%b = load %f (add %i 1)
store %f (add %a %b) (add %i 2)
store %n (add %i 1)
end %i
%all = load %f
output %all
%last = load %n
output %last
"""
    outputs = run(text)
    assert outputs["all"].tolist() == [1, 1, 2, 3, 5, 8, 13, 21, 34, 55]
    assert outputs["last"] == 8


def test_nested_loops_and_invariants() -> None:
    text = """%t = buffer f32[3,4]
%x = stage f32
%i = range 3
%j = range 4
%c = mul %x 2.0
%ij = add (mul (cast %i dtype=f32) 10.0) (cast %j dtype=f32)
store %t (add %ij %c) %i %j
end %j
end %i
output %c
%all = load %t
output %all
"""
    outputs = run(text, {"x": 50.0})
    expected = np.add.outer([0.0, 10.0, 20.0], [0.0, 1.0, 2.0, 3.0]) + 100
    assert outputs["all"].tolist() == expected.tolist()
    assert outputs["c"] == 100.0


@pytest.mark.parametrize(("count", "runs"), [(-3, 0), (0, 0), (2, 2)])
def test_a_range_may_run_no_time(count: int, runs: int) -> None:
    text = "%n = stage i32\n%b = buffer i32\n%i = range %n\nstore %b (add (load %b) 1)\nend %i\n"
    program = Program.parse(text)
    session = program.session()
    session.run({"n": count})
    assert session.state["b"] == runs


def test_a_whole_load_sees_the_loop_so_far() -> None:
    text = """%b = buffer f32[3] init=1.0
%i = range 3
store %b (reduce (load %b) op=add) %i
end %i
"""
    session = Program.parse(text).session()
    session.run({})
    assert session.state["b"].tolist() == [3.0, 5.0, 9.0]


def test_loads_taken_before_a_store_keep_their_value() -> None:
    text = """%b = buffer f32[2] init=1.0
%old = load %b
store %b 5.0 0
%new = load %b
store %b 7.0 1
output %old
output %new
"""
    program = Program.parse(text)
    session = program.session()
    outputs = session.run({})
    assert outputs["old"].tolist() == [1.0, 1.0]
    assert outputs["new"].tolist() == [5.0, 1.0]
    assert session.state["b"].tolist() == [5.0, 7.0]


def test_a_failed_run_leaves_every_buffer_as_it_was() -> None:
    text = """%n = stage i32
%a = buffer f32 init=1.0
%b = buffer f32[3]
store %a 2.0
store %b 9.0 1
store %b 9.0 %n
"""
    session = Program.parse(text).session()
    with pytest.raises(GirError):
        session.run({"n": 3})
    assert session.state["a"] == 1.0
    assert session.state["b"].tolist() == [0.0, 0.0, 0.0]
    session.run({"n": 2})
    assert session.state["b"].tolist() == [0.0, 9.0, 9.0]


def test_state_is_kept_from_run_to_run() -> None:
    program = Program.parse("%b = buffer i32\n%v = load %b\nstore %b (add %v 1)\noutput %v\n")
    session = program.session()
    assert [int(session.run({})["v"]) for _ in range(3)] == [0, 1, 2]


def test_indices_are_checked_where_they_are_needed_only() -> None:
    text = "%x = stage f32[3]\n%y = take %x 3\n"
    assert run(text + "%z = add 1.0 2.0\noutput %z", {"x": [1, 2, 3]})["z"] == 3.0
    assert failure(text + "output %y", {"x": [1, 2, 3]}) == "R605"
    assert failure("%x = stage f32[3]\n%y = take %x -1\noutput %y", {"x": [1, 2, 3]}) == "R605"


def test_the_first_bad_index_in_program_order_is_reported() -> None:
    text = """%x = stage f32[3]
%i = stage i32[2]
%a = take %x %i
%b = take %x 7
%c = add (reduce %a op=add) %b
output %c
"""
    program = Program.parse(text)
    with pytest.raises(GirError) as caught:
        program.session().run({"x": [1, 2, 3], "i": [0, 5]})
    (found,) = caught.value.diagnostics
    assert "index 5 at position [1]" in found.message
    assert found.span is not None and found.span.line == 3


def test_scatter_add_adds_one_by_one() -> None:
    text = """%x = stage f32[2]
%i = stage i32[4]
%v = stage f32[4]
%y = scatter_add %x %i %v
output %y
"""
    given = {"x": [1.0, 0.5], "i": [0, 0, 1, 0], "v": [1e8, 1.0, 2.0, -1e8]}
    assert run(text, given)["y"].tolist() == [0.0, 2.5]


def test_functions_take_the_sizes_of_their_arguments() -> None:
    text = """dim N = 1..9
func @mean(%a: f64[N]) {
  return (div (reduce %a op=add) (cast (size N) dtype=f64))
}
%x = stage f64[2]
%y = stage f64[4]
%a = call @mean %x
%b = call @mean %y
output %a
output %b
"""
    outputs = run(text, {"x": [1, 2], "y": [1, 2, 3, 6]})
    assert (outputs["a"], outputs["b"]) == (1.5, 3.0)


def test_dimensions_are_bound_checked_and_demanded() -> None:
    text = """dim B = 2..4
%x = stage f32[B,3]
%t = stage f32[B]
%n = size B
%y = reduce (mul %x %x) op=add
output %n
output %y
%z = reduce %t op=add
output %z
"""
    ones = np.ones
    assert run(text, {"x": ones((3, 3), "f4"), "t": ones(3, "f4")})["n"] == 3
    assert failure(text, {"x": ones((3, 3), "f4"), "t": ones(2, "f4")}) == "R604"
    assert failure(text, {"x": ones((5, 3), "f4"), "t": ones(5, "f4")}) == "R604"
    assert failure("dim B = 1..4\n%n = size B\noutput %n\n") == "R604"
    assert run("dim B = 1..4\n%n = size B\noutput %n\n", dims={"B": 2})["n"] == 2


def test_an_input_that_nothing_needs_may_be_absent() -> None:
    text = """dim B = 1..64
%x = stage f32[B,3]
%g = gradient (reduce %x op=add) %x
output %g
"""
    assert run(text, dims={"B": 2})["g"].tolist() == [[1.0] * 3] * 2


def test_sizes_are_checked_before_memory_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADIR_MEMORY", "1000000")
    text = "%x = stage f32\n%y = add (expand (reshape %x shape=[1]) shape=[2000000]) 1.0\n"
    assert failure(text + "%z = reduce %y op=add\noutput %z", {"x": 1.0}) == "R606"


def test_host_arrays_of_any_layout_and_refusals_of_other_types() -> None:
    text = "%x = stage f32[3,2]\n%y = reduce %x op=add axes=[1]\noutput %x\noutput %y\n"
    base = np.arange(6, dtype="f4").reshape(2, 3)
    for given in (base.T, base.T.astype(">f4"), base.T.copy(), np.broadcast_to(base.T, (3, 2))):
        assert run(text, {"x": given})["x"].tolist() == [[0, 3], [1, 4], [2, 5]]
    assert failure(text, {"x": base}) == "R603"
    assert failure(text, {"x": base.T.astype("f8")}) == "R602"
    assert failure(text, {"x": np.arange(6, dtype="f4")}) == "R603"
    assert failure(text, {}) == "R601"
    assert failure(text, {"x": base.T, "q": 1}) == "R611"
    reversed_by_two = np.arange(6, dtype="f4")[::-2]
    assert run("%x = stage f32[3]\noutput %x", {"x": reversed_by_two})["x"].tolist() == [5, 3, 1]
    booleans = np.array([2, 0, 3], np.uint8).view(bool)
    found = run("%x = stage bool[3]\n%y = cast %x dtype=i32\noutput %y", {"x": booleans})["y"]
    assert found.tolist() == [1, 0, 1]


def test_outputs_alias_neither_inputs_nor_state() -> None:
    program = Program.parse("%b = buffer f32[2]\n%x = stage f32[2]\nstore %b %x\noutput %x\n")
    session = program.session()
    given = np.ones(2, "f4")
    outputs = session.run({"x": given})
    outputs["x"][0] = 5.0
    given[1] = 7.0
    assert session.state["b"].tolist() == [1.0, 1.0]


def test_sixty_thousand_sines_run_without_recursion() -> None:
    lines = ["%x = stage f64", "%s0 = sin %x"]
    lines += [f"%s{n + 1} = sin %s{n}" for n in range(19_999)]
    program = Program.parse(
        "\n".join([*lines, "%g = gradient %s19999 %x", "output %s19999 name=y"])
    )
    found = program.session().run({"x": 1.0})["y"]
    assert abs(found - 0.012244885886355975) < 1e-15


def test_random_initial_values_are_the_languages_own() -> None:
    text = '%a = buffer f32[64] init="normal:0.5:7"\n%b = buffer f64[64] init="uniform:-1:3:7"\n'
    one, two = Program.parse(text).session(), Program.parse(text).session()
    assert one.state["a"].tobytes() == two.state["a"].tobytes()
    assert one.state["b"].min() >= -1 and one.state["b"].max() < 3
    own = run(
        "%k = const u32[2] [7, 0]\n%r = random_normal %k 0:u32 shape=[64]\n"
        "%v = mul %r 0.5\noutput %v\n"
    )["v"]
    assert own.tobytes() == one.state["a"].tobytes()


@pytest.mark.parametrize("seed", range(60))
def test_generated_programs_run(seed: int) -> None:
    made = generate(seed, 25)
    program = Program.parse(made.text)
    first = program.session(dims=made.dims).run(made.inputs)
    second = Program.parse(program.text()).session(dims=made.dims).run(made.inputs)
    assert {n: a.tobytes() for n, a in first.items()} == {n: a.tobytes() for n, a in second.items()}
