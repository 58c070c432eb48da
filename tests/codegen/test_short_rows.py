"""Functions in rows of a few elements, computed for several rows at once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from callgrind import count
from matrix_cases import Case
from test_bits import COMPILER, build, findings, made, numbers
from test_streams import special

from gradir import Program
from gradir.codegen.loops import For, Index, Let, Local, Put, Statement
from gradir.codegen.phases import ENOUGH, cut, row_of
from gradir.codegen.poly import number, variable
from gradir.ir.types import F32

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is neither gcc nor clang")
COLUMNS = (1, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 64, 127, 128, 129)
ROWS = (0, 1, 2, 3, 7, 8, 9, 17, 65)


def layer(dtype: str, rows: int | str, columns: int) -> str:
    """Of values by column, by row and by both: functions at once, of each other, used on."""
    shape = f"{dtype}[{rows},{columns}]"
    return f"""%x = stage {shape} name=x
%b = stage {dtype}[{columns}] name=b
%s = stage {dtype}[{rows},1] name=s
%z = add %x %b
output (tanh %z) name=tanh
%e = exp (mul %x %s)
output %e name=exp
output (add (mul %e %z) (sin (log (add %e %b)))) name=chain
output (mul (exp2 (add %z 1.0)) (add (tanh (mul %z %s)) %s)) name=two
output (cos (flip %z axes=[1])) name=flipped"""


def cases() -> Iterator[Case]:
    for dtype in ("f32", "f64"):
        for columns in COLUMNS:
            for rows in (0, 1, 9, 65) if columns != 16 else ROWS:
                x = special(dtype, rows * columns).reshape(rows, columns)
                b, s = numbers(dtype, columns), numbers(dtype, rows, 1)
                name = f"{dtype} {rows} {columns}"
                yield made(name, layer(dtype, rows, columns), x=x, b=b, s=s)
        text = "dim N = 0..100000\n" + layer(dtype, "N", 12)
        for rows in ROWS:
            x, b, s = (numbers(dtype, *shape) for shape in ((rows, 12), (12,), (rows, 1)))
            yield made(f"{dtype} N={rows}", text, {"N": rows}, x=x, b=b, s=s)
        text = f"""%x = stage {dtype}[3,50,20] name=x
%b = stage {dtype}[3,1,20] name=b
output (tanh (add %x (expand %b shape=[3,50,20]))) name=y"""
        yield made(f"{dtype} axes", text, x=numbers(dtype, 3, 50, 20), b=numbers(dtype, 3, 1, 20))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_bits(threads: int) -> None:
    assert findings([*cases()], build("O1", threads)) == []


def rows(
    columns: int, *before: Statement, apart: bool = True, stride: int | None = None
) -> tuple[For, For]:
    """A loop over rows of a memory, and the one over each that writes a function there."""
    row, column = variable("i1"), variable("k2")
    target = row * number(stride or columns) + column
    let = Let(F32, "t1", f"m5[{target}]", "tanh_f32")
    inner = For("k2", number(columns), [let, Put(7, target, "t1")], apart)
    return For("i1", number(100), [*before, inner], True), inner


def test_rows_that_are_taken_together() -> None:
    outer, inner = rows(ENOUGH // 2)
    assert row_of(outer) is inner
    let, index = Let(F32, "t0", "m3[i1]"), Index("q1", "m4[i1]")
    outer, inner = rows(8, index, let)
    assert row_of(outer) is inner
    assert row_of(rows(8, apart=False)[0]) is None
    assert row_of(rows(ENOUGH // 2 + 1)[0]) is None
    assert row_of(rows(3)[0]) is None
    assert row_of(rows(8, Let(F32, "t0", "m3[i1]", "exp_f32"))[0]) is None
    assert row_of(rows(8, Local(F32, "r0", 8))[0]) is None
    outer.apart = False
    assert row_of(outer) is None


def test_a_function_writes_rows_that_follow_one_another() -> None:
    outer, inner = rows(8)
    assert cut(inner, outer).homes == {"t1": "m7[8 * i1 + k2]"}
    assert cut(inner, outer).sources == {"t1": "m5[8 * i1 + k2]"}
    outer, inner = rows(8, stride=9)
    assert cut(inner).homes == {"t1": "m7[9 * i1 + k2]"}
    assert cut(inner, outer).homes == {"t1": "t1_s[8 * l + k2]"}
    assert cut(inner, outer).sources == {}


@pytest.mark.skipif(
    not (shutil.which("valgrind") and shutil.which("gcc")), reason="valgrind or gcc is missing"
)
def test_short_rows_cost_what_long_ones_do() -> None:
    """A function that is called for each row of 8 takes twice the instructions."""
    made = []
    for shape in ("1024,8", "16,512"):
        columns = shape.partition(",")[2]
        text = f"""%x = stage f32[{shape}] name=x
output (tanh (add %x (stage f32[{columns}] name=b))) name=y"""
        made.append(count(Program.parse(text)).total)
    assert made[0] < 1.25 * made[1]
