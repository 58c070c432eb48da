"""Expansions: the library is what the specification says, and dumps show exactly these nodes."""

import re
from importlib import resources
from pathlib import Path

import pytest
from std_helpers import codes, dump

from gradir.ir.forms import FORMS
from gradir.ir.ops import OPS
from gradir.ir.stdlib import standard_library
from gradir.ir.sugar import SUGAR

SPEC = (Path(__file__).parents[2] / "spec" / "sugar.md").read_text(encoding="utf-8")


def macro_texts(text: str) -> dict[str, str]:
    """The macros of a text by name, from `macro` to the closing brace."""
    found = re.findall(r"^macro @(\w+) .*?^}$", text, re.S | re.M)
    bodies = re.findall(r"^macro @\w+ .*?^}$", text, re.S | re.M)
    return dict(zip(found, bodies, strict=True))


def library_texts() -> dict[str, str]:
    folder = resources.files("gradir") / "std"
    files = [f for f in folder.iterdir() if f.name.endswith(".gir")]
    return {k: v for f in files for k, v in macro_texts(f.read_text(encoding="utf-8")).items()}


def test_macros_are_the_specifications():
    library, spec = library_texts(), macro_texts(SPEC)
    adamw = library.pop("adamw")
    assert library == spec
    head, _, body = adamw.partition("\n")
    assert head == spec["adam"].partition("\n")[0].replace("@adam", "@adamw").replace(
        " {", " decay=0.01 {"
    )
    last = re.search(r"last statement\n\n```\n(.*?)```", SPEC, re.S).group(1)
    assert body == "\n".join([*spec["adam"].splitlines()[1:-2], last + "}"])


def test_every_sugar_of_the_specification_exists_and_no_other():
    chapters = SPEC[SPEC.index("## Arithmetic") :]
    stated = set(re.findall(r"^### (\w+)$", chapters, re.M))
    fills = {"zeros", "ones", "full"}
    existing = set(SUGAR) | set(standard_library().names()) | fills
    assert existing == stated
    assert fills <= set(FORMS)
    assert not existing & set(OPS)


def test_each_name_has_one_home():
    macros = set(standard_library().names())
    assert not macros & set(SUGAR) and not macros & set(FORMS) and not set(SUGAR) & set(FORMS)


