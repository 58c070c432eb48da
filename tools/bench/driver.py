"""The command: who runs what, each peer in a process of its own for each number of threads.

A peer is measured alone, with caches that are empty at first, as many threads for its libraries
as asked, and none of the settings by which a shell may have tuned the BLAS of one peer.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from bench import data, limits, table
from bench.answers import Answer, Request
from bench.peers import KNOWN, OURS
from bench.workloads import WORKLOADS
from gradir.codegen.toolchain import find_compiler

TOOLS = Path(__file__).resolve().parents[1]
NETS = {f"bits_{net}": net for net in data.NETS}
TUNING = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
THREAD_COUNTS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMEXPR_MAX_THREADS",
    "NUMBA_NUM_THREADS",
    "NUM_CPU_THREADS",
)


@dataclass(frozen=True)
class Selection:
    """What is measured: workloads by name, nets for the bits of their gradients, peers."""

    peers: list[str]
    workloads: list[str]
    nets: list[str]


def select(names: Sequence[str]) -> Selection:
    """Names are peers, workloads, or beginnings of workloads' names; of either none means all.

    Raises ValueError for a name that is nothing.
    """
    peers, chosen = [], []
    for name in names:
        matching = [workload for workload in [*WORKLOADS, *NETS] if workload.startswith(name)]
        if name in KNOWN:
            peers.append(name)
        elif name and matching:
            chosen += matching
        else:
            raise ValueError(f"{name!r} is neither a peer nor the beginning of a workload's name")
    return Selection(
        [peer for peer in KNOWN if not peers or peer in peers],
        [workload for workload in WORKLOADS if not chosen or workload in chosen],
        [net for name, net in NETS.items() if not chosen or name in chosen],
    )


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="tools/bench/run",
        description="Measure ours and the peers that are installed; compare times and results.",
        epilog=f"peers: {', '.join(KNOWN)}. workloads: {', '.join([*WORKLOADS, *NETS])}. "
        "Ends with 1 where results disagree or a bit of our gradients changes.",
    )
    made.add_argument("names", nargs="*", metavar="WORKLOAD|PEER", help="only these")
    made.add_argument("--threads", type=int, choices=(1, 2), help="only so many (default: both)")
    made.add_argument(
        "--budget", type=float, default=0.7, metavar="SECONDS", help="for each workload"
    )
    made.add_argument("--json", type=Path, metavar="FILE", help="write all measurements there")
    made.add_argument("--limits", action="store_true", help="measure the machine's limits first")
    return made


def environment(threads: int, caches: Path) -> dict[str, str]:
    """The variables of a peer's process."""
    found = {name: value for name, value in os.environ.items() if name not in TUNING}
    found |= dict.fromkeys(THREAD_COUNTS, str(threads))
    found |= dict.fromkeys(("XDG_CACHE_HOME", "TMPDIR", "TORCHINDUCTOR_CACHE_DIR"), str(caches))
    found |= {"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    found |= {"JAX_PLATFORMS": "cpu", "DEV": "CPU:CLANG", "CACHELEVEL": "0", "CCACHE": "0"}
    found["TRAINING"] = "1"  # tinygrad refuses to step an optimiser without
    paths = [str(TOOLS), str(TOOLS.parent), found.get("PYTHONPATH", "")]
    return found | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def ask(request: Request) -> Answer:
    """A process for one peer; it prints what it measures as it goes."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path, caches = Path(folder, "request.json"), Path(folder, "caches")
        caches.mkdir()
        path.write_text(json.dumps(asdict(request)), encoding="utf-8")
        command = [sys.executable, "-m", "bench.worker", str(path)]
        done = subprocess.run(command, env=environment(request.threads, caches), check=False)
        if done.returncode:
            problem = f"ended with {done.returncode}"
            print(f"{request.peer:14s} {request.threads} thr  its process {problem}")
            return Answer(errors={"process": problem})
        return Answer.load(path.with_suffix(".answer"))


def machine() -> dict[str, str]:
    """What the figures belong to."""
    model = "unknown"
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    cpus = len(os.sched_getaffinity(0))
    return {"processor": model, "cpus": str(cpus), "python": sys.version.split()[0]}


def settle(options: argparse.Namespace, selection: Selection) -> tuple[list[str], list[int]]:
    """The peers and the numbers of threads that can be measured; ValueError where asked in vain."""
    if sys.platform != "linux":
        raise ValueError("measuring needs Linux: /proc/stat says what else the machine did")
    if not options.budget > 0:
        raise ValueError(f"a budget of {options.budget} seconds: it must be above 0")
    if options.json and not options.json.absolute().parent.is_dir():
        raise ValueError(f"there is no folder {options.json.absolute().parent}")
    if (OURS in selection.peers or options.limits) and find_compiler() is None:
        raise ValueError("there is no C compiler: install gcc or clang, or set CC")
    cpus = len(os.sched_getaffinity(0))
    if options.threads and options.threads > cpus:
        raise ValueError(f"{options.threads} threads: there is {cpus} CPU")
    present = []
    for peer in selection.peers:
        missing = KNOWN[peer].missing()
        if missing is None:
            present.append(peer)
        elif peer in options.names or peer == OURS:
            raise ValueError(f"{peer} is missing: {missing}")
        else:
            print(f"{peer} is missing: {missing}")
    return present, [options.threads] if options.threads else [1, 2][:cpus]


@contextmanager
def kept(path: Path | None) -> Iterator[dict[str, object]]:
    """Findings that are written to the file even where the run is interrupted."""
    found: dict[str, object] = {}
    try:
        yield found
    finally:
        if path:
            path.write_text(json.dumps(found, indent=1), encoding="utf-8")


def race(
    peers: list[str], threads: list[int], selection: Selection, budget: float
) -> Iterator[tuple[tuple[str, int], Answer]]:
    for count in threads:
        for peer in peers:
            request = Request(peer, count, selection.workloads, selection.nets, budget)
            yield (peer, count), ask(request)


def main(arguments: Sequence[str]) -> int:
    command = parser()
    options = command.parse_intermixed_args(arguments)
    try:
        selection = select(options.names)
        peers, threads = settle(options, selection)
    except ValueError as problem:
        command.error(str(problem))
    answers: dict[tuple[str, int], Answer] = {}
    with kept(options.json) as found:
        found["machine"] = machine()
        print(", ".join(f"{name} {value}" for name, value in machine().items()))
        if options.limits:
            measured = {count: limits.measure(count) for count in threads}
            found["limits"] = measured
            print("\n".join(limits.lines(measured)))
        measurements: dict[str, object] = {}
        found["measurements"] = measurements
        for (peer, count), answer in race(peers, threads, selection, options.budget):
            answers[peer, count] = answer
            measurements[f"{peer}/{count}"] = answer.as_json()
    for peer in peers:
        if versions := answers[peer, threads[0]].versions:
            print(f"{peer}: {', '.join(f'{name} {text}' for name, text in versions.items())}")
    print("\n".join(table.report(answers)))
    return verdict(answers)


def verdict(answers: dict[tuple[str, int], Answer]) -> int:
    """1 where results disagree, where bits of ours changed, or where ours failed."""
    problems = [f"results disagree: {line}" for line in table.disagreements(answers)]
    problems += [f"our gradients' bits changed: {net}" for net in table.broken_bits(answers)]
    for (peer, threads), answer in answers.items():
        for name, text in answer.errors.items() if peer == OURS else ():
            problems.append(f"ours failed: {name}, {threads} threads: {text}")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0
