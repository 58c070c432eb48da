"""Node identity, the order of ids, names and printing (spec/table.md)."""

from __future__ import annotations

import subprocess
import sys

import pytest
from generate import generate
from helpers import dump, refused

from gradir import Program


def test_equal_nodes_are_one() -> None:
    text = "%x = stage f32\n%a = add %x %x\n%b = add %x %x\n%c = mul %a %b\n"
    table = Program.parse(text).table
    assert table.names["a"] == table.names["b"]
    assert len(table) == 3


def test_operand_order_is_part_of_identity() -> None:
    table = Program.parse("%x = stage f32\n%y = stage f32\n%a = add %x %y\n%b = add %y %x\n").table
    assert table.names["a"] != table.names["b"]


@pytest.mark.parametrize("order", [1, -1])
def test_constants_are_told_apart_by_type_and_bits(order: int) -> None:
    constants = ["i32 1", "f32 1.0", "bool true", "i64 1", "f64 1.0", "u32 1"]
    zeros = ["f32 0.0", "f32 -0.0", "i32 0", "bool false", "f64 0.0", "f64 -0.0"]
    lines = [f"%c{n} = const {c}" for n, c in enumerate([*constants, *zeros][::order])]
    assert len(Program.parse("\n".join(lines)).table) == 12


def test_a_literal_and_a_const_are_one_node() -> None:
    table = Program.parse("%a = 1.0\n%b = const f32 1.0\n%c = 0x1.0p+0\n").table
    assert len(table) == 1


def test_a_type_has_one_nan() -> None:
    table = Program.parse("%a = nan\n%b = const f32[1] [nan]\n%c = const f32 nan\n").table
    assert table.names["a"] == table.names["c"]
    assert len(table) == 2


def test_doublings_make_one_node_each() -> None:
    lines = ["%x0 = stage f64", *(f"%x{n + 1} = add %x{n} %x{n}" for n in range(60))]
    program = Program.parse("\n".join([*lines, "%g = gradient %x60 %x0", "output %x60 name=y"]))
    assert program.table.names["x60"] == 60
    given = Program.parse("\n".join([*lines, "%g = gradient %x60 %x0", "output %x60", "output %g"]))
    outputs = given.session().run({"x0": 3.0})
    assert outputs["x60"] == 3.0 * 2**60
    assert outputs["g"] == 2.0**60


def test_order_of_ids() -> None:
    """Non-literal operands, literals, movement operand by operand, the node."""
    assert dump("%x = stage f32[2,3]\n%r = stage f32[3]\n%y = fma 2.0 (sin %x) %r\n") == [
        '%x: f32[2,3] = stage f32[2,3] name="x"',
        '%r: f32[3] = stage f32[3] name="r"',
        "%2: f32[2,3] = sin %x",
        "%3 = const f32 2.0",
        "%4: f32[1,1] = reshape %3 shape=[1,1]",
        "%5: f32[2,3] = expand %4 shape=[2,3]",
        "%6: f32[1,3] = reshape %r shape=[1,3]",
        "%7: f32[2,3] = expand %6 shape=[2,3]",
        "%y: f32[2,3] = fma %5 %2 %7",
    ]


def test_scalars_need_no_movement() -> None:
    assert dump("%x = stage f64\n%y = mul 2.0 %x\n")[1:] == [
        "%1 = const f64 2.0",
        "%y: f64 = mul %1 %x",
    ]


def test_one_and_zero_broadcast_to_zero() -> None:
    lines = dump("%a = stage f32[1]\n%b = stage f32[0]\n%c = add %a %b\n")
    assert lines[-1] == "%c: f32[0] = add %2 %b"


def test_negative_axes_and_defaults_are_canonical() -> None:
    text = "%x = stage f32[2,3]\n%a = reduce %x op=add axes=[-1,0]\n%b = reduce %x op=add\n"
    table = Program.parse(text).table
    assert table.names["a"] == table.names["b"]


