"""Compare two programs' node tables, up to names.

Equal are programs whose outputs and stores are built in the same way from the same stages and
slots. Names of values, the order of statements, unused nodes and `checkpoint=` do not count;
what is computed does, operand by operand. Exit code: 0 same, 1 different, 2 trouble.
"""

from __future__ import annotations

import argparse
import sys

from gradir.cli.console import Trouble, load_program
from gradir.ir.table import Table
from gradir.text.diagnostics import GirError
from gradir.text.printer import node_text

SHOWN = 10


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("left", metavar="A", help="a program")
    parser.add_argument("right", metavar="B", help="a program")
    parser.add_argument("-q", "--quiet", action="store_true", help="only the exit code")


def execute(args: argparse.Namespace) -> int:
    from gradir.passes.isomorphic import differences

    try:
        left = load_program(args.left, warnings=False).table
        right = load_program(args.right, warnings=False).table
    except GirError as refused:
        raise Trouble(*refused.diagnostics) from None
    found = differences(left, right)
    if args.quiet or not found:
        return 1 if found else 0
    for difference in found[:SHOWN]:
        what = "differs"
        if difference.left is None or difference.right is None:
            what = f"is only in {args.left if difference.right is None else args.right}"
        sys.stdout.write(f"{difference.effect} {what}\n")
        if difference.left is not None:
            sys.stdout.write(f"  < {described(left, difference.left)}\n")
        if difference.right is not None:
            sys.stdout.write(f"  > {described(right, difference.right)}\n")
    if len(found) > SHOWN:
        sys.stdout.write(f"and {len(found) - SHOWN} more\n")
    return 1


def described(table: Table, id: int) -> str:
    span = table.span(id)
    place = f"{span.source.name}:{span.line}: " if span else ""
    text = node_text(table, id)
    return f"{place}{text if len(text) < 160 else text[:159] + '…'}"
