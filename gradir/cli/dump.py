"""Write the node table as a program: one node a statement, in the order of their ids.

Reading the text back gives the very same table.
"""

from __future__ import annotations

import argparse
import sys

from gradir.cli.console import load_program, output_argument, program_argument, write_result
from gradir.text.diagnostics import error

STAGES = ("built", "optimised", "kernels")


def arguments(parser: argparse.ArgumentParser) -> None:
    program_argument(parser)
    parser.add_argument("--stage", choices=STAGES, default="built", help="default: built")
    output_argument(parser)


def execute(args: argparse.Namespace) -> int:
    from gradir.text.printer import print_table, table_lines

    if args.stage != "built":
        raise error("U704", f"there is no stage {args.stage} yet", help="use --stage built")
    table = load_program(args.file).table
    if args.output:
        write_result(print_table(table), args.output)
    else:  # a line at a time: the text of a million nodes need not be in memory
        for line in table_lines(table):
            sys.stdout.write(line + "\n")
    return 0
