"""Run a program, and show its outputs and the buffers that changed.

gradir run example:cubic --set xs=-2,-1,0,1,2
gradir run train.gir --npz data.npz --steps 300 --state weights.npz
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gradir.cli import inputs
from gradir.cli.console import load_program, program_argument, say, write_atomically
from gradir.cli.results import array_text, brief, json_text
from gradir.ir.table import Table
from gradir.text.diagnostics import error
from gradir.text.printer import operation_text

PROGRESS_SECONDS = 0.1


def arguments(parser: argparse.ArgumentParser) -> None:
    program_argument(parser)
    inputs.arguments(parser)
    parser.add_argument("--steps", type=int, default=1, metavar="N", help="runs, default 1")
    parser.add_argument("--backend", choices=("auto", "numpy"), default="auto")
    parser.add_argument(
        "--state", metavar="FILE.npz", help="the buffers: loaded if it exists, saved after the run"
    )
    parser.add_argument("--out", metavar="FILE.npz", help="write the outputs here too")
    parser.add_argument("--format", choices=("text", "json", "bits"), default="text")
    parser.add_argument("--trace", action="store_true", help="show every node's value as it is run")


def execute(args: argparse.Namespace) -> int:
    if args.steps < 1:
        raise error("U702", f"--steps {args.steps}: at least 1")
    program = load_program(args.file)
    table = program.table
    given = inputs.read_inputs(args, table)
    state = {}
    if args.state and Path(args.state).exists():
        state = inputs.read_state(args.state, table)
    session = program.session(dims=given.dims, state={**state, **given.buffers})
    before = dict(session.state)
    trace = tracer(table) if args.trace else None
    progress = Progress(args.steps)
    outputs: dict[str, np.ndarray] = {}
    try:
        for _ in range(args.steps):
            outputs = session.run(given.stages, trace=trace)
            progress.show(session.steps, outputs)
    finally:
        progress.clear()
    if args.state:
        write_atomically(args.state, inputs.archive_bytes(session.state))
    if args.out:
        write_atomically(args.out, inputs.archive_bytes(outputs))
    if args.format == "json":
        sys.stdout.write(json_text(outputs, session.state, session.steps))
        return 0
    bits = args.format == "bits"
    for name, array in outputs.items():
        sys.stdout.write(array_text(name, array, bits=bits))
    changed = {
        name: array
        for name, array in session.state.items()
        if array.tobytes() != before[name].tobytes()
    }
    for name, array in changed.items():
        slot = table[table.buffers[name]].attr("slot")
        sys.stdout.write(array_text(f"slot {slot} {name}", array, bits=bits))
    if not outputs and not changed:
        say("the program has no outputs, and no buffer has changed\n")
    return 0


def tracer(table: Table) -> Callable[[int, Any], None]:
    """Writes each node as it is run, to standard error."""

    def trace(id: int, value: Any) -> None:
        statement = f"%{table.label(id)}: {table.type(id)} = {operation_text(table, table[id])}"
        say(f"{statement if len(statement) < 90 else statement[:89] + '…'}\n")
        say(f"    {brief(np.asarray(value))}\n")

    return trace


class Progress:
    """A line on a terminal that is written over; nothing where there is none."""

    def __init__(self, steps: int) -> None:
        self.steps, self.last = steps, 0.0
        self.on = steps > 1 and sys.stderr.isatty()

    def show(self, done: int, outputs: dict[str, np.ndarray]) -> None:
        now = time.monotonic()
        if not self.on or (now - self.last < PROGRESS_SECONDS and done < self.steps):
            return
        self.last = now
        scalars = [f"{name} {value:.6g}" for name, value in outputs.items() if value.ndim == 0]
        say(f"\r\x1b[Kstep {done}/{self.steps}  {'  '.join(scalars[:4])}"[:100])

    def clear(self) -> None:
        if self.on:
            say("\r\x1b[K")
