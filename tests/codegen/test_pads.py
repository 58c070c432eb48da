"""Pads in loops that are cut where a pad begins and ends: bits, and what it takes."""

from __future__ import annotations

import itertools
import random
import shutil
from collections.abc import Iterator

import numpy as np
import pytest
from callgrind import count
from matrix_cases import Case
from test_bits import COMPILER, build, findings, made, numbers

from gradir import Program
from gradir.codegen import toolchain
from gradir.codegen.poly import number, variable

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is neither gcc nor clang")


def padded(first: int, count: int) -> Iterator[Case]:
    """Sums of pads of one shape, some of them moved, some inside functions and folds."""
    for seed in range(first, first + count):
        rng = random.Random(seed)
        shape = [rng.choice([1, 2, 5]), rng.choice([1, 3, 4]), rng.choice([5, 8, 16, 33, 70])]
        dtype = rng.choice(["f32", "f64", "i32"])
        fills = ["0", "3", "-7"] if dtype == "i32" else ["0.0", "-0.0", "2.5", "nan", "-inf"]
        rows = "N" if seed % 3 == 0 else str(shape[0])
        lines = ["dim N = 0..9"] if rows == "N" else []
        inputs = {}
        for at in range(rng.randrange(1, 4)):
            axis = rng.choice([1, 2, 2, 2])
            lo = rng.randrange(shape[axis])
            size = rng.choice([0, shape[axis] - lo, rng.randrange(shape[axis] - lo + 1)])
            before = [lo if i == axis else 0 for i in range(3)]
            after = [shape[i] - lo - size if i == axis else 0 for i in range(3)]
            inner = [size if i == axis else shape[i] for i in range(3)]
            swap = rng.random() < 0.2 and axis != 2
            given = [inner[i] for i in (2, 1, 0)] if swap and rows != "N" else inner
            sizes = ",".join([rows if given is inner else str(given[0]), *map(str, given[1:])])
            lines.append(f"%x{at} = stage {dtype}[{sizes}]")
            x = f"%x{at}" if given is inner else f"(permute %x{at} axes=[2,1,0])"
            x = f"(add {x} {x})" if rng.random() < 0.5 else x
            fill = rng.choice(fills)
            lines.append(f"%p{at} = pad {x} lo={before} hi={after} value={fill}")
            inputs[f"x{at}"] = numbers(dtype, *given)
        total = "%p0"
        for at in range(1, len(inputs)):
            total = f"({rng.choice(['add', 'mul', 'max'])} {total} %p{at})"
        if dtype != "i32" and rng.random() < 0.3:
            total = f"(exp {total})"
        if total == "%p0":
            total = "(add %p0 %p0)"
        lines += [f"%t = {total[1:-1]}", "output %t name=t"]
        if rng.random() < 0.4:
            lines.append("output (reduce %t op=add axes=[2]) name=r")
        if rng.random() < 0.4:
            lines.append("output (permute %t axes=[0,2,1]) name=q")
        text = "\n".join([*lines, ""]).replace(", ", ",")
        yield made(f"{seed}: {text}", text, **inputs)


@needs_compiler
@pytest.mark.parametrize(("level", "threads"), [("O0", 1), ("O2", 2), ("O1", 3)])
def test_pads(level: str, threads: int) -> None:
    assert findings(list(padded(1000 * threads, 60)), build(level, threads=threads)) == []


def test_bounds() -> None:
    """The range of a polynomial is that of its values."""
    i, j = variable("i"), variable("j")
    ranges = {"i": range(3), "j": range(2, 6)}
    for a, b, c in itertools.product((-2, 0, 3), (-1, 0, 1), (-5, 7)):
        found = (i * number(a) + j * number(b) + number(c)).bounds(ranges)
        values = [a * x + b * y + c for x in ranges["i"] for y in ranges["j"]]
        assert found == range(min(values), max(values) + 1)
    assert (i * j).bounds(ranges) is None
    assert (i + variable("k")).bounds(ranges) is None


@pytest.mark.skipif(
    not (shutil.which("valgrind") and shutil.which("gcc")), reason="valgrind or gcc is missing"
)
def test_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of AVX2 code; one loop over all columns takes 675,000."""
    monkeypatch.setenv("CC", "gcc")
    text = "".join(f"%{name} = stage f32[4,64,64]\n" for name in "abc")
    text += "output (concat %a %b %c axis=2) name=o\n"
    assert count(Program.parse(text)).total <= 60_000


@needs_compiler
@pytest.mark.parametrize("processor", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize("columns", [2, 3, 4, 8])
def test_neighbours_behind_one_condition(
    columns: int, processor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """gcc 12 made vectors of these reads with another element's condition."""
    if processor == "avx512" and toolchain.processor() != processor:
        pytest.skip("no AVX-512")
    monkeypatch.setenv("GRADIR_CPU", processor)
    for dtype in ("f64", "f32"):
        program = Program.parse(
            f"dim B = 6..64\n%x = stage {dtype}[B,{columns}]\n"
            f"%n = stage i32[B,{columns}]\n%k = stage i32\n"
            f"%part = shrink %x lo=[0,0] shape=[4,{columns}]\n"
            f"%y = add %x (pad %part lo=[2,0] shape=[B,{columns}] value=-0.0)\n"
            "output (mul %n %k) name=p\noutput (add %y -1.0) name=o\n"
        )
        for rows in (6, 16, 33):
            elements = np.arange(1, rows * columns + 1).reshape(rows, columns)
            inputs = {
                "x": elements.astype(program.table[0].type.dtype.numpy),
                "n": elements.astype(np.int32),
                "k": np.int32(3),
            }
            found, wanted = (
                program.session(backend=backend).run(inputs=inputs) for backend in ("c", "numpy")
            )
            for name in ("o", "p"):
                assert found[name].tobytes() == wanted[name].tobytes(), (dtype, rows, name)
