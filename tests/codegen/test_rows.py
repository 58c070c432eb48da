"""Nests over the same rows are one loop: which ones, with the same bits, and no more memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from matrix_cases import Case
from test_bits import COMPILER, build, findings, made, numbers

from gradir import Program
from gradir.codegen import phases, schedule
from gradir.codegen.loops import For, Let, Put
from gradir.codegen.memory import node_bytes
from gradir.codegen.order import memory_order
from gradir.codegen.poly import number, variable
from gradir.codegen.stages import Staged, stage
from gradir.codegen.steps import Check, Nest, Rows
from gradir.ir.types import F64
from gradir.runtime.program import example_names

NORM = """%x = stage {type}[{shape}]
%g = stage {type}[{n}]
%d = sub %x (mean %x axes={axis} keep=true)
%h = mul %d (rsqrt (add (mean (mul %d %d) axes={axis} keep=true) {eps}))
output (mul %h %g) name=y
"""
LOSS = "%l = sum (mul (tanh (mul %h %g)) %x)\n"
GRADIENTS = "output (gradient %l %x) name=dx\noutput (gradient %l %g) name=dg\n"
SOFTMAX = """%x = stage {type}[{shape}]
%past = le (iota i32[{shape}] axis={axis}) (iota i32[{shape}] axis={before})
%a = softmax (where %past %x -inf) axis={axis}
output %a name=a
output (gradient (sum (mul %a %a)) %x) name=dx
"""
ENTROPY = """%x = stage {type}[{shape}]
%labels = stage i32[{rows}]
%loss = cross_entropy %x %labels
output %loss name=loss
output (gradient %loss %x) name=dx
"""
# A row's number is asked for in other ways than by its row: other shapes of it, parts of it.
ROWS = """dim B = 0..40
%x = stage f32[B,6,10]
%w = stage f32[6,10]
%s = reduce %x op=add axes=[2]
%flat = reshape %s shape=[6*B]
%t = reshape (mul %flat %flat) shape=[B,6,1]
%y = add (mul %x (expand %t shape=[B,6,10])) (expand (reshape %w shape=[1,6,10]) shape=[B,6,10])
output %y name=y
output (reduce %y op=max axes=[2]) name=m
output (mul %flat 0.5) name=f
"""
# What lies outside an operand is not read, though it is the same for a whole row.
PADDED = """%x = stage f32[3,1]
%p = pad %x lo=[2,0] hi=[70000,0] value=1.5
%r = stage f32[70005,8]
%y = mul %r (expand %p shape=[70005,8])
output (reduce %y op=add axes=[1]) name=s
output %y name=y
"""

# Rows inside a loop of the program, which change what the next round reads.
REPEATED = """%x = stage f64[9,16]
%b = buffer f64[9,16]
store %b %x
%k = range 3
%v = load %b
%d = sub %v (mean %v axes=1 keep=true)
%r = rsqrt (add (mean (mul %d %d) axes=1 keep=true) (cast (add %k 1) dtype=f64))
store %b (mul %d %r)
end %k
output (load %b) name=last
"""

# Other rows and other columns than a loop's own: what is read there must be complete before.
OTHERS = """%x = stage f32[5,16]
%s = reduce %x op=add axes=[1]
%t = flip %s axes=[0]
%d = sub %x (expand (reshape %s shape=[5,1]) shape=[5,16])
%e = add %d (expand (reshape %t shape=[5,1]) shape=[5,16])
%f = add %e (flip %e axes=[1])
%g = mul %f (flip %d axes=[0])
output %f name=f
output (reduce %g op=add axes=[1]) name=g
output (mul (reduce (flip %g axes=[1]) op=max axes=[1]) %t) name=m
"""

# A row alone: what is computed once a row has one element, and is still the row's.
ALONE = """%x = stage f64[1,{n}]
%d = sub %x (mean %x axes=1 keep=true)
output (mean (mul %d %d) axes=1 keep=true) name=v
%w = reshape (reduce (mul %d %x) op=add axes=[1]) shape=[1,1]
output (mul (expand %w shape=[1,{n}]) %x) name=w
"""

# Folds of short rows: of all kinds, of terms that are computed, one in another, and of columns.
FOLDS = """%x = stage {type}[{shape}]
%e = exp (mul %x -0.5)
output (log (reduce %e op=add axes=[1])) name=s
output (reduce %x op=mul axes=[1] order=left) name=p
output (reduce (mul %x %x) op=max axes=[1]) name=m
output (reduce (mul (exp %x) -0.0) op=add axes=[1]) name=z
output (reduce (cast %x dtype=i32) op=max axes=[1]) name=i
output (reduce (cast (lt %x 0.0) dtype=i32) op=add axes=[1]) name=c
output (reduce (tanh (reduce (mul %e %x) op=add axes=[1])) op=add axes=[0]) name=t
output (reduce (mul %e 3.0) op=max axes=[0]) name=d
"""

LOGSUMEXP = """%x = stage {type}[{shape}]
%m = reduce %x op=max axes=[1]
%e = exp (sub %x (expand (reshape %m shape=[{rows}]) shape=[{shape}]))
output (add %m (log (reduce %e op=add axes=[1]))) name=y
"""

TYPES = ("f32", "f64")


def staged(text: str) -> Staged:
    return stage(Program.parse(text).table)


SHORT = [(b, n) for n in (2, 3, 4, 5, 10, 16, 31, 32) for b in (0, 1, 15, 64, 65, 131)]


def special(x: np.ndarray) -> np.ndarray:
    """Some numbers replaced: rows with an infinity, with NaN, of zeros of both signs."""
    rows = x.reshape(-1, x.shape[-1])
    for at, value in enumerate((np.inf, -np.inf, np.nan, 0.0, -0.0)):
        rows[at::13, at % x.shape[-1] :] = value
    return x


def short(dtype: str, b: int, n: int) -> Iterator[tuple[str, str, dict[str, np.ndarray]]]:
    """Programs whose rows are short, and of which there are B."""
    x, g = special(numbers(dtype, b, n)), numbers(dtype, n)
    labels = (np.arange(b, dtype=np.int32) * 5) % n
    shape, dim = f"B,{n}", "dim B = 0..300\n"
    norm = NORM.format(type=dtype, shape=shape, n=n, axis=1, eps=f"1e-5:{dtype}")
    yield "norm", dim + norm + LOSS + GRADIENTS, {"x": x, "g": g}
    yield "softmax", dim + SOFTMAX.format(type=dtype, shape=shape, axis=1, before=0), {"x": x}
    entropy = ENTROPY.format(type=dtype, shape=shape, rows="B")
    yield "entropy", dim + entropy, {"x": x, "labels": labels}
    logs = LOGSUMEXP.format(type=dtype, shape=shape, rows="B,1")
    yield "log of a sum of exp", dim + logs, {"x": x}
    yield "folds", dim + FOLDS.format(type=dtype, shape=shape), {"x": x}


def texts(dtype: str, n: int) -> Iterator[tuple[str, str, dict[str, np.ndarray]]]:
    shape, eps = f"2,7,{n}", f"1e-5:{dtype}"
    x, g = numbers(dtype, 2, 7, n), numbers(dtype, n)
    norm = NORM.format(type=dtype, shape=shape, n=n, axis=2, eps=eps)
    yield "norm", norm + LOSS + GRADIENTS, {"x": x, "g": g}
    yield "softmax", SOFTMAX.format(type=dtype, shape=shape, axis=2, before=1), {"x": x}
    labels = (np.arange(14, dtype=np.int32) * 5).reshape(2, 7) % n
    yield (
        "entropy",
        ENTROPY.format(type=dtype, shape=shape, rows="2,7"),
        {"x": x, "labels": labels},
    )


def cases() -> Iterator[Case]:
    for n in (1, 2, 3, 5, 7, 8, 10, 16, 24, 31, 32, 33, 63, 64, 100, 2048, 2049, 4100):
        dtype = TYPES[n % 2]
        for name, text, inputs in texts(dtype, n):
            yield made(f"{name} {dtype} {n}", text, **inputs)
    for b, n in SHORT:
        for name, text, inputs in short(TYPES[(b + n) % 2], b, n):
            yield made(f"{name} {b} x {n}", text, **inputs)
    for b in (0, 1, 3, 40):
        x, w = numbers("f32", b, 6, 10), numbers("f32", 6, 10)
        yield made(f"rows B = {b}", ROWS, x=x, w=w)
        text = "dim B = 0..40\n" + NORM.format(type="f32", shape="B,16", n=16, axis=1, eps="1e-5")
        inputs = {"x": numbers("f32", b, 16), "g": numbers("f32", 16)}
        yield made(f"norm B = {b}", text + LOSS + GRADIENTS, **inputs)
    for n in (2, 33, 1025):
        yield made(f"a row of {n}", ALONE.replace("{n}", str(n)), x=numbers("f64", 1, n))
    yield made("others", OTHERS, x=numbers("f32", 5, 16))
    yield made("repeated", REPEATED, x=numbers("f64", 9, 16))
    for hint in (False, True):
        inputs = {"x": numbers("f32", 40, 16)}
        for k in range(1, 6):
            inputs |= {f"w{k}": numbers("f32", 16, 16), f"g{k}": numbers("f32", 16)}
        yield made(f"chain, {hint}", chain(5, 16, hint), **inputs)
    yield made("padded", PADDED, x=numbers("f32", 3, 1), r=numbers("f32", 70005, 8))


@pytest.mark.skipif(COMPILER is None, reason="there is neither gcc nor clang")
@pytest.mark.parametrize(("level", "threads"), [("O1", 1), ("O2", 1), ("O2", 3)])
def test_bits_of_rows(level: str, threads: int) -> None:
    assert findings(list(cases()), build(level, threads)) == []


def rows_of(text: str) -> list[Rows]:
    return [step for step in staged(text).schedule.steps if isinstance(step, Rows)]


def test_a_normalisation_is_one_loop_and_its_parts_are_never_in_memory() -> None:
    text = NORM.format(type="f32", shape="B,7,48", n=48, axis=2, eps="1e-5")
    text = "dim B = 1..64\n" + text
    program = staged(text)
    assert len(program.calls) == 1
    assert program.memory.arena == {}
    (rows,) = rows_of(text)
    assert rows.columns == 48
    assert [phase.full for phase in rows.phases] == [False, True, False, True]
    assert len(rows.local) == 1  # the centred row; the rest is in variables


def test_a_condition_stays_before_the_read_it_guards() -> None:
    """Though the element of the pad is the same for the whole row."""
    assert re.search(r"< \(uint64_t\)\(3\)[^\n]* \? m\d+\[", staged(PADDED).text())


def test_short_rows_lie_side_by_side() -> None:
    """One loop over the rows does all of a row, and functions have a span of rows at once."""
    text = SOFTMAX.format(type="f32", shape="B,3", axis=1, before=0)
    kernel = staged("dim B = 1..64\n" + text).text().partition("gir_group")[0]
    assert kernel.count("gir_map_exp_f32(") == 3
    assert "gir_exp_f32(" not in kernel
    assert "< 3;" not in kernel  # no loop over a row


def test_rows_of_a_few_columns_are_done_in_blocks() -> None:
    """A function and a fold have a column of many rows at once; longer rows stand alone."""
    for dtype, n, blocks in (("f32", 10, 1), ("f64", 10, 1), ("f32", 32, 0), ("f64", 16, 0)):
        text = SOFTMAX.format(type=dtype, shape=f"B,{n}", axis=1, before=0)
        kernel = staged("dim B = 1..64\n" + text).text().partition("gir_group")[0]
        assert kernel.count("+= 64) {") == blocks, (dtype, n)


@pytest.mark.parametrize("n", [3, 10])
def test_a_loss_and_its_gradient_are_one_loop(n: int) -> None:
    """The labels are checked first; which class is a row's own is never in memory, and the folds
    inside the mean are done with the rows."""
    text = ENTROPY.format(type="f32", shape=f"512,{n}", rows="512")
    program = staged(text)
    check, rows, loss = program.schedule.steps
    assert isinstance(check, Check) and isinstance(rows, Rows) and isinstance(loss, Nest)
    assert loss.shape == ()
    assert all(program.table.type(id).shape == (512,) for id in program.memory.arena)


@pytest.mark.parametrize("n", [3, 10, 31])
def test_functions_once_a_row_have_many_rows_at_once(n: int) -> None:
    text = staged(LOGSUMEXP.format(type="f32", shape=f"512,{n}", rows="512,1")).text()
    assert "gir_map_log_f32(" in text and "gir_map_exp_f32(" in text
    assert "gir_log_f32(" not in text and "gir_exp_f32(" not in text


def test_a_check_stays_behind_what_makes_its_indices() -> None:
    """And behind a check that fails first."""
    text = """%x = stage f32[8,3]
