"""The course: exercises that gradir itself checks, offline, in a folder of yours.

gradir lessons                     where you are, and what is next
gradir lessons init [DIR]          start: a folder with every exercise to be filled in
gradir lessons list · show ID · next
gradir lessons check [ID] · watch [ID]
gradir lessons hint [ID] · answer ID.q1 b · reset ID · solution ID
gradir lessons grade DIR --format text|json|junit|gradescope|tap -o FILE
gradir lessons site -o DIR         the course as pages, to be read without a network
gradir lessons dev check|new|bundle

An ID is a lesson's id or its folder's name. Exit code 0: all passed; 1: something failed; 2:
wrong usage, or a lesson that is broken.
"""

from __future__ import annotations

import argparse

from gradir.text.diagnostics import did_you_mean, error

FORMATS = ("text", "json", "junit", "gradescope", "tap")
_STUDENT = (
    *("status", "init", "list", "show", "next", "check", "watch", "hint", "answer"),
    *("reset", "solution"),
)
_ACTIONS = (*_STUDENT, "grade", "site", "dev")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", default="status", metavar="ACTION")
    parser.add_argument("rest", nargs="*", metavar="ARGUMENT")
    parser.add_argument("--dir", metavar="DIR", help="your folder of exercises, default: this one")
    parser.add_argument("--course", metavar="DIR", help="the course's folder, default: gradir's")
    parser.add_argument("--format", choices=FORMATS, default="text", help="of `grade`")
    parser.add_argument("-o", "--output", metavar="FILE", help="where `grade` or `site` writes")
    parser.add_argument("--jobs", type=int, metavar="N", help="gradings at once")
    parser.add_argument("--only", metavar="ID", action="append", help="`grade` these exercises")
    parser.add_argument("--wheels", metavar="DIR", help="wheels that `dev bundle` packs")
    parser.add_argument("--write", action="store_true", help="`dev check`: record expectations")


def execute(args: argparse.Namespace) -> int:
    action = args.action
    if action not in _ACTIONS:
        hint = did_you_mean(action, _ACTIONS)
        help = f"did you mean `gradir lessons {hint}`?" if hint else ", ".join(_ACTIONS)
        raise error("U702", f"gradir lessons has no {action}", help=help)
    if args.jobs is not None and args.jobs < 1:
        raise error("U702", f"--jobs {args.jobs}: at least 1")
    if action == "dev":
        from gradir.cli import lessons_author

        return lessons_author.execute(args)
    if action in ("grade", "site"):
        from gradir.cli import lessons_teacher

        return lessons_teacher.execute(args)
    from gradir.cli import lessons_student

    return lessons_student.execute(args)
