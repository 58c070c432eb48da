"""The matrix of builds: native code against the interpreter, bit for bit.

    python tools/matrix.py [--builds all|gcc-O2-avx512,…] [--count N] [--seed N] [--sources …]
    python tools/matrix.py --sanitize address|thread [--threads N] [--count N]

Programs come from the conformance suite, the examples and the generators, a hundred to a library.
Every output and buffer of every run is compared, and what a run fails with. Ends with 1 where
anything differs, naming program, build and output. A build whose compiler or processor is not
here is refused.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from matrix_cases import Case, conformance_cases, example_cases, generated_cases
from matrix_native import Batch, Build, Finding

from gradir.codegen.toolchain import PROCESSORS, processor

SOURCES = ("conformance", "examples", "generated")
LEVELS = ("O0", "O2", "O3")


def all_builds() -> list[Build]:
    """Every compiler that is here, every level, every processor that this one can stand for."""
    order = list(PROCESSORS)
    runnable = order[order.index(processor()) :]
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
    return [Build(*parts) for parts in itertools.product(compilers, LEVELS, runnable)]


def cases(sources: list[str], first: int, count: int) -> Iterator[Case]:
    if "conformance" in sources:
        yield from conformance_cases()
    if "examples" in sources:
        yield from example_cases()
    if "generated" in sources:
        yield from generated_cases(first, count)


@dataclass
class Tally:
    """What one build has done so far."""

    runs: int = 0
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)


def compare(
    found: Iterator[Case], builds: list[Build], size: int, plain: bool, threads: list[int]
) -> dict[str, Tally]:
    tallies = {str(build): Tally() for build in builds}
    tallies["C text"] = Tally()
    while group := list(itertools.islice(found, size)):
        batch = Batch(group, plain)
        report(tallies["C text"], batch.broken)
        for build in builds:
            started = time.perf_counter()
            findings, runs = batch.compare(build, threads)
            tally = tallies[str(build)]
            tally.runs += runs
            tally.seconds += time.perf_counter() - started
            report(tally, findings)
            taken = time.perf_counter() - started
            print(f"  {build}: {runs} programs, {taken:.1f} s", file=sys.stderr, flush=True)
    return tallies


def report(tally: Tally, findings: list[Finding]) -> None:
    tally.findings += findings
    for finding in findings:
        print(f"{finding.build}: {finding.case}: {finding.what}", flush=True)


def under_sanitizer(name: str) -> int:
    """This command again, with the sanitizer's library loaded first."""
    file = {"address": "libasan.so", "thread": "libtsan.so"}[name]
    library = subprocess.run(
        ["gcc", f"-print-file-name={file}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    settings = {
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "TSAN_OPTIONS": "exitcode=66",
        "PYTHONMALLOC": "malloc",
    }
    # the thread sanitizer wants the addresses that it has in mind
    still = ["setarch", "-R"] if name == "thread" else []
    command = [*still, sys.executable, *sys.argv]
    return subprocess.run(command, env={**os.environ, **settings}).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--builds", default=f"gcc-O2-{processor()}")
    parser.add_argument("--sources", default=",".join(SOURCES))
    parser.add_argument("--count", type=int, default=500, help="of generated programs")
    parser.add_argument("--seed", type=int, default=0, help="the first of the generated programs")
    parser.add_argument("--batch", type=int, default=100, help="programs in a library")
    parser.add_argument("--plain", action="store_true", help="without the passes")
    parser.add_argument("--threads", default="1", help="of each run: 1,2,3 runs all three")
    parser.add_argument(
        "--sanitize", choices=("address", "thread"), help="gcc's ASan and UBSan, or its TSan"
    )
    options = parser.parse_args()
    try:
        builds = (
            all_builds()
            if options.builds == "all"
            else [Build.parse(text) for text in options.builds.split(",")]
        )
    except ValueError as problem:
        parser.error(f"{problem} is no build; gcc-O2-avx2 is one")
    sources = options.sources.split(",")
    if not set(sources) <= set(SOURCES):
        parser.error(f"sources are {', '.join(SOURCES)}")
    if options.sanitize:
        if "LD_PRELOAD" not in os.environ:
            return under_sanitizer(options.sanitize)
        builds = [Build("gcc", "O1", kind, options.sanitize) for kind in ("baseline", processor())]
    threads = [int(count) for count in options.threads.split(",")]
    missing = [build.compiler for build in builds if not shutil.which(build.compiler)]
    if missing:
        parser.error(f"there is no {missing[0]}")
    started = time.perf_counter()
    found = cases(sources, options.seed, options.count)
    tallies = compare(found, builds, options.batch, options.plain, threads)
    for name, tally in tallies.items():
        count = len(tally.findings)
        print(f"{name}: {tally.runs} programs, {count} findings, {tally.seconds:.1f} s")
    print(f"{time.perf_counter() - started:.1f} s in all")
    return 1 if any(tally.findings for tally in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
