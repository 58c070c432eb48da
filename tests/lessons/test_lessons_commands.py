"""`gradir lessons`: a student's way through a course, and what is said when it goes wrong."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gradir.cli.main import main


@pytest.fixture
def work(course_copy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "work"
    assert main(["lessons", "init", str(folder), "--course", str(course_copy)]) == 0
    assert "3 exercises put into" in capsys.readouterr().out
    return folder


def run(work: Path, *words: str) -> int:
    return main(["lessons", *words, "--dir", str(work)])


def solve(work: Path, course: Path, name: str) -> None:
    suffix = ".py" if "twice" in name else ".gir"
    solution = course / "01-one" / name / f"solution{suffix}"
    (work / "01-one" / f"{name}{suffix}").write_text(solution.read_text())


def test_from_init_to_the_last_exercise(
    work: Path, course_copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(work) == 0
    said = capsys.readouterr().out
    assert "0 of 3 exercises" in said and "gradir lessons show one.double" in said
    for at, name in enumerate(("01-double", "02-slope", "03-twice"), 1):
        assert run(work, "check") == 1  # the next one: its starter
        assert "not yet" in capsys.readouterr().out
        solve(work, course_copy, name)
        assert run(work, "check", name) == 0
        said = capsys.readouterr().out
        assert "passed" in said
        assert run(work, "status") == 0
        assert f"{at} of 3 exercises" in capsys.readouterr().out
    assert run(work, "next") == 0
    assert "all passed" in capsys.readouterr().out
    assert run(work, "check") == 2  # which one?


def test_show_and_explain(
    work: Path, course_copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(work, "show", "one.double") == 0
    said = capsys.readouterr().out
    assert "## Your task" in said and "one.double.q1: What is twice three?" in said
    assert "Because" not in said
    solve(work, course_copy, "01-double")
    assert run(work, "check", "one.double") == 0
    assert "Because *two* times is twice." in capsys.readouterr().out


def test_a_failure_says_what_is_wrong(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "%x = stage f32[3]\n%y = reduce (mul %x (detach %x)) op=add\n"
        "%dx = gradient %y %x\noutput %dx\n"
    )
    (work / "01-one/02-slope.gir").write_text(text)
    assert run(work, "check", "one.slope") == 1
    said = capsys.readouterr().out
    assert "output dx[2] is 3.0, expected 6.0 (3 of 3 elements differ)" in said
    assert "likely cause: half of what is expected: a share is missing" in said
    assert "expected: f32[3] = [2.0, 4.0, 6.0]" in said
    assert "difference: f32[3] = [-1.0, -2.0, -3.0]" in said
    assert "the first node that differs is %dx: line 3: %dx = gradient %y %x" in said
    assert "finite differences of your %y by %x, in f64: f64[3] = [1.0, 2.0, 3.0]" in said


def test_hidden_cases_say_only_what_they_are_about(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        "%x = stage f32[3]\n%c = add (mul %x 0.0) (const f32[3] [2.0, 4.0, 6.0])\n"
        'output %c name="y"\n'
    )
    (work / "01-one/01-double.gir").write_text(text)
    assert run(work, "check", "one.double") == 1
    said = capsys.readouterr().out
    assert "FAIL random (hidden): random numbers\nnot yet: 1 of 1 visible cases, 0 of 1" in said
    assert "expected" not in said


def test_hints_questions_and_the_solution(
    work: Path, course_copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for count in (1, 2, 3, 3):
        assert run(work, "hint", "one.double") == 0
        assert capsys.readouterr().out.count("hint") == count
    assert run(work, "answer", "one.double.q1", "a") == 1
    assert "That is three and two." in capsys.readouterr().out
    assert run(work, "answer", "one.double.q1", "b") == 0
    assert run(work, "answer", "one.double.q2", "[3]") == 0
    assert run(work, "answer", "one.double.q1", "z") == 2
    assert run(work, "answer", "one.double.q9", "a") == 2
    assert run(work, "solution", "one.double") == 1
    for _ in range(3):
        assert run(work, "check", "one.double") == 1
    capsys.readouterr()
    assert run(work, "solution", "one.double") == 0
    assert "mul %x 2.0" in capsys.readouterr().out


def test_reset_keeps_a_backup(work: Path) -> None:
    file = work / "01-one/01-double.gir"
    starter = file.read_text()
    for text in ("# first\n", "# second\n"):
        file.write_text(text)
        assert run(work, "reset", "one.double") == 0
        assert file.read_text() == starter
    kept = sorted(p.read_text() for p in file.parent.glob("01-double.gir.bak*"))
    assert kept == ["# first\n", "# second\n"]


def test_a_changed_lesson_is_stale_not_undone(
    work: Path, course_copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    solve(work, course_copy, "01-double")
    assert run(work, "check", "one.double") == 0
    with open(course_copy / "01-one/01-double/lesson.md", "a") as file:
        file.write("\nMore.\n")
    capsys.readouterr()
    assert run(work) == 0
    said = capsys.readouterr().out
    assert "1 of 3 exercises" in said and "changed since you passed: one.double" in said
    assert run(work, "check", "one.double") == 0
    capsys.readouterr()
    run(work)
    assert "changed since" not in capsys.readouterr().out


def test_init_again_touches_nothing(work: Path, course_copy: Path) -> None:
    solve(work, course_copy, "01-double")
    assert run(work, "check", "one.double") == 0
    before = {p: p.read_bytes() for p in work.rglob("*") if p.is_file()}
    assert main(["lessons", "init", str(work), "--course", str(course_copy)]) == 0
    assert {p: p.read_bytes() for p in work.rglob("*") if p.is_file()} == before


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"lessons": {"one.double": {"passed": 3}}}'])
def test_a_damaged_progress_file_is_put_aside(
    damage: str, work: Path, course_copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = work / ".gradir/progress.json"
    file.write_text(damage)
    assert main(["lessons", "--dir", str(work), "--course", str(course_copy)]) == 0
    assert "was damaged" in capsys.readouterr().err
    assert (work / ".gradir/progress.damaged").read_text() == damage
    json.loads(file.read_text())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["lesons"], "did you mean"),
        (["lessons", "chekc"], "did you mean `gradir lessons check`?"),
        (["lessons", "check", "one.duble"], "did you mean one.double?"),
        (["lessons", "dev", "frob"], "dev check"),
        (["lessons", "reset"], "which lesson?"),
        (["lessons", "answer", "one.double.q1"], "which answer?"),
    ],
)
def test_wrong_usage(
    words: list[str], said: str, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, *(["--dir", str(work)] if words[0] == "lessons" else [])]) == 2
    assert said in capsys.readouterr().err


def test_outside_a_folder_of_exercises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["lessons"]) == 2
    assert "gradir lessons init" in capsys.readouterr().err


def test_watch_checks_on_every_save_and_listens(work: Path, course_copy: Path) -> None:
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "gradir", "lessons", "watch", "one.double"]
    watching = subprocess.Popen(
        [*command, "--dir", str(work)],
        stdin=follower,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert watching.stdout is not None
    seen = b""

    def until(text: bytes) -> None:
        nonlocal seen
        end = time.monotonic() + 60
        while text not in seen:
            assert time.monotonic() < end, seen.decode()
            seen += os.read(watching.stdout.fileno(), 1 << 16)  # type: ignore[union-attr]
        seen = seen.partition(text)[2]

    try:
        until(b"not yet")
        os.write(leader, b"h")
        until(b"hint 1 of 3: A nudge.")
        solve(work, course_copy, "01-double")
        until(b"passed")
        os.write(leader, b"l")
        until(b"[x] one.double")
        os.write(leader, b"n")
        until(b"Slope")
        os.write(leader, b"q")
        assert watching.wait(30) in (0, 1)
    finally:
        watching.kill()
        watching.wait()
        watching.stdout.close()
        os.close(leader)
        os.close(follower)
