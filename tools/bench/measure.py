"""The timing of one workload, and what else the machine was doing meanwhile (Linux)."""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.peer import Workload

SAMPLE_SECONDS = 2e-3  # runs shorter than this are timed several at once
SAMPLES, SLOW_SAMPLES, MOST_SAMPLES = 7, 3, 200
SLOW_SECONDS = 2.0  # a run this long gets only SLOW_SAMPLES
WARM_RUNS = 3  # a jit may trace the second run, too
QUIET_SECONDS = {1: 1.0, 2: 6.0}  # waited at most for others to leave the machine alone
QUIET_CORES = 0.2
TRIES = 3  # for a figure of several threads that others did not disturb
# Cores used by others, by our threads: above, a figure is not to be counted. One thread is pinned,
# and a single other core at work leaves it its own.
FOREIGN_LIMIT = {1: 1.1, 2: 0.1}


@dataclass(frozen=True)
class Measured:
    """One workload of one peer; times in seconds, of one run."""

    median: float
    low: float
    high: float
    samples: int
    runs: int  # in each sample
    first: float  # from the program to the end of the first run
    first_foreign: float  # cores that others used meanwhile
    foreign: float  # ... and while the samples were taken
    check: float

    @property
    def compile(self) -> float:
        """What the first run took longer than others do."""
        return max(0.0, self.first - self.median)


def pin() -> None:
    """This process to one CPU, the last: the first is where interrupts tend to go."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def busy_seconds() -> float:
    """CPU seconds used in the whole machine since it started, by anything but its host."""
    fields = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()
    user, nice, system, _, _, interrupts, soft = (int(field) for field in fields[1:8])
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")


def wait_for_quiet(threads: int) -> None:
    end = time.monotonic() + QUIET_SECONDS[threads]
    while time.monotonic() < end:
        before = busy_seconds()
        time.sleep(0.15)
        if busy_seconds() - before < 0.15 * QUIET_CORES:
            return


def sample(run: Callable[[], object], budget: float) -> tuple[list[float], int]:
    """Seconds a run, in samples until the budget is used; and the runs in each sample."""
    for _ in range(WARM_RUNS):
        run()
    began = time.perf_counter()
    run()
    one = time.perf_counter() - began
    runs = max(1, math.ceil(SAMPLE_SECONDS / max(one, 1e-9)))
    needed = SAMPLES if one < SLOW_SECONDS else SLOW_SAMPLES
    found: list[float] = []
    while len(found) < needed or (sum(found) * runs < budget and len(found) < MOST_SAMPLES):
        began = time.perf_counter()
        for _ in range(runs):
            run()
        found.append((time.perf_counter() - began) / runs)
    return found, runs


class Watch:
    """What others do from now on."""

    def __init__(self) -> None:
        self.began, self.others = time.perf_counter(), self._others()

    def _others(self) -> float:
        """CPU seconds that neither this process used nor a child of it that has ended."""
        return busy_seconds() - sum(os.times()[:4])

    def foreign(self) -> float:
        """The cores that others used since."""
        used = max(0.0, self._others() - self.others)
        return round(used / (time.perf_counter() - self.began), 3)


def watched(
    run: Callable[[], object], threads: int, budget: float
) -> tuple[list[float], int, float]:
    """Samples, the runs in each, and the cores that others used while they were taken."""
    wait_for_quiet(threads)
    watch = Watch()
    found, runs = sample(run, budget)
    return found, runs, watch.foreign()


def measure(make: Callable[[], Workload], threads: int, budget: float) -> Measured:
    """A workload from its making on; with several threads the least disturbed of a few tries."""
    watch = Watch()
    workload = make()
    began = time.perf_counter()
    workload.run()
    first = workload.built + time.perf_counter() - began
    first_foreign = watch.foreign()
    found, runs, foreign = watched(workload.run, threads, budget)
    for _ in range(TRIES - 1 if threads > 1 else 0):
        if foreign <= FOREIGN_LIMIT[threads]:
            break
        again = watched(workload.run, threads, budget)
        if again[2] < foreign:
            found, runs, foreign = again
    return Measured(
        median=statistics.median(found),
        low=min(found),
        high=max(found),
        samples=len(found),
        runs=runs,
        first=first,
        first_foreign=first_foreign,
        foreign=foreign,
        check=workload.check(),
    )
