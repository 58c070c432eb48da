"""Random programs of the whole language: sugar, library macros, loops, functions, gradients.

Statements are made up from patterns without regard to their types; the builder judges each, and
one that it refuses is dropped, so that every program is valid and nothing here repeats the
language's rules. Sizes lie around the edges of the folds now and then; symbols have names that
are words of C; about one program in ten has an index that may lie outside its axis. Refuses
nothing: every seed gives a program.

    python tools/generate_hard.py SEED [--statements N]
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from generate import SPECIAL, Generated
from hard_patterns import BLOCKS, PATTERNS, Pattern

from gradir.ir.build import build
from gradir.ir.table import Table
from gradir.ir.types import BOOL, DTYPES, F32, I32, Dim, DType, Extent, evaluate_extent, product
from gradir.text.diagnostics import GirError
from gradir.text.source import Source

DIMS = {"B": (1, 5), "int": (1, 3), "r1": (0, 3), "M.x": (2, 40)}
EDGES = [31, 32, 33, 63, 64, 65, 511, 512, 513, 1025, 4095, 4096, 4097, 8193]
WORDS = ["float", "restrict", "count", "lane", "r", "m1", "static.x", "k", "chunk", "i", "NAN"]
MAX_ELEMENTS = 20_000
FLOATS = [0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 1e-40, -1e-42, 1e30, 3.5, 0.1, 88.0, 1e-7]


@dataclass(frozen=True)
class Value:
    """A name that statements may use."""

    name: str
    dtype: DType
    shape: tuple[Extent, ...]

    @property
    def type(self) -> str:
        inside = ",".join(map(str, self.shape))
        return f"{self.dtype}[{inside}]" if self.shape else str(self.dtype)


class HardGenerator:
    """Makes one program; the patterns ask it for their pieces."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"hard {seed}")
        self.dims = {name: self.random.randint(*bounds) for name, bounds in DIMS.items()}
        self.lines = [f"dim {name} = {lo}..{hi}" for name, (lo, hi) in DIMS.items()]
        self.pool: list[Value] = []
        self.indices: dict[str, int] = {}  # stages of indices, and the size they index
        self.counter = 0
        self.failing = self.random.random() < 0.1
        self.wide = self.random.random() < 0.25
        self.table: Table = self.built("")

    # --- what patterns ask for ------------------------------------------------------------

    def fresh(self, stem: str = "v") -> str:
        self.counter += 1
        if self.random.random() < 0.05:
            stem = self.random.choice(WORDS)
        return f"{stem}.{self.counter}" if self.random.random() < 0.2 else f"{stem}_{self.counter}"

    def choice(self, *options: str) -> str:
        return self.random.choice(options)

    def integer(self, lo: int, hi: int) -> int:
        return self.random.randint(lo, hi)

    def pick(self, kinds: str = "float int bool", rank: int = 0, most: int = 4) -> Value:
        """A value of the pool, the latest above all, or a new source."""
        fitting = [v for v in self.pool if v.dtype.kind in kinds and rank <= len(v.shape) <= most]
        if fitting and self.random.random() < 0.85:
            return fitting[-1] if self.random.random() < 0.5 else self.random.choice(fitting[-15:])
        return self.source(self.dtype(kinds), self.sizes(self.integer(rank, max(rank, 2))))

    def dtype(self, kinds: str = "float int bool") -> DType:
        return self.random.choice([t for t in DTYPES.values() if t.kind in kinds])

    def size(self) -> Extent:
        roll = self.random.random()
        if roll < 0.2:
            names = [self.random.choice(list(DIMS)) for _ in range(1 + (roll < 0.03))]
            factor = self.random.choice([1, 1, 2])
            return product([factor, *(Dim(1, (name,)) for name in names)])
        if self.wide and roll < 0.35:
            return self.random.choice(EDGES)
        return self.random.choice([0, 1, 1, 2, 2, 3, 4, 5])

    def sizes(self, rank: int) -> tuple[Extent, ...]:
        found: list[Extent] = []
        while len(found) < rank:
            size = self.size()
            if self.elements((*found, size)) <= MAX_ELEMENTS:
                found.append(size)
        return tuple(found)

    def elements(self, shape: tuple[Extent, ...]) -> int:
        total = 1
        for extent in shape:
            total *= evaluate_extent(extent, self.dims)
        return total

    def literal(self, dtype: DType) -> str:
        text = self.random.choice(SPECIAL[dtype.kind])
        return text if dtype in (F32, I32, BOOL) else f"{text}:{dtype}"

    def source(self, dtype: DType, shape: tuple[Extent, ...]) -> Value:
        """A new input, buffer or constant."""
        value = Value(self.fresh("x"), dtype, shape)
        roll = self.random.random()
        symbolic = any(not isinstance(size, int) for size in shape)
        if roll < 0.6 or symbolic or self.elements(shape) > 64:
            line = [f"%{value.name} = stage {value.type}"]
        elif roll < 0.85:
            buffer = f"{value.name}.b"
            line = [
                f"%{buffer} = buffer {value.type} init={self.literal(dtype)}",
                f"%{value.name} = load %{buffer}",
            ]
        else:
            line = [f"%{value.name} = const {value.type} {self.array(dtype, shape)}"]
        self.attempt(line)
        return value

    def array(self, dtype: DType, shape: tuple[Extent, ...]) -> str:
        if not shape:
            return self.literal(dtype)
        (size, *rest) = shape
        assert isinstance(size, int)
        return "[" + ", ".join(self.array(dtype, tuple(rest)) for _ in range(size)) + "]"

    def like(self, value: Value) -> str:
        """An operand that broadcasts with a value."""
        same = [v for v in self.pool if v.dtype is value.dtype and v.shape == value.shape]
        roll = self.random.random()
        if roll < 0.55 and same:
            return f"%{self.random.choice(same).name}"
        if roll < 0.75:
            return self.literal(value.dtype)
        shape = tuple(s if self.random.random() < 0.6 else 1 for s in value.shape)
        return f"%{self.source(value.dtype, shape[self.integer(0, len(shape)) :]).name}"

    def index(self, size: Extent, shape: tuple[Extent, ...]) -> str:
        """Indices into an axis: an input, within it but in programs that may fail."""
        name = self.fresh("at")
        self.indices[name] = evaluate_extent(size, self.dims)
        self.attempt([f"%{name} = stage {self.choice('i32', 'i32', 'i64')}[{_list(shape)}]"])
        return f"%{name}"

    def ancestor(self, value: Value) -> Value:
        """A float value that another is computed from, itself included."""
        stack, seen = [self.table.names[value.name]], set[int]()
        while stack:
            id = stack.pop()
            if id not in seen:
                seen.add(id)
                stack.extend(self.table[id].operands)
        names = self.table.names
        found = [v for v in self.pool if v.dtype.is_float and names[v.name] in seen]
        return self.random.choice(found[:-1] or found or [value])

    def axis(self, value: Value) -> int:
        rank = len(value.shape)
        return self.integer(-rank, rank - 1) if rank else 0

    def axes(self, value: Value) -> list[int]:
        rank = len(value.shape)
        return self.random.sample(range(rank), self.integer(0, rank))

    def order(self, value: Value) -> list[int]:
        return self.random.sample(range(len(value.shape)), len(value.shape))

    def buffer(self, dtype: DType, shape: tuple[Extent, ...]) -> str:
        name = self.fresh("cell")
        self.attempt([f"%{name} = buffer {dtype}[{_list(shape)}] init={self.literal(dtype)}"])
        return name

    # --- statements -----------------------------------------------------------------------

    def built(self, more: str) -> Table:
        return build(Source("<hard>", "\n".join([*self.lines, more]) + "\n")).table

    def attempt(self, lines: list[str]) -> bool:
        """Add lines unless the builder refuses them or they make too much; note what they name."""
        try:
            table = self.built("\n".join(lines))
        except GirError:
            return False
        if any(self.elements(node.type.shape) > MAX_ELEMENTS for node in table.nodes):
            return False
        known = set(self.table.names)
        self.table = table
        self.lines += lines
        for name, id in table.names.items():
            node = table[id]
            closed = id in table.regions or node.op.name in ("buffer", "range")
            if name not in known and not closed:
                self.pool.append(Value(name, node.type.dtype, node.type.shape))
        return True

    def statement(self) -> None:
        if self.random.random() < 0.22:
            block: Callable[[HardGenerator], list[str]] = self.random.choice(BLOCKS)
            self.attempt(block(self))
            return
        pattern: Pattern = self.random.choice(PATTERNS)
        x = self.pick(pattern.kinds, pattern.rank)
        self.attempt([f"%{self.fresh()} = {pattern.text(self, x)}"])

    def program(self, statements: int) -> Generated:
        for _ in range(statements):
            self.statement()
        used = {operand for node in self.table.nodes for operand in node.operands}
        ends = [v for v in self.pool if self.table.names[v.name] not in used]
        shown = ends + self.random.sample(self.pool, min(3, len(self.pool)))
        for number, value in enumerate(shown):
            self.attempt([f"output %{value.name} name=o{number}"])
        rng = np.random.default_rng(self.counter)
        inputs = {n: self.numbers(rng, n, id) for n, id in self.table.stages.items()}
        return Generated("\n".join(self.lines) + "\n", inputs, dict(self.dims))

    def numbers(self, rng: np.random.Generator, name: str, id: int) -> np.ndarray:
        """An input, special values among its numbers."""
        type = self.table.type(id)
        shape = tuple(evaluate_extent(extent, self.dims) for extent in type.shape)
        numpy = type.dtype.numpy
        if name in self.indices:
            slack = 1 if self.failing and rng.random() < 0.4 else 0
            return rng.integers(-slack, max(self.indices[name], 1) + slack, shape).astype(numpy)
        if type.dtype is BOOL:
            return rng.integers(0, 2, shape).astype(bool)
        if type.dtype.is_int:
            lo, hi = type.dtype.int_range
            edges = rng.choice(np.array([lo, hi, 0, 1]), shape)
            numbers = rng.integers(-4 if lo else 0, 9, shape)
            return np.where(rng.random(shape) < 0.1, edges, numbers).astype(numpy)
        numbers = rng.standard_normal(shape) * rng.choice([0.1, 1.0, 30.0])
        special = rng.choice(np.array(FLOATS), shape)
        share = rng.choice([0.0, 0.02, 0.1])
        return np.where(rng.random(shape) < share, special, numbers).astype(numpy)


def _list(shape: tuple[Extent, ...]) -> str:
    return ",".join(map(str, shape))


def generate_hard(seed: int, statements: int = 14) -> Generated:
    """The program of a seed."""
    return HardGenerator(seed).program(statements)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("--statements", type=int, default=14)
    options = parser.parse_args()
    print(generate_hard(options.seed, options.statements).text, end="")


if __name__ == "__main__":
    main()
