"""`gradir lessons dev …`: for those who write lessons or teach with them."""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gradir.cli.console import say
from gradir.lessons.course import COURSE_FILE, BrokenLesson, Lesson, course_folder
from gradir.lessons.dev import Checked, check_lesson, lessons_of
from gradir.lessons.grade import Grader
from gradir.text.diagnostics import error


def execute(args: argparse.Namespace) -> int:
    verb, *rest = args.rest or [""]
    if verb == "check":
        return check(args, rest)
    if verb == "new":
        return new(rest)
    if verb == "bundle":
        return bundle(args, rest)
    raise error("U702", f"gradir lessons dev {verb}?", help="dev check | dev new | dev bundle")


def jobs_of(args: argparse.Namespace) -> int:
    return int(args.jobs) if args.jobs else os.cpu_count() or 1


def check(args: argparse.Namespace, rest: list[str]) -> int:
    """Check the course, or units or exercises by their folders."""
    from gradir.codegen.toolchain import find_compiler

    paths = [Path(name) for name in rest] or [course_folder(args.course)]
    lessons: list[Lesson] = []
    problems: list[str] = []
    for path in paths:
        try:
            lessons += lessons_of(path)
        except BrokenLesson as broken:
            problems += broken.problems
    for problem in problems:
        say(f"{problem}\n")
    if args.write:
        from gradir.lessons.record import record

        for lesson in lessons:
            sys.stdout.writelines(f"{line}\n" for line in record(lesson))
        lessons = [lesson for path in paths for lesson in lessons_of(path)]
    backends = ["numpy", "c"] if find_compiler() is not None else ["numpy"]
    results = list(checked(lessons, backends, jobs_of(args)))
    whole = [path for path in paths if (path / COURSE_FILE).is_file()]
    if whole and not problems:
        from gradir.lessons.coverage import uncovered

        for line in uncovered(lessons):
            say(f"{line}\n")
            problems.append(line)
    bad = [result for result in results if result.problems]
    seconds = [result.seconds for result in results]
    if seconds:
        sys.stdout.write(
            f"{len(results) - len(bad)} of {len(results)} exercises as they should be; a check "
            f"takes {statistics.median(seconds):.2f} s (median), {max(seconds):.2f} s at most; "
            f"executors: {', '.join(backends)}\n"
        )
    return 2 if bad or problems else 0


def checked(lessons: list[Lesson], backends: list[str], jobs: int) -> Iterator[Checked]:
    """Check exercises side by side; what is found of each is shown in order."""
    with Grader(jobs) as grader, ThreadPoolExecutor(jobs) as threads:
        for result in threads.map(lambda lesson: check_lesson(lesson, grader, backends), lessons):
            mark = "ok " if not result.problems else "BAD"
            sys.stdout.write(f"{mark} {result.name}  {result.seconds:.2f} s\n")
            for problem in result.problems:
                sys.stdout.write(f"      {problem}\n")
            sys.stdout.flush()
            yield result


def new(rest: list[str]) -> int:
    from gradir.lessons.template import make_lesson

    if len(rest) not in (1, 2):
        raise error("U702", "which folder?", help="gradir lessons dev new lessons/UNIT/NAME [gir]")
    kind = rest[1] if len(rest) == 2 else "gir"
    for path in make_lesson(Path(rest[0]), kind):
        sys.stdout.write(f"{path}\n")
    return 0


def bundle(args: argparse.Namespace, rest: list[str]) -> int:
    from gradir.lessons.bundle import gradescope_bundle, student_bundle

    kind = rest[0] if rest else "students"
    target = Path(args.output or f"{kind}.zip")
    course = course_folder(args.course)
    if kind == "students":
        count = student_bundle(course, target)
    elif kind == "gradescope":
        wheels = Path(args.wheels) if args.wheels else None
        count = gradescope_bundle(course, target, wheels, args.only or ())
    else:
        raise error("U702", f"bundle {kind}?", help="dev bundle students | dev bundle gradescope")
    sys.stdout.write(f"{target}: {count} files\n")
    return 0
