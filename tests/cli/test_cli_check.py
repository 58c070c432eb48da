"""`gradir check`: warnings, and gradients against central differences."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gradir.autodiff import rules
from gradir.autodiff.rules import RULES
from gradir.cli.main import main
from gradir.runtime import gradcheck
from gradir.runtime.filling import Inputs
from gradir.runtime.program import Program, example_names


def findings(text: str, **given: object) -> list[gradcheck.Finding]:
    return list(gradcheck.check_gradients(Program.parse(text), Inputs(**given)))  # type: ignore[arg-type]


def test_a_program_that_is_fine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.gir"
    path.write_text("%x = stage f32\noutput %x\n")
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr() == (f"{path}: ok, 2 nodes\n", "")


def test_a_warning_is_shown_and_is_no_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.gir"
    path.write_text(
        '%x = stage f32\n%y = where (lt 0.0 %x) (sqrt %x) 0.0\noutput (gradient %y %x) name="g"\n'
    )
    assert main(["check", str(path)]) == 0
    seen = capsys.readouterr()
    assert "ok" in seen.out and "warning[W501]" in seen.err


def test_the_worst_of_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.gir", tmp_path / "bad.gir"
    good.write_text("%x = stage f32\n")
    bad.write_text("%x = stage f33\n")
    assert main(["check", str(bad), str(good)]) == 1
    seen = capsys.readouterr()
    assert seen.out == f"{good}: ok, 1 node\n" and "error[T318]" in seen.err
    assert main(["check", str(good), str(bad), "/nowhere.gir"]) == 2


def test_a_program_without_gradients(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.gir"
    path.write_text("%x = stage f32\n")
    assert main(["check", "--grad", str(path)]) == 0
    assert capsys.readouterr().out.endswith("no gradient to check\n")


@pytest.mark.parametrize("name", [n for n in example_names() if n != "map30_scalar"])
def test_the_examples_agree(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--grad", f"example:{name}"]) == 0
    shown = capsys.readouterr().out
    assert "agrees" in shown and "DISAGREES" not in shown


def test_the_report_says_what_was_done(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--grad", "example:cubic", "--set", "xs=-2,-1,0,1,2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "central differences in f64, step 6.1e-06 times max(1, |x|), tolerance 1e-06"
    assert re.fullmatch(
        r"example:cubic:17: gradient %\d+ %x: f32\[5\]: agrees, largest relative error "
        r"\d\.\de-\d+ in 5 elements",
        lines[2],
    )


# Each op with a smooth rule, as a program of its own.
SMOOTH = {
    "add": "add %x %z", "mul": "mul %x %z", "recip": "recip %x", "div": "div %z %x",
    "max": "max %x %z", "where": "where (lt 0.0 %z) (mul %x %z) %x", "exp2": "exp2 %x",
    "log2": "log2 %x", "sqrt": "sqrt %x", "sin": "sin %x", "cos": "cos %x", "exp": "exp %x",
    "log": "log %x", "tanh": "tanh %x", "erf": "erf %x", "fma": "fma %x %z %x",
    "reduce add": "reduce %x op=add axes=[0]", "reduce max": "reduce %x op=max axes=[1]",
    "matmul": "matmul %x (permute %x axes=[1,0])", "permute": "mul %z2 (permute %x axes=[1,0])",
    "flip": "mul %z (flip %x axes=[0])", "pad": "sin (pad %x lo=[1,0] shape=[4,2])",
    "shrink": "shrink %x lo=[1,0] shape=[2,1]", "take": "take %x (const i32[2] [2, 2])",
    "scatter_add": "mul %z (scatter_add %x (const i32[1] [1]) (mul %x1 2.0))",
}  # fmt: skip
PROGRAM = """\
%x = stage f32[3,2]
%z = stage f32[3,2]
%z2 = permute (mul %z 2.0) axes=[1,0]
%x1 = shrink %x lo=[0,0] shape=[1,2]
%r = OPERATION
%loss = reduce (mul %r %r) op=add
output (gradient %loss %x) name="g"
"""


@pytest.mark.parametrize("key", SMOOTH)
def test_every_rule_agrees(key: str) -> None:
    (found,) = findings(PROGRAM.replace("OPERATION", SMOOTH[key]))
    assert found.agrees, found
    assert found.quotients == 6


# The operands that x reaches, where it is not the first alone.
REACHED = {"div": {1}, "fma": {0, 2}, "where": {1, 2}, "matmul": {0, 1}, "scatter_add": {0, 2}}


@pytest.mark.parametrize(
    ("key", "at"), [(key, at) for key in SMOOTH for at in sorted(REACHED.get(key, {0}))]
)
def test_a_share_one_percent_too_large_is_found(
    key: str, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = list(RULES[key])
    share = wrong[at]
    assert share is not None
    wrong[at] = lambda *args: share(*args) * 1.01
    monkeypatch.setitem(rules.RULES, key, tuple(wrong))
    (found,) = findings(PROGRAM.replace("OPERATION", SMOOTH[key]))
    assert not found.agrees, found


def test_a_disagreement_is_exit_code_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(rules.RULES, "mul", (RULES["mul"][0], RULES["mul"][0]))
    assert main(["check", "--grad", "example:cubic"]) == 1
    assert "DISAGREES" in capsys.readouterr().out


def test_detached_values_stay_where_they_are() -> None:
    (found,) = findings(
        "%x = stage f32[4]\n%y = sum (mul %x (detach (mul %x %x)))\n"
        'output (gradient %y %x) name="g"\n'
    )
    assert found.agrees and found.error < 1e-8


def test_an_intermediate_value_is_moved_itself() -> None:
    (found,) = findings(
        "%x = stage f32[4]\n%h = tanh %x\n%y = sum (mul %h (sin %h))\n"
        'output (gradient %y %h) name="g"\n'
    )
    assert found.agrees and found.quotients == 4


def test_second_gradients() -> None:
    text = (
        "%x = stage f32[4]\n%y = sum (mul (sin %x) %x)\n%g = gradient %y %x\n"
        "%h = gradient (sum (mul %g %g)) %x\noutput %h\n"
    )
    assert [f.agrees for f in findings(text)] == [True, True]


def test_an_unreached_value_has_a_zero_gradient() -> None:
    text = '%x = stage f32[3]\n%z = stage f32\noutput (gradient %z %x) name="g"\n'
    (found,) = findings(text)
    assert (found.error, found.quotients) == (0.0, 3)


def test_values_behind_stores_and_loops() -> None:
    text = """\
