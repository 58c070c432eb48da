"""List the examples, or copy one to a file to start from.

gradir example list
gradir example copy NAME [FILE]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gradir.cli.console import write_result
from gradir.program import EXAMPLE, example_names, example_source
from gradir.text.diagnostics import error


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("list", "copy"))
    parser.add_argument("name", metavar="NAME", nargs="?", help="the example to copy")
    parser.add_argument(
        "target", metavar="FILE", nargs="?", help="default: NAME.gir here; `-`: standard output"
    )
    parser.add_argument("--force", action="store_true", help="replace a file that exists")


def execute(args: argparse.Namespace) -> int:
    if args.action == "list":
        names = example_names()
        width = max(map(len, names), default=0)
        for name in names:
            sys.stdout.write(f"{name:{width}}  {title(example_source(name).text)}\n")
        return 0
    if args.name is None:
        raise error("U702", "which example?", help="`gradir example list` shows them all")
    name = args.name.removeprefix(EXAMPLE)
    text = example_source(name).text
    target = args.target or f"{name}.gir"
    if target != "-" and Path(target).is_dir():
        target = str(Path(target) / f"{name}.gir")
    if target != "-" and Path(target).exists() and not args.force:
        raise error("U703", f"{target} exists", help="--force replaces it")
    write_result(text, target)
    if target != "-":
        sys.stdout.write(f"{target}\n")
    return 0


def title(text: str) -> str:
    """The first line of the opening comment."""
    first = text.lstrip().partition("\n")[0]
    return first.lstrip("# ").rstrip() if first.startswith("#") else ""
