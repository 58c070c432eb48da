"""`gradir dump --stage optimised`: a program that reads back to the optimised table."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradir import Program
from gradir.cli.main import main
from gradir.passes import optimise

TEXT = """%x = stage f32[3]
%h = exp (mul %x 1.0)
%y = reduce (mul %h %h) op=add
output (gradient %y %x checkpoint=[%h]) name="g"
"""
WANTED = """%x: f32[3] = stage f32[3] name="x"
%h: f32[3] = exp %x
%2: f32[3] = mul %h %h
%y: f32 = reduce %2 op=add axes=[0] order=lanes
%4: f32[3] = add %h %h
%5: f32[3] = mul %h %4
output %5 name="g"
# gradient %y %x checkpoint=[%h]
"""


def test_the_optimised_table_is_a_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.gir"
    file.write_text(TEXT, encoding="utf-8")
    assert main(["dump", str(file), "--stage", "optimised"]) == 0
    shown = capsys.readouterr().out
    assert shown == WANTED
    made = optimise(Program.parse(TEXT).table)
    made.hints.clear()
    assert Program.parse(shown).table.same_as(made)
    assert main(["dump", str(file), "--stage", "optimised", "-o", str(tmp_path / "out.gir")]) == 0
    assert (tmp_path / "out.gir").read_text(encoding="utf-8") == shown


@pytest.mark.parametrize("name", ["attention", "transformer", "spiral", "plane"])
def test_examples_read_back(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dump", f"example:{name}", "--stage", "optimised"]) == 0
    made = optimise(Program.load(f"example:{name}").table)
    if not made.hints:
        assert Program.parse(capsys.readouterr().out).table.same_as(made)
