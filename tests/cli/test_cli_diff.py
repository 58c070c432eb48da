"""`gradir diff`: what makes two programs different, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradir.cli.main import main
from gradir.passes.isomorphic import differences
from gradir.runtime.program import Program

LOOP = """\
%a = buffer f32[3]
%b = buffer f32[3]
%i = range 3
store %a (mul (load %b %i) 2.0) %i
end %i
%v = load %a
output %v
"""
BASE = "%x = stage f32[3]\n%w = stage f32[3]\n%y = mul (sin %x) %w\noutput %y\n"

SAME = [
    (BASE, BASE),
    # names of values, order of statements, unused nodes, spelling
    (BASE, "# other\n%w = stage f32[3]\n%x = stage f32[3]\n%s = sin %x\n%q = cos %w\n"
           "%r = mul %s %w\noutput %r name=y\n"),
    ("%x = stage f32\noutput (sub %x 1.0) name=\"y\"\n",
     "%x = stage f32\noutput (add %x (mul 1.0 -1.0)) name=\"y\"\n"),
    # a buffer is its slot
    ("%a = buffer f32 slot=2\nstore %a 1.0\n", "%other = buffer f32 slot=2\nstore %other 1.0\n"),
    # a hint changes no bit
    ("%x = stage f32\n%h = sin %x\n%y = mul %h %h\noutput (gradient %y %x) name=\"g\"\n",
     "%x = stage f32\n%h = sin %x\n%y = mul %h %h\n"
     "output (gradient %y %x checkpoint=[%h]) name=\"g\"\n"),
    ("func @f(%a: f32) { return (mul %a %a) }\n%x = stage f32\noutput (call @f %x) name=\"y\"\n",
     "func @g(%b: f32) {\n  %c = mul %b %b\n  return %c\n}\n%x = stage f32\n"
     "output (call @g %x) name=\"y\"\n"),
    # stores to two buffers commute
    ("%a = buffer f32\n%b = buffer f32\nstore %a 1.0\nstore %b 2.0\n",
     "%a = buffer f32\n%b = buffer f32\nstore %b 2.0\nstore %a 1.0\n"),
    (LOOP, LOOP.replace("%i", "%k").replace("%v = load %a\noutput %v", "output (load %a) name=v")),
]  # fmt: skip

DIFFERENT = [
    ("operands change places", BASE, BASE.replace("(sin %x) %w", "%w (sin %x)")),
    ("another op", BASE, BASE.replace("sin", "cos")),
    ("another constant", "%x = stage f32\noutput (add %x 0.0) name=y\n",
     "%x = stage f32\noutput (add %x -0.0) name=y\n"),
    ("another attribute", BASE.replace("sin %x", "flip %x axes=[0]"), BASE),
    ("another type", BASE, BASE.replace("f32", "f64")),
    ("another stage", BASE, BASE.replace("%w = stage f32[3]", "%w = stage f32[3] name=v")),
    ("another output name", BASE, BASE.replace("output %y", "output %y name=z")),
    ("an output more", BASE, BASE + "output %x\n"),
    ("another slot", "%a = buffer f32 slot=1\nstore %a 1.0\n",
     "%a = buffer f32 slot=2\nstore %a 1.0\n"),
    ("another init", "%a = buffer f32 init=1.0\noutput (load %a) name=y\n",
     "%a = buffer f32 init=2.0\noutput (load %a) name=y\n"),
    ("order of stores", "%a = buffer f32\nstore %a 1.0\nstore %a 2.0\n",
     "%a = buffer f32\nstore %a 2.0\nstore %a 1.0\n"),
    ("a load before or after a store", "%a = buffer f32\n%v = load %a\nstore %a 1.0\noutput %v\n",
     "%a = buffer f32\nstore %a 1.0\n%v = load %a\noutput %v\n"),
    ("a longer loop", LOOP, LOOP.replace("range 3", "range 2")),
    ("a store behind the loop", LOOP,
     LOOP.replace("store %a (mul (load %b %i) 2.0) %i\nend %i\n",
                  "end %i\nstore %a (mul (load %b 0) 2.0) 0\n")),
    ("bounds of a dimension", "dim B = 1..4\n%x = stage f32[B]\noutput %x\n",
     "dim B = 1..5\n%x = stage f32[B]\noutput %x\n"),
    ("a function's body",
     "func @f(%a: f32, %b: f32) { return (mul %a %b) }\n%x = stage f32\n"
     "output (call @f %x 2.0) name=\"y\"\n",
     "func @f(%a: f32, %b: f32) { return (mul %b %a) }\n%x = stage f32\n"
     "output (call @f %x 2.0) name=\"y\"\n"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), SAME)
def test_same(left: str, right: str) -> None:
    assert differences(Program.parse(left).table, Program.parse(right).table) == []


@pytest.mark.parametrize(("why", "left", "right"), DIFFERENT, ids=[why for why, _, _ in DIFFERENT])
def test_different(why: str, left: str, right: str) -> None:
    a, b = Program.parse(left).table, Program.parse(right).table
    assert differences(a, b) != [] and differences(b, a) != []
    assert differences(a, a) == [] and differences(b, b) == []


def test_a_deep_difference_is_found_without_recursion() -> None:
    chain = "%x0 = stage f32\n" + "".join(f"%x{k + 1} = FIRST %x{k}\n" for k in range(1))
    rest = "".join(f"%x{k + 1} = sin %x{k}\n" for k in range(1, 20000)) + "output %x20000\n"
    a = Program.parse(chain.replace("FIRST", "cos") + rest).table
    b = Program.parse(chain.replace("FIRST", "exp") + rest).table
    (found,) = differences(a, b)
    assert (found.left, found.right) == (1, 1)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.gir").write_text(BASE)
    Path("b.gir").write_text(BASE.replace("sin", "cos"))
    Path("bad.gir").write_text("%x = nothing\n")


def test_exit_codes_and_text(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "a.gir", "a.gir"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["diff", "a.gir", "b.gir"]) == 1
    assert capsys.readouterr().out == (
        "output y differs\n  < a.gir:3: %2: f32[3] = sin %x\n  > b.gir:3: %2: f32[3] = cos %x\n"
    )
    assert main(["diff", "-q", "a.gir", "b.gir"]) == 1
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("other", ["bad.gir", "nowhere.gir"])
def test_trouble(other: str, files: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "a.gir", other]) == 2
    assert "error[" in capsys.readouterr().err
