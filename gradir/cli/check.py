"""Read programs, and check syntax, names, types, shapes and gradients' paths; show warnings.

--grad compares every `gradient` with central differences of the same program in f64. Inputs that
--set does not give are filled with random numbers (integers with 0), and so are buffers without
`init=`. Exit code 1: an error, or a gradient that disagrees.
"""

from __future__ import annotations

import argparse
import sys

from gradir.cli import inputs
from gradir.cli.console import exit_code, load_program, program_argument, warn
from gradir.runtime.program import Program
from gradir.text.diagnostics import GirError


def arguments(parser: argparse.ArgumentParser) -> None:
    program_argument(parser, many=True)
    parser.add_argument("--grad", action="store_true", help="compare gradients with differences")
    inputs.arguments(parser)


def execute(args: argparse.Namespace) -> int:
    worst = 0
    for name in args.files:
        try:
            program = load_program(name)
            sys.stdout.write(f"{name}: ok, {_counted(len(program.table), 'node')}\n")
            code = check_gradients(args, program) if args.grad else 0
        except GirError as refused:
            sys.stdout.flush()
            warn(refused.diagnostics)
            code = exit_code(refused)
        worst = max(worst, code)
    return worst


def check_gradients(args: argparse.Namespace, program: Program) -> int:
    from gradir.runtime import gradcheck

    table = program.table
    given = inputs.read_inputs(args, table)
    if not program.gradients:
        sys.stdout.write("no gradient to check\n")
        return 0
    sys.stdout.write(
        f"central differences in f64, step {gradcheck.STEP:.1e} times max(1, |x|), "
        f"tolerance {gradcheck.TOLERANCE:.0e}\n"
    )
    disagree = 0
    for finding in gradcheck.check_gradients(program, given):
        y, x, _, span = finding.gradient
        source, line = span.source.name, span.line
        what = f"{source}:{line}: gradient %{table.label(y)} %{table.label(x)}: {table.type(x)}"
        if finding.trouble:
            verdict = f"cannot be checked: {finding.trouble}; choose another with --set"
        else:
            unit = "random direction" if finding.directions else "element"
            verdict = (
                f"{'agrees' if finding.agrees else 'DISAGREES'}, largest relative error "
                f"{finding.error:.1e} in {_counted(finding.quotients, unit)}"
            )
        sys.stdout.write(f"{what}: {verdict}\n")
        disagree += not finding.agrees
    return 1 if disagree else 0


def _counted(count: int, unit: str) -> str:
    return f"{count} {unit}{'s' * (count != 1)}"