def test_names_are_kept_and_digits_are_not() -> None:
    text = "%x = stage f32\n%17 = add %x 1.0\n%a = %17\n%b.c = %a\noutput %17 name=y\n"
    program = Program.parse(text)
    assert program.table.names == {"x": 0, "a": 2, "b.c": 2}
    assert program.text().splitlines()[-2:] == ["%b.c = %a", 'output %a name="y"']


def test_a_dump_reads_back_the_same_with_hints_functions_and_loops() -> None:
    text = """dim B = 1..8
func @f(%a: f32[B], %b: f32) {
  %c = mul %a %b
  return (reduce %c op=add)
}
%x = stage f32[B]
%w = buffer f32 slot=3 init=0.5
%acc = buffer f32[4]
%v = load %w
%h = tanh (mul %x %v)
%loss = reduce (mul %h %h) op=add
%g = gradient %loss %v checkpoint=[%h]
%same = %g
%k = call @f %x 2.0
%i = range 4
%e = load %acc %i
store %acc (add %e %k) %i
end %i
store %w (add %v (mul %g -0.1))
output %loss
"""
    program = Program.parse(text)
    printed = program.text()
    again = Program.parse(printed)
    assert again.table.same_as(program.table)
    assert again.text() == printed
    assert "checkpoint=[%h]" in printed


@pytest.mark.parametrize("seed", range(400))
def test_generated_programs_read_back_the_same(seed: int) -> None:
    program = Program.parse(generate(seed).text)
    assert Program.parse(program.text()).table.same_as(program.table)


def test_dumps_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from generate import generate; from gradir import Program;"
        "print(''.join(Program.parse(generate(s, 40).text).text() for s in range(20)))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": str(seed), "PYTHONPATH": "tools"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in (0, 1, 4242)
    }
    assert len(printed) == 1


def test_versions_tell_loads_apart() -> None:
    text = """%b = buffer f32
%p = load %b
%q = load %b
store %b (add %p 1.0)
%r = load %b
"""
    names = Program.parse(text).table.names
    assert names["p"] == names["q"] != names["r"]


def test_a_load_in_a_loop_is_none_outside() -> None:
    text = "%b = buffer f32\n%p = load %b\n%i = range 2\n%q = load %b\nend %i\n%r = load %b\n"
    names = Program.parse(text).table.names
    assert len({names["p"], names["q"], names["r"]}) == 3


def test_a_million_nodes_of_one_name_rule() -> None:
    """Building is linear: the same statement many times costs one node."""
    table = Program.parse(
        "%x = stage f32\n" + "".join(f"%y{n} = mul %x %x\n" for n in range(5000))
    ).table
    assert len(table) == 2
    assert len(table.origins[1]) == 5000


def test_slots_take_the_lowest_free_number() -> None:
    table = Program.parse(
        "%a = buffer f32 slot=1\n%b = buffer f32\n%c = buffer f32\n%d = buffer f32 slot=7\n"
    ).table
    assert [table[id].attr("slot") for id in table.buffers.values()] == [1, 0, 2, 7]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("%a = buffer f32 slot=1\n%b = buffer f32 slot=1\n", "M401"),
        ("%a = buffer f32\n%b = buffer f32 name=a\n", "M402"),
        ("%a = stage f32\n%b = buffer f32 name=a\n", "M402"),
        ("%a = stage f32\n%b = stage f32[2] name=a\n", "M402"),
        ("%a = stage f32\noutput (add %a 1.0)\n", "M403"),
        ("%a = stage f32\n%a = add %a 1.0\n", "N202"),
        ("%a = 1.0\nadd %a 1.0\n", "M413"),
        ("%a = 1.0\n%b = output %a\n", "M412"),
        ("dim B = 1..4\n%b = buffer f32[B]\n", "M411"),
        ('%b = buffer f32 init="what"\n', "M410"),
        ("%i = 1\nrange 5\n", "M413"),
        ("dim f32 = 1..2\n\n", "N205"),
    ],
)
def test_refusals(text: str, code: str) -> None:
    found = refused(text)
    assert [c for c, _ in found] == [code]
