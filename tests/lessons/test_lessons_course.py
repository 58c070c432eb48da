"""Reading a course, `dev check` and what it must find, recording, bundles, templates."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from lessons.little_course import write

from gradir.cli.main import main
from gradir.lessons.bundle import gradescope_bundle, student_bundle
from gradir.lessons.course import BrokenLesson, Course, load_course, load_lesson
from gradir.lessons.dev import check_lesson
from gradir.lessons.grade import Grader
from gradir.lessons.record import record
from gradir.lessons.template import make_lesson

DOUBLE = "01-one/01-double"


def problems(folder: Path, grader: Grader, name: str = DOUBLE) -> list[str]:
    return check_lesson(load_lesson(folder / name), grader, ["numpy"]).problems


def test_the_little_course_is_as_it_should_be(little: Course, grader: Grader) -> None:
    for lesson in little.lessons:
        assert check_lesson(lesson, grader, ["numpy", "c"]).problems == []


# What is changed in the exercise (file, old, new; an empty old adds a file), and what is said.
MISTAKES = [
    ("tests.toml", "4.0, 6.0", "4.0, 6.5", "solution, numpy: case small: output y[2] is 6.0"),
    ("starter.gir", "1.0", "2.0", "the starter passes"),
    ("lesson.toml", 'starter_message = "output y"', 'starter_message = "zz"', 'not say "zz"'),
    ("wrong/half.gir", "output y\n", "output z\n", 'does not get "output z"'),
    ("wrong/half.gir", "0.5", "2.0", "wrong/half.gir passes"),
    ("wrong/half.gir", "# expect: output y\n", "# half\n", "the first line"),
    ("solution.gir", "%x = stage", "%x  =  stage", "solution.gir is not formatted"),
    ("stray.txt", "", "x", "stray.txt belongs to nothing"),
    ("lesson.md", "## Your task", "## A task", "no `## Your task`"),
    ("lesson.md", "output %x\n```", "output (\n```", "lesson.md, block 1: P"),
    ("explain.md", "Because", "", ""),
    ("tests.toml", "hidden = true\n", "", "no case is hidden"),
]


@pytest.mark.parametrize(("file", "old", "new", "said"), MISTAKES)
def test_dev_check_finds(
    file: str, old: str, new: str, said: str, course_copy: Path, grader: Grader
) -> None:
    path = course_copy / DOUBLE / file
    text = path.read_text() if path.exists() else ""
    assert old in text
    path.write_text(text.replace(old, new, 1) if old else new)
    found = problems(course_copy, grader)
    assert any(said in problem for problem in found) if said else found == []


BROKEN = [
    ("lesson.toml", 'title = "Double"', "", "title is missing"),
    ("lesson.toml", "minutes = 5", 'minutes = "5"', "minutes is to be a count"),
    ("lesson.toml", "minutes = 5", "minuets = 5", "did you mean minutes?"),
    ("lesson.toml", '"Nearly."', "", "2 hints"),
    ("lesson.toml", '"after:3"', '"never"', 'reveal is "pass"'),
    ("lesson.toml", 'kind = "gir"', 'kind = "c"', "kind is one of gir, python"),
    ("lesson.toml", "requires = []", 'requires = ["one.slope"]', "does not come before it"),
    ("lesson.toml", "requires = []", 'requires = ["no.such"]', "which is no lesson"),
    ("lesson.toml", 'id = "one.double"', 'id = "one.slope"', "the id one.slope is taken"),
    ("lesson.toml", 'id = "one.double"', "id = [", "lesson.toml"),
    ("tests.toml", "seeds = [1, 2]", "sedes = [1, 2]", "did you mean seeds?"),
    ("tests.toml", 'name = "random"', 'name = "small"', "two cases are named small"),
    ("tests.toml", 'kind = "equiv"', 'kind = "python"', 'in an exercise of kind "gir"'),
    ("tests.toml", "points = 3", "points = -3", "points must be positive"),
    ("questions.toml", 'answer = "b"', 'answer = "c"', "not among the choices"),
    ("questions.toml", 'feedback = { a = "That is three and two." }', "", "a has no feedback"),
    ("questions.toml", 'default = "Count', 'other = "Count', "feedback.default is missing"),
]


@pytest.mark.parametrize(("file", "old", "new", "said"), BROKEN)
def test_a_broken_lesson_is_named(
    file: str, old: str, new: str, said: str, course_copy: Path
) -> None:
    path = course_copy / DOUBLE / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(BrokenLesson) as caught:
        load_course(course_copy)
    assert any(said in problem for problem in caught.value.problems), caught.value.problems


def test_dev_check_ends_with_2(course_copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lessons", "dev", "check", str(course_copy / "01-one"), "--jobs", "2"]) == 0
    assert "3 of 3 exercises" in capsys.readouterr().out
    (course_copy / DOUBLE / "starter.gir").write_text("output (\n")
    assert main(["lessons", "dev", "check", str(course_copy / DOUBLE)]) == 2
    (course_copy / DOUBLE / "lesson.toml").unlink()
    assert main(["lessons", "dev", "check", str(course_copy / DOUBLE)]) == 2
    assert main(["lessons", "--course", str(course_copy), "grade", str(course_copy)]) == 2


# --- recording ----------------------------------------------------------------------------


def test_decimals_become_bits(course_copy: Path) -> None:
    folder = course_copy / DOUBLE
    tests = folder / "tests.toml"
    text = tests.read_text().replace("set = { x = [1, 2, 3] }", "set = { x = [0.1, 2, 3] }")
    tests.write_text("# about doubling\n" + text.replace('"0x1.0p+1"', "0.2"))
    assert list(record(load_lesson(folder))) == ["01-one/01-double: tests.toml written"]
    written = tests.read_text()
    assert written.startswith("# about doubling\n\n[[case]]\n")
    assert 'expect = { y = ["0x1.99999ap-3", "0x1.0p+2", "0x1.8p+2"] }' in written
    assert list(record(load_lesson(folder))) == []  # twice the same


def test_what_does_not_agree_is_not_written(course_copy: Path) -> None:
    folder = course_copy / DOUBLE
    tests = folder / "tests.toml"
    before = tests.read_text().replace("4.0, 6.0", "4.0, 6.1")
    tests.write_text(before)
    said = list(record(load_lesson(folder)))
    assert "case small: y is not what the solution gives" in said[0]
    assert "6.1" in tests.read_text()


def test_missing_expectations_are_added(course_copy: Path) -> None:
    folder = course_copy / "01-one/03-twice"
    tests = folder / "tests.toml"
    tests.write_text(tests.read_text().replace("expect = [2.0, 4.0]\n", ""))
    list(record(load_lesson(folder)))
    assert "expect = [2.0, 4.0]" in tests.read_text()


# --- bundles and templates ----------------------------------------------------------------


def test_the_students_bundle_withholds(little: Course, grader: Grader, tmp_path: Path) -> None:
    target = tmp_path / "students.zip"
    student_bundle(little.folder, target)
    first = target.read_bytes()
    student_bundle(little.folder, target)
    assert target.read_bytes() == first
    with zipfile.ZipFile(target) as archive:
        archive.extractall(tmp_path)
        names = archive.namelist()
    assert not [name for name in names if "solution" in name or "wrong/" in name]
    text = "".join(f.read_text() for f in (tmp_path / "course").rglob("*.toml"))
    assert "hidden" not in text and "answer" not in text and "feedback" not in text
    course = load_course(tmp_path / "course")
    for lesson in course.lessons:
        assert not any(case.hidden for case in lesson.cases)
        assert grader.grade(lesson, little.lesson(lesson.id).solution).passed
        assert not grader.grade(lesson, lesson.starter).passed


def test_a_visible_equivalence_goes_out_as_runs(course_copy: Path, tmp_path: Path) -> None:
    tests = course_copy / DOUBLE / "tests.toml"
    tests.write_text(tests.read_text().replace("hidden = true\n", ""))
    student_bundle(course_copy, tmp_path / "s.zip")
    with zipfile.ZipFile(tmp_path / "s.zip") as archive:
        archive.extractall(tmp_path / "out")
    lesson = load_lesson(tmp_path / "out/course" / DOUBLE)
    assert [(c.name, c.kind, c.points) for c in lesson.cases] == [
        ("small", "run", 1.0),
        ("random, seed 1", "run", 1.5),
        ("random, seed 2", "run", 1.5),
    ]
    with Grader() as grader:
        assert grader.grade(lesson, course_copy / DOUBLE / "solution.gir").passed
        assert not grader.grade(lesson, course_copy / DOUBLE / "wrong/half.gir").passed


def test_the_autograder_runs(little: Course, tmp_path: Path) -> None:
    """Its scripts, with gradir where setup.sh would put it."""
    wheels = tmp_path / "wheels"
    write(wheels, {"gradir-0.1.0-py3-none-any.whl": ""})
    target = tmp_path / "autograder.zip"
    gradescope_bundle(little.folder, target, wheels, ["one.double"])
    root = tmp_path / "autograder"
    with zipfile.ZipFile(target) as archive:
        archive.extractall(root / "source")
        modes = {i.filename: i.external_attr >> 16 & 0o777 for i in archive.infolist()}
    assert modes["setup.sh"] == modes["run_autograder"] == 0o755
    assert "--no-index" in (root / "source/setup.sh").read_text()
    source = Path(load_course.__code__.co_filename).parents[2]
    (root / "gradir").symlink_to(source)
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "python3").symlink_to(sys.executable)
    write(root / "submission", {"one.double.gir": '%x = stage f32[3]\noutput %x name="y"\n'})
    script = (root / "source/run_autograder").read_text()
    done = subprocess.run(
        ["bash", "-c", script.replace("python3", sys.executable)],
        env={**os.environ, "AUTOGRADER": str(root)},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    results = (root / "results/results.json").read_text()
    assert re.search(r'"max_score": 2\.0', results)


def test_an_autograder_needs_a_wheel(little: Course, tmp_path: Path) -> None:
    target = str(tmp_path / "a.zip")
    base = ["lessons", "--course", str(little.folder), "dev", "bundle", "gradescope", "-o", target]
    assert main(base) == 2
    assert main([*base, "--wheels", str(tmp_path)]) == 2
    assert not Path(target).exists()


@pytest.mark.parametrize("kind", ["gir", "python"])
def test_a_new_exercise_lacks_only_its_words(kind: str, tmp_path: Path, grader: Grader) -> None:
    folder = tmp_path / "03-shapes" / "02-flip"
    made = make_lesson(folder, kind)
    assert len(made) == 9
    lesson = load_lesson(folder)
    assert lesson.id == "shapes.flip"
    assert grader.grade(lesson, lesson.solution).passed
    assert main(["lessons", "dev", "new", str(folder)]) == 2  # it is there already
    shutil.rmtree(folder)
    assert main(["lessons", "dev", "new", str(folder), "fortran"]) == 2
