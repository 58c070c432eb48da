"""Every simplification against the interpreter, over all pairs of special values of each type."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from rule_examples import EXAMPLES, NEAR

from gradir import Program
from gradir.ir.table import Table
from gradir.ir.types import BOOL, DTYPES, DType
from gradir.passes import optimise
from gradir.passes.inline import inline_calls
from gradir.passes.rewriting import Rule
from gradir.passes.simplify import LAYOUT, Simplifier
from gradir.reference.interpreter import evaluate
from gradir.text.printer import scalar_text

ALL: dict[str, Rule] = {rule.name: rule for rule in LAYOUT.all}


def specials(dtype: DType) -> np.ndarray:
    """The values at which arithmetic changes its behaviour."""
    if dtype is BOOL:
        return np.array([False, True])
    numpy = np.dtype(dtype.numpy)
    if dtype.is_float:
        info = np.finfo(numpy)
        ends = [info.smallest_subnormal, info.tiny, info.max, 1 + info.eps, info.tiny / 2]
        plain = [0.0, 1.0, 2.0, 0.5, 3.0, 1 / 3, 1e-20, 1e20, np.inf]
        signed = np.array([*ends, *plain], numpy)
        return np.concatenate([signed, -signed, np.array([np.nan], numpy)])
    low, high = dtype.int_range
    numbers = {low, low + 1, high, high - 1, 0, 1, 2, 3, 5, 31, 32, 33, 64, -1, -2, -3}
    return np.array(sorted(n for n in numbers if low <= n <= high), numpy)


def literals(dtype: DType) -> list[str]:
    return [f"{scalar_text(dtype, value.tobytes())}:{dtype}" for value in specials(dtype)]


def applied(table: Table) -> Counter[str]:
    """The rules that apply in a table, and how often."""
    first = Simplifier(inline_calls(table))
    second = Simplifier(first.run(), LAYOUT)
    second.run()
    return first.rewriter.applied + second.rewriter.applied


def program(body: str, dtype: DType, c: str = "", d: str = "") -> tuple[str, dict[str, np.ndarray]]:
    """The text of a program around `body`, and its inputs: all pairs of special values."""
    values = specials(dtype)
    pairs = np.array(list(itertools.product(values, values)), values.dtype)
    x, y = pairs[:, 0].copy(), pairs[:, 1].copy()
    if len(x) % 2:
        x, y = np.append(x, x[0]), np.append(y, y[0])
    n = len(x)
    bool_type = dtype is BOOL
    point = ".0" if dtype.is_float else ""
    text = body.format(
        T=dtype,
        n=n,
        m=max(n - 2, 0),
        half=n // 2,
        c=c,
        d=d,
        zero="false" if bool_type else f"0:{dtype}",
        ones="true" if bool_type else scalar_text(dtype, b"\xff" * dtype.itemsize) + f":{dtype}",
        one=f"1{point}:{dtype}",
        two=f"2{point}:{dtype}",
        minus=f"-1{point}:{dtype}",
        commutative="xor" if bool_type else "add",
        idempotent="and" if bool_type else "max",
        associative="xor" if bool_type else "mul",
        fold="mul",
        power=c,
        wide="{wide}",
        target="{target}",
    )
    head = f"%x = stage {dtype}[{n}]\n%y = stage {dtype}[{n}]\n%p = stage bool[{n}]\n"
    inputs = {"x": x, "y": y, "p": np.arange(n) % 3 == 0}
    return f'{head}{text}\noutput %r name="r"\n', inputs


def same_bits(text: str, inputs: dict[str, np.ndarray]) -> Counter[str]:
    """Assert that the optimised program's bits are the program's; the rules that applied."""
    table = Program.parse(text).table
    given = {name: inputs[name] for name in table.stages}
    before = evaluate(table, inputs=given).outputs["r"]
    after = evaluate(optimise(table), inputs=given).outputs["r"]
    assert before.dtype == after.dtype and before.shape == after.shape
    assert before.tobytes() == after.tobytes(), text
    return applied(table)


def fitting(rule: Rule, body: str) -> Iterator[DType]:
    """The element types in which a rule's example is a program."""
    for dtype in DTYPES.values():
        if rule.kinds and dtype.kind not in rule.kinds:
            continue
        if dtype.kind == "bool" and any(word in body for word in ("-0.0", "matmul", "reduce")):
            continue
        yield dtype


