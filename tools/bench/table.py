"""What the measurements say: ours against the best peer, workload by workload."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from bench.answers import Answer, Answers
from bench.measure import FOREIGN_LIMIT, Measured
from bench.peers import KNOWN, OURS
from bench.workloads import COMPILE_GOALS, SCALING_GOALS, WORKLOADS, base, span


@dataclass(frozen=True)
class Row:
    """One workload: ours, the best peer, and what else might have been the best."""

    workload: str
    threads: int
    ours: Measured
    peer: str
    best: Measured
    foreign: float

    @property
    def ratio(self) -> float:
        """Above 1 we are ahead."""
        return self.best.median / self.ours.median

    @property
    def goal(self) -> float:
        return WORKLOADS[self.workload].goal

    @property
    def counts(self) -> bool:
        """Whether others left the machine alone."""
        return self.foreign <= FOREIGN_LIMIT[self.threads]

    @property
    def verdict(self) -> str:
        return judged(self.ratio, self.goal, self.counts)


def judged(ratio: float, goal: float, counts: bool) -> str:
    if not counts:
        return "not to be counted"
    return "reached" if ratio >= goal else "missed"


def forms(answers: Answers, threads: int) -> Iterator[tuple[str, str, Measured]]:
    """Workload, peer's name with that of the form, and the measurement."""
    for (peer, count), answer in answers.items():
        for name, measured in answer.measured.items() if count == threads else ():
            workload, _, form = name.partition("/")
            yield workload, f"{peer}/{form}" if form else peer, measured


def rows(answers: Answers, threads: int) -> list[Row]:
    """A row for every workload that we and at least one peer ran.

    What others did counts against a row where they disturbed ours, the best, or a peer that
    alone on the machine might have been the best.
    """
    found = list(forms(answers, threads))
    limit = FOREIGN_LIMIT[threads]
    made = []
    for workload in WORKLOADS:
        here = [(peer, measured) for name, peer, measured in found if name == workload]
        ours = next((measured for peer, measured in here if peer == OURS), None)
        peers = [(peer, measured) for peer, measured in here if peer != OURS]
        if ours is None or not peers:
            continue
        peer, best = min(peers, key=lambda pair: pair[1].median)
        rivals = [
            measured.foreign
            for _, measured in peers
            if measured.median * (1 - max(0.0, measured.foreign - limit) / threads) <= best.median
        ]
        made.append(Row(workload, threads, ours, peer, best, max(ours.foreign, *rivals)))
    return made


def disagreements(answers: Answers) -> list[str]:
    """The workloads whose results differ by more than their tolerance, with everyone's."""
    found: dict[str, dict[str, float]] = {}
    for (peer, threads), answer in answers.items():
        for name, measured in answer.measured.items():
            found.setdefault(base(name), {})[f"{peer} {name} ({threads})"] = measured.check
    return [
        f"{workload}: " + ", ".join(f"{who} {check:.9g}" for who, check in checks.items())
        for workload, checks in found.items()
        if not agree(
            list(checks.values()), WORKLOADS[workload].tolerance, WORKLOADS[workload].scale
        )
    ]


def agree(checks: list[float], tolerance: float, scale: float = 0.0) -> bool:
    """Whether all are as close as the tolerance, relative to the largest of them or the scale.

    NaN agrees with nothing.
    """
    if any(math.isnan(check) for check in checks):
        return False
    largest = max(scale, *(abs(check) for check in checks))
    return max(checks) - min(checks) <= tolerance * largest


def broken_bits(answers: Answers) -> list[str]:
    """Our own gradients whose bits changed: from run to run, or with the threads."""
    found: dict[str, set[str]] = {}
    for (peer, _), answer in answers.items():
        for net, digests in answer.bits.items() if peer == OURS else ():
            found.setdefault(net, set()).update(digests)
    return [net for net, digests in found.items() if len(digests) != 1]


def main_table(answers: Answers, threads: int) -> list[str]:
    made = rows(answers, threads)
    if not made:
        return []
    title = f"{threads} thread{'s' * (threads > 1)}, median (least–most)"
    head = f"{'workload':20s} {'ours':31s} {'best peer':51s} ratio  goal foreign"
    return ["", title, head, *(line(row) for row in made)]


def line(row: Row) -> str:
    return (
        f"{row.workload:20s} {span(row.ours):31s} {row.peer:19s} {span(row.best):31s} "
        f"{row.ratio:5.2f} {row.goal:5.2f} {row.foreign:7.2f}  {row.verdict}"
    )


def scaling_table(answers: Answers) -> list[str]:
    one, two = (answers.get((OURS, threads), Answer()).measured for threads in (1, 2))
    lines = ["", "two threads against one, ours"]
    for name, goal in SCALING_GOALS.items():
        if name in one and name in two:
            ratio = one[name].median / two[name].median
            counts = all(by[name].foreign <= FOREIGN_LIMIT[n] for n, by in ((1, one), (2, two)))
            lines.append(f"{name:20s} {ratio:5.2f} {goal:5.2f}  {judged(ratio, goal, counts)}")
    return lines if len(lines) > 2 else []


def compile_table(answers: Answers) -> list[str]:
    """From an empty cache, one thread, one sample each: by those who compile at all.

    Only the plain form of a workload counts: a later one finds what the process kept of it.
    """
    lines = ["", "compile, cold: ours, best peer, ratio, goal"]
    for workload, goal in COMPILE_GOALS.items():
        found = {
            peer: measured
            for name, peer, measured in forms(answers, 1)
            if name == workload and peer in KNOWN and KNOWN[peer].compiles
        }
        ours = found.pop(OURS, None)
        if ours is None or not ours.compile or not found:
            continue
        peer, best = min(found.items(), key=lambda pair: pair[1].compile)
        ratio = best.compile / ours.compile
        counts = max(ours.first_foreign, best.first_foreign) <= FOREIGN_LIMIT[1]
        lines.append(
            f"{workload:20s} {ours.compile:.3f} s  {peer:14s} {best.compile:.3f} s "
            f"{ratio:6.2f} {goal:5.2f}  {judged(ratio, goal, counts)}"
        )
    return lines if len(lines) > 2 else []


def bits_table(answers: Answers) -> list[str]:
    """Whose gradients keep their bits from run to run, and between one thread and two."""
    found: dict[tuple[str, str], dict[int, list[str]]] = {}
    for (peer, threads), answer in answers.items():
        for net, digests in answer.bits.items():
            found.setdefault((net, peer), {})[threads] = digests
    lines = ["", "bits of gradients: run to run; one thread and two"]
    for (net, peer), by_threads in sorted(found.items()):
        steady = all(len(set(digests)) == 1 for digests in by_threads.values())
        among = {digest for digests in by_threads.values() for digest in digests}
        both = ("the same" if len(among) == 1 else "differ") if len(by_threads) > 1 else "-"
        lines.append(f"{net:20s} {peer:14s} {'the same' if steady else 'differ':9s} {both}")
    return lines if len(lines) > 2 else []


def report(answers: Answers) -> list[str]:
    """All tables that there are measurements for."""
    return [
        *main_table(answers, 1),
        *main_table(answers, 2),
        *scaling_table(answers),
        *compile_table(answers),
        *bits_table(answers),
    ]
