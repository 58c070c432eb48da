"""Instructions that a compiled step executes, counted by valgrind's callgrind.

The C text of a program is linked with a small main that fills its memories and calls the entry;
only the entry is counted. Two programs, or one with and without passes, can be compared:

    python tools/callgrind.py example:attention tests/passes/hand/attention.gir
    python tools/callgrind.py example:transformer --kernels 12 --plain

Counts are of one step on the first contents of the buffers; inputs of stages are zeros. AVX2 code
is counted, since valgrind knows no AVX-512.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gradir import Program
from gradir.codegen.emit_c import ENTRY, emit
from gradir.codegen.lower import lower
from gradir.codegen.memory import node_bytes, place, plan_memory
from gradir.codegen.schedule import make_schedule
from gradir.codegen.toolchain import FLAGS, PROCESSORS
from gradir.ir.table import Table
from gradir.passes import optimise
from gradir.passes.inline import inline_calls
from gradir.reference.initial import initial_value
from gradir.reference.plan import effects, make_plan

# For counts by kernel: kernels stay functions of their own.
_KERNEL, _APART = "static int gir_k", "static __attribute__((noinline, noclone)) int gir_k"

_MAIN = """
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline, noclone)) int {entry}(const gir_run *);
int main(int count, char **names) {{
    static const long sizes[] = {{{sizes}}};
    static const long dims[] = {{{dims}}};
    void *memory[{slots}];
    FILE *file = fopen(names[count - 1], "rb");
    for (int at = 0; at < {slots}; at++) {{
        memory[at] = aligned_alloc(64, (sizes[at] / 64 + 1) * 64);
        if (sizes[at] && fread(memory[at], 1, sizes[at], file) != (size_t)sizes[at]) return 2;
    }}
    gir_error failed;
    gir_run run = {{memory, (const void *)dims, &failed}};
    return {entry}(&run);
}}
"""


@dataclass
class Count:
    """Instructions of a step, in all and a function."""

    total: int
    functions: dict[str, int]
    heads: dict[str, str]  # of a kernel: the GIR that it implements


def count(
    program: Program,
    passes: Callable[[Table], Table] = optimise,
    dims: Mapping[str, int] | None = None,
    apart: bool = False,
) -> Count:
    """Compile a program's step and count it. Refuses symbols without a value."""
    table = passes(inline_calls(program.table))
    schedule = make_schedule(table, make_plan(table, effects(table)))
    calls = lower(schedule)
    memory = plan_memory(schedule, calls)
    text = emit(table, calls, memory.numbers)
    heads = _heads(text)
    if apart:
        text = text.replace(_KERNEL, _APART)
    values = dict(dims or {})
    place(table, memory, values)
    contents = [_contents(program, table, node, values) for node in memory.numbers]
    with tempfile.TemporaryDirectory() as folder:
        main = _MAIN.format(
            sizes=", ".join(str(len(part)) for part in contents) or "0",
            dims=", ".join(str(values.get(name, 0)) for name in table.dims) or "0",
            slots=max(len(contents), 1),
            entry=ENTRY,
        )
        source, binary, data = (Path(folder) / name for name in ("step.c", "step", "data"))
        source.write_text(text + main, encoding="utf-8")
        data.write_bytes(b"".join(contents))
        options = [flag for flag in FLAGS if flag not in ("-shared", "-fPIC")]
        compiler = [os.environ.get("CC", "cc"), *options, *PROCESSORS["avx2"], "-g"]
        subprocess.run([*compiler, str(source), "-o", str(binary), "-lm"], check=True)
        profile = Path(folder) / "profile"
        subprocess.run(
            [
                *("valgrind", "--tool=callgrind", f"--toggle-collect={ENTRY}"),
                *(f"--callgrind-out-file={profile}", str(binary), str(data)),
            ],
            check=True,
            capture_output=True,
        )
        functions = read_profile(profile.read_text(encoding="utf-8"))
    return Count(sum(functions.values()), functions, heads)


def _contents(program: Program, table: Table, node: int, dims: Mapping[str, int]) -> bytes:
    """What a memory holds before the step."""
    kind = table[node].op.name
    if kind == "const":
        return bytes(table[node].attrs[0])
    if kind == "buffer":
        return np.asarray(initial_value(table, node, program.folder)).tobytes()
    return bytes(node_bytes(table, node, dims))


def read_profile(text: str) -> dict[str, int]:
    """Instructions a function, what it calls not included, of a callgrind file."""
    names: dict[str, str] = {}
    found: dict[str, int] = {}
    function, skip = "", False
    for line in text.splitlines():
        if line.startswith("fn="):
            key, _, name = line[3:].partition(" ")
            function = names.setdefault(key, name or key)
        elif line.startswith("cfn="):
            key, _, name = line[4:].partition(" ")
            names.setdefault(key, name or key)
        elif line.startswith("calls="):
            skip = True  # the next line is what the callee took
        elif re.match(r"[+*\d-]", line):
            if not skip:
                found[function] = found.get(function, 0) + int(line.split()[1])
            skip = False
    return found


def _heads(text: str) -> dict[str, str]:
    """The first comment line above each kernel."""
    heads: dict[str, str] = {}
    comment = ""
    for line in text.splitlines():
        if line.startswith("// "):
            comment = comment or line[3:]
        elif _KERNEL in line:
            heads[line.split("(")[0].rpartition(" ")[2]] = comment
        else:
            comment = ""
    return heads


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+", help="FILE or example:NAME; the second is the base")
    parser.add_argument("--plain", action="store_true", help="count without the passes too")
    parser.add_argument("--kernels", type=int, default=0, metavar="N", help="the N dearest kernels")
    parser.add_argument("--dim", action="append", default=[], metavar="B=16")
    options = parser.parse_args()
    dims = {name: int(size) for name, _, size in (text.partition("=") for text in options.dim)}
    counts = []
    for name in options.programs:
        program = Program.load(name)
        made = count(program, dims=dims)
        counts.append(made.total)
        print(f"{made.total:>12,}  {name}")
        if options.plain:
            plain = count(program, lambda table: table, dims)
            print(f"{plain.total:>12,}  {name} without passes, {made.total / plain.total:.3f}")
        if options.kernels:
            made = count(program, dims=dims, apart=True)
        dearest = sorted(made.functions.items(), key=lambda item: -item[1])
        for function, instructions in dearest[: options.kernels]:
            head = made.heads.get(function, "")
            print(f"{instructions:>12,}    {function}  {head}")
    if len(counts) == 2:
        print(f"{counts[0] / counts[1]:>12.3f}  ratio")
    return 0


if __name__ == "__main__":
    sys.exit(main())