def fillings(body: str, dtype: DType) -> Iterator[tuple[str, str]]:
    """The literals to put in place of {c} and {d}."""
    if "{d}" in body:
        return itertools.product(literals(dtype), literals(dtype))
    if "{power}" in body:
        span = 126 if dtype.width == 32 else 1022
        powers = (*range(-span, span, span // 9), -span, span, span + 1)
        return iter([(f"{sign}0x1p{k}:{dtype}", "") for k in powers for sign in ("", "-")])
    if "{c}" in body:
        return ((c, "") for c in literals(dtype))
    return iter([("", "")])


# Examples in which an operation of the body exists for some kinds of elements only.
ONLY = {
    "a cast to the same type is x": ("float", "int", "bool"),
    "fma a b -0.0 is a * b": ("float",),
    "fma a 1 c is a + c": ("float",),
    "where c true false is c": ("bool",),
    "where true a b is a": ("float", "int"),
    "max x x is x": ("float", "int", "bool"),
    "x * 0 is 0": ("int", "bool"),
    "x + 0 is x, and so with `or`, `xor`": ("int", "bool"),
    "(x + c) + d is x + (c + d)": ("int", "bool"),
}
CASTS = "cast (cast x) is cast x"


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != CASTS])
def test_a_rule_changes_no_bit(name: str) -> None:
    rule, body = ALL[name], EXAMPLES[name]
    count = 0
    for dtype in fitting(rule, body):
        if dtype.kind not in ONLY.get(name, (dtype.kind,)):
            continue
        found: Counter[str] = Counter()
        for c, d in fillings(body, dtype):
            found += same_bits(*program(body, dtype, c, d))
        assert found[name], (name, dtype)
        count += 1
    assert count


@pytest.mark.parametrize("source", DTYPES.values(), ids=str)
def test_casts_after_one_another(source: DType) -> None:
    """All three types: where the rule applies, and where it must not, the bits are the same."""
    for wide, target in itertools.product(DTYPES, DTYPES):
        text, inputs = program(EXAMPLES[CASTS], source)
        same_bits(text.format(wide=wide, target=target), inputs)


def test_a_cast_through_a_wider_type_goes() -> None:
    chains = (("f32", "f64", "i32"), ("i32", "i64", "u32"), ("bool", "i32", "f32"))
    for source, wide, target in chains:
        text, inputs = program(EXAMPLES[CASTS], DTYPES[source])
        assert same_bits(text.format(wide=wide, target=target), inputs)[CASTS]


@pytest.mark.parametrize(("name", "body"), NEAR, ids=range(len(NEAR)))
def test_a_rule_leaves_alone_what_only_looks_like_it(name: str, body: str) -> None:
    found = same_bits(*program(body, DTYPES["f32"]))
    assert not found[name], body


@pytest.mark.parametrize("fold", ["add", "mul", "max"])
@pytest.mark.parametrize("dtype", [d for d in DTYPES.values() if d is not BOOL], ids=str)
def test_folds_of_one_element(fold: str, dtype: DType) -> None:
    """0.0 + -0.0 is 0.0: a sum of one element is no copy of it."""
    for axes in ("[1]", "[]"):
        body = f"%r = reduce (reshape %x shape=[{{n}},1]) op={fold} axes={axes}"
        found = same_bits(*program(body, dtype))
        assert found["reduce over axes of size 1 is a reshape"]


def test_every_rule_has_an_example_and_a_reason() -> None:
    assert set(EXAMPLES) == set(ALL)
    assert {name for name, _ in NEAR} <= set(ALL)
    assert all(len(rule.why) > 10 for rule in LAYOUT.all)
    assert len(ALL) == len(LAYOUT.all)


@pytest.mark.parametrize("op", ["add", "mul", "max", "eq", "ne"])
def test_what_commutes(op: str) -> None:
    """Both orders in one program are one node, and have the bits of each."""
    for dtype in DTYPES.values():
        if dtype is BOOL and op not in ("eq", "ne"):
            continue
        for left, right in (("%x", "%y"), ("%y", "%x")):
            same_bits(*program(f"%r = {op} {left} {right}", dtype))
        text, _ = program(f"%a = {op} %x %y\n%r = {op} %y %x", dtype)
        table = optimise(Program.parse(text + 'output %a name="a"\n').table)
        assert [node.op.name for node in table.nodes].count(op) == 1
