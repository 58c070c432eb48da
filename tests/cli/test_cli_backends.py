"""`gradir run` on either backend and on both, stopped at NaN or by Ctrl-C; `gradir cache`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradir.cli.main import main
from gradir.codegen import expressions
from gradir.codegen.toolchain import find_compiler

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")

COUNT = "%n = buffer i32\n%v = add (load %n) 1\nstore %n %v\noutput %v\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache and a folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text: str) -> str:
    Path("p.gir").write_text(text)
    return "p.gir"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["run", *arguments])
    found = capsys.readouterr()
    return code, found.out, found.err


@needs_compiler
@pytest.mark.parametrize("backend", ["auto", "c", "numpy"])
def test_backends_say_the_same(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(COUNT)
    code, out, err = run(capsys, file, "--backend", backend, "--steps", "5", "--threads", "2")
    assert (code, out, err) == (0, "v: i32 = 5\nslot 0 n: i32 = 5\n", "")
    assert Path("cache").exists() == (backend != "numpy")


def test_auto_without_a_compiler(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "/nonexistent")
    file = write(COUNT)
    code, out, err = run(capsys, file)
    assert code == 0 and out.startswith("v: i32 = 1\n")
    assert err == "there is no C compiler: CC is /nonexistent: interpreted\n"
    code, out, err = run(capsys, file, "--backend", "c")
    assert code == 2 and out == "" and "error[U704]" in err


@needs_compiler
def test_both(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, write(COUNT), "--both", "--steps", "5", "--state", "s.npz")
    assert (code, err) == (0, "both backends: the same bits, 5 steps\n")
    assert out == "v: i32 = 5\nslot 0 n: i32 = 5\n"
    with np.load("s.npz") as saved:
        assert saved["n"] == 5


@needs_compiler
def test_both_fail_alike(capsys: pytest.CaptureFixture[str]) -> None:
    file = write("%x = stage f32[3]\n%i = stage i32\n%y = take %x %i\noutput %y\n")
    code, out, err = run(capsys, file, "--both", "--set", "x=1,2,3", "--set", "i=3")
    assert code == 1 and out == "" and "p.gir:3:6: error[R605]: take: index 3" in err


WRONG = """%x = stage f32[2,2]
%a = add %x 1.0
%m = matmul %a %a
%d = div %m 3.0
%y = add %d 1.0
%z = mul %x 2.0
output %z
output %y
"""


@needs_compiler
def test_the_first_node_that_differs_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A C backend that divides by multiplying with the reciprocal."""
    original = expressions.elementwise

    def wrong(op: str, dtype: Any, operands: list[str]) -> str:
        if op == "div":
            return f"({operands[0]} * (1.0f / {operands[1]}))"
        return original(op, dtype, operands)

    monkeypatch.setattr(expressions, "elementwise", wrong)
    arguments = (write(WRONG), "--both", "--set", "x=[[1,2],[3,9]]")
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (3, "")
    assert "output y [" in err
    assert "the first node that differs is %d: f32[2,2] = div %m" in err
    assert "p.gir:4" in err
    monkeypatch.setattr(expressions, "elementwise", original)
    # the wrong library stands in the cache for this program and these files of gradir
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    assert run(capsys, *arguments)[0] == 0


# --- NaN ----------------------------------------------------------------------------------


def trapped(capsys: pytest.CaptureFixture[str], text: str, *arguments: str) -> str:
    code, out, err = run(capsys, write(text), "--trap-nan", *arguments)
    assert (code, out) == (1, "") and "error[R612]" in err
    return err


def test_the_statement_that_makes_nan(capsys: pytest.CaptureFixture[str]) -> None:
    text = "%x = stage f32[4]\n%y = log %x\n%z = mul %y 2.0\noutput %z\n"
    err = trapped(capsys, text, "--set", "x=1,-1,2,-3")
    assert "p.gir:2:6: error[R612]: NaN at [1], the first of 2: %y = log %x" in err
    code, out, err = run(capsys, "p.gir", "--trap-nan", "--set", "x=1,2,0,inf")
    assert (code, err) == (0, "") and out.startswith("z: f32[4] = [0.0, 1.386")


