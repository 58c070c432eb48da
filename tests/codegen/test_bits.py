"""Native code gives the interpreter's bits: generated programs, the suite, and the hard spots.

All programs of a kind are one library. The whole matrix of compilers, levels and processors is
tools/matrix.py; here is one build of it, the compiler that is found at -O1.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from matrix_cases import Case, case, conformance_cases, generated_cases
from matrix_native import Batch, Build, Finding

from gradir import Program
from gradir.codegen.prelude import join
from gradir.codegen.toolchain import processor
from gradir.ir.ops import OPS
from gradir.ir.table import Node, Origin, Table
from gradir.ir.types import DTYPES, F32, DType, tensor_type

COMPILER = next((name for name in ("gcc", "clang") if shutil.which(name)), None)
pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is neither gcc nor clang")

SIZES = [0, 1, 31, 32, 33, 63, 64, 511, 512, 513, 4095, 4096, 4097, 8192, 8193]
LARGE = [131073, 4096 * 33]
INNER = [0, 1, 511, 512, 513, 1025]


def build(level: str = "O1", threads: int = 1) -> Build:
    assert COMPILER is not None
    return Build(COMPILER, level, processor(), threads=threads)


def findings(cases: Sequence[Case], on: Build) -> list[Finding]:
    """What differs; an empty list of cases would show nothing, so it is refused."""
    assert cases
    batch = Batch(cases)
    found, ran = batch.compare(on)
    assert batch.broken or found or ran == len(cases)
    return batch.broken + found


def made(name: str, text: str, dims: dict[str, int] | None = None, **inputs: np.ndarray) -> Case:
    found = case(name, Program.parse(text), inputs, dims or {})
    assert found is not None
    return found


def numbers(dtype: str, *shape: int) -> np.ndarray:
    """Numbers whose sums and products depend on their order; -0.0 first."""
    rng = np.random.default_rng(list(shape))
    values = rng.standard_normal(shape) * np.exp(rng.uniform(-3, 3, shape))
    values.ravel()[:1] = -0.0
    return values.astype(DTYPES[dtype].numpy)


# --- programs of all kinds ----------------------------------------------------------------


def test_generated_programs() -> None:
    assert findings(list(generated_cases(0, 60)), build("O0")) == []
    assert findings(list(generated_cases(300, 12)), build("O2")) == []


def test_generated_programs_on_three_threads() -> None:
    assert findings(list(generated_cases(500, 20)), build("O0", threads=3)) == []


def test_the_conformance_suite() -> None:
    cases = conformance_cases()
    total = 0
    while group := list(itertools.islice(cases, 150)):
        total += len(group)
        assert findings(group, build("O0")) == []
    assert total > 500


# --- folds --------------------------------------------------------------------------------

FOLDS = [("add", "lanes"), ("add", "left"), ("mul", "lanes"), ("mul", "left")]


def fold_text(type: str, shape: str, axes: str, more: str = "") -> str:
    """All folds of one stage over some axes, from memory and of computed terms."""
    lines = [f"%x = stage {type}[{shape}]", f"%y = mul %x {1.5}:{type}"]
    for source, (op, order) in itertools.product("xy", FOLDS):
        right = f"reduce %{source} op={op} axes={axes} order={order}"
        lines.append(f"output ({right}) name={source}_{op}_{order}")
    lines.append(f"output (reduce %x op=max axes={axes}) name=max")
    lines.append(f"output (reduce (cast %y dtype=i32) op=add axes={axes}) name=whole")
    return "\n".join([more, *lines]) + "\n"


def fold_cases() -> Iterator[Case]:
    for n in [*SIZES, *LARGE]:
        dtype = "f64" if n in (0, 32, 513, 4097) else "f32"
        yield made(f"{dtype}[{n}]", fold_text(dtype, str(n), "[0]"), x=numbers(dtype, n))
    symbolic = fold_text("f32", "N", "[0]", "dim N = 0..1000000")
    for n in [*SIZES, *LARGE]:
        yield made(f"f32[N], N = {n}", symbolic, x=numbers("f32", n))
    for n in (0, 33, 4097):
        for shape, axes in [
            ((n, 3), "[0]"),
            ((3, n), "[1]"),
            ((2, n, 3), "[1]"),
            ((2, n, 3), "[0,1]"),
            ((2, n, 3), "[0,2]"),
            ((2, 3, n), "[1,2]"),
            ((2, n, 3), "[0,1,2]"),
            ((n, 1, 2), "[0,1]"),
            ((3, n, 2, 17), "[1]"),
            ((3, 2, n, 17), "[1,2]"),
            ((2, n), "[]"),
        ]:
            x = numbers("f32", *shape)
            text = fold_text("f32", ",".join(map(str, shape)), axes)
            yield made(f"f32{list(shape)} axes={axes}", text, x=x)
    for axes in ("[0]", "[1]", "[2]", "[0,1]", "[0,2]", "[1,2]", "[0,1,2]"):
        text = fold_text("f64", "2,N,M", axes, "dim N = 0..5000\ndim M = 0..5000")
        for sizes in ((33, 4), (0, 3), (3, 0), (130, 33)):
            yield made(f"f64[2,N,M] {sizes} axes={axes}", text, x=numbers("f64", 2, *sizes))


def test_folds() -> None:
    assert findings(list(fold_cases()), build()) == []


def shared_fold_cases() -> Iterator[Case]:
    """Folds of everything there is: of memory, of terms with values from before, of several in one
    kernel, of strided terms, of sizes that are known and that are not, of special values."""
    body = "%x = stage f32[SIZE] name=x\n%s = stage f32 name=s\n%d = sub %x (mul %x %s)\n"
    body += "output (sum (mul %d %d)) name=square\noutput (sum %x) name=sum\n"
    body += "output (reduce %x op=max axes=AXES) name=max\n"
    body += "output (reduce (mul %x %s) op=max axes=AXES) name=most\n"
    body += "output (sum (flip %x axes=[0])) name=back\n"
    body += "output (add (reduce %x op=mul axes=AXES) (sum (exp %s))) name=product\n"
    body += "output (reduce %x op=add axes=AXES order=left) name=left\n"
    s = np.array(0.3, np.float32)
    for n in (65535, 65536, 65537, 69633, 131072):
        text = body.replace("SIZE", str(n)).replace("AXES", "[0]")
        yield made(f"{n}", text, x=numbers("f32", n), s=s)
        special = -np.abs(numbers("f32", n))
        special[n // 2] = np.nan
        yield made(f"{n} with a NaN", text, x=special.copy(), s=s)
        special[n // 2] = 0.0
        yield made(f"{n}, zeros of both signs", text, x=special * np.float32(0), s=s)
    text = "dim N = 0..1000000\n" + body.replace("SIZE", "N").replace("AXES", "[0]")
    for n in (0, 1, 32, 33, 4095, 4096, 4097, 8192, 131073, 135168):
        yield made(f"N={n}", text, x=numbers("f32", n), s=s)
    text = body.replace("SIZE", "257,511").replace("AXES", "[0,1]")
    yield made("257 x 511", text, x=numbers("f32", 257, 511), s=s)
    text = text.replace("f32", "f64")
    yield made("f64", text, x=numbers("f64", 257, 511), s=s.astype(np.float64))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_folds_that_threads_share(threads: int) -> None:
    assert findings(list(shared_fold_cases()), build(threads=threads)) == []


def test_a_long_fold_is_shared_and_a_short_one_is_not() -> None:
    for n, shared in ((65535, False), (65536, True)):
        x = f"(stage f32[{n}] name=x)"
        text = Program.parse(f"output (sum (exp {x})) name=y").compile(backend="c").engine.text
        assert ("gir_each(" in text) == shared


def test_a_fold_of_two_levels_of_chunks() -> None:
    n = 4096 * 4097
    text = f"%x = stage f32[{n}]\noutput (reduce %x op=add) name=s\n"
    text += "output (reduce (mul %x %x) op=add) name=q\n"
    whole = made("two levels", text, x=numbers("f32", n))
    assert findings([whole], build()) == []
    assert findings([whole], build(threads=3)) == []


# --- matrix products ----------------------------------------------------------------------


def random_products(count: int) -> Iterator[Case]:
    """Odd shapes, of which one in three has an inner axis of more than one block."""
    rng = np.random.default_rng(11)
    for at in range(count):
        m, n = (int(size) for size in rng.integers(1, 70, 2))
        k = int(rng.integers(513, 1600)) if at % 3 == 0 else int(rng.integers(1, 200))
        dtype = "f64" if at % 5 == 0 else "f32"
        text = f"%a = stage {dtype}[{m},{k}]\n%b = stage {dtype}[{k},{n}]\n"
        text += "output (matmul %a %b) name=c\n"
        yield made(f"{dtype} {m}x{k}x{n}", text, a=numbers(dtype, m, k), b=numbers(dtype, k, n))


def product_cases() -> Iterator[Case]:
    for dtype, k in itertools.product(("f32", "f64", "i32"), INNER):
        for m, n in ((5, 7), (1, 33), (33, 1), (17, 64)):
            text = f"%a = stage {dtype}[{m},{k}]\n%b = stage {dtype}[{k},{n}]\n"
            text += "output (matmul %a %b) name=c\n"
            text += "output (matmul (transpose %b) (transpose %a)) name=d\n"
            yield made(f"{dtype} {m}x{k}x{n}", text, a=numbers(dtype, m, k), b=numbers(dtype, k, n))
    text = "dim K = 0..2000\n%a = stage f32[2,3,K]\n%b = stage f32[2,K,4]\n"
    text += "output (matmul %a %b) name=c\noutput (matmul %a (take %b 1 axis=0)) name=d\n"
    for k in INNER:
        a, b = numbers("f32", 2, 3, k), numbers("f32", 2, k, 4)
        yield made(f"2x3xK, K = {k}", text, a=a, b=b)


def test_products() -> None:
    assert findings(list(product_cases()), build()) == []


def narrow_products() -> Iterator[Case]:
    """Narrower than a vector, in either direction, of known sizes and not."""
    for dtype, n, k in itertools.product(("f32", "f64"), (1, 3, 5, 10, 15), (1, 33, 600)):
        for m in (17, 100):
            a, b = numbers(dtype, m, k), numbers(dtype, k, n)
            a[-1, -1], a[m // 2, k // 2], b[0, n // 2] = np.inf, np.nan, -0.0
            for known in (True, False):
                rows, inner, columns = (m, k, n) if known else ("M", "K", n)
                text = "" if known else "dim M = 0..200\ndim K = 0..1000\n"
                text += (
                    f"%a = stage {dtype}[{rows},{inner}]\n%b = stage {dtype}[{inner},{columns}]\n"
                )
                text += f"%at = stage {dtype}[{inner},{rows}]\n"
                text += "output (matmul %a %b) name=c\n"
                text += "output (matmul (transpose %at) %b) name=d\n"
                text += "output (matmul (transpose %b) %at) name=e\n"
                yield made(f"{dtype} {m}x{k}x{n} {known}", text, a=a, b=b, at=a.T.copy())


@pytest.mark.parametrize(("level", "threads"), [("O0", 1), ("O2", 2), ("O2", 3)])
def test_narrow_products(level: str, threads: int) -> None:
    cases = list(narrow_products())[threads - 1 :: 3]
    assert findings(cases, build(level, threads=threads)) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_products_of_random_shapes(threads: int) -> None:
    assert findings(list(random_products(40)), build(threads=threads)) == []


# --- operations over special values -------------------------------------------------------

_FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, -1e-40, 3e38, -3e38, np.inf, -np.inf, np.nan, 7.5]


def special(dtype: DType) -> np.ndarray:
    if dtype.is_float:
        return np.array(_FLOATS, dtype.numpy)
    if dtype.kind == "bool":
        return np.array([False, True])
    lo, hi = dtype.int_range
    near = [lo, lo + 1, hi, hi - 1, *range(0, 4), 31, 32, 33, 63, 64]
    return np.array(near + [-v for v in (1, 2, 31, 32, 33, 64) if lo], dtype.numpy)


def elementwise_text(dtype: DType, size: int) -> str:
    """Every operation that takes the type, on two stages; and every conversion of it."""
    lines = [f"%{name} = stage {dtype}[{size}]" for name in "ab"]
    for op in OPS.values():
        if op.elementwise and dtype.kind in op.types:
            operands = {1: "%a", 2: "%a %b", 3: "%a %b %a"}[len(op.operands)]
            if op.name == "where":
                operands = "(eq %a %b) %a %b"
            lines.append(f"output ({op.name} {operands}) name={op.name}")
    for to in DTYPES.values():
        lines.append(f"output (cast %a dtype={to}) name=cast_{to}")
        if to.width == dtype.width and "bool" not in (to.kind, dtype.kind):
            lines.append(f"output (bitcast %a dtype={to}) name=bitcast_{to}")
    return "\n".join(lines) + "\n"


def test_every_operation_on_all_pairs_of_special_values() -> None:
    cases = []
    for dtype in DTYPES.values():
        values = special(dtype)
        a, b = (m.ravel() for m in np.meshgrid(values, values))
        cases.append(made(str(dtype), elementwise_text(dtype, len(a)), a=a, b=b))
    assert findings(cases, build()) == []
    assert findings(cases, build("O3")) == []


def test_an_index_is_checked_before_it_is_read_at() -> None:
    """So far outside that reading there would end the process."""
    far, x = np.array([10**12]), numbers("f32", 1, 2)
    label = made(
        "label",
        "%x = stage f32[1,2]\n%l = stage i64[1]\n%y = cross_entropy %x %l\noutput %y\n",
        x=x,
        l=far,
    )
    twice = made(
        "twice",
        "%x = stage f32[2]\n%l = stage i64[1]\n%i = iota i64[2] axis=0\n%j = take %i %l axis=0\n"
        "%y = take %x %j axis=0\n%s = reduce %y op=add axes=[0]\noutput %s\n",
        x=x[0],
        l=far,
    )
    assert not findings([label, twice], build())


def test_negative_zero_everywhere() -> None:
    """-0.0 through folds of one element, of none, through pad, scatter_add and a loop's cell."""
    text = """
%x = stage f32[3]
%i = stage i32[3]
%c = buffer f32[3] init=-0.0
output (reduce %x op=add axes=[]) name=empty
output (reduce (reshape %x shape=[3,1]) op=add axes=[1]) name=one
output (reduce (reshape %x shape=[3,1]) op=mul axes=[1]) name=product
output (reduce %x op=max) name=max
output (pad %x lo=[1] hi=[1]) name=pad
output (pad %x lo=[1] hi=[1] value=-0.0) name=pad_negative
output (scatter_add %x %i %x) name=scattered
output (matmul (reshape %x shape=[3,1]) (reshape %x shape=[1,3])) name=product_of_matrices
output (concat %x %x) name=concat
output (mul (add %x %x) -1.0) name=turned
%k = range 3
store %c (add (load %c %k) -0.0) %k
end %k
output (gradient (reduce (mul %x -0.0) op=add) %x) name=g
"""
    x = np.array([-0.0, 0.0, -0.0], np.float32)
    cases = [made("-0.0", text, x=x, i=np.array([2, 2, 0], np.int32))]
    assert findings(cases, build()) == []


