"""`gradir lessons grade` and `gradir lessons site`: a class's work, and the course as pages."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from gradir.cli.console import say, write_result
from gradir.cli.lessons_author import jobs_of
from gradir.lessons.course import BrokenLesson, Course, course_folder, load_course
from gradir.text.diagnostics import error


def execute(args: argparse.Namespace) -> int:
    try:
        course = load_course(course_folder(args.course))
    except BrokenLesson as broken:
        for problem in broken.problems:
            say(f"{problem}\n")
        return 2
    return grade(args, course) if args.action == "grade" else site(args, course)


def grade(args: argparse.Namespace, course: Course) -> int:
    """Grade a submission or a folder of submissions."""
    from gradir.lessons.classroom import grade_folder
    from gradir.lessons.grade import Grader
    from gradir.lessons.report import WRITERS

    if len(args.rest) != 1:
        raise error("U702", "which folder?", help="gradir lessons grade DIR")
    jobs = jobs_of(args)
    began = time.monotonic()
    progress = _progress if sys.stderr.isatty() else None
    with Grader(jobs) as grader:
        only = [course.lesson(name) for name in args.only] if args.only else None
        report = grade_folder(Path(args.rest[0]), course, grader, jobs, only, progress)
    if progress is not None:
        say("\r\x1b[K")
    write_result(WRITERS[args.format](report), args.output)
    count = len(report.submissions)
    if count > 1 or args.output:
        word = "submission" if count == 1 else "submissions"
        say(f"{count} {word} graded in {time.monotonic() - began:.1f} s\n")
    return 0 if report.passed else 1


def _progress(done: int, count: int) -> None:
    say(f"\r{done} of {count} exercises graded")


def site(args: argparse.Namespace, course: Course) -> int:
    """Write the course as static pages."""
    from gradir.lessons.site import write_site

    if not args.output:
        raise error("U702", "where to?", help="gradir lessons site -o DIR")
    count = write_site(course, Path(args.output))
    sys.stdout.write(f"{args.output}/index.html: {count} pages\n")
    return 0
