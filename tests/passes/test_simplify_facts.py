"""What simplification claims to know: where no -0.0 can be, and the values of constants."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import dump
from test_simplify_rules import program

from gradir import Program
from gradir.ir.types import DTYPES
from gradir.passes import optimise
from gradir.passes.simplify import Simplifier
from gradir.reference.interpreter import evaluate
from gradir.text.printer import print_table

# Expressions of %x, %y (all pairs of special values) and %q = x * x, with whether it is known
# that none of their elements is -0.0. Known must be true, and for these it must be known.
KNOWN = [
    *("mul %x %x", "exp %x", "exp2 %x", "reduce (reshape %x shape=[{half},2]) op=add axes=[1]"),
    *("sqrt %q", "max %q (mul %y %y)", "where %p %q 1.0:{T}", "add %x %q", "add %q %x"),
    *("cast (cast %x dtype=i32) dtype={T}", "cast %p dtype={T}", "flip %q axes=0", "detach %q"),
    *("pad %q lo=[1] hi=[1]", "shrink %q lo=[1] shape=[2]", "take %q (iota i32[3])"),
    *("reshape %q shape=[{half},2]", "expand (reshape %q shape=[{n},1]) shape=[{n},2]"),
    *("scatter_add %q (iota i32[{n}]) %x", "permute (reshape %q shape=[{half},2]) axes=[1,0]"),
]
UNKNOWN = [
    *("%x", "mul %x %y", "add %x %y", "max %x %q", "max %q %x", "where %p %q %x", "where %p %x %q"),
    *("sqrt %x", "recip %x", "div %q %x", "pad %q lo=[1] hi=[1] value=-0.0", "sin %x", "log %q"),
    *("reduce {pairs} op=mul axes=[1]", "reduce {pairs} op=max axes=[1]", "neg %q"),
    *("scatter_add %x (iota i32[{n}]) %q", "max %q (mul %y %x)"),
    *("cast %x dtype={T}", "matmul (reshape %x shape=[{half},2]) (reshape %y shape=[2,{half}])"),
]


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize(
    ("expression", "known"), [*((e, True) for e in KNOWN), *((e, False) for e in UNKNOWN)]
)
def test_where_no_minus_zero_can_be(dtype: str, expression: str, known: bool) -> None:
    """A sum with 0.0 goes exactly where it is known, and no bit differs."""
    expression = expression.replace("{pairs}", "(reshape %x shape=[{half},2])")
    body = f"%q = mul %x %x\n%v = {expression}\n%r = add %v 0.0:{{T}}"
    text, inputs = program(body, DTYPES[dtype])
    table = Program.parse(text).table
    given = {name: inputs[name] for name in table.stages}
    want = evaluate(table, inputs=given).outputs["r"]
    assert evaluate(optimise(table), inputs=given).outputs["r"].tobytes() == want.tobytes()
    simplifier = Simplifier(table)
    simplifier.run()
    assert simplifier.rewriter.no_minus_zero[simplifier.ids[table.names["v"]]] is known
    if known:
        (value,) = evaluate(table, inputs=given, roots=[table.names["v"]]).values.values()
        assert not ((value == 0) & np.signbit(value)).any()


def test_a_narrowing_cast_may_make_a_minus_zero() -> None:
    text, inputs = program(
        "%r = add (cast (mul (mul %x %x) -1.0:f64) dtype=f32) 0.0", DTYPES["f64"]
    )
    table = Program.parse(text).table
    given = {name: inputs[name] for name in table.stages}
    before, after = (evaluate(t, inputs=given).outputs["r"] for t in (table, optimise(table)))
    assert before.tobytes() == after.tobytes()
    text = "%x = stage f64\n%a = add (mul %x %x) 0x1p-1000:f64\n%b = cast %a dtype=f32\n"
    simplifier = Simplifier(Program.parse(text + 'output %b name="b"\n').table)
    simplifier.run()
    assert not simplifier.rewriter.no_minus_zero[simplifier.ids[simplifier.source.names["b"]]]


# Programs whose output is a constant, and what it is written as: no axis along which all is equal.
CONSTANTS = [
    ("add (iota i32[3]) 1", ["%3 = const i32[3] [1, 2, 3]"]),
    ("add (iota i32[2,3] axis=1) 1", ["%0 = const i32[1,3] [[1, 2, 3]]"]),
    ("add (iota i32[2,3] axis=0) 1", ["%0 = const i32[2,1] [[1], [2]]"]),
    ("const f32[2,2] [[1.5, 1.5], [1.5, 1.5]]", ["%0 = const f32 1.5"]),
    ("const f32[2] [0.0, -0.0]", ["%0 = const f32[2] [0.0, -0.0]"]),
    ("le (iota i32[2,2] axis=1) (const i32[2,2] [[0, 0], [1, 1]])", ["const bool[2,2] [[true, f"]),
    (
        "where (le (iota i32[2,2] axis=1) (iota i32[2,2] axis=0)) 2.0 1.0",
        ["const f32[2,2] [[2.0, 1.0], [2.0, 2.0]]"],
    ),
    ("exp (mul 2.0 0.5)", ["%1 = const f32 2.7182817"]),
    ("reduce (cast (iota i32[5]) dtype=f32) op=add", ["const f32 10.0"]),
    ("permute (const i32[2,2] [[1,2],[3,4]]) axes=[1,0]", ["const i32[2,2] [[1, 3], [2, 4]]"]),
    ("mul nan (const f32[2] [1.0, 2.0])", ["const f32 nan"]),
]


@pytest.mark.parametrize(("expression", "wanted"), CONSTANTS)
def test_constants_are_folded(expression: str, wanted: list[str]) -> None:
    table = Program.parse(f'output ({expression}) name="o"\n').table
    made = optimise(table)
    lines = print_table(made).splitlines()
    kept = {"const", "reshape", "expand", "output"}
    assert {node.op.name for node in made.nodes} <= kept
    for part in wanted:
        constant = part.split("= ")[-1]
        assert any(constant in line for line in lines), lines
    before, after = (evaluate(t).outputs["o"] for t in (table, made))
    assert before.tobytes() == after.tobytes() and before.shape == after.shape


def test_a_comparison_of_indices_stays_one() -> None:
    """It is cheaper than what it gives is to read, as a mask is wherever attention is causal."""
    text = "%x = stage f32[4,4]\n%past = le (iota i32[4,4] axis=1) {}\n"
    text += 'output (where %past %x -inf) name="o"\n'
    for other in ("(iota i32[4,4] axis=0)", "2"):
        made = optimise(Program.parse(text.format(other)).table)
        assert sorted(node.op.name for node in made.nodes if node.op.elementwise) == ["le", "where"]
        assert all(len(node.attrs[0]) == 4 for node in made.nodes if node.op.name == "const")


def test_large_constants_are_not_folded() -> None:
    """Each of them is small enough to be written, all together would fill memory."""
    text = "".join(f"%v{k} = add (iota i32[4096]) {k + 1}\n" for k in range(1200))
    outputs = "".join(f'output %v{k} name="o{k}"\n' for k in range(1200))
    made = optimise(Program.parse(text + outputs).table)
    assert sum(len(node.attrs[0]) for node in made.nodes if node.op.name == "const") <= 16 << 20
    assert any(node.op.name == "add" for node in made.nodes)
    big = optimise(Program.parse('output (add (iota i32[100000]) 1) name="o"\n').table)
    assert any(node.op.name == "add" for node in big.nodes)


def test_an_index_out_of_range_is_not_folded() -> None:
    text = 'output (take (const i32[2] [5, 6]) (const i32[2] [0, {}]) axis=0) name="o"\n'
    assert any("const i32[2] [5, 6]" in line for line in dump(text.format(1)))
    inside, outside = (optimise(Program.parse(text.format(i)).table) for i in (1, 2))
    assert "take" not in {node.op.name for node in inside.nodes}
    assert "take" in {node.op.name for node in outside.nodes}