%i = stage i32[8]
%y = mul %x 2.0
%j = cast (reduce %y op=max axes=[1]) dtype=i32
output (take %x %i axis=0) name=a
output (mul %y (take %y %j axis=0)) name=b
"""
    steps = staged(text).schedule.steps
    checks = [at for at, step in enumerate(steps) if isinstance(step, Check)]
    made = [at for at, step in enumerate(steps) if not isinstance(step, Check)]
    assert checks[0] == 0 and made[0] < checks[1]


def test_few_rows_are_not_done_in_blocks() -> None:
    for rows, blocks in ((63, 0), (64, 1)):
        text = SOFTMAX.format(type="f32", shape=f"{rows},10", axis=1, before=0)
        assert staged(text).text().count("+= 64) {") == blocks


def test_rows_of_a_length_that_no_array_has_are_not_joined() -> None:
    for n in ("4096", "N"):
        text = "dim N = 1..100\n" if n == "N" else ""
        text += NORM.format(type="f32", shape=f"9,{n}", n=n, axis=1, eps="1e-5")
        assert rows_of(text) == []


def live(program: Staged) -> int:
    """The most bytes of the arena that any call needs, without gaps."""
    dims = {name: most for name, (_, most) in program.table.dims.items()}
    lives = program.memory.arena.items()
    return max(
        (
            sum(node_bytes(program.table, node, dims) for node, (a, b) in lives if a <= at <= b)
            for at in range(len(program.calls))
        ),
        default=0,
    )


def chain(depth: int, width: int, hint: bool) -> str:
    """Layers with a normalisation in each, and all gradients."""
    lines = [f"%h0 = stage f32[40,{width}] name=x"]
    for k in range(1, depth + 1):
        lines.append(f"%w{k} = stage f32[{width},{width}]\n%g{k} = stage f32[{width}]")
        lines.append(f"%n{k} = mul (layer_norm %h{k - 1}) %g{k}")
        lines.append(f"%h{k} = add %h{k - 1} (gelu (matmul %n{k} %w{k}))")
    lines.append(f"%loss = reduce (mul %h{depth} %h{depth}) op=add")
    kept = ", ".join(f"%h{k}" for k in range(3, depth, 3))
    for k in range(1, depth + 1):
        for name in "wg":
            hinted = f" checkpoint=[{kept}]" if hint else ""
            lines.append(f"output (gradient %loss %{name}{k}{hinted}) name={name}{k}")
    return "\n".join(lines) + "\n"


PROGRAMS = {
    **{name: f"example:{name}" for name in example_names() if name != "map30_scalar"},  # too large
    **{f"{w} wide, {h}": chain(9, w, h) for w in (16, 300) for h in (False, True)},
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_more_memory_lives_at_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = PROGRAMS[name]
    program = Program.load(source) if source.startswith("example:") else Program.parse(source)
    joined = stage(program.table)
    monkeypatch.setattr(schedule, "fuse", lambda steps, walk, late: list(steps))
    apart = stage(program.table)
    assert live(joined) <= live(apart)
    assert len(joined.calls) <= len(apart.calls)


# --- loops with elementary functions --------------------------------------------------------


def test_what_a_function_does_not_need_is_computed_after_it() -> None:
    """Of a(i) * 0.5, exp(b(i)), and their product only the exponential waits in an array."""
    body = [
        Let(F64, "t1", "m1[i]"),
        Let(F64, "t2", "t1 * 0.5"),
        Let(F64, "t3", "m2[i]"),
        Let(F64, "t4", "t3 + t3", "exp_f64"),
        Let(F64, "t5", "t2 * t4"),
        Let(F64, "t6", "t5 + t3"),
        Put(3, variable("i"), "t6"),
    ]
    cut = phases.cut(For("i", number(64), body))  # type: ignore[arg-type]
    assert list(cut.arrays) == ["t4"]
    first, second = ([getattr(s, "name", "put") for s in phase.body] for phase in cut.phases)
    assert first == ["t3", "t4"]
    assert second == ["t1", "t2", "t3", "t5", "t6", "put"]


def test_what_takes_two_values_stays_where_they_are() -> None:
    """t3 is one value that waits; to compute it later two would have to."""
    body = [
        Let(F64, "t1", "m1[i] + 1.0"),
        Let(F64, "t2", "t1 * t1"),
        Let(F64, "t3", "t1 + t2"),
        Let(F64, "t4", "t1 * t2", "exp_f64"),
        Put(3, variable("i"), "t3 + t4"),
    ]
    cut = phases.cut(For("i", number(64), body))  # type: ignore[arg-type]
    assert set(cut.arrays) == {"t3", "t4"}
    assert [getattr(s, "name", "put") for s in cut.phases[1].body] == ["put"]


# --- order ----------------------------------------------------------------------------------


def test_what_reads_the_same_in_the_same_loops_comes_together() -> None:
    """2 and 5 read 1; 5 is only needed by the small 6, so it need not wait for 3 and 4."""
    reads: dict[int, set[int]] = {1: set(), 2: {1}, 3: {2}, 4: {3}, 5: {1}, 6: {5}}
    size = {1: 90, 2: 90, 3: 90, 4: 1, 5: 90, 6: 1}
    space = {2: "rows", 3: "rows", 5: "rows"}
    assert memory_order([*reads], reads, size, space)[:4] == [1, 2, 5, 6]
    size[6] = 90
    assert memory_order([*reads], reads, size, space)[:3] == [1, 2, 3]
    size[6], space[5] = 1, "others"
    assert memory_order([*reads], reads, size, space)[:3] == [1, 2, 3]
