"""Widening to f64, and copying in general."""

from __future__ import annotations

import numpy as np
import pytest

from gradir.ir.build import build
from gradir.ir.table import Table
from gradir.passes.copying import Copier
from gradir.passes.widen import widen
from gradir.runtime.program import Program, example_names, example_source
from gradir.text.printer import print_table

MIXED = """\
dim B = 1..4
func @twice(%a: f32[B]) { return (mul %a 2.0) }
%x = stage f32[B]
%n = stage i32[B]
%bb = buffer f32[3] init=0.1
%k = bitcast (cast %n dtype=f32) dtype=i32
%y = add (call @twice %x) (cast %k dtype=f32)
%i = range 3
store %bb (mul (load %bb %i) 0.5) %i
end %i
%p = pad %x lo=[0] shape=[B] value=0.1
output %y
output %p
output (load %bb) name="b"
"""


def test_every_f32_becomes_f64_and_what_it_was_stays() -> None:
    program = Program.parse(MIXED)
    wide, ids = widen(program.table)
    assert set(ids) == set(range(len(program.table)))
    assert wide.names == {name: ids[id] for name, id in program.table.names.items()}
    for id, new in ids.items():
        before, after = program.table.type(id), wide.type(new)
        assert after.shape == before.shape
        assert after.dtype.name == {"f32": "f64"}.get(before.dtype.name, before.dtype.name)
    # What is f32 still stands between a bitcast and its operand.
    left = [n.op.name for n in wide.nodes if n.type.dtype.name == "f32"]
    assert left == ["cast"]  # of what the i32 `bitcast` reads


def test_a_widened_table_is_a_program() -> None:
    wide, _ = widen(Program.parse(MIXED).table)
    text = print_table(wide)
    assert Program.parse(text).text() == text


def test_values_of_a_widened_program() -> None:
    x, n = np.array([0.5, -0.25], "f4"), np.array([3, 4], "i4")
    wide, _ = widen(Program.parse(MIXED).table)
    found = Program.parse(print_table(wide)).session().run({"x": x.astype("f8"), "n": n})
    # The bits are those of the f32 3.0 and 4.0; the sum has the digits that f32 lacks.
    assert found["y"].tolist() == [0x40400000 + 1.0, 0x40800000 - 0.5]
    # 0.1 keeps the value that f32 gave it
    assert found["p"].dtype == np.float64
    assert found["b"].tolist() == [float(np.float32(0.1)) / 2] * 3


@pytest.mark.parametrize("name", [n for n in example_names() if n != "map30_scalar"])
def test_a_plain_copy_is_the_very_same_table(name: str) -> None:
    table = build(example_source(name)).table
    target = Table(dims=dict(table.dims), functions=dict(table.functions))
    copier = Copier(table, target)
    copier.copy(range(len(table)))
    copier.finish()
    assert target.same_as(table)
    assert target.versions == table.versions
    assert target.regions == table.regions and target.range_parents == table.range_parents
    assert [o[0].forward for o in target.origins] == [o[0].forward for o in table.origins]
