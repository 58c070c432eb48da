"""Format programs in place: spacing and indentation; comments stay, the meaning too.

--check changes nothing and exits with 1 where something would change; --diff shows what would.
With `-` the formatted text goes to standard output.
"""

from __future__ import annotations

import argparse
import difflib
import sys

from gradir.cli.console import STDIN, program_argument, read_program_source, say
from gradir.runtime.files import write_atomically
from gradir.runtime.program import EXAMPLE
from gradir.text.diagnostics import error


def arguments(parser: argparse.ArgumentParser) -> None:
    program_argument(parser, many=True)
    parser.add_argument("--check", action="store_true", help="only say which files would change")
    parser.add_argument("--diff", action="store_true", help="only show what would change")


def execute(args: argparse.Namespace) -> int:
    from gradir.text.format import format_source

    changed = 0
    for name in args.files:
        if name.startswith(EXAMPLE):
            raise error("U702", f"{name} is not yours to format", help="`gradir example copy` it")
        source = read_program_source(name)
        text = format_source(source)
        differs = text != source.text
        changed += differs
        if args.diff and differs:
            sys.stdout.writelines(
                difflib.unified_diff(
                    source.text.splitlines(keepends=True),
                    text.splitlines(keepends=True),
                    f"{name} (as it is)",
                    f"{name} (formatted)",
                )
            )
        if args.check and differs:
            say(f"{name} would be formatted\n")
        if args.check or args.diff:
            continue
        if name == STDIN:
            sys.stdout.write(text)
        elif differs:
            write_atomically(name, text.encode("utf-8"))
    return 1 if changed and (args.check or args.diff) else 0
