"""What the hard generator makes up: one row a pattern, and blocks of several statements.

A pattern need not fit: what the builder refuses is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradir.ir.types import F32, F64, I32, Dim

if TYPE_CHECKING:
    from generate_hard import HardGenerator, Value

Text = Callable[["HardGenerator", "Value"], str]


@dataclass(frozen=True)
class Pattern:
    """The right side of a statement, made from a value of one of these kinds."""

    kinds: str
    rank: int
    text: Text


def _unary(names: str, kinds: str) -> list[Pattern]:
    def text(name: str) -> Text:
        return lambda g, x: f"{name} %{x.name}"

    return [Pattern(kinds, 0, text(name)) for name in names.split()]


def _binary(names: str, kinds: str) -> list[Pattern]:
    def text(name: str) -> Text:
        return lambda g, x: (
            f"{name} %{x.name} {g.like(x)}" if g.integer(0, 3) else f"{name} {g.like(x)} %{x.name}"
        )

    return [Pattern(kinds, 0, text(name)) for name in names.split()]


def _rows(names: str, kinds: str) -> list[Pattern]:
    def text(name: str) -> Text:
        return lambda g, x: f"{name} %{x.name} axis={g.axis(x)}"

    return [Pattern(kinds, 1, text(name)) for name in names.split()]


def _folds(names: str, kinds: str) -> list[Pattern]:
    def text(name: str) -> Text:
        return lambda g, x: (
            f"{name} %{x.name} axes={g.axes(x)} keep={g.choice('true', 'false', 'false')}"
        )

    return [Pattern(kinds, 0, text(name)) for name in names.split()]


# --- movement -----------------------------------------------------------------------------


def _merge(g: HardGenerator, x: Value) -> str:
    """Two neighbouring axes made one, an axis of 1 put in, or one split."""
    shape = list(map(str, x.shape))
    at = g.integer(0, len(shape) - 1)
    roll = g.integer(0, 3)
    if roll == 0:
        shape.insert(at, "1")
    elif roll == 1 and at + 1 < len(shape):
        shape[at : at + 2] = ["-1"]
    elif roll == 2 and shape[at].isdigit() and int(shape[at]) % 2 == 0:
        shape[at : at + 1] = ["2", str(int(shape[at]) // 2)]
    elif all(size.isdigit() for size in shape):
        shape = ["-1"]
    else:
        shape = [size for size in shape if size != "1"]
    return f"reshape %{x.name} shape=[{','.join(shape)}]"


def _expand(g: HardGenerator, x: Value) -> str:
    sizes = [str(s) if s != 1 else g.choice("1", "2", "3", "B", "int", "33") for s in x.shape]
    return f"expand %{x.name} shape=[{','.join(sizes)}]"


def _shrink(g: HardGenerator, x: Value) -> str:
    lo = [g.integer(0, s) if isinstance(s, int) else 0 for s in x.shape]
    sizes = [
        str(g.integer(0, s - l)) if isinstance(s, int) else str(s)
        for s, l in zip(x.shape, lo, strict=True)
    ]
    return f"shrink %{x.name} lo={lo} shape=[{','.join(sizes)}]"


def _pad(g: HardGenerator, x: Value) -> str:
    lo = [g.integer(0, 2) if isinstance(s, int) else 0 for s in x.shape]
    hi = [g.integer(0, 2) if isinstance(s, int) else 0 for s in x.shape]
    value = f" value={g.literal(x.dtype)}" if g.integer(0, 1) else ""
    return f"pad %{x.name} lo={lo} hi={hi}{value}"


def _take(g: HardGenerator, x: Value) -> str:
    axis = g.integer(0, len(x.shape) - 1)
    index = g.index(x.shape[axis], g.sizes(g.integer(0, 2)))
    return f"take %{x.name} {index} axis={axis}"


def _scatter(g: HardGenerator, x: Value) -> str:
    axis = g.integer(0, len(x.shape) - 1)
    shape = g.sizes(g.integer(0, 2))
    index = g.index(x.shape[axis], shape)
    added = g.source(x.dtype, (*x.shape[:axis], *shape, *x.shape[axis + 1 :]))
    return f"scatter_add %{x.name} {index} %{added.name} axis={axis}"


def _concat(g: HardGenerator, x: Value) -> str:
    parts = " ".join(f"%{x.name}" if g.integer(0, 1) else g.like(x) for _ in range(g.integer(1, 3)))
    return f"{g.choice('concat', 'stack')} %{x.name} {parts} axis={g.integer(0, len(x.shape) - 1)}"


def _slice(g: HardGenerator, x: Value) -> str:
    return f"slice %{x.name} axis={g.axis(x)} lo={g.integer(0, 2)} step={g.integer(1, 3)}"


def _matmul(g: HardGenerator, x: Value) -> str:
    other = g.source(x.dtype, (x.shape[-1], g.size()))
    text = f"%{x.name} %{other.name}"
    if g.integer(0, 2) == 0:
        return f"matmul (transpose %{other.name}) (transpose %{x.name})"
    return f"matmul {text}"


def _einsum(g: HardGenerator, x: Value) -> str:
    letters = "abcd"[: len(x.shape)]
    if g.integer(0, 1):
        kept = "".join(g.random.sample(letters, g.integer(0, len(letters))))
        return f'einsum %{x.name} spec="{letters}->{kept}"'
    axis = g.integer(0, len(x.shape) - 1)
    other = g.source(x.dtype, (x.shape[axis], g.size()))
    result = letters.replace(letters[axis], "e") if g.integer(0, 1) else letters[axis] + "e"
    return f'einsum %{x.name} %{other.name} spec="{letters},{letters[axis]}e->{result}"'


def _random(g: HardGenerator, x: Value) -> str:
    key = f"(const u32[2] [{g.integer(0, 9)}, {g.integer(0, 9)}])"
    name = g.choice("random_uniform", "random_normal", "random_bits")
    dtype = "" if name == "random_bits" else f" dtype={g.choice('f32', 'f64')}"
    return f"{name} {key} {g.integer(0, 9)}:u32 like=%{x.name}{dtype}"


def _reduce(g: HardGenerator, x: Value) -> str:
    op = g.choice("add", "mul", "max")
    order = g.choice("", " order=lanes", " order=left") if x.dtype.is_float and op != "max" else ""
    return f"reduce %{x.name} op={op} axes={g.axes(x)}{order} keep={g.choice('true', 'false')}"


def _size(g: HardGenerator, x: Value) -> str:
    return f"add (cast (size %{x.name}) dtype={x.dtype}) %{x.name}"


def _iota(g: HardGenerator, x: Value) -> str:
    sizes = ",".join(map(str, x.shape))
    return f"iota {g.choice('i32', 'i64', 'u32')}[{sizes}] axis={g.axis(x)}"


def _chain(g: HardGenerator, x: Value) -> str:
    """Many operations in one expression."""
    text = f"%{x.name}"
    for _ in range(g.integer(3, 80)):
        step = g.choice("sin", "tanh", "neg", "abs", "detach", "add", "mul", "max", "where")
        if step in ("add", "mul", "max"):
            text = f"({step} {text} {g.choice('0.5', '-0.0', '1.5')}:{x.dtype})"
        elif step == "where":
            text = f"(where (lt %{x.name} 0.0:{x.dtype}) {text} %{x.name})"
        else:
            text = f"({step} {text})"
    return f"add {text} %{x.name}"


def _gradient(g: HardGenerator, x: Value) -> str:
    """By a value that x is computed from."""
    by = g.ancestor(x)
    loss = f"(reduce (mul %{x.name} {g.choice('0.5', '2.0')}:{x.dtype}) op=add)"
    return f"gradient {loss} %{by.name}"


def _curvature(g: HardGenerator, x: Value) -> str:
    by = g.ancestor(x)
    first = f"(gradient (reduce (mul %{x.name} %{x.name}) op=add) %{by.name})"
    return f"gradient (reduce (tanh {first}) op=add) %{by.name}"


PATTERNS: list[Pattern] = [
    *_unary("recip sqrt exp2 log2 sin cos exp log tanh erf", "float"),
    *_unary("rsqrt log10 tan floor ceil round relu sigmoid silu gelu square", "float"),
    *_unary("neg abs square", "float int"),
    *_unary("transpose detach squeeze", "float int bool"),
    *_unary("not", "bool"),
    *_binary("add mul max sub min lt le gt ge", "float int"),
    *_binary("add mul div max", "float"),
    *_binary("eq ne", "float int bool"),
    *_binary("and or xor", "int bool"),
    *_binary("shl shr idiv mod", "int"),
    *_rows("softmax log_softmax logsumexp layer_norm cumsum", "float"),
    *_rows("argmax cumsum", "float int"),
    *_folds("sum prod amax", "float int"),
    *_folds("mean var", "float"),
    *_folds("any all", "bool"),
    Pattern("float int", 0, lambda g, x: f"pow %{x.name} exponent={g.integer(0, 5)}"),
    Pattern("float", 0, lambda g, x: f"fma %{x.name} {g.like(x)} {g.like(x)}"),
    Pattern("float int", 0, lambda g, x: f"clamp %{x.name} {g.literal(x.dtype)} {g.like(x)}"),
    Pattern("bool", 0, lambda g, x: f"where %{x.name} 1.5 -0.0"),
    Pattern(
        "float int bool",
        0,
        lambda g, x: f"where (eq %{x.name} {g.literal(x.dtype)}) {g.like(x)} %{x.name}",
    ),
    Pattern("float int bool", 0, lambda g, x: f"cast %{x.name} dtype={g.dtype()}"),
    Pattern("float int bool", 0, lambda g, x: f"cast %{x.name} dtype={g.choice('f32', 'f64')}"),
    Pattern("float int", 0, lambda g, x: f"bitcast %{x.name} dtype={g.dtype('float int')}"),
    *[Pattern("float int", 1, _reduce)] * 6,
    Pattern("float int bool", 2, lambda g, x: f"permute %{x.name} axes={g.order(x)}"),
    Pattern("float int bool", 1, lambda g, x: f"flip %{x.name} axes={g.axes(x)}"),
    *[Pattern("float int bool", 1, _merge)] * 5,
    *[Pattern("float int bool", 1, _expand)] * 2,
    *[Pattern("float int bool", 1, _shrink), Pattern("float int bool", 1, _pad)] * 2,
    *[Pattern("float int bool", 1, _take), Pattern("float int", 1, _scatter)] * 2,
    Pattern("float int bool", 1, _concat),
    Pattern("float int bool", 1, _slice),
    Pattern("float int bool", 0, lambda g, x: f"unsqueeze %{x.name} axes=[{g.integer(0, 1)}]"),
    *[Pattern("float int", 2, _matmul)] * 2,
    Pattern("float int", 1, _einsum),
    Pattern("float int", 1, lambda g, x: f"dot %{x.name} %{x.name}"),
    Pattern("int", 0, lambda g, x: f"one_hot %{x.name} size={g.integer(1, 4)} axis=0"),
    Pattern("float int bool", 0, _random),
    Pattern("float int", 0, _size),
    Pattern("float int", 1, _iota),
    *[Pattern("float", 0, _chain)] * 2,
    *[Pattern("float", 0, _gradient)] * 6,
    *[Pattern("float", 0, _curvature)] * 2,
]


# --- blocks -------------------------------------------------------------------------------


def count_text(g: HardGenerator) -> str:
    """The count of a range: small, none, negative, a symbol, or computed."""
    return g.choice("2", "3", "1", "0", "-1", "B", "int", "r1", "(add (size B) -1)", "(size r1)")


def loop_block(g: HardGenerator) -> list[str]:
    """A range that reads and writes cells: whole, by index, or both."""
    dtype = g.random.choice([F32, F64, I32])
    size = g.integer(3, 6)
    cell, other, i, after = g.buffer(dtype, (size,)), g.fresh("o"), g.fresh("i"), g.fresh()
    outside = g.source(dtype, (size,))
    bound = "" if g.failing else f" {size}"
    at = f"(mod %{i}{bound or ' 9'})"
    return [
        f"%{other} = buffer {dtype}[{size}]",
        f"%{i} = range {count_text(g)}",
        f"%{i}.w = load %{cell}",
        f"%{i}.e = load %{cell} {at}",
        f"%{i}.s = reduce (add (mul %{i}.w %{outside.name}) %{i}.e) op=add",
        f"store %{cell} (add %{i}.s (cast %{i} dtype={dtype})) {at}",
        f"%{i}.n = load %{cell}" if g.integer(0, 1) else f"%{i}.n = mul %{i}.w %{i}.s",
        f"store %{other} (add (load %{other}) %{i}.n)",
        f"end %{i}",
        f"%{after} = add (load %{cell}) (load %{other})",
    ]


def nested_block(g: HardGenerator) -> list[str]:
    """Ranges in ranges, the inner count the outer counter, with work that no range needs."""
    dtype = g.random.choice([F32, F64, I32])
    grid, total, i, j, after = (g.fresh(stem) for stem in ("grid", "total", "i", "j", "v"))
    x = g.source(dtype, (4,))
    inner = g.choice(f"%{i}", f"(add %{i} 1)", "2", "B")
    return [
        f"%{grid} = buffer {dtype}[4,3]",
        f"%{total} = buffer {dtype} init={g.literal(dtype)}",
        f"%{i} = range {g.choice('3', '4', 'int', '0')}",
        f"%{i}.h = mul %{x.name} %{x.name}",
        f"%{i}.row = load %{grid} %{i}",
        f"%{j} = range {inner}",
        f"%{j}.c = add (mul %{i} 3) %{j}",
        f"%{j}.v = add (cast %{j}.c dtype={dtype}) (take %{i}.h %{i})",
        f"store %{grid} %{j}.v %{i} (mod %{j} 3)",
        f"store %{total} (add (load %{total}) (reduce %{i}.row op=max))",
        f"end %{j}",
        f"store %{grid} (add (load %{grid} %{i}) (load %{total})) %{i}",
        f"end %{i}",
        f"%{after} = mul (load %{grid}) (load %{total})",
    ]


def store_block(g: HardGenerator) -> list[str]:
    """Stores between loads of one buffer; a last store that replaces others."""
    x = g.pick("float int", most=3)
    if any(not isinstance(size, int) for size in x.shape):
        return []
    b, v = g.fresh("b"), g.fresh()
    lines = [f"%{b} = buffer {x.type} init={g.literal(x.dtype)}", f"%{v}.0 = load %{b}"]
    for at in range(1, g.integer(2, 4)):
        value = g.choice(f"(add %{v}.{at - 1} %{x.name})", f"%{x.name}", g.literal(x.dtype))
        if len(x.shape) == 2 and x.shape[0] == x.shape[1]:
            value = f"(matmul %{x.name} %{x.name})"
        lines += [f"store %{b} {value}", f"%{v}.{at} = load %{b}"]
    if x.shape and isinstance(x.shape[0], int) and x.shape[0] > 0 and g.integer(0, 1):
        at = g.integer(0, x.shape[0] - 1)
        lines += [f"store %{b} {g.literal(x.dtype)} {at}", f"%{v}.e = load %{b} {at}"]
    return lines


def function_block(g: HardGenerator) -> list[str]:
    """A function that calls a function, with sizes that stand for others."""
    f, h = (g.fresh(stem).replace(".", "_") for stem in ("f", "h"))
    dtype = g.random.choice([F32, F64])
    x, y = g.source(dtype, (g.integer(1, 4), 3)), g.source(dtype, (2, 3))
    lit = f"{g.choice('0.5', '2.0')}:{dtype}"
    take = g.choice("", f"  %q = take %m (idiv (size B) {'1' if g.failing else '2'}) axis=0\n")
    body = (
        "(reduce %m op=add axes=[1])"
        if not take
        else "(add (reduce %m op=add axes=[1]) (reduce %q op=max))"
    )
    return [
        f"func @{f}(%m: {dtype}[B,3], %s: {dtype}) {{\n{take}  return (mul {body} %s)\n}}",
        f"func @{h}(%m: {dtype}[B,3]) {{\n"
        f"  %n = cast (size B) dtype={dtype}\n"
        f"  return (add (call @{f} (tanh %m) %n) (call @{f} %m {lit}))\n}}",
        f"%{f}.r = call @{h} %{x.name}",
        f"%{h}.r = call @{h} %{y.name}",
    ]


def training_block(g: HardGenerator) -> list[str]:
    """Weights, a loss and a step of an optimiser."""
    dtype = g.random.choice([F32, F64])
    x = g.source(dtype, (Dim(1, ("B",)), 3))
    w, m, v, t = (g.fresh(stem) for stem in "wmvt")
    act = g.choice("tanh", "relu", "sigmoid", "gelu")
    step = g.choice(
        f"sgd %{w} %{w}.g lr=0.1",
        f"momentum %{w} %{w}.g %{m}",
        f"adam %{w} %{w}.g %{m} %{v} (load %{t})",
        f"adamw %{w} %{w}.g %{m} %{v} (load %{t})",
    )
    loss = g.choice(
        f"mean (square %{w}.h)",
        f"cross_entropy %{w}.h (iota i32[B])" if g.dims["B"] <= 2 else f"sum %{w}.h",
        f"sum (softmax %{w}.h axis=1)",
    )
    return [
        f'%{w} = buffer {dtype}[3,2] init="normal:0.5:{g.integer(0, 9)}"',
        f"%{m} = buffer {dtype}[3,2]",
        f"%{v} = buffer {dtype}[3,2]",
        f"%{t} = buffer i32",
        f"%{w}.v = load %{w}",
        f"%{w}.h = {act} (matmul %{x.name} %{w}.v)",
        f"%{w}.l = {loss}",
        f"%{w}.g = gradient %{w}.l %{w}.v{g.choice('', f' checkpoint=[%{w}.h]')}",
        step,
        f"store %{t} (add (load %{t}) 1)",
        f"%{t}.after = load %{w}",
    ]


def output_block(g: HardGenerator) -> list[str]:
    x = g.pick()
    return [f"output %{x.name} name={g.fresh('out').replace('.', '_')}"]


BLOCKS: list[Callable[[HardGenerator], list[str]]] = [
    *[loop_block, nested_block, store_block] * 2,
    function_block,
    training_block,
    output_block,
]
