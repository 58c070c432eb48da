"""Random programs of the language, each of them valid: for round trips and for comparing executors.

Driven by the op table: an operation's row says which operands and attributes to make up. The
same seed gives the same program on every machine.

    python tools/generate.py SEED [--statements N]
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass, field

import numpy as np

from gradir.ir.ops import OPS, Op
from gradir.ir.types import BOOL, DTYPES, F32, F64, I32, DType

SPECIAL = {
    "float": ["0.0", "-0.0", "1.0", "-1.0", "0.5", "3.25", "inf", "-inf", "nan", "1e-40", "0x1p-3"],
    "int": ["0", "1", "2", "3", "7", "0x1f"],
    "bool": ["true", "false"],
}
SIZES = [0, 1, 1, 2, 2, 3, 4]
COLUMNS = [*SIZES, *SIZES, 17, 33]  # of products: wide ones have kernels of other kinds
SYMBOL = ("B", 1, 4)


@dataclass
class Value:
    """A value of the program: its name, element type and sizes ("B" for the symbol)."""

    name: str
    dtype: DType
    shape: tuple[int | str, ...]

    @property
    def type(self) -> str:
        if not self.shape:
            return self.dtype.name
        return f"{self.dtype.name}[{','.join(map(str, self.shape))}]"


@dataclass
class Generated:
    """A program, inputs that fit it, and the symbol's value."""

    text: str
    inputs: dict[str, np.ndarray]
    dims: dict[str, int]


