"""Loops over long arrays: functions from memory to memory, and results written past the caches."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import numpy as np
import pytest
from callgrind import count
from matrix_cases import Case
from test_bits import COMPILER, build, findings, made, numbers

from gradir import Program
from gradir.codegen import emit_c, statements
from gradir.codegen.phases import in_a_run
from gradir.ir.types import DTYPES

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is neither gcc nor clang")
needs_tools = pytest.mark.skipif(
    not (shutil.which("valgrind") and shutil.which("gcc")), reason="valgrind or gcc is missing"
)
FUNCTIONS = ("exp", "exp2", "log", "log2", "sin", "cos", "tanh", "erf")
SIZES = (0, 1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 129, 1031)


def special(dtype: str, n: int) -> np.ndarray:
    """Numbers, with infinities, zeros, subnormals and NaNs of both signs at odd places."""
    x = numbers(dtype, n)
    hard = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-310, 1e-40, 1e30, -200.0])
    with np.errstate(over="ignore"):
        x[1::3] = np.resize(hard, len(x[1::3])).astype(x.dtype)
    return x


def all_functions(type: str) -> str:
    """Each function to an output; of a computed argument; its value used on; of another's value;
    in reversed order, which is no run."""
    lines = [f"%x = stage {type} name=x"]
    for f in FUNCTIONS:
        lines.append(f"output ({f} %x) name={f}")
        lines.append(f"output ({f} (mul %x 0.5)) name={f}.half")
    lines.append("%e = exp %x\noutput %e name=e\noutput (add (mul %e %e) (log %e)) name=on")
    lines.append("output (exp (log (sin %x))) name=chain")
    lines.append("output (exp (flip %x axes=[0])) name=flipped")
    return "\n".join(lines)


def function_cases() -> Iterator[Case]:
    for dtype in ("f32", "f64"):
        for n in SIZES:
            type = f"{dtype}[{n}]"
            yield made(type, all_functions(type), x=special(dtype, n))
        text = "dim N = 0..100000\n" + all_functions(f"{dtype}[N]")
        for n in SIZES:
            yield made(f"{dtype} N={n}", text, {"N": n}, x=special(dtype, n))


def log_cases() -> Iterator[Case]:
    """Numbers that the quick form leaves in doubt: none of them, some, all; ends of its spans."""
    rng = np.random.default_rng(5)
    text = "%x = stage f32[N] name=x\n%y = log %x\noutput %y name=y\noutput (log2 %x) name=z\n"
    text += "output (log (mul %x %x)) name=s\noutput (mul %y (log2 (add %y 2.0))) name=c"
    for n in (511, 512, 513, 1031, 2047, 2048, 2049, 2064, 4100):
        for name, x in (
            ("near 1", rng.uniform(0.999, 1.001, n)),
            ("far", rng.uniform(2, 1000, n)),
            ("special", special("f32", n)),
            ("none is normal", rng.uniform(-1e-38, 1e-38, n)),
        ):
            values = x.astype(np.float32)
            yield made(f"log {name} {n}", text.replace("N", str(n)), x=values)


def row_cases() -> Iterator[Case]:
    """Rows whose functions write where the next phase reads."""
    for columns in (2, 31, 64, 65, 100, 257, 2049):
        for dtype in ("f32", "f64"):
            text = f"%x = stage {dtype}[5,{columns}] name=x\noutput (softmax %x) name=y\n"
            text += "output (sum (exp %x) axes=1) name=s\n"
            text += "output (reduce (sin %x) op=max axes=[1]) name=m"
            yield made(f"{dtype} {columns}", text, x=numbers(dtype, 5, columns))
            x = special(dtype, 5 * columns).reshape(5, columns)
            yield made(f"{dtype} {columns} special", text, x=x)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_functions_from_memory_to_memory(threads: int) -> None:
    cases = [*function_cases(), *log_cases(), *row_cases()]
    assert findings(cases, build("O1", threads)) == []


def test_logarithms_of_many_elements_have_a_form_of_their_own() -> None:
    for size, many in (("511", False), ("512", True), ("N", True), ("3,600", True)):
        text = f"dim N = 0..100000\noutput (log (stage f32[{size}] name=x)) name=y"
        compiled = Program.parse(text).compile(backend="c").engine.text
        assert ("gir_map_many_log_f32(" in compiled) == many


def test_what_is_a_run() -> None:
    for element in ("m3[i2]", "r5_row[i2]", "m3[1024 * i1 + i2]", "m0[i2 + 7]", "m1[7 + i2]"):
        assert in_a_run(element, "i2")
    for element in ("m3[2 * i2]", "m3[i1]", "m3[i1 * i2 + i2]", "m3[-1 * i2 + 9]", "m3[i2 + i2]"):
        assert not in_a_run(element, "i2")
    for expression in ("t3", "m3[i2] + m4[i2]", "m3[i2 + m4[i2]]", "(m3[i2])", "f(m3[i2])"):
        assert not in_a_run(expression, "i2")


# --- past the caches ------------------------------------------------------------------------


def stream_cases() -> Iterator[Case]:
    """Results of every element type, several of a loop, in rows of their own, of one thread's part
    or a few elements."""
    for n in (1, 127, 128, 129, 1024, 1031, 5000):
        for dtype in DTYPES:
            kind = "f32" if dtype == "bool" else dtype
            text = f"%x = stage {kind}[{n}] name=x\n"
            if dtype == "bool":
                text += "output (lt %x 0.5) name=y"
            else:
                text += "output (add %x (mul %x %x)) name=y\noutput (max %x 3) name=z"
                text = text.replace("3)", "3.0)") if kind[0] == "f" else text
            values = special(kind, n) if kind[0] == "f" else np.arange(n)
            yield made(f"{dtype}[{n}]", text, x=values.astype(DTYPES[kind].numpy))
    for shape in ((3, 1500), (1500, 3), (2, 2, 1100)):
        axes = ",".join(map(str, shape))
        text = f"%x = stage f32[{axes}] name=x\n%b = stage f32[{shape[-1]}] name=b\n"
        text += "output (add %x %b) name=y\noutput (flip %x axes=[1]) name=f\n"
        text += "output (softmax (mul %x %b)) name=s"
        yield made(axes, text, x=numbers("f32", *shape), b=numbers("f32", shape[-1]))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_streams(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emit_c, "STREAMED", 1)
    monkeypatch.setattr(statements, "LEAST_STREAM", 1)
    assert findings(list(stream_cases()), build("O1", threads)) == []


@pytest.mark.parametrize("shift", range(0, 64, 4))
def test_streams_to_memory_that_begins_anywhere(shift: int) -> None:
    n = (1 << 23) + 77
    program = Program.parse(f"output (mul (stage f32[{n}] name=x) 3.0) name=y")
    x = np.arange(n, dtype=np.float32)
    room = np.zeros(4 * n + 128, np.uint8)
    start = -room.ctypes.data % 64 + shift
    y = room[start : start + 4 * n].view(np.float32)
    program.compile(backend="c").bind({"x": x}, out={"y": y})()
    assert (y == x * np.float32(3)).all()
    assert not room[:start].any() and not room[start + 4 * n :].any()


def test_only_large_results_are_streamed() -> None:
    for n, large in ((1 << 23, True), ((1 << 23) - 1, False)):
        program = Program.parse(f"output (mul (stage f32[{n}] name=x) 3.0) name=y")
        assert ("gir_stream(" in program.compile(backend="c").engine.text.split("gir_k1")[1]) == (
            large
        )


# --- what it costs --------------------------------------------------------------------------


def cost(text: str) -> int:
    return count(Program.parse(text)).total


@needs_tools
def test_instructions_of_functions_folds_and_maxima() -> None:
    """Of AVX2's eight lanes. What it took with a copy to a span and back, with a column's rows one
    by one, with a maximum's comparisons one by one, with each doubt about a logarithm settled as it
    arises, with the columns of several matrices one by one, what is squared in memory, and
    computed terms in one chain: 8.6, 21, 1.08, 1.8, 11.8, 14.3, 29 (maxima 16), 1.8, 29 each."""
    x = "(stage f32[16384] name=x)"
    assert cost(f"output (exp2 {x}) name=y") < 7.5 * 16384
    x = '(load (buffer f32[16384] name="b" init="uniform:0.9:1.1:1"))'
    assert cost(f"output (log {x}) name=y") < 12 * 16384
    x = "(stage f32[100,2] name=x)"
    assert cost(f"output (sum {x} axes=0) name=y") < 3 * 200
    x = "(stage f32[256,4096] name=x)"
    assert cost(f"output (sum {x} axes=0) name=y") < 0.7 * 256 * 4096
    x = "(stage f32[4,256,1024] name=x)"
    assert cost(f"output (sum {x} axes=1) name=y") < 0.7 * 4 * 256 * 1024
    assert cost(f"output (reduce {x} op=max axes=[1]) name=y") < 2 * 4 * 256 * 1024
    x = "%x = stage f32[65536] name=x\n%d = sub %x (mul %x 0.5)\n"
    assert cost(f"{x}output (sum (mul %d %d)) name=y") < 1.5 * 65536
    assert cost(f"{x}output (reduce (max %d 0.5) op=max axes=[0]) name=y") < 4 * 65536
    x = '%b = buffer f32[64,1024] name="b" init="normal:1:1"\n%x = load %b\n'
    assert cost(f"{x}output (reduce %x op=max axes=[1]) name=y") < 0.8 * 64 * 1024
    assert cost(f"{x}output (softmax %x) name=y") < 10.5 * 64 * 1024


@needs_tools
def test_instructions_of_a_row_s_end() -> None:
    """The lanes of a row are folded in vectors, and so are elements that fill none: one by one, it
    took 207 instructions for a sum of 100, 164 for their maximum, 107 for that of 7."""
    for columns, op, bound in ((100, "add", 80), (100, "max", 135), (7, "max", 50)):
        x = f'%b = buffer f32[64,{columns}] name="b" init="normal:1:1"\n%x = load %b\n'
        assert cost(f"{x}output (reduce %x op={op} axes=[1]) name=y") < bound * 64
