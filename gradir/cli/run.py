"""Run a program, and show its outputs and the buffers that changed.

gradir run example:cubic --set xs=-2,-1,0,1,2
gradir run train.gir --npz data.npz --steps 300 --state weights.npz

Ctrl-C stops between two steps; the steps done stay done, and --state saves them, as it does
where a later step fails.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gradir.cli import inputs
from gradir.cli.console import load_program, program_argument, say
from gradir.ir.table import Table
from gradir.passes.inline import inline_calls
from gradir.runtime.engines import BACKENDS, Interpreter
from gradir.runtime.files import write_atomically
from gradir.runtime.session import PROGRESS_SECONDS, Session
from gradir.runtime.showing import array_text, brief, json_text
from gradir.runtime.trap import trap_nan
from gradir.text.diagnostics import GirError, error
from gradir.text.printer import operation_text

if TYPE_CHECKING:
    from gradir.runtime.program import Program


def arguments(parser: argparse.ArgumentParser) -> None:
    program_argument(parser)
    inputs.arguments(parser)
    parser.add_argument("--steps", type=int, default=1, metavar="N", help="runs, default 1")
    parser.add_argument(
        "--backend",
        choices=BACKENDS,
        default="auto",
        help="c: compiled; numpy: interpreted; auto: compiled where there is a compiler",
    )
    parser.add_argument(
        "--both",
        action="store_true",
        help="run both backends and name the first node whose bits differ",
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="the most a step may use; the bits do not depend on it",
    )
    parser.add_argument(
        "--state", metavar="FILE.npz", help="the buffers: loaded if it exists, saved after the run"
    )
    parser.add_argument("--out", metavar="FILE.npz", help="write the outputs here too")
    parser.add_argument("--format", choices=("text", "json", "bits"), default="text")
    parser.add_argument(
        "--trace", action="store_true", help="show every node's value as it is run (interpreted)"
    )
    parser.add_argument(
        "--trap-nan", action="store_true", help="stop at the first node that is NaN (interpreted)"
    )


def execute(args: argparse.Namespace) -> int:
    check_usage(args)
    program = load_program(args.file)
    table = program.table
    given = inputs.read_inputs(args, table)
    state = {}
    if args.state and Path(args.state).exists():
        state = inputs.read_state(args.state, table)
    state = {**state, **given.buffers}
    if args.both:
        return run_both(args, program, given, state)
    session, trace = make_session(args, program, given.dims, state)
    before = dict(session.state)
    progress = ProgressLine(args.steps)
    try:
        outputs = session.run(given.stages, steps=args.steps, progress=progress.show, trace=trace)
    except KeyboardInterrupt:
        progress.clear()
        say(f"stopped after step {session.steps} of {args.steps}\n")
        save_state(args, session)
        raise
    except GirError:
        if session.steps:
            progress.clear()
            say(f"step {session.steps + 1} of {args.steps} failed; those before it stay done\n")
            save_state(args, session)
        raise
    finally:
        progress.clear()
    save_state(args, session)
    show_results(args, session, outputs, before)
    return 0


def check_usage(args: argparse.Namespace) -> None:
    if args.steps < 1:
        raise error("U702", f"--steps {args.steps}: at least 1")
    if args.threads < 1:
        raise error("U702", f"--threads {args.threads}: at least 1")
    interpreted = [flag for flag in ("trace", "trap_nan") if getattr(args, flag)]
    if interpreted and (args.both or args.backend == "c"):
        flag = f"--{interpreted[0].replace('_', '-')}"
        raise error("U702", f"{flag} needs the interpreter", help="leave out --both, --backend c")


def make_session(
    args: argparse.Namespace, program: Program, dims: Mapping[str, int], state: Mapping[str, Any]
) -> tuple[Session, Callable[[int, Any], None] | None]:
    """The session that the flags ask for, and what looks at every value."""
    if args.trap_nan:
        # without calls, so that a NaN inside a function is found at its own node
        table = inline_calls(program.table)
        traces = [trap_nan(table), *([tracer(table)] if args.trace else [])]

        def both(id: int, value: Any) -> None:
            for trace in reversed(traces):
                trace(id, value)

        return Session(program, dims, state, Interpreter(table)), both
    if args.trace:
        return program.session(dims=dims, state=state), tracer(program.table)
    session = program.session(dims=dims, state=state, backend=args.backend, threads=args.threads)
    if session.note is not None:
        say(f"{session.note}\n")
    return session, None


def run_both(
    args: argparse.Namespace, program: Program, given: inputs.Inputs, state: Mapping[str, Any]
) -> int:
    """Both backends; a difference is a bug of ours."""
    from gradir.runtime.compare import Both

    both = Both(program, given.dims, state)
    before = dict(both.reference.state)
    progress = ProgressLine(args.steps)
    try:
        outputs, difference = both.run(given.stages, args.steps, progress.show)
    finally:
        progress.clear()
    if difference is not None:
        say("bug in gradir: the compiled program's bits differ from the interpreter's\n")
        say("".join(f"    {line}\n" for line in difference.lines()))
        return 3
    save_state(args, both.compiled)
    show_results(args, both.compiled, outputs, before)
    say(f"both backends: the same bits, {args.steps} step{'s' * (args.steps > 1)}\n")
    return 0


def save_state(args: argparse.Namespace, session: Session) -> None:
    if args.state:
        write_atomically(args.state, inputs.archive_bytes(session.state))


def show_results(
    args: argparse.Namespace,
    session: Session,
    outputs: Mapping[str, np.ndarray],
    before: Mapping[str, np.ndarray],
) -> None:
    """Outputs, and the buffers that are not what they were, in the format asked for."""
    table = session.table
    if args.out:
        write_atomically(args.out, inputs.archive_bytes(outputs))
    if args.format == "json":
        sys.stdout.write(json_text(outputs, session.state, session.steps))
        return
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


def tracer(table: Table) -> Callable[[int, Any], None]:
    """Writes each node as it is run, to standard error."""

    def trace(id: int, value: Any) -> None:
        statement = f"%{table.label(id)}: {table.type(id)} = {operation_text(table, table[id])}"
        say(f"{statement if len(statement) < 90 else statement[:89] + '…'}\n")
        say(f"    {brief(np.asarray(value))}\n")

    return trace


class ProgressLine:
    """A line on a terminal that is written over; nothing where there is none."""

    def __init__(self, steps: int) -> None:
        self.steps, self.last = steps, 0.0
        self.on = steps > 1 and sys.stderr.isatty()

    def show(self, done: int, outputs: Mapping[str, np.ndarray]) -> None:
        now = time.monotonic()
        if not self.on or (now - self.last < PROGRESS_SECONDS and done < self.steps):
            return
        self.last = now
        scalars = [f"{name} {value:.6g}" for name, value in outputs.items() if value.ndim == 0]
        say(f"\r\x1b[Kstep {done}/{self.steps}  {'  '.join(scalars[:4])}"[:100])

    def clear(self) -> None:
        if self.on:
            say("\r\x1b[K")
