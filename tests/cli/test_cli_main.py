"""The command line as a whole: dispatch, exit codes, streams, and the small commands."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradir.cli import console, version
from gradir.cli.main import COMMANDS, main
from gradir.text.codes import CODES

GOOD = '%x = stage f32\noutput (mul %x 2.0) name="y"\n'
BAD = "%x = stage f32\n%y = mul %x %z\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "p.gir"
    path.write_text(GOOD)
    return path


def gradir(*arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "gradir", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **more,  # type: ignore[call-overload]
    )


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert [name for name in COMMANDS if f"\n  {name} " not in shown] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert f"usage: gradir {name}" in capsys.readouterr().out


def test_nothing_asked_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage: gradir COMMAND" in capsys.readouterr().out


def test_a_misspelt_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rnu"]) == 2
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err == ("error[U702]: there is no command rnu\nhelp: did you mean `gradir run`?\n")


@pytest.mark.parametrize("arguments", [["dump"], ["dump", "a", "b"], ["run", "x", "--nope"]])
def test_wrong_usage_is_a_diagnostic(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err.startswith("error[U702]: ")
    assert "help: usage: gradir " in seen.err


def test_a_program_that_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.gir").write_text(BAD)
    assert main(["run", "bad.gir"]) == 1
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err.startswith("bad.gir:2:13: error[N201]: unknown value %z\n")


@pytest.mark.parametrize("command", ["run", "check", "dump", "fmt", "render"])
def test_a_file_that_is_not_there(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "/nowhere/p.gir"]) == 2
    assert "error[U701]" in capsys.readouterr().err


def test_a_folder_is_no_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dump", str(tmp_path)]) == 2
    assert "error[U701]" in capsys.readouterr().err


def test_an_example_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "example:cubik"]) == 2
    assert "error[U701]: there is no example cubik" in capsys.readouterr().err


def test_an_unexpected_exception_is_our_bug(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(args: object) -> int:
        raise ZeroDivisionError("a secret reason")

    monkeypatch.setattr(version, "execute", crash)
    monkeypatch.delenv("GRADIR_TRACEBACK", raising=False)
    assert main(["version"]) == 3
    said = capsys.readouterr().err
    assert said.startswith("bug in gradir: ZeroDivisionError: a secret reason\n")
    assert "Traceback" not in said
    monkeypatch.setenv("GRADIR_TRACEBACK", "1")
    assert main(["version"]) == 3
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (MemoryError(), 1, "error[R606]: out of memory\n"),
        (
            OSError(28, "No space left on device", "o"),
            2,
            "error[U703]: o: No space left on device\n",
        ),
    ],
)
def test_other_ends(
    raised: BaseException,
    code: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def end(args: object) -> int:
        raise raised

    monkeypatch.setattr(version, "execute", end)
    assert main(["version"]) == code
    assert capsys.readouterr().err == said


def test_a_reader_that_leaves_early_is_quiet(tmp_path: Path) -> None:
    path = tmp_path / "long.gir"
    lines = ["%x0 = stage f32", *(f"%x{k + 1} = add %x{k} 1.0" for k in range(20000))]
    path.write_text("\n".join(lines))
    shell = f"{sys.executable} -m gradir dump {path} | head -1"
    done = subprocess.run(
        ["bash", "-c", shell + "; exit ${PIPESTATUS[0]}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        '%x0: f32 = stage f32 name="x0"\n',
        "",
    )


def test_a_full_disk_is_reported(file: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gradir", "dump", str(file)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("error[U703]: ")


def test_module_and_streams() -> None:
    done = gradir("dump", "-", input=GOOD)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == '%x: f32 = stage f32 name="x"'
    assert done.stderr == ""


def test_standard_input_that_is_no_text() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gradir", "check", "-"],
        input=b"%x = stage f32 # \xff\n",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert b"<stdin>:1:18: error[P108]" in done.stderr


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "painted"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_color(
    stream: io.StringIO,
    environment: dict[str, str],
    painted: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert console.color_of(stream) is painted


# --- small commands -----------------------------------------------------------------------


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version"]) == 0
    plain = capsys.readouterr().out
    assert plain.startswith("gradir 0.") and plain.count("\n") == 1
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == plain


@pytest.mark.parametrize("code", CODES)
def test_explain_every_code(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", code.lower()]) == 0
    assert capsys.readouterr().out.startswith(code)


def test_explain_lists_the_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    assert [line[:4] for line in capsys.readouterr().out.splitlines()] == list(CODES)


def test_explain_takes_what_a_message_shows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "error[G107]"]) == 0
    assert capsys.readouterr().out.startswith("G107")


def test_explain_an_unknown_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "G999"]) == 2
    assert "there is no diagnostic G999" in capsys.readouterr().err


def test_dump_is_a_program(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dump", str(file)]) == 0
    text = capsys.readouterr().out
    again = file.with_name("again.gir")
    again.write_text(text)
    assert main(["dump", str(again), "-o", str(again)]) == 0
    assert capsys.readouterr().out == ""
    assert again.read_text() == text


def test_dump_of_the_kernels_is_c_text(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dump", str(file), "--stage", "kernels"]) == 0
    text = capsys.readouterr().out
    assert "int gir_program(const gir_run *r) {" in text
    assert "\n// " in text  # a kernel is headed by the nodes it computes


def test_output_that_cannot_be_written(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dump", str(file), "-o", str(file / "below")]) == 2
    assert "error[U703]: cannot write" in capsys.readouterr().err


def test_output_keeps_the_mode_and_leaves_no_other_file(file: Path) -> None:
    target = file.with_name("out.gir")
    target.write_text("old")
    target.chmod(0o640)
    assert main(["dump", str(file), "-o", str(target)]) == 0
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in target.parent.iterdir()) == ["out.gir", "p.gir"]


def test_examples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["example", "list"]) == 0
    assert "cubic " in capsys.readouterr().out
    assert main(["example", "copy", "cubic"]) == 0
    assert capsys.readouterr().out == "cubic.gir\n"
    assert main(["dump", "cubic.gir"]) == 0
    capsys.readouterr()
    assert main(["example", "copy", "cubic"]) == 2
    assert "error[U703]: cubic.gir exists" in capsys.readouterr().err
    assert main(["example", "copy", "cubic", "--force"]) == 0
    assert main(["example", "copy"]) == 2
    assert main(["example", "copy", "cubic", "-"]) == 0
    assert "%dy = gradient" in capsys.readouterr().out


def test_an_example_comes_with_its_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "new" / "mine.gir"
    assert main(["example", "copy", "spiral", str(target)]) == 0
    copied = capsys.readouterr().out.splitlines()
    assert copied[0] == str(target)
    assert str(tmp_path / "new" / "spiral" / "x.npy") in copied
    assert main(["run", str(target)]) == 0
    ours = capsys.readouterr().out
    assert main(["run", "example:spiral"]) == 0
    assert capsys.readouterr().out == ours
    target.unlink()
    assert main(["example", "copy", "spiral", str(target)]) == 2  # the data are there still
    assert not target.exists()


# --- fmt ----------------------------------------------------------------------------------

UGLY = "# kept\n%x   =  stage   f32\noutput  %x\n"
PRETTY = "# kept\n%x = stage f32\noutput %x\n"


def test_fmt_formats_in_place(file: Path) -> None:
    file.write_text(UGLY)
    assert main(["fmt", str(file)]) == 0
    assert file.read_text() == PRETTY


def test_fmt_check_and_diff_change_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(UGLY)
    assert main(["fmt", "--check", str(file)]) == 1
    assert capsys.readouterr().err == f"{file} would be formatted\n"
    assert main(["fmt", "--diff", str(file)]) == 1
    shown = capsys.readouterr().out
    assert "-%x   =  stage   f32\n" in shown and "+%x = stage f32\n" in shown
    assert file.read_text() == UGLY
    file.write_text(PRETTY)
    assert main(["fmt", "--check", "--diff", str(file)]) == 0
    assert capsys.readouterr() == ("", "")


def test_fmt_leaves_a_broken_program_alone(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = "%x  =  mul (\n"
    file.write_text(broken)
    assert main(["fmt", str(file)]) == 1
    assert "error[P105]" in capsys.readouterr().err
    assert file.read_text() == broken


def test_fmt_from_standard_input() -> None:
    assert gradir("fmt", "-", input=UGLY).stdout == PRETTY
