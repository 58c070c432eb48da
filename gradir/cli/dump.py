"""Write the node table as a program: one node a statement, in the order of their ids.

Reading the text back gives the very same table. `--stage optimised` shows what the passes make of
it; a `checkpoint=` hint stands there as a comment, since its gradient is expanded and simplified.
`--stage kernels` shows the C functions, each headed by the nodes it computes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from gradir.cli.console import load_program, output_argument, program_argument, write_result
from gradir.ir.table import Table

STAGES = ("built", "optimised", "kernels")


def arguments(parser: argparse.ArgumentParser) -> None:
    program_argument(parser)
    parser.add_argument("--stage", choices=STAGES, default="built", help="default: built")
    output_argument(parser)


def execute(args: argparse.Namespace) -> int:
    lines = _lines(load_program(args.file).table, args.stage)
    if args.output:
        write_result("".join(line + "\n" for line in lines), args.output)
    else:  # a line at a time: the text of a million nodes need not be in memory
        for line in lines:
            sys.stdout.write(line + "\n")
    return 0


def _lines(table: Table, stage: str) -> Iterator[str]:
    from gradir.passes import optimise
    from gradir.text.printer import hint_text, table_lines

    if stage == "built":
        yield from table_lines(table)
        return
    if stage == "kernels":
        from gradir.codegen.stages import stage as staged

        yield from staged(table).text().splitlines()
        return
    made = optimise(table)
    hints = [hint_text(made, hint) for hint in made.hints]
    made.hints.clear()
    yield from table_lines(made)
    for text in hints:
        yield f"# {text}"
