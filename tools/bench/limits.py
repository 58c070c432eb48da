"""The machine's limits: what arithmetic and memory could give at most (limits.c)."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bench.measure import pin, wait_for_quiet
from gradir.codegen.toolchain import PROCESSORS, find_compiler, processor

SOURCE = Path(__file__).with_suffix(".c")
# Loops stay as they are written; a fused operation only where the variant asks for it.
FLAGS = ["-O2", "-fno-tree-vectorize", "-pthread"]
VARIANTS = (["-ffp-contract=off"], ["-ffp-contract=fast", "-DFUSED"])

Limit = tuple[float, float, float, str]  # median, least, most, unit


def measure(threads: int) -> dict[str, Limit]:
    """Each limit by name, all threads together."""
    compiler = find_compiler()
    if compiler is None:
        raise RuntimeError("there is no C compiler")
    found: dict[str, Limit] = {}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        program = str(Path(folder, "limits"))
        for variant in VARIANTS:
            flags = [*FLAGS, *PROCESSORS[processor()], *variant]
            subprocess.run([*compiler, *flags, str(SOURCE), "-o", program], check=True)
            wait_for_quiet(threads)
            done = subprocess.run(
                [program, str(threads)],
                check=True,
                capture_output=True,
                text=True,
                preexec_fn=pin if threads == 1 else None,
            )
            for line in done.stdout.splitlines():
                name, median, low, high, unit = line.split()
                found[name] = (float(median), float(low), float(high), unit)
    return found


def lines(limits: Mapping[int, Mapping[str, Limit]]) -> list[str]:
    """As text."""
    return [
        f"limit, {threads} thr  {name:24s} {median:8.1f} {unit} ({low:.1f} to {high:.1f})"
        for threads, by_name in limits.items()
        for name, (median, low, high, unit) in by_name.items()
    ]
