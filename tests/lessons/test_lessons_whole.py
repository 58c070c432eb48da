"""The course that ships, whole; and a class by the command. `dev check` has its own tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradir.cli.main import main
from gradir.lessons.course import Course, course_folder, load_course
from gradir.lessons.coverage import on_the_way, uncovered
from gradir.runtime.program import Program


@pytest.fixture(scope="module")
def course() -> Course:
    return load_course(course_folder())


def test_nine_units_with_a_project_each(course: Course) -> None:
    assert len(course.units) == 9 and len(course.lessons) >= 45
    for unit in course.units:
        assert unit.lessons[-1].title.startswith("Project"), unit.name
    assert {lesson.kind for lesson in course.lessons} == {"gir", "python"}
    three = course.lesson("06-autodiff/03-automatic-differentiation")
    assert three.title == "Automatic differentiation" and len(three.questions) >= 9


def test_every_operation_and_rule_is_met(course: Course) -> None:
    assert list(uncovered(course.lessons)) == []


def test_what_is_not_met_is_said(little: Course) -> None:
    said = list(uncovered(little.lessons))
    assert "no lesson meets the operation `matmul`" in said
    assert "no lesson meets the gradient rule of `cos`" in said
    assert "no lesson meets the gradient rule of `mul`" not in said
    assert not any("rule of `detach`" in line for line in said)  # it has no share to meet


def test_rules_on_the_way() -> None:
    program = Program.parse(
        "%x = stage f32[3]\n%a = sin %x\n%b = cos (detach %x)\n"
        "%y = reduce (mul %a %b) op=add\n%g = gradient %y %x\noutput %g\n"
    )
    (gradient,) = program.gradients
    assert list(on_the_way(program.table, gradient.y, gradient.x)) == ["sin", "mul", "reduce add"]


def test_a_class_by_the_command(course_copy: Path, tmp_path: Path) -> None:
    work = tmp_path / "class"
    lessons = load_course(course_copy).lessons
    for name, part in (("ann", "solution"), ("bob", "starter")):
        for lesson in lessons:
            target = work / name / lesson.work_file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((lesson.folder / f"{part}{lesson.suffix}").read_bytes())
    base = ["lessons", "--course", str(course_copy), "grade"]
    out = tmp_path / "grades.json"
    assert main([*base, str(work), "--format", "json", "-o", str(out), "--jobs", "2"]) == 1
    scores = {s["name"]: s["score"] for s in json.loads(out.read_text())["submissions"]}
    assert scores["ann"] == 6.0 and scores["bob"] < 2.0
    assert main([*base, str(work / "ann"), "--format", "gradescope", "-o", str(out)]) == 0
    assert json.loads(out.read_text())["score"] == 6.0
    only = ["--only", "one.twice", "--format", "json", "-o", str(out)]
    assert main([*base, str(work / "ann"), *only]) == 0
    (submission,) = json.loads(out.read_text())["submissions"]
    assert [lesson["id"] for lesson in submission["lessons"]] == ["one.twice"]
    assert main([*base, str(tmp_path / "nowhere")]) == 2
    assert main([*base, str(work), "--format", "gradescope"]) == 2