# --- limits of the text -------------------------------------------------------------------


def test_a_large_constant_is_no_text() -> None:
    table = Table()
    values = np.arange(1_000_000, dtype=np.float32)
    large = Node(OPS["const"], (), (values.tobytes(),), tensor_type(F32, (1_000_000,)))
    id = table.add(large, Origin(None))
    total = table.add(
        Node(OPS["reduce"], (id,), ("max", (0,), None), tensor_type(F32)), Origin(None)
    )
    table.add(Node(OPS["output"], (total,), ("o",), tensor_type(F32)), Origin(None))
    batch = Batch(
        [Case("large", table, {}, {}, [({}, ({"o": np.array(999_999.0, np.float32)}, {}))])]
    )
    (native,) = batch.natives
    assert len(native.text) < 5_000
    assert batch.compare(build()) == ([], 1)


def test_equal_kernels_of_a_long_chain_are_one_text() -> None:
    """A chain of 3,000 additions and its gradient."""
    lines = ["%x = stage f32", "%v0 = add %x 1.0"]
    lines += [f"%v{i} = add %v{i - 1} %x" for i in range(1, 3000)]
    lines += ["output %v2999 name=o", "output (gradient %v2999 %x) name=g"]
    chain = made("chain", "\n".join(lines) + "\n", x=np.array(0.1, np.float32))
    batch = Batch([chain])
    assert batch.broken == []
    assert len(join([native.text for native in batch.natives])) < 200_000
    assert batch.compare(build("O2")) == ([], 1)
