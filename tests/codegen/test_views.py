"""Products of views: bits, and that nothing is moved where strides say where it lies."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator

import numpy as np
import pytest
from callgrind import count
from matrix_cases import Case
from test_bits import COMPILER, build, findings, made, numbers

from gradir import Program
from gradir.codegen.lower import lower
from gradir.codegen.poly import number
from gradir.codegen.schedule import make_schedule
from gradir.codegen.strides import reshaped
from gradir.passes import optimise
from gradir.reference.plan import effects, make_plan

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is neither gcc nor clang")
SIZES = [1, 2, 3, 7, 8, 9, 16, 17, 33]


def written(shape: list[int]) -> str:
    return f"[{','.join(map(str, shape))}]"


def below(shape: list[int], rng: random.Random) -> tuple[list[int], str]:
    """A shape, and the movement that makes the given one of it."""
    kind = rng.choice(["permute", "permute", "reshape", "reshape", "shrink", "expand"])
    if kind == "permute":
        axes = rng.sample(range(len(shape)), len(shape))
        inner = [0] * len(shape)
        for at, axis in enumerate(axes):
            inner[axis] = shape[at]
        return inner, f"permute {{}} axes={axes}".replace(" axes=[", " axes=[")
    if kind == "shrink":
        lo = [rng.choice([0, 0, 1, 3]) for _ in shape]
        inner = [size + at + rng.choice([0, 0, 2]) for size, at in zip(shape, lo, strict=True)]
        return inner, f"shrink {{}} lo={lo} shape={written(shape)}"
    if kind == "expand":
        inner = [rng.choice([size, size, 1]) for size in shape]
        return inner, f"expand {{}} shape={written(shape)}"
    at = rng.randrange(len(shape))
    if at and rng.random() < 0.5:
        inner = [*shape[: at - 1], shape[at - 1] * shape[at], *shape[at + 1 :]]
    else:
        factor = next((f for f in (2, 3, 4, 5) if shape[at] and shape[at] % f == 0), 1)
        inner = [*shape[:at], shape[at] // factor, factor, *shape[at + 1 :]]
    return inner, f"reshape {{}} shape={written(shape)}"


def viewed(name: str, shape: list[int], rng: random.Random) -> tuple[str, list[int], list[str]]:
    """An expression of a shape that moves %name, the shape of that, and expressions on the way."""
    moves = []
    for _ in range(rng.randrange(4)):
        shape, move = below(shape, rng)
        moves.append(move)
    expression, seen = f"%{name}", []
    for move in reversed(moves):
        expression = f"({move.format(expression)})"
        seen.append(expression)
    return expression, shape, seen


def products(first: int, count: int) -> Iterator[Case]:
    for seed in range(first, first + count):
        rng = random.Random(seed)
        batch = [rng.choice([1, 2, 3, 0 if seed % 20 == 0 else 4]) for _ in range(rng.randrange(3))]
        m, n = rng.choice(SIZES), rng.choice(SIZES)
        k = rng.choice([0, 1, 5, 16, 64, 513])
        dtype = rng.choice(["f32", "f32", "f64", "i32"])
        a, a_shape, a_seen = viewed("a", [*batch, m, k], rng)
        b, b_shape, b_seen = viewed("b", [*batch, k, n], rng)
        text = f"%x = stage {dtype}{written(a_shape)}\n%y = stage {dtype}{written(b_shape)}\n"
        text += f"%a = {rng.choice(['add %x %x', 'mul %x %x'])}\n"
        text += f"%b = add %y %y\n%c = matmul {a} {b}\n"
        moved, shape = "%c", [*batch, m, n]
        if rng.random() < 0.7:
            axes = rng.sample(range(len(shape)), len(shape))
            moved, shape = f"(permute %c axes={axes})", [shape[axis] for axis in axes]
        if rng.random() < 0.5:
            at = rng.randrange(1, len(shape))
            shape = [*shape[: at - 1], shape[at - 1] * shape[at], *shape[at + 1 :]]
            moved = f"(reshape {moved} shape={written(shape)})"
        text += f"%d = {moved.strip('()')}\noutput %d name=d\n"
        if len(shape) > 1 and rng.random() < 0.6:
            swapped = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
            text += f"output (matmul %d (permute %d axes={swapped})) name=e\n"
            text += "output (reduce %d op=max) name=f\n" * (rng.random() < 0.5)
        text += "output %c name=c\n" * (rng.random() < 0.2)
        for at, expression in enumerate([*a_seen, *b_seen]):
            if rng.random() < 0.2:
                text += f"output (cast {expression} dtype=f64) name=v{at}\n"
        text = text.replace(", ", ",")
        x, y = numbers(dtype, *a_shape), numbers(dtype, *b_shape)
        if dtype != "i32" and x.size > 2 and seed % 4 == 0:
            x.ravel()[-2:] = np.nan, np.inf
        yield made(f"{seed}: {text}", text, x=x, y=y)


@needs_compiler
@pytest.mark.parametrize(("level", "threads"), [("O0", 1), ("O2", 2), ("O1", 3)])
def test_products_of_views(level: str, threads: int) -> None:
    assert findings(list(products(1000 * threads, 70)), build(level, threads=threads)) == []


def heads(batch: str, places: str, width: int, more: str = "") -> str:
    """Attention of 8 columns a head: its parts of one memory, mixed, made rows again."""
    split = f"[{batch},{places},{width // 8},8]"
    parts = (
        f"permute (reshape (shrink %x lo=[0,0,{lo}] shape=[{batch},{places},{width}])"
        f" shape={split}) axes=[0,2,1,3]"
        for lo in (0, width, 2 * width)
    )
    lines = [
        f"{more}%s = stage f32[{batch},{places},{3 * width}]",
        f"%w = stage f32[{width},{width}]",
        "%x = add %s 1.0",
        *(f"%{name} = {part}" for name, part in zip("qkv", parts, strict=True)),
        "%a = max (matmul %q (permute %k axes=[0,1,3,2])) 0.0",
        "%mixed = permute (matmul %a %v) axes=[0,2,1,3]",
        f"output (matmul (reshape %mixed shape=[{batch}*{places},{width}]) %w) name=o",
    ]
    return "\n".join([*lines, ""])


SYMBOLS = "dim B = 0..100\ndim P = 0..100\n"


def kernels(text: str) -> list[str]:
    """Of each kernel the operation that it is headed by."""
    table = optimise(Program.parse(text).table)
    schedule = make_schedule(table, make_plan(table, effects(table)))
    return [table[kernel.nodes[0]].op.name for kernel in lower(schedule)]


@pytest.mark.parametrize("sizes", [("4", "16", 32), ("B", "P", 32, SYMBOLS)])
def test_heads_are_not_moved(sizes: tuple[str, str, int]) -> None:
    """Neither q, k, v nor what is mixed."""
    found = kernels(heads(*sizes))
    assert found == ["add", "matmul", "max", "matmul", "matmul", "output"]


@needs_compiler
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_heads_of_symbolic_sizes(threads: int) -> None:
    text = heads("B", "P", 16, SYMBOLS)
    cases = [
        made(f"{b} {p}", text, s=numbers("f32", b, p, 48), w=numbers("f32", 16, 16))
        for b, p in ((0, 3), (3, 0), (1, 1), (2, 7), (3, 33), (1, 70))
    ]
    assert findings(cases, build(threads=threads)) == []


def test_a_part_of_what_is_computed_is_computed_alone() -> None:
    """Where nothing else is asked for, a shrink is not read through."""
    text = "%x = stage f32[64,512]\n%w = stage f32[16,8]\n"
    part = "output (matmul (shrink (exp %x) lo=[0,496] shape=[64,16]) %w) name=o\n"
    assert kernels(text + part) == ["shrink", "matmul", "output"]
    whole = "%e = exp %x\noutput %e name=e\n" + part.replace("(exp %x)", "%e")
    assert kernels(text + whole)[0] != "shrink"


def test_a_matrix_for_a_whole_batch_is_not_copied() -> None:
    text = "%x = stage f32[5,7,9]\n%w = stage f32[9,4]\n"
    text += "output (matmul %x (expand (reshape %w shape=[1,9,4]) shape=[5,9,4])) name=o\n"
    assert kernels(text) == ["matmul", "output"]


@pytest.mark.parametrize(
    ("shape", "strides", "wanted", "found"),
    [
        ((4, 6), (6, 1), (24,), (1,)),
        ((4, 6), (8, 1), (24,), None),
        ((4, 6), (8, 1), (2, 2, 3, 2), (16, 8, 2, 1)),
        ((4, 6), (1, 4), (4, 2, 3), (1, 12, 4)),
        ((4, 6), (1, 4), (6, 4), None),
        ((4, 1, 6), (6, 77, 1), (2, 12), (12, 1)),
        ((2, 3), (0, 0), (6,), (0,)),
        ((0, 3), (3, 1), (3, 0), None),
        ((), (), (1,), (1,)),
    ],
)
def test_strides_of_a_reshape(
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    wanted: tuple[int, ...],
    found: tuple[int, ...] | None,
) -> None:
    made = reshaped(shape, tuple(map(number, strides)), wanted)
    assert made == (None if found is None else tuple(map(number, found)))


# Instructions of AVX2 code; where heads are moved it takes 223,000.
@pytest.mark.skipif(
    not (shutil.which("valgrind") and shutil.which("gcc")), reason="valgrind or gcc is missing"
)
def test_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "gcc")
    assert count(Program.parse(heads("4", "32", 32))).total <= 214_000