A = "%a = stage f32[3]"
AB = "%a = stage f32[3]\n%b = stage f32[3]"
FIXED = [
    (
        "sub %a %b",
        AB,
        """%2 = const f32 -1.0
%3: f32[1] = reshape %2 shape=[1]
%4: f32[3] = expand %3 shape=[3]
%5: f32[3] = mul %b %4
%y: f32[3] = add %a %5""",
    ),
    (
        "sub %a 2.0",
        A,
        """%1 = const f32 2.0
%2 = const f32 -1.0
%3: f32 = mul %1 %2
%4: f32[1] = reshape %3 shape=[1]
%5: f32[3] = expand %4 shape=[3]
%y: f32[3] = add %a %5""",
    ),
    (
        "sub %a %b",
        "%a = stage u32\n%b = stage u32",
        """%2 = const u32 4294967295
%3: u32 = mul %b %2
%y: u32 = add %a %3""",
    ),
    ("neg %a", "%a = stage i64", "%1 = const i64 -1\n%y: i64 = mul %a %1"),
    (
        "relu %a",
        "%a = stage f64",
        """%1 = const f64 0.0
%2: bool = le %a %1
%y: f64 = where %2 %1 %a""",
    ),
    (
        "abs %a",
        "%a = stage f32",
        "%1 = const f32 -1.0\n%2: f32 = mul %a %1\n%y: f32 = max %a %2",
    ),
    (
        "min %a %b",
        "%a = stage f32\n%b = stage f32",
        """%2 = const f32 -1.0
%3: f32 = mul %a %2
%4: f32 = mul %b %2
%5: f32 = max %3 %4
%y: f32 = mul %5 %2""",
    ),
    (
        "min %a %b",
        "%a = stage i32\n%b = stage i32",
        "%2: bool = lt %b %a\n%y: i32 = where %2 %b %a",
    ),
    (
        "floor %a",
        "%a = stage f32",
        """%1: f32 = detach %a
%2 = const f32 -1.0
%3: f32 = mul %1 %2
%4: f32 = max %1 %3
%5: i32 = cast %1 dtype=i32
%6: f32 = cast %5 dtype=f32
%7: bool = lt %1 %6
%8: f32 = add %6 %2
%9: f32 = where %7 %8 %6
%10: bool = eq %9 %1
%11: f32 = where %10 %1 %9
%12 = const f32 8388608.0
%13: bool = lt %4 %12
%y: f32 = where %13 %11 %a""",
    ),
    (
        "round %a",
        "%a = stage f64",
        """%1: f64 = detach %a
%2 = const f64 -1.0
%3: f64 = mul %1 %2
%4: f64 = max %1 %3
%5 = const f64 4503599627370496.0
%6: f64 = add %4 %5
%7 = const f64 -4503599627370496.0
%8: f64 = add %6 %7
%9 = const f64 0.0
%10: bool = lt %1 %9
%11: f64 = mul %8 %2
%12: f64 = where %10 %11 %8
%13: bool = eq %12 %1
%14: f64 = where %13 %1 %12
%15: bool = lt %4 %5
%y: f64 = where %15 %14 %a""",
    ),
    (
        "clamp %a 0.0 1.0",
        "%a = stage f32",
        """%1 = const f32 0.0
%2 = const f32 1.0
%3: bool = lt %a %1
%4: f32 = where %3 %1 %a
%5: bool = lt %2 %4
%y: f32 = where %5 %2 %4""",
    ),
    (
        "pow %a exponent=11",
        "%a = stage f32",
        """%1: f32 = mul %a %a
%2: f32 = mul %1 %1
%3: f32 = mul %2 %a
%4: f32 = mul %3 %3
%y: f32 = mul %4 %a""",
    ),
    ("pow %a exponent=0", "%a = stage i32", "%y = const i32 1"),
    ("pow %a exponent=1", "%a = stage i32", "%y = %a"),
    (
        "pow %a exponent=-2",
        "%a = stage f32",
        "%1: f32 = mul %a %a\n%y: f32 = recip %1",
    ),
    (
        "mean %a",
        "dim B = 1..9\n%a = stage f32[3,B,2]",
        """%1: f32 = reduce %a op=add axes=[0,1,2] order=lanes
%2 = const i32 6
%3: i32 = size B
%4: i32 = mul %2 %3
%5: f32 = cast %4 dtype=f32
%y: f32 = div %1 %5""",
    ),
    (
        "argmax %a",
        "%a = stage f32[2,3]",
        """%1: f32[2] = reduce %a op=max axes=[1]
%2: f32[2,1] = reshape %1 shape=[2,1]
%3: f32[2,3] = expand %2 shape=[2,3]
%4: bool[2,3] = eq %a %3
%5: bool[2,3] = ne %a %a
%6: bool[2,3] = or %4 %5
%7: i32[2,3] = iota i32[2,3] axis=1
%8 = const i32 -1
%9: i32[1,1] = reshape %8 shape=[1,1]
%10: i32[2,3] = expand %9 shape=[2,3]
%11: i32[2,3] = mul %7 %10
%12 = const i32 -2147483648
%13: i32[1,1] = reshape %12 shape=[1,1]
%14: i32[2,3] = expand %13 shape=[2,3]
%15: i32[2,3] = where %6 %11 %14
%16: i32[2] = reduce %15 op=max axes=[1]
%17: i32[1] = reshape %8 shape=[1]
%18: i32[2] = expand %17 shape=[2]
%y: i32[2] = mul %16 %18""",
    ),
    (
        "softmax %a",
        "%a = stage f32[4]",
        """%1: f32 = reduce %a op=max axes=[0]
%2: f32[1] = reshape %1 shape=[1]
%3: f32[1] = detach %2
%4 = const f32 -1.0
%5: f32[1] = reshape %4 shape=[1]
%6: f32[1] = mul %3 %5
%7: f32[4] = expand %6 shape=[4]
%8: f32[4] = add %a %7
%9: f32[4] = exp %8
%10: f32 = reduce %9 op=add axes=[0] order=lanes
%11: f32[1] = reshape %10 shape=[1]
%12: f32[1] = recip %11
%13: f32[4] = expand %12 shape=[4]
%y: f32[4] = mul %9 %13""",
    ),
    (
        "cumsum %a",
        A,
        """%1: f32[2] = shrink %a lo=[0] shape=[2]
%2: f32[3] = pad %1 lo=[1] shape=[3] value=-0.0
%3: f32[3] = add %a %2
%4: f32[1] = shrink %3 lo=[0] shape=[1]
%5: f32[3] = pad %4 lo=[2] shape=[3] value=-0.0
%y: f32[3] = add %3 %5""",
    ),
    (
        "concat %a %b %a",
        "%a = stage bool[2]\n%b = stage bool[1]",
        """%2: bool[5] = pad %a lo=[0] shape=[5] value=false
%3: bool[5] = pad %b lo=[2] shape=[5] value=false
%4: bool[5] = pad %a lo=[3] shape=[5] value=false
%5: bool[5] = or %2 %3
%y: bool[5] = or %5 %4""",
    ),
    (
        "stack %a %b",
        AB,
        """%2: f32[1,3] = reshape %a shape=[1,3]
%3: f32[1,3] = reshape %b shape=[1,3]
%4: f32[2,3] = pad %2 lo=[0,0] shape=[2,3] value=-0.0
%5: f32[2,3] = pad %3 lo=[1,0] shape=[2,3] value=-0.0
%y: f32[2,3] = add %4 %5""",
    ),
    ("slice %a lo=1", A, "%y: f32[2] = shrink %a lo=[1] shape=[2]"),
    (
        "slice %a step=2",
        A,
        """%1: f32[3] = shrink %a lo=[0] shape=[3]
%2: f32[4] = pad %1 lo=[0] shape=[4] value=0.0
%3: f32[2,2] = reshape %2 shape=[2,2]
%4: f32[2,1] = shrink %3 lo=[0,0] shape=[2,1]
%y: f32[2] = reshape %4 shape=[2]""",
    ),
    ("split %a sizes=[1,2] part=1", A, "%y: f32[2] = shrink %a lo=[1] shape=[2]"),
    ("transpose %a", "%a = stage f32[2,3,4]", "%y: f32[4,3,2] = permute %a axes=[2,1,0]"),
    ("squeeze %a", "%a = stage f32[1,3,1]", "%y: f32[3] = reshape %a shape=[3]"),
    ("unsqueeze %a axes=[0,-1]", A, "%y: f32[1,3,1] = reshape %a shape=[1,3,1]"),
    ("zeros %a", "%a = stage bool", "%y = const bool false"),
    (
        "full %a 2.0",
        "%a = stage f32[1,3]",
        """%1 = const f32 2.0
%2: f32[1,1] = reshape %1 shape=[1,1]
%y: f32[1,3] = expand %2 shape=[1,3]""",
    ),
    ("full f32[1,1] %a", "%a = stage f32", "%y: f32[1,1] = reshape %a shape=[1,1]"),
    (
        "one_hot %a size=C dtype=bool",
        "dim C = 2..9\n%a = stage i64[3]",
        """%1: i64[C] = iota i64[C] axis=0
%2: i64[3] = take %1 %a axis=0
%3: i64[3,1] = reshape %2 shape=[3,1]
%4: i64[3,C] = iota i64[3,C] axis=1
%5: i64[3,C] = expand %3 shape=[3,C]
%y: bool[3,C] = eq %5 %4""",
    ),
    (
        "dot %a %b",
        AB,
        """%2: f32[1,3] = reshape %a shape=[1,3]
%3: f32[3,1] = reshape %b shape=[3,1]
%4: f32[1,1] = matmul %2 %3
%y: f32 = reshape %4 shape=[]""",
    ),
    (
        'einsum %a %b spec="ij, jk -> ik"',
        "%a = stage f32[2,3]\n%b = stage f32[3,4]",
        "%y: f32[2,4] = matmul %a %b",
    ),
    (
        'einsum %a %b spec="bhqd,bhkd->bhqk"',
        "%a = stage f32[2,3,4,5]\n%b = stage f32[2,3,6,5]",
        """%2: f32[2,3,5,6] = permute %b axes=[0,1,3,2]
%y: f32[2,3,4,6] = matmul %a %2""",
    ),
    (
        'einsum %a %b spec="xij,jk->kx"',
        "%a = stage f32[2,3,4]\n%b = stage f32[4,5]",
        """%2: f32[2,4] = reduce %a op=add axes=[1] order=lanes
%3: f32[2,5] = matmul %2 %b
%y: f32[5,2] = permute %3 axes=[1,0]""",
    ),
    (
        'einsum %a %b spec="i,j->ij"',
        "%a = stage f32[2]\n%b = stage f32[3]",
        """%2: f32[2,1] = reshape %a shape=[2,1]
%3: f32[1,3] = reshape %b shape=[1,3]
%4: f32[2,3] = expand %2 shape=[2,3]
%5: f32[2,3] = expand %3 shape=[2,3]
%y: f32[2,3] = mul %4 %5""",
    ),
    ('einsum %a spec="i->i"', A, "%y = %a"),
]


@pytest.mark.parametrize(("expression", "inputs", "expected"), FIXED, ids=lambda t: t[:30])
def test_nodes(expression, inputs, expected):
    assert dump(expression, inputs) == expected.splitlines()


def test_expansion_is_consed_and_not_simplified():
    """A second use adds nothing; `sub a a` stays what it says."""
    assert dump("add (sub %a %a) (sub %a %a)", "%a = stage f32") == [
        "%1 = const f32 -1.0",
        "%2: f32 = mul %a %1",
        "%3: f32 = add %a %2",
        "%y: f32 = add %3 %3",
    ]


def test_sugar_is_not_a_macro_of_the_program():
    assert codes("%a = stage f32\n%y = @relu %a") == ["N204"]
    own = "macro @relu %a {\n  return (max %a 0.0)\n}\n"
    assert codes(f"{own}%a = stage f32\n%y = @relu %a\n%z = relu %a") == []