def test_a_gradients_nan_names_the_forward_statement(capsys: pytest.CaptureFixture[str]) -> None:
    text = "%x = stage f32[3]\n%s = sqrt %x\n%z = reduce (mul %s 0.0) op=add\n"
    err = trapped(capsys, text + "%g = gradient %z %x\noutput %g\n", "--set", "x=1,0,2")
    assert "p.gir:4:6: error[R612]: NaN at [1]" in err
    assert "p.gir:2:6: note: in the gradient, a share of %s" in err


def test_nan_inside_a_function_and_from_outside(capsys: pytest.CaptureFixture[str]) -> None:
    text = "%x = stage f32\nfunc @f(%a: f32) {\n  %b = log %a\n  return %b\n}\n"
    text += "%y = call @f %x\noutput %y\n"
    err = trapped(capsys, text, "--set", "x=-1")
    assert "p.gir:3:8" in err and "p.gir:6:6: note: called here, in @f" in err
    assert "%x = stage" in trapped(capsys, text, "--set", "x=nan")
    text = "%n = const f32 nan\n%x = stage f32\n%y = where (lt %x 0.0) %n %x\noutput %y\n"
    assert run(capsys, write(text), "--trap-nan", "--set", "x=1")[0] == 0
    assert "where" in trapped(capsys, text, "--set", "x=-1")


def test_flags_that_exclude_one_another(capsys: pytest.CaptureFixture[str]) -> None:
    file = write(COUNT)
    for flags in (
        ("--trace", "--both"),
        ("--trap-nan", "--both"),
        ("--trace", "--backend", "c"),
        ("--trap-nan", "--backend", "c"),
        ("--threads", "0"),
        ("--steps", "0"),
    ):
        code, out, err = run(capsys, file, *flags)
        assert (code, out) == (2, "") and "error[U702]" in err


def test_trace_interprets(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, write(COUNT), "--trace")
    assert code == 0 and "%v: i32 = add" in err and not Path("cache").exists()


# --- Ctrl-C -------------------------------------------------------------------------------


def _read(terminal: int) -> bytes:
    """What is there, nothing when the other end is closed."""
    try:
        return os.read(terminal, 1000)
    except OSError:
        return b""


@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_interrupted(backend: str) -> None:
    """The steps done stay done, and the state is saved with all of the last one."""
    if backend == "c" and find_compiler() is None:
        pytest.skip("no C compiler")
    file = write(
        "%n = buffer i32\n%m = buffer i32 init=1\n%v = add (load %n) 1\nstore %n %v\n"
        "store %m (add (load %m) 1)\noutput %v\n"
    )
    command = [sys.executable, "-m", "gradir", "run", file, "--steps", "2000000000"]
    command += ["--backend", backend, "--state", "s.npz"]
    terminal, end = os.openpty()
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=end,
        text=True,
        # what is started in the background inherits that SIGINT is ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    os.close(end)
    err = b""
    while b"step " not in err:  # the progress of a step that has been done
        err += os.read(terminal, 1000)
    process.send_signal(signal.SIGINT)
    while piece := _read(terminal):
        err += piece
    os.close(terminal)
    out, _ = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, ""), err
    with np.load("s.npz") as saved:
        done = int(saved["n"])
        assert done > 0 and saved["m"] == done + 1
    assert f"stopped after step {done} of 2000000000" in err.decode()
    assert [path.name for path in Path().glob(".s.npz*")] == []


# --- the cache ----------------------------------------------------------------------------


@needs_compiler
def test_cache(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, write(COUNT), "--backend", "c")
    folder = Path("cache/gradir").resolve()
    assert main(["cache", "path"]) == 0 and main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == f"{folder}\n1 compiled program removed\n"
    assert list(folder.iterdir()) == []
    assert main(["cache", "clear"]) == 0 and main(["cache", "fill"]) == 2
    assert capsys.readouterr().out == "0 compiled programs removed\n"
