"""Random programs made of what simplifications look for: special constants, movement that undoes
movement, repeated conditions, chains of casts. Every seed gives one valid program."""

from __future__ import annotations

import random

import numpy as np

SHAPES: list[tuple[int, ...]] = [
    *((), (3,), (1, 3), (2, 3), (3, 2), (6,)),
    *((2, 1), (3, 1), (1, 1), (1,)),
]
FLOATS = ["0.0", "-0.0", "1.0", "-1.0", "2.0", "0.5", "3.0", "inf", "-inf", "nan", "0x1p-126"]
INTS = ["0", "1", "-1", "2", "5", "31", "2147483647"]
BOOLS = ["true", "false"]
FLOAT_OPS = ["add", "mul", "max", "div", "fma", "sqrt", "recip", "lt", "eq", "where", "exp"]
KINDS = {"f32": FLOATS, "f64": FLOATS, "i32": INTS, "bool": BOOLS}

Value = tuple[str, str, tuple[int, ...]]  # name, element type, shape


class _Dense:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.pool: list[Value] = []
        self.inputs: dict[str, np.ndarray] = {}
        draw = np.random.default_rng(seed)
        for dtype in KINDS:
            for shape in SHAPES[:6]:
                name = f"s{len(self.pool)}"
                self.pool.append((name, dtype, shape))
                sizes = ",".join(map(str, shape))
                self.lines.append(f"%{name} = stage {dtype}{f'[{sizes}]' if shape else ''}")
                self.inputs[name] = _numbers(draw, dtype, shape)

    def literal(self, dtype: str) -> str:
        text = self.random.choice(KINDS[dtype])
        return text if dtype == "bool" else f"{text}:{dtype}"

    def pick(self, dtypes: tuple[str, ...] = tuple(KINDS)) -> Value:
        fitting = [v for v in self.pool if v[1] in dtypes]
        recent = fitting[-8:] if self.random.random() < 0.7 else fitting
        return self.random.choice(recent)

    def operand(self, like: Value) -> str:
        """A literal, the value itself, or one of its type and shape."""
        roll = self.random.random()
        if roll < 0.5:
            return self.literal(like[1])
        if roll < 0.6:
            return f"%{like[0]}"
        same = [v for v in self.pool if v[1:] == like[1:]]
        return f"%{self.random.choice(same)[0]}"

    def bind(self, right: str, dtype: str, shape: tuple[int, ...]) -> None:
        name = f"v{len(self.lines)}"
        self.lines.append(f"%{name} = {right}")
        self.pool.append((name, dtype, shape))

    def pointwise(self) -> None:
        x = name, dtype, shape = self.pick()
        ops = {
            "bool": ["and", "or", "xor", "eq", "ne", "where"],
            "i32": [
                *("add", "mul", "max", "and", "or", "xor", "shl", "shr", "idiv", "mod"),
                *("lt", "le", "eq", "ne", "where"),
            ],
        }.get(dtype, FLOAT_OPS)
        op = self.random.choice(ops)
        result = "bool" if op in ("lt", "le", "eq", "ne") else dtype
        if op in ("sqrt", "recip", "exp"):
            self.bind(f"{op} %{name}", dtype, shape)
        elif op == "fma":
            self.bind(f"fma %{name} {self.operand(x)} {self.operand(x)}", dtype, shape)
        elif op == "where":
            conditions = [v for v in self.pool if v[1] == "bool" and v[2] == shape]
            if conditions:
                c = self.random.choice(conditions[-3:])[0]
                pair = [f"%{name}", self.operand(x)]
                self.random.shuffle(pair)
                self.bind(f"where %{c} {pair[0]} {pair[1]}", dtype, shape)
        else:
            pair = [f"%{name}", self.operand(x)]
            self.random.shuffle(pair)
            self.bind(f"{op} {pair[0]} {pair[1]}", result, shape)

    def movement(self) -> None:
        name, dtype, shape = self.pick()
        rank = len(shape)
        op = self.random.choice(["reshape", "permute", "expand", "flip", "pad", "shrink"])
        if op == "reshape":
            size = int(np.prod(shape, dtype=int))
            fitting = [s for s in SHAPES if int(np.prod(s, dtype=int)) == size]
            to = self.random.choice(fitting or [shape])
            self.bind(f"reshape %{name} shape={list(to)}", dtype, to)
        elif op == "expand" and 1 in shape:
            to = tuple(self.random.choice([1, 2, 3]) if s == 1 else s for s in shape)
            if to in SHAPES:
                self.bind(f"expand %{name} shape={list(to)}", dtype, to)
        elif op == "permute" and rank == 2:
            axes = self.random.choice([[1, 0], [1, 0], [0, 1]])
            self.bind(f"permute %{name} axes={axes}", dtype, tuple(shape[a] for a in axes))
        elif op == "flip" and rank:
            axes = self.random.sample(range(rank), self.random.randint(0, rank))
            self.bind(f"flip %{name} axes={axes}", dtype, shape)
        elif op in ("pad", "shrink") and rank:
            lo = [self.random.randint(0, 1) for _ in shape]
            fill = self.literal(dtype)
            wide = f"pad %{name} lo={lo} hi={[1] * rank} value={fill}"
            inner = self.random.choice([lo, [0] * rank, [1] * rank])
            self.bind(f"shrink ({wide}) lo={inner} shape={list(shape)}", dtype, shape)

    def fold(self) -> None:
        name, dtype, shape = self.pick(("f32", "f64", "i32"))
        axes = [a for a in range(len(shape)) if shape[a] == 1 or self.random.random() < 0.3]
        kept = tuple(s for a, s in enumerate(shape) if a not in axes)
        if kept in SHAPES:
            op = self.random.choice(["add", "add", "mul", "max"])
            self.bind(f"reduce %{name} op={op} axes={axes}", dtype, kept)

    def product(self) -> None:
        name, dtype, shape = self.pick(("f32", "f64", "i32"))
        fitting = [v for v in self.pool if v[1] == dtype and len(v[2]) == 2]
        if len(shape) == 2 and fitting:
            other = self.random.choice(fitting)
            a, b = f"(permute %{name} axes=[1,0])", f"%{other[0]}"
            if shape[0] == other[2][0]:
                result = (shape[1], other[2][1])
                if self.random.random() < 0.7:
                    product = f"permute (matmul {a} {b}) axes=[1,0]"
                    self.bind(product, dtype, (result[1], result[0]))
                else:
                    self.bind(f"matmul {a} {b}", dtype, result)

    def cast(self) -> None:
        name, _, shape = self.pick()
        to = self.random.choice([*KINDS, "i64", "u32"])
        back = self.random.choice(list(KINDS))
        self.bind(f"cast (cast %{name} dtype={to}) dtype={back}", back, shape)

    def program(self, statements: int) -> str:
        for _ in range(statements):
            step = self.random.choices(
                [self.pointwise, self.movement, self.fold, self.product, self.cast],
                [10, 6, 2, 2, 1],
            )[0]
            step()
        for at, (name, _, _) in enumerate(self.pool[24:]):
            self.lines.append(f'output %{name} name="o{at}"')
        return "\n".join(self.lines) + "\n"


def _numbers(draw: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    if dtype == "bool":
        return np.asarray(draw.integers(0, 2, shape).astype(bool))
    if dtype == "i32":
        return np.asarray(draw.choice(np.array([0, 1, -1, 5, 2**31 - 1, -(2**31)]), shape), "i4")
    special = np.array([0.0, -0.0, 1.0, -1.0, 0.3, np.inf, -np.inf, np.nan, 1e-40, 3e38, 1e-310])
    with np.errstate(all="ignore"):
        return np.asarray(draw.choice(special, shape).astype(dtype.replace("f", "float")))


def dense(seed: int, statements: int = 60) -> tuple[str, dict[str, np.ndarray]]:
    """The program of a seed, and its inputs."""
    made = _Dense(seed)
    return made.program(statements), made.inputs
