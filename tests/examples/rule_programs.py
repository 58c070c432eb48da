"""One small program a gradient rule, with the rule written out; and exact shares at the edges.

The shares are transcribed from the rule table of the specification, %g being the share of the
result %u: they are GIR text, so that hash-consing decides whether two expressions are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Shape = tuple[int, ...]


@dataclass(frozen=True)
class RuleProgram:
    """%u = form, loss = the sum of %u times %r; and what the rule gives as shares."""

    name: str
    form: str
    operands: Mapping[str, Shape]
    result: Shape
    shares: Mapping[str, str] = field(default_factory=dict)
    before: str = ""
    types: Mapping[str, str] = field(default_factory=dict)  # f64 where not said

    @property
    def stages(self) -> dict[str, Shape]:
        return {**self.operands, "r": self.result}

    @property
    def text(self) -> str:
        lines = [
            f"%{name} = stage {self.types.get(name, 'f64')}{list(shape)}"
            for name, shape in self.stages.items()
        ]
        lines += [self.before, f"%u = {self.form}", "%loss = reduce (mul %u %r) op=add", ""]
        return "\n".join(lines)

    @property
    def share_of_result(self) -> str:
        ones = [1] * len(self.result)
        spread = f"expand (reshape 1.0:f64 shape={ones}) shape={list(self.result)}"
        return f"%g = mul ({spread}) %r"


def unary(op: str, share: str, **more: Any) -> RuleProgram:
    return RuleProgram(op, f"{op} %a", {"a": (2, 3)}, (2, 3), {"a": share}, **more)


A, B = {"a": (2, 3)}, {"a": (2, 3), "b": (2, 3)}
INDEX = "%i = const i32[4] [0, 2, 2, 1]"
TIE = "(where (eq %a %b) (mul %g 0.5) 0.0)"
GREATEST = "(eq %a (expand (reshape %u shape=[2,1]) shape=[2,3]))"
COUNT = f"(cast (reduce (cast {GREATEST} dtype=i64) op=add axes=[1]) dtype=f64)"
PART = f"(expand (reshape (mul %g (recip {COUNT})) shape=[2,1]) shape=[2,3])"

RULE_PROGRAMS = [
    RuleProgram("add", "add %a %b", B, (2, 3), {"a": "%g", "b": "%g"}),
    RuleProgram(
        "add of two shapes",
        "add %a %b",
        {"a": (2, 3), "b": (3,)},
        (2, 3),
        {"b": "reshape (reshape (reduce %g op=add axes=[0]) shape=[1,3]) shape=[3]"},
    ),
    RuleProgram("mul", "mul %a %b", B, (2, 3), {"a": "mul %g %b", "b": "mul %g %a"}),
    RuleProgram("mul of one", "mul %a %a", A, (2, 3), {"a": "add (mul %g %a) (mul %g %a)"}),
    unary("recip", "mul %g (mul (mul %u %u) -1.0)"),
    RuleProgram(
        "div",
        "div %a %b",
        B,
        (2, 3),
        {"a": "div %g %b", "b": "mul (div (mul %g %u) %b) -1.0"},
    ),
    RuleProgram(
        "max",
        "max %a %b",
        B,
        (2, 3),
        {"a": f"where (lt %b %a) %g {TIE}", "b": f"where (lt %a %b) %g {TIE}"},
    ),
    RuleProgram(
        "where",
        "where %c %a %b",
        B,
        (2, 3),
        {"a": "where %c %g 0.0", "b": "where %c 0.0 %g"},
        before="%c = const bool[2,3] [[true, false, true], [false, false, true]]",
    ),
    unary("exp2", "mul (mul %g %u) 0.6931471805599453"),
    unary("log2", "mul %g (recip (mul %a 0.6931471805599453))"),
    unary("sqrt", "mul %g (recip (mul %u 2.0))"),
    unary("sin", "mul %g (sin (add %a 1.5707963267948966))"),
    unary("cos", "mul %g (mul (sin %a) -1.0)"),
    unary("exp", "mul %g %u"),
    unary("log", "div %g %a"),
    unary("tanh", "mul %g (add 1.0 (mul (mul %u %u) -1.0))"),
    unary("erf", "mul %g (mul (exp (mul (mul %a %a) -1.0)) 1.1283791670955126)"),
    RuleProgram(
        "fma",
        "fma %a %b %c",
        {**B, "c": (2, 3)},
        (2, 3),
        {"a": "mul %g %b", "b": "mul %g %a", "c": "%g"},
    ),
    RuleProgram(
        "cast",
        "cast %a dtype=f64",
        A,
        (2, 3),
        {"a": "cast %g dtype=f32"},
        types={"a": "f32"},
    ),
    RuleProgram("cast to itself", "cast %a dtype=f64", A, (2, 3), {"a": "%g"}),
    RuleProgram("bitcast", "bitcast %a dtype=f64", A, (2, 3), {"a": "%g"}),
    RuleProgram(
        "reduce add",
        "reduce %a op=add axes=[0]",
        A,
        (3,),
        {"a": "expand (reshape %g shape=[1,3]) shape=[2,3]"},
    ),
    RuleProgram(
        "reduce add over two axes",
        "reduce %a op=add axes=[0,2]",
        {"a": (2, 3, 4)},
        (3,),
        {"a": "expand (reshape %g shape=[1,3,1]) shape=[2,3,4]"},
    ),
    RuleProgram("reduce add over none", "reduce %a op=add axes=[]", A, (2, 3), {"a": "%g"}),
    RuleProgram(
        "reduce max",
        "reduce %a op=max axes=[1]",
        A,
        (2,),
        {"a": f"where {GREATEST} {PART} 0.0"},
    ),
    RuleProgram(
        "matmul",
        "matmul %a %b",
        {"a": (2, 3), "b": (3, 4)},
        (2, 4),
        {"a": "matmul %g (permute %b axes=[1,0])", "b": "matmul (permute %a axes=[1,0]) %g"},
    ),
    RuleProgram(
        "matmul of squares",
        "matmul %a %b",
        {"a": (3, 3), "b": (3, 3)},
        (3, 3),
        {"a": "matmul %g (permute %b axes=[1,0])", "b": "matmul (permute %a axes=[1,0]) %g"},
    ),
    RuleProgram(
        "matmul of batches",
        "matmul %a %b",
        {"a": (2, 3, 4), "b": (2, 4, 5)},
        (2, 3, 5),
        {"a": "matmul %g (permute %b axes=[0,2,1])", "b": "matmul (permute %a axes=[0,2,1]) %g"},
    ),
    RuleProgram(
        "matmul of one matrix and a batch", "matmul %a %b", {"a": (3, 4), "b": (2, 4, 5)}, (2, 3, 5)
    ),
    RuleProgram("reshape", "reshape %a shape=[3,2]", A, (3, 2), {"a": "reshape %g shape=[2,3]"}),
    RuleProgram(
        "permute",
        "permute %a axes=[1,2,0]",
        {"a": (2, 3, 4)},
        (3, 4, 2),
        {"a": "permute %g axes=[2,0,1]"},
    ),
    RuleProgram("flip", "flip %a axes=[1]", A, (2, 3), {"a": "flip %g axes=[1]"}),
    RuleProgram(
        "expand",
        "expand %a shape=[2,3]",
        {"a": (2, 1)},
        (2, 3),
        {"a": "reshape (reduce %g op=add axes=[1]) shape=[2,1]"},
    ),
    RuleProgram("expand of nothing", "expand %a shape=[2,3]", A, (2, 3), {"a": "%g"}),
    RuleProgram(
        "pad",
        "pad %a lo=[1,2] shape=[4,6]",
        A,
        (4, 6),
        {"a": "shrink %g lo=[1,2] shape=[2,3]"},
    ),
    RuleProgram(
        "shrink",
        "shrink %a lo=[1,2] shape=[2,3]",
        {"a": (4, 6)},
        (2, 3),
        {"a": "pad %g lo=[1,2] shape=[4,6]"},
    ),
    RuleProgram(
        "take",
        "take %a %i axis=1",
        {"a": (4, 3)},
        (4, 4),
        {"a": "scatter_add (zeros f64[4,3]) %i %g axis=1"},
        before=INDEX,
    ),
    RuleProgram(
        "scatter_add",
        "scatter_add %a %i %b axis=1",
        {"a": (4, 3), "b": (4, 4)},
        (4, 3),
        {"a": "%g", "b": "take %g %i axis=1"},
        before=INDEX,
    ),
]

INF = float("inf")

# (program, inputs, expected outputs): compared by bits.
TIES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "%x = stage f64[2,3]\n"
        "%y = reduce (reduce %x op=max axes=1) op=add\n"
        'output (gradient %y %x) name="g"\n',
        {"x": [[1.0, 3.0, 3.0], [2.0, 2.0, 0.0]]},
        {"g": [[0.0, 0.5, 0.5], [0.5, 0.5, 0.0]]},
    ),
    (
        '%x = stage f32[3]\n%y = reduce %x op=max\noutput (gradient %y %x) name="g"\n',
        {"x": [1.0, 1.0, 1.0]},
        {"g": [1 / 3] * 3},
    ),
    (
        "%a = stage f64[3]\n%b = stage f64[3]\n%y = reduce (max %a %b) op=add\n"
        'output (gradient %y %a) name="da"\noutput (gradient %y %b) name="db"\n',
        {"a": [1.0, 2.0, 3.0], "b": [1.0, 3.0, 2.0]},
        {"da": [0.5, 0.0, 1.0], "db": [0.5, 1.0, 0.0]},
    ),
    (
        '%x = stage f32[3]\n%y = reduce (relu %x) op=add\noutput (gradient %y %x) name="g"\n',
        {"x": [-1.0, 0.0, 1.0]},
        {"g": [0.0, 0.0, 1.0]},
    ),
    (
        "%x = stage f64[2]\n%r = stage f64[2]\n"
        "%y = reduce (mul (where (lt 0.0 %x) %x 0.0) %r) op=add\n"
        'output (gradient %y %x) name="g"\n',
        {"x": [-1.0, 1.0], "r": [INF, 2.0]},
        {"g": [0.0, 2.0]},
    ),
    (
        "%x = stage f64\n%y = mul %x (detach (mul %x %x))\n%g = gradient %y %x\n"
        'output %g\noutput (gradient %g %x) name="gg"\n',
        {"x": 2.0},
        {"g": 4.0, "gg": 0.0},
    ),
    (
        "%x = stage f32\n%y = mul %x (cast (cast %x dtype=i32) dtype=f32)\n"
        'output (gradient %y %x) name="g"\n',
        {"x": 2.5},
        {"g": 2.0},
    ),
    (
        '%x = stage f32\n%z = stage f32[2]\n%y = mul %x %x\noutput (gradient %y %z) name="g"\n',
        {"x": 2.0, "z": [1.0, 1.0]},
        {"g": [0.0, 0.0]},
    ),
    (
        "%x = stage f32\n%y = add (add (mul %x 1.0) (mul %x 1e8)) (mul %x -1e8)\n"
        'output (gradient %y %x) name="g"\n',
        {"x": 2.0},
        {"g": 1.0},
    ),
    (
        "%x = stage f64[3]\n%w = stage f64[6]\n%y = reduce (mul (pad %x lo=1 hi=2) %w) op=add\n"
        'output (gradient %y %x) name="g"\n',
        {"x": [1.0, 2.0, 3.0], "w": [INF, 1.0, 2.0, 3.0, float("nan"), float("nan")]},
        {"g": [1.0, 2.0, 3.0]},
    ),
    (
        "%x = stage f64[3]\n%y = reduce (take %x (const i32[3] [0, 0, 1])) op=add\n"
        'output (gradient %y %x) name="g"\n',
        {"x": [1.0, 2.0, 3.0]},
        {"g": [2.0, 1.0, 0.0]},
    ),
]
