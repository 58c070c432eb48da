"""Grading a folder: one submission, or a folder of them, all exercises, several at once.

Whatever is wrong with one submission costs it its points and stops nobody else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gradir.lessons.course import Course, Lesson
from gradir.lessons.grade import Grader, missing, refused
from gradir.lessons.outcome import LessonResult, Report, Submission
from gradir.text.diagnostics import error

Told = Callable[[int, int], None]


def submissions(folder: Path, course: Course) -> list[Path]:
    """The folder itself where it holds exercises, else the folders in it."""
    if not folder.is_dir():
        raise error("U701", f"{folder} is no folder")
    if any(places(folder, lesson) for lesson in course.lessons):
        return [folder]
    found = sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("."))
    if not found:
        raise error("U701", f"{folder} holds no exercises and no folders with exercises")
    return found


def places(folder: Path, lesson: Lesson) -> list[Path]:
    """The files of a submission that may be an exercise: by its folder's name, or by its id."""
    names = (lesson.work_file, f"{lesson.id}{lesson.suffix}", f"{lesson.name}{lesson.suffix}")
    return [folder / name for name in names if _is_there(folder / name)]


def _is_there(path: Path) -> bool:
    try:
        return path.is_symlink() or path.exists()
    except OSError:
        return False


def grade_folder(
    folder: Path,
    course: Course,
    grader: Grader,
    jobs: int,
    lessons: Sequence[Lesson] | None = None,
    told: Told | None = None,
) -> Report:
    """Grade everything below a folder."""
    graded = list(course.lessons if lessons is None else lessons)
    roots = submissions(folder, course)
    tasks = [(root, lesson) for root in roots for lesson in graded]
    results: list[LessonResult] = []
    with ThreadPoolExecutor(jobs) as threads:
        for result in threads.map(lambda task: grade_one(task[0], task[1], grader), tasks):
            results.append(result)
            if told is not None:
                told(len(results), len(tasks))
    found = []
    for at, root in enumerate(roots):
        mine = results[at * len(graded) : (at + 1) * len(graded)]
        found.append(Submission(root.resolve().name if root == folder else root.name, tuple(mine)))
    return Report(course.title, course.threshold, tuple(found))


def grade_one(root: Path, lesson: Lesson, grader: Grader) -> LessonResult:
    """One exercise of one submission. A link, or a file behind one, is refused."""
    try:
        found = places(root, lesson)
        if not found:
            return missing(lesson)
        path = found[0]
        if path.is_symlink():
            return refused(lesson, "the file is a link: hand in the file itself")
        if not path.resolve().is_relative_to(root.resolve()):
            return refused(lesson, "the file lies outside the submission's folder")
        return grader.grade(lesson, path)
    except Exception as crash:  # a bug of ours costs this exercise, not the class
        return refused(lesson, f"bug in gradir: {type(crash).__name__}: {str(crash)[:200]}")