%b = buffer f32[3]
%x = stage f32[3]
%i = range 3
store %b (add (load %b %i) 2.0) %i
end %i
%w = load %b
%y = sum (mul (mul %w %x) %w)
output (gradient %y %w) name="gw"
output (gradient %y %x) name="gx"
"""
    assert [f.agrees for f in findings(text)] == [True, True]


def test_where_a_logarithm_needs_positive_inputs() -> None:
    (found,) = findings('%x = stage f32[20]\n%y = sum (log %x)\noutput (gradient %y %x) name="g"\n')
    assert found.agrees


def test_a_point_where_nothing_can_be_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.gir"
    path.write_text('%x = stage f32\n%y = log %x\noutput (gradient %y %x) name="g"\n')
    assert main(["check", "--grad", str(path), "--set", "x=-1"]) == 1
    assert "cannot be checked: y is nan at this point" in capsys.readouterr().out


def test_a_dead_branch_that_makes_nan_disagrees(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.gir"
    path.write_text(
        '%x = stage f32\n%y = where (lt 0.0 %x) (sqrt %x) 0.0\noutput (gradient %y %x) name="g"\n'
    )
    assert main(["check", "--grad", str(path), "--set", "x=-1"]) == 1
    assert "DISAGREES, largest relative error inf" in capsys.readouterr().out


def test_large_values_are_checked_along_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    text = '%x = stage f32[100]\n%y = sum (mul %x (sin %x))\noutput (gradient %y %x) name="g"\n'
    (found,) = findings(text)
    assert found.agrees and (found.directions, found.quotients) == (True, 16)
    monkeypatch.setitem(rules.RULES, "sin", (lambda g, u, a: g * rules.sin(a),))
    (found,) = findings(text)
    assert not found.agrees


def test_free_dimensions_and_integers_are_filled() -> None:
    text = """\
dim B = 2..9
%x = stage f32[B,4]
%labels = stage i32[B]
%loss = cross_entropy %x %labels axis=1
output (gradient %loss %x) name="g"
"""
    (found,) = findings(text)
    assert found.agrees and found.quotients == 12


def test_bits_of_f32_mean_what_they_meant() -> None:
    """bitcast keeps the program's f32 bits although all else is widened."""
    text = """\
%x = stage f32[3]
%k = bitcast (bitcast 1.5 dtype=u32) dtype=f32
%y = sum (mul (mul %x %x) %k)
output (gradient %y %x) name="g"
"""
    (found,) = findings(text)
    assert found.agrees


def test_a_gradient_in_a_function_is_none_of_the_program() -> None:
    program = """
func @slope(%x: f64) {
  return (gradient (mul %x %x) %x)
}
%x = stage f64
%y = mul (mul %x %x) %x
output (call @slope %x) name="s"
output (gradient %y %x) name="g"
"""
    (found,) = findings(program)
    assert not found.trouble and found.error < 1e-6