@dataclass
class Generator:
    """Makes one program."""

    seed: int
    lines: list[str] = field(default_factory=list)
    pool: list[Value] = field(default_factory=list)
    counter: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.inputs: list[Value] = []
        self.buffers: list[Value] = []
        self.outputs = 0

    # --- pieces -------------------------------------------------------------------------

    def fresh(self, stem: str = "v") -> str:
        self.counter += 1
        return f"{stem}{'.' if self.random.random() < 0.1 else ''}{self.counter}"

    def bind(self, dtype: DType, shape: tuple[int | str, ...], right: str) -> Value:
        value = Value(self.fresh(), dtype, shape)
        stated = f": {value.type}" if self.random.random() < 0.3 else ""
        self.lines.append(f"%{value.name}{stated} = {right}")
        self.pool.append(value)
        if self.random.random() < 0.05:
            self.lines.append(f"%{self.fresh('alias')} = %{value.name}")
        return value

    def sizes(self, rank: int | None = None) -> tuple[int | str, ...]:
        rank = self.random.choice([0, 1, 1, 2, 2, 3]) if rank is None else rank
        return tuple(
            SYMBOL[0] if self.random.random() < 0.15 else self.random.choice(SIZES)
            for _ in range(rank)
        )

    def dtype(self, kinds: tuple[str, ...]) -> DType:
        return self.random.choice([t for t in DTYPES.values() if t.kind in kinds])

    def literal(self, dtype: DType) -> str:
        text = self.random.choice(SPECIAL[dtype.kind])
        return text if dtype in (F32, I32, BOOL) else f"{text}:{dtype}"

    def source(self, dtype: DType, shape: tuple[int | str, ...]) -> Value:
        """A new value of a type: an input, a constant, a buffer's contents."""
        roll = self.random.random()
        name = self.fresh("x")
        value = Value(name, dtype, shape)
        if roll < 0.6 or SYMBOL[0] in shape:
            self.lines.append(f"%{name} = stage {value.type}")
            self.inputs.append(value)
        elif roll < 0.8:
            self.lines.append(f"%{name}.b = buffer {value.type} init={self.literal(dtype)}")
            self.buffers.append(Value(f"{name}.b", dtype, shape))
            self.lines.append(f"%{name} = load %{name}.b")
        else:
            self.lines.append(f"%{name} = const {value.type} {self.array(dtype, shape)}")
        self.pool.append(value)
        return value

    def array(self, dtype: DType, shape: tuple[int | str, ...]) -> str:
        if not shape:
            return self.literal(dtype)
        return "[" + ", ".join(self.array(dtype, shape[1:]) for _ in range(int(shape[0]))) + "]"

    def pick(self, kinds: tuple[str, ...] = ("float", "int", "bool"), rank: int = 0) -> Value:
        """A value of the pool, or a new one."""
        fitting = [v for v in self.pool if v.dtype.kind in kinds and len(v.shape) >= rank]
        if fitting and self.random.random() < 0.8:
            return self.random.choice(fitting[-12:])
        return self.source(self.dtype(kinds), self.sizes(max(rank, self.random.choice([1, 2]))))

    def like(self, value: Value) -> str:
        """An operand that broadcasts with a value without changing its shape."""
        roll = self.random.random()
        same = [v for v in self.pool if v.dtype is value.dtype and v.shape == value.shape]
        if roll < 0.5 and same:
            return f"%{self.random.choice(same).name}"
        if roll < 0.75:
            return self.literal(value.dtype)
        shape = tuple(s if self.random.random() < 0.6 else 1 for s in value.shape)
        shape = shape[self.random.randint(0, len(shape)) :] if roll < 0.9 else shape
        return f"%{self.source(value.dtype, shape).name}"

    def axes(self, rank: int, some: bool = True) -> list[int]:
        count = self.random.randint(0 if some else rank, rank)
        chosen = self.random.sample(range(rank), count)
        return [a - rank if self.random.random() < 0.3 else a for a in chosen]

    # --- statements ---------------------------------------------------------------------

    def elementwise(self, op: Op) -> Value:
        first = self.pick(op.types)
        operands = [f"%{first.name}"]
        if op.operands[0] == "cond":
            condition = Value("", BOOL, first.shape)
            operands = [self.like(condition), f"%{first.name}"]
        while len(operands) < len(op.operands):
            operands.append(self.like(first))
        dtype = BOOL if op.result == "bool" else first.dtype
        return self.bind(dtype, first.shape, f"{op.name} {' '.join(operands)}")

    def convert(self, op: Op) -> Value:
        x = self.pick(op.types)
        if op.name == "detach":
            return self.bind(x.dtype, x.shape, f"detach %{x.name}")
        to = self.dtype(("float", "int", "bool"))
        if op.name == "bitcast":
            to = self.random.choice(
                [t for t in DTYPES.values() if t.width == x.dtype.width and t is not BOOL]
            )
        return self.bind(to, x.shape, f"{op.name} %{x.name} dtype={to}")

    def reduce(self) -> Value:
        x = self.pick(("float", "int"))
        fold, axes = self.random.choice(["add", "mul", "max"]), self.axes(len(x.shape))
        order = ""
        if fold != "max" and x.dtype.kind == "float" and self.random.random() < 0.3:
            order = " order=" + self.random.choice(["lanes", "left"])
        reduced = {a % len(x.shape) for a in axes}
        keep = self.random.random() < 0.3
        shape = tuple(
            1 if at in reduced else s for at, s in enumerate(x.shape) if keep or at not in reduced
        )
        right = f"reduce %{x.name} op={fold} axes={axes}{order}{' keep=true' * keep}"
        return self.bind(x.dtype, shape, right)

    def matmul(self) -> Value:
        a = self.pick(("float", "int"), rank=2)
        columns = self.random.choice(COLUMNS)
        batch = a.shape[:-2] if self.random.random() < 0.4 else ()
        b = self.source(a.dtype, (*batch, a.shape[-1], columns))
        return self.bind(a.dtype, (*a.shape[:-1], columns), f"matmul %{a.name} %{b.name}")

    def movement(self, op: Op) -> Value:
        x = self.pick(op.types, rank=1)
        rank = len(x.shape)
        text = lambda sizes: "[" + ",".join(map(str, sizes)) + "]"  # noqa: E731
        shape: tuple[int | str, ...] = x.shape
        if op.name == "permute":
            axes = self.axes(rank, some=False)
            shape = tuple(x.shape[a] for a in axes)
            attrs = f"axes={axes}"
        elif op.name == "flip":
            attrs = f"axes={self.axes(rank)}"
        elif op.name == "reshape":
            shape = (1, *x.shape) if self.random.random() < 0.5 else (*x.shape, 1)
            attrs = f"shape={text(shape)}"
        elif op.name == "expand":
            shape = tuple(self.random.choice([1, 2, 3, "B"]) if s == 1 else s for s in x.shape)
            attrs = f"shape={text(shape)}"
        elif op.name == "pad":
            lo = [0 if s == "B" else self.random.randint(0, 2) for s in x.shape]
            hi = [0 if s == "B" else self.random.randint(0, 2) for s in x.shape]
            shape = tuple(
                s if isinstance(s, str) else l + s + h
                for s, l, h in zip(x.shape, lo, hi, strict=True)
            )
            value = f" value={self.literal(x.dtype)}" if self.random.random() < 0.5 else ""
            attrs = f"lo={lo} hi={hi}{value}"
        else:
            lo = [0 if s == "B" else self.random.randint(0, s) for s in x.shape]  # type: ignore[arg-type]
            shape = tuple(
                s if isinstance(s, str) else self.random.randint(0, s - l)
                for s, l in zip(x.shape, lo, strict=True)
            )
            attrs = f"lo={lo} shape={text(shape)}"
        return self.bind(x.dtype, shape, f"{op.name} %{x.name} {attrs}")

    def indexing(self, op: Op) -> Value:
        x = self.pick(op.types, rank=1)
        axis = self.random.randrange(len(x.shape))
        whole = x.shape[axis]
        count: int | str = 0 if whole == 0 else self.random.choice([0, 1, 2, 3])
        index = self.bind(I32, (count,), f"iota i32[{count}]")
        size = f"(size {whole})" if isinstance(whole, str) else str(max(whole, 1))
        index = self.bind(I32, (count,), f"mod %{index.name} {size}")
        shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
        if op.name == "take":
            return self.bind(x.dtype, shape, f"take %{x.name} %{index.name} axis={axis}")
        value = self.source(x.dtype, shape)
        right = f"scatter_add %{x.name} %{index.name} %{value.name} axis={axis}"
        return self.bind(x.dtype, x.shape, right)

    def iota(self) -> Value:
        shape = self.sizes(self.random.choice([1, 2]))
        dtype = self.dtype(("int",))
        value = Value("", dtype, shape)
        return self.bind(
            dtype, shape, f"iota {value.type} axis={self.random.randrange(len(shape))}"
        )

    def loop(self) -> None:
        size = self.random.choice([1, 2, 3])
        dtype = self.random.choice([F32, F64, I32])
        name = self.fresh("acc")
        self.lines.append(f"%{name} = buffer {dtype}[{size}] init={self.literal(dtype)}")
        self.buffers.append(Value(name, dtype, (size,)))
        i = self.fresh("i")
        self.lines += [
            f"%{i} = range {size}",
            f"%{i}.x = load %{name} %{i}",
            f"%{i}.y = add (mul %{i}.x %{i}.x) (cast %{i} dtype={dtype})",
            f"store %{name} %{i}.y %{i}",
            f"end %{i}",
        ]
        self.pool.append(Value(f"{name}.after", dtype, (size,)))
        self.lines.append(f"%{name}.after = load %{name}")

    def gradient(self) -> None:
        """The gradient of a sum of squares of some value by one of its leaves."""
        leaves = [v for v in self.pool if v.dtype.kind == "float"]
        if not leaves:
            return
        x = self.random.choice(leaves[:8])
        w = self.bind(x.dtype, x.shape, f"{self.random.choice(['sin', 'exp2', 'tanh'])} %{x.name}")
        others = [v for v in self.pool if v.dtype is x.dtype and v.shape == x.shape]
        y = self.bind(x.dtype, x.shape, f"mul %{w.name} %{self.random.choice(others).name}")
        loss = self.bind(x.dtype, (), f"reduce %{y.name} op=add")
        hint = f" checkpoint=[%{w.name}]" if self.random.random() < 0.2 else ""
        self.bind(x.dtype, x.shape, f"gradient %{loss.name} %{w.name}{hint}")

    def function(self) -> None:
        name = self.fresh("f").replace(".", "_")
        dtype = self.random.choice([F32, F64])
        size = self.random.choice([2, "B"])
        self.lines.append(
            f"func @{name}(%a: {dtype}[{size}], %b: {dtype}) {{\n"
            f"  %c = mul (exp2 %a) %b\n  return (add %c 1.0)\n}}"
        )
        given = self.source(dtype, (3,) if size == "B" else (2,))
        self.bind(dtype, given.shape, f"call @{name} %{given.name} {self.literal(dtype)}")

    def statement(self) -> None:
        roll = self.random.random()
        if roll < 0.04:
            self.loop()
        elif roll < 0.1:
            self.gradient()
        elif roll < 0.13:
            self.function()
        else:
            op = self.random.choice(list(OPS.values()))
            if op.elementwise:
                self.elementwise(op)
            elif op.family == "convert":
                self.convert(op)
            elif op.name == "reduce":
                self.reduce()
            elif op.name == "matmul":
                self.matmul()
            elif op.family == "movement":
                self.movement(op)
            elif op.family == "indexing":
                self.indexing(op)
            elif op.name == "iota":
                self.iota()
            elif op.name == "store" and self.buffers:
                target = self.random.choice(self.buffers)
                self.lines.append(f"store %{target.name} {self.like(target)}")
            elif op.name == "output" and self.pool:
                self.outputs += 1
                value = self.random.choice(self.pool)
                self.lines.append(f"output %{value.name} name=o{self.outputs}")

    def program(self, statements: int) -> Generated:
        symbol, lo, hi = SYMBOL
        self.lines.append(f"dim {symbol} = {lo}..{hi}")
        for _ in range(statements):
            self.statement()
        for value in self.pool[-3:]:
            self.outputs += 1
            self.lines.append(f"output %{value.name} name=o{self.outputs}")
        size = self.random.randint(lo, hi)
        rng = np.random.default_rng(self.seed)
        inputs = {v.name: _numbers(rng, v, size) for v in self.inputs}
        return Generated("\n".join(self.lines) + "\n", inputs, {symbol: size})


def _numbers(rng: np.random.Generator, value: Value, size: int) -> np.ndarray:
    """Input values, special ones among them."""
    shape = tuple(size if s == SYMBOL[0] else int(s) for s in value.shape)
    if value.dtype is BOOL:
        return rng.integers(0, 2, shape).astype(bool)
    if value.dtype.kind == "int":
        lo, hi = value.dtype.int_range
        numbers = rng.integers(-4 if lo else 0, 9, shape)
        edges = rng.choice(np.array([lo, hi, 0, 1]), shape)
        return np.where(rng.random(shape) < 0.1, edges, numbers).astype(value.dtype.numpy)
    numbers = rng.standard_normal(shape)
    edges = rng.choice(np.array([0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 1e-40, 1e30]), shape)
    return np.where(rng.random(shape) < 0.08, edges, numbers).astype(value.dtype.numpy)


def generate(seed: int, statements: int = 20) -> Generated:
    """The program of a seed."""
    return Generator(seed).program(statements)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--statements", type=int, default=20)
    options = parser.parse_args()
    print(generate(options.seed, options.statements).text, end="")


if __name__ == "__main__":
    main()
