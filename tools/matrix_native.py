"""Many programs compiled into one library by a build of choice, run, and compared bit for bit.

Each library is run in a child process of its own, so that a crash is the finding of one program
and not the end of the comparison. In a sanitized build every node's memory is an array of its
own, so that reading past its end is seen; otherwise the arena is filled with bytes that no
computation leaves there.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import signal
import subprocess
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cffi
import numpy as np
from matrix_cases import Arrays, Case, failure_text

from gradir.codegen.emit_c import ENTRY, program_text
from gradir.codegen.lower import lower
from gradir.codegen.memory import node_bytes, place, plan_memory
from gradir.codegen.prelude import SIGNATURE, join
from gradir.codegen.schedule import make_schedule
from gradir.codegen.stages import Staged, stage
from gradir.codegen.toolchain import FLAGS, PROCESSORS
from gradir.ir.types import evaluate_extent
from gradir.passes.checkpoint import apply_checkpoints
from gradir.passes.inline import inline_calls
from gradir.reference.failures import Failures, IndexOutOfRange
from gradir.reference.memory import check_before
from gradir.reference.plan import effects, make_plan
from gradir.text.diagnostics import GirError

FILLING = 0xA5
COMPILER_SECONDS = 900
SANITIZERS = {
    "": [],
    "address": [
        "-fsanitize=address,undefined,float-cast-overflow",
        "-fno-sanitize-recover=undefined,float-cast-overflow",
        "-g1",
    ],
    "thread": ["-fsanitize=thread", "-g1"],
}


@dataclass(frozen=True)
class Build:
    """A compiler, a level, a processor, which sanitizers watch, and threads of a run.

    With several threads every kernel that can be divided is, however small.
    """

    compiler: str
    level: str
    processor: str
    sanitizer: str = ""
    threads: int = 1

    @classmethod
    def parse(cls, text: str) -> Build:
        """`gcc-O2-avx512`. Raises ValueError for what is no build."""
        compiler, level, processor = text.split("-")
        if level not in ("O0", "O1", "O2", "O3", "Os") or processor not in PROCESSORS:
            raise ValueError(text)
        return cls(compiler, level, processor)

    def __str__(self) -> str:
        tail = (f"-{self.sanitizer}" if self.sanitizer else "") + f"-t{self.threads}" * (
            self.threads > 1
        )
        return f"{self.compiler}-{self.level}-{self.processor}{tail}"

    @property
    def flags(self) -> list[str]:
        kept = [flag for flag in FLAGS if not flag.startswith("-O")]
        more = [*SANITIZERS[self.sanitizer], "-DGIR_FINE_PARTS"]
        return [*kept, f"-{self.level}", *PROCESSORS[self.processor], *more]


@dataclass(frozen=True)
class Finding:
    """A program that differs: where, and how."""

    case: str
    build: str
    what: str


class Native:
    """A case's C text, and runs of it once its library is there."""

    def __init__(self, case: Case, suffix: str, plain: bool = False) -> None:
        """`plain` leaves the passes out, so that every node of the program is lowered."""
        self.case, self.suffix = case, suffix
        if plain:
            table = apply_checkpoints(inline_calls(case.table))
            plan = make_plan(table, effects(table))
            schedule = make_schedule(table, plan)
            calls = lower(schedule)
            staged = Staged(table, plan, schedule, calls, plan_memory(schedule, calls))
        else:
            staged = stage(case.table)
        self.table, self.plan, self.schedule, calls, self.memory = staged
        self.text = program_text(self.table, calls, self.memory.numbers, suffix)
        self.failures = Failures(self.table)

    def run(self, ffi: Any, library: Any, buffers: Arrays, build: Build) -> tuple[Arrays, Arrays]:
        """Outputs and buffers of one step. Raises GirError as the interpreter does."""
        table, dims = self.table, self.case.dims
        check_before(table, self.plan, dims, self.failures.make)
        arrays: dict[int, np.ndarray] = {}
        outputs: Arrays = {}
        after = dict(buffers)
        for node in self.memory.numbers:
            name, attrs = table[node].op.name, table[node].attrs
            if name == "stage":
                arrays[node] = np.array(self.case.inputs[table[node].attr("name")], order="C")
            elif name == "const":
                arrays[node] = np.array(np.frombuffer(attrs[0], np.uint8))
            elif name == "buffer":
                label = table[node].attr("name")
                arrays[node] = np.asarray(buffers[label])
                if node in self.schedule.cells:
                    arrays[node] = after[label] = arrays[node].copy()
            elif name in ("output", "store"):
                like = table[node] if name == "output" else table[table[node].operands[0]]
                arrays[node] = made = self.filled(node)
                (outputs if name == "output" else after)[like.attr("name")] = made
            elif build.sanitizer:
                arrays[node] = self.filled(node)
        offsets, size = ({}, 0) if build.sanitizer else place(table, self.memory, dims)
        arena = np.full(size + 64, FILLING, np.uint8)
        base = -(-arena.ctypes.data // 64) * 64
        pointers = [
            arrays[node].ctypes.data if node in arrays else base + offsets[node]
            for node in self.memory.numbers
        ]
        memory = ffi.new("void *[]", [ffi.cast("void *", pointer) for pointer in pointers])
        sizes = ffi.new("int64_t[]", [dims.get(name, 0) for name in table.dims])
        failed = ffi.new("gir_error *")
        run = ffi.new("gir_run *", [memory, sizes, failed, build.threads])
        if getattr(library, ENTRY + self.suffix)(run):
            raise self.failure(failed)
        return outputs, after

    def filled(self, node: int) -> np.ndarray:
        """Memory of a node that nothing has been written to."""
        type = self.table.type(node)
        dims = {name: self.case.dims.get(name, 0) for name in self.table.dims}
        raw = np.full(node_bytes(self.table, node, dims), FILLING, np.uint8)
        shape = [evaluate_extent(extent, dims) for extent in type.shape]
        return raw.view(type.dtype.numpy).reshape(shape)

    def failure(self, failed: Any) -> GirError:
        node = int(failed.node)
        at: tuple[int, ...] = ()
        if self.table[node].op.name not in ("load", "store"):
            indices = self.table.type(self.table[node].operands[1]).shape
            sizes = [evaluate_extent(extent, self.case.dims) for extent in indices]
            at = tuple(int(p) for p in np.unravel_index(int(failed.position), sizes))
        outside = IndexOutOfRange(int(failed.index), at, int(failed.size))
        return self.failures.bad_index(node, int(failed.axis), outside)

    def compare(self, ffi: Any, library: Any, build: Build) -> list[str]:
        """What differs from the interpreter, step by step."""
        problems = []
        for step, (buffers, wanted) in enumerate(self.case.steps, start=1):
            before = {name: array.tobytes() for name, array in buffers.items()}
            try:
                found: tuple[Arrays, Arrays] | str = self.run(ffi, library, buffers, build)
            except GirError as failed:
                found = failure_text(failed)
            problems += [f"step {step}: {p}" for p in _differences(found, wanted)]
            if any(array.tobytes() != before[name] for name, array in buffers.items()):
                problems.append(f"step {step}: the buffers it was given were written")
        return problems


def _differences(
    found: tuple[Arrays, Arrays] | str, wanted: tuple[Arrays, Arrays] | str
) -> list[str]:
    if isinstance(found, str) or isinstance(wanted, str):
        if found == wanted:
            return []
        show = [x if isinstance(x, str) else "no error" for x in (found, wanted)]
        return [f"{show[0]} instead of {show[1]}"]
    problems = []
    for kind, mine, theirs in zip(("output", "buffer"), found, wanted, strict=True):
        for name, want in theirs.items():
            problems += _difference(f"{kind} {name}", mine[name], want)
        problems += [f"{kind} {name}: nobody asked for it" for name in set(mine) - set(theirs)]
    return problems


def _difference(what: str, found: np.ndarray, wanted: np.ndarray) -> list[str]:
    wanted = np.asarray(wanted)
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return [f"{what}: {found.dtype}{found.shape} instead of {wanted.dtype}{wanted.shape}"]
    if found.tobytes() == wanted.tobytes():
        return []
    whole = f"u{wanted.itemsize}"
    a, b = np.ravel(found).view(whole), np.ravel(wanted).view(whole)
    (at,) = np.nonzero(a != b)
    first = int(at[0])
    return [
        f"{what}: {len(at)} of {len(a)} elements, element {first} is {np.ravel(found)[first]!r} "
        f"({int(a[first]):#x}) instead of {np.ravel(wanted)[first]!r} ({int(b[first]):#x})"
    ]


# --- batches ------------------------------------------------------------------------------


class Batch:
    """Cases whose C texts are one library."""

    def __init__(self, cases: Sequence[Case], plain: bool = False) -> None:
        self.natives: list[Native] = []
        self.broken: list[Finding] = []
        for number, case in enumerate(cases):
            try:
                self.natives.append(Native(case, f"_p{number}", plain))
            except Exception as crash:  # of any kind: it is what is looked for
                self.broken.append(Finding(case.name, "C text", f"{type(crash).__name__}: {crash}"))

    def compare(self, build: Build, threads: Sequence[int] = ()) -> tuple[list[Finding], int]:
        """Findings of a build, and how many cases ran; `threads` in the place of the build's."""
        with tempfile.TemporaryDirectory(prefix="matrix-") as folder:
            file = Path(folder) / "batch.so"
            natives, findings = _compiled(self.natives, build, file)
            for count in threads or [build.threads] if natives else []:
                findings += _run_all(natives, replace(build, threads=count), file)
            return findings, len(natives)


def _compiled(
    natives: Sequence[Native], build: Build, file: Path
) -> tuple[list[Native], list[Finding]]:
    """Compile; where it fails, those that fail alone are left out."""
    failed = _compile([n.text for n in natives], build, file)
    if failed is None:
        return list(natives), []
    findings, good = [], []
    for native in natives:
        alone = _compile([native.text], build, file, check_only=True)
        if alone is None:
            good.append(native)
        else:
            findings.append(Finding(native.case.name, str(build), f"does not compile: {alone}"))
    again = _compile([n.text for n in good], build, file) if findings else failed
    if again is not None:
        return [], [*findings, Finding("a whole batch", str(build), f"does not compile: {again}")]
    return good, findings


def _compile(texts: list[str], build: Build, file: Path, check_only: bool = False) -> str | None:
    """None, or the first lines of the compiler's complaint."""
    command = [build.compiler, *build.flags, *(["-fsyntax-only"] if check_only else [])]
    process = subprocess.Popen(
        [*command, "-x", "c", "-", "-o", str(file), "-lm"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"},
        process_group=0,  # the compiler's own children end with it
    )
    try:
        _, complaints = process.communicate(join(texts), timeout=COMPILER_SECONDS)
    except BaseException as ended:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(ended, subprocess.TimeoutExpired):
            return f"the compiler took over {COMPILER_SECONDS} s"
        raise
    if process.returncode == 0:
        return None
    errors = [line for line in complaints.splitlines() if "error" in line] or ["killed"]
    return "; ".join(errors[:2])


def _run_all(natives: Sequence[Native], build: Build, file: Path) -> list[Finding]:
    """Run every case in a child process; one that dies is a finding, the next child goes on.

    TSan looks away in a forked child, so its runs are in this process: its reports stand on
    standard error, and the process ends with their exit code.
    """
    findings: list[Finding] = []
    first = 0
    if build.sanitizer == "thread":
        told: list[Any] = []
        _work(natives, 0, build, file, told.append)
        return [
            Finding(natives[said[0]].case.name, str(build), said[1])
            for said in told
            if isinstance(said, list)
        ]
    while first < len(natives):
        work = functools.partial(_work, natives, first, build, file)
        reached, more, end = _child(work)
        findings += [Finding(natives[at].case.name, str(build), what) for at, what in more]
        if end is not None:
            name = natives[min(reached, len(natives) - 1)].case.name
            findings.append(Finding(name, str(build), end))
        first = reached + 1
    return findings


def _work(
    natives: Sequence[Native], first: int, build: Build, file: Path, say: Callable[[Any], None]
) -> None:
    ffi = cffi.FFI()
    entries = "\n".join(f"int {ENTRY}{native.suffix}(const gir_run *r);" for native in natives)
    ffi.cdef(f"{SIGNATURE}\n{entries}")
    library = ffi.dlopen(str(file))
    for at in range(first, len(natives)):
        say(at)
        for what in natives[at].compare(ffi, library, build):
            say([at, what])
    say(None)


def _child(
    work: Callable[[Callable[[Any], None]], None],
) -> tuple[int, list[tuple[int, str]], str | None]:
    """The case reached, what was said of each, and how the process died (None: it did not)."""
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as complaints:
        child = os.fork()
        if child == 0:
            os.close(reading)
            os.dup2(complaints.fileno(), 2)
            code = 1
            try:
                with os.fdopen(writing, "w", encoding="utf-8") as out:
                    work(lambda said: print(json.dumps(said), file=out, flush=True))
                code = 0
            except Exception:
                traceback.print_exc()
            finally:
                os._exit(code)
        os.close(writing)
        reached, findings, done = 0, [], False
        with os.fdopen(reading, encoding="utf-8") as said:
            for line in said:
                match json.loads(line):
                    case int(at):
                        reached = at
                    case [int(at), str(what)]:
                        findings.append((at, what))
                    case None:
                        done = True
        _, status = os.waitpid(child, 0)
        if done and status == 0:
            return 1 << 62, findings, None
        complaints.seek(0)
        lines = complaints.read().decode("utf-8", "replace").splitlines()
    told = [line.strip() for line in lines if re.search("ERROR|error|WARNING", line)] or lines[-1:]
    ended = os.waitstatus_to_exitcode(status)
    return reached, findings, f"died ({ended}): {' '.join(told[:2])}"
