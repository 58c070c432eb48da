"""Each form of the language and the tree it gives; the grammar is the specification's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ply.yacc import NullLogger

from gradir.text import ebnf, grammar
from gradir.text.grammar import GRAMMAR, parse
from gradir.text.source import Source, Span

SPEC = Path(__file__).parents[2] / "spec" / "grammar.md"
# What the specification's block says beside the grammar.
REMARKS = (
    "(store, output, end, sugar and macros with effects)",
    'OPEN is a name with "[" directly attached: f32[',
)


def show(tree: Any) -> Any:
    """A tree without its spans: a list whose head is the form's name."""
    if not isinstance(tree, tuple):
        return tree
    if not hasattr(tree, "_fields"):
        return [show(part) for part in tree]
    parts = [show(part) for part in tree if not isinstance(part, Span)]
    return [type(tree).__name__, *parts]


def trees(text: str) -> list[Any]:
    program, diagnostics = parse(Source("test.gir", text))
    assert diagnostics == []
    return [show(statement) for statement in program.statements]


def value(name: str) -> list[Any]:
    return ["Value", name]


def name(text: str) -> list[Any]:
    return ["Name", text]


def lit(kind: str, text: str, suffix: Any = None) -> list[Any]:
    return ["Literal", kind, text, suffix]


def operation(callee: str, *operands: Any, **attributes: Any) -> list[Any]:
    written = [["Attribute", key, given] for key, given in attributes.items()]
    return ["Operation", name(callee), list(operands), written]


def size(*terms: Any) -> list[Any]:
    return ["Size", list(terms)]


def test_the_grammar_is_the_specifications() -> None:
    block = re.search(r"```ebnf\n(.*?)```", SPEC.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    text = block[1]
    for remark in REMARKS:
        assert text.count(remark) == 1
        text = text.replace(remark, "")
    assert ebnf.tokens(GRAMMAR) == ebnf.tokens(text)


def test_every_rule_is_in_the_grammar() -> None:
    rules = {v for k, v in vars(grammar).items() if k.startswith("p_")}
    assert rules == set(grammar._RULES)


class Remarks:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def warning(self, message: str, *arguments: object) -> None:
        self.lines.append(message % arguments)

    error = critical = warning

    def debug(self, message: str, *arguments: object) -> None:
        pass

    info = debug


def test_no_conflict_and_nothing_unused() -> None:
    remarks = Remarks()
    grammar.tables(NullLogger(), remarks)
    assert remarks.lines == []


def test_a_conflict_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def p_clash(value: Any) -> Any:
        """operand : literal"""

    monkeypatch.setattr(grammar, "_RULES", (*grammar._RULES, p_clash))
    remarks = Remarks()
    with pytest.raises(Exception, match="Unable to build parser"):
        grammar.tables(NullLogger(), remarks)
    assert any("Duplicate rule" in line for line in remarks.lines)


def test_tables_write_and_import_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parsetab.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    grammar.tables.cache_clear()
    before = sorted(Path(grammar.__file__).parent.iterdir())
    assert parse(Source("t", "%a = b"))[1] == []
    assert [p.name for p in tmp_path.iterdir()] == ["parsetab.py"]
    assert sorted(Path(grammar.__file__).parent.iterdir()) == before


FORMS = [
    ("dim B = 1..64", ["Dim", name("B"), 1, 64]),
    ("dim B=0x10..64", ["Dim", name("B"), 16, 64]),
    ('include "a/b.gir"', ["Include", ["String", "a/b.gir"]]),
    ("%a = %b", ["Assign", value("a"), None, value("b")]),
    ("%a = 0.1", ["Assign", value("a"), None, lit("float", "0.1")]),
    ("%dim = true", ["Assign", value("dim"), None, lit("bool", "true")]),
    ("%0 = add", ["Assign", value("0"), None, operation("add")]),
    (
        "%a.b_1: f32[5] = mul %x 2",
        [
            "Assign",
            value("a.b_1"),
            ["Shaped", "f32", [size(5)]],
            operation("mul", value("x"), lit("int", "2")),
        ],
    ),
    ("%a: f64 = x", ["Assign", value("a"), name("f64"), operation("x")]),
    ("store %b %v", ["Effect", operation("store", value("b"), value("v"))]),
    ("@f %x", ["Effect", ["Operation", ["At", "f"], [value("x")], []]]),
    ("call @f", ["Effect", operation("call", ["At", "f"])]),
    (
        "f (g %x k=1) (@h)",
        [
            "Effect",
            operation(
                "f",
                operation("g", value("x"), k=lit("int", "1")),
                ["Operation", ["At", "h"], [], []],
            ),
        ],
    ),
    (
        "f 1 -2 0x1f 2.0 1e-3 0x1.8p+1 inf -inf nan true false",
        [
            "Effect",
            operation(
                "f",
                *(lit("int", text) for text in ("1", "-2", "0x1f")),
                *(lit("float", t) for t in ("2.0", "1e-3", "0x1.8p+1", "inf", "-inf", "nan")),
                *(lit("bool", text) for text in ("true", "false")),
            ),
        ],
    ),
    (
        "f 2.0:f64 -1:%b $k $k:%e $inf:f32",
        [
            "Effect",
            operation(
                "f",
                lit("float", "2.0", name("f64")),
                lit("int", "-1", value("b")),
                lit("param", "k"),
                lit("param", "k", value("e")),
                lit("param", "inf", name("f32")),
            ),
        ],
    ),
    (
        "f f32[] f32[B,3] f32[B*2*$k,$n]",
        [
            "Effect",
            operation(
                "f",
                ["Shaped", "f32", []],
                ["Shaped", "f32", [size(name("B")), size(3)]],
                [
                    "Shaped",
                    "f32",
                    [size(name("B"), 2, ["Parameter", "k"]), size(["Parameter", "n"])],
                ],
            ),
        ],
    ),
    (
        "f [[1.0, $k], []] [true]",
        [
            "Effect",
            operation(
                "f",
                ["Array", [["Array", [lit("float", "1.0"), lit("param", "k")]], ["Array", []]]],
                ["Array", [lit("bool", "true")]],
            ),
        ],
    ),
    (
        'f a=1 b="x y" c=add d=f32[2] e=B*2 f=%v g=[0, [%h], B] h=[] i=$k',
        [
            "Effect",
            operation(
                "f",
                a=lit("int", "1"),
                b=["String", "x y"],
                c=name("add"),
                d=["Shaped", "f32", [size(2)]],
                e=size(name("B"), 2),
                f=value("v"),
                g=["ListAttr", [lit("int", "0"), ["ListAttr", [value("h")]], name("B")]],
                h=["ListAttr", []],
                i=lit("param", "k"),
            ),
        ],
    ),
    (
        "macro @m %a %b k=1 w=[1] {\n  %t = $k\n\n  return %t # last\n}",
        [
            "Macro",
            ["At", "m"],
            [value("a"), value("b")],
            [
                ["Attribute", "k", lit("int", "1")],
                ["Attribute", "w", ["ListAttr", [lit("int", "1")]]],
            ],
            [["Assign", value("t"), None, lit("param", "k")], ["Return", value("t")]],
        ],
    ),
    ("macro @m {}", ["Macro", ["At", "m"], [], [], []]),
    ("macro @m { return 1 }", ["Macro", ["At", "m"], [], [], [["Return", lit("int", "1")]]]),
    (
        "func @f(%a: f32[3],\n  %b: i32) { %c = a\n return (mul %a %b) }",
        [
            "Func",
            ["At", "f"],
            [[value("a"), ["Shaped", "f32", [size(3)]]], [value("b"), name("i32")]],
            [
                ["Assign", value("c"), None, operation("a")],
                ["Return", operation("mul", value("a"), value("b"))],
            ],
        ],
    ),
    ("func @f() { return nan }", ["Func", ["At", "f"], [], [["Return", lit("float", "nan")]]]),
    ('f # comment ( [ { "', ["Effect", operation("f")]),
    (
        "f (g\n  # a comment ) here\n\n  %x # and here\n)",
        ["Effect", operation("f", operation("g", value("x")))],
    ),
    ("f\t%x\t", ["Effect", operation("f", value("x"))]),
    ("\ufefff", ["Effect", operation("f")]),
]


@pytest.mark.parametrize(("text", "tree"), FORMS, ids=[text[:30] for text, _ in FORMS])
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_form(text: str, tree: Any, end: str) -> None:
    assert trees(text.replace("\n", end or "\n") + end) == [tree]


def test_empty_programs() -> None:
    for text in ("", "\n", "\r\n\n", "# nothing", "  \t", "\ufeff", "\n # x\n\n#y"):
        assert trees(text) == []


SPANS = [
    ("%a = mul %x (add 1.0 %y)  # c", "%a = mul %x (add 1.0 %y)"),
    ("  store %b %v  ", "store %b %v"),
    ("%a: f32 = 2.0:f32", "%a: f32 = 2.0:f32"),
    ("f k=[1, 2]", "f k=[1, 2]"),
    ("f f32[2]", "f f32[2]"),
    ("macro @m { }", "macro @m { }"),
]


@pytest.mark.parametrize(("text", "covered"), SPANS)
def test_span_of_a_statement(text: str, covered: str) -> None:
    program, _ = parse(Source("t", "%first = x\n" + text))
    assert program.statements[1].span.text == covered


def test_spans_inside() -> None:
    program, _ = parse(Source("t", "%a = f (g -1:%b) $k:f32 h=B*2 i=[1, %c]"))
    assign: Any = program.statements[0]
    call = assign.value
    assert assign.target.span.text == "%a"
    assert call.span.text == "f (g -1:%b) $k:f32 h=B*2 i=[1, %c]"
    assert [operand.span.text for operand in call.operands] == ["(g -1:%b)", "$k:f32"]
    assert call.operands[0].operands[0].span.text == "-1:%b"
    assert [attribute.span.text for attribute in call.attributes] == ["h=B*2", "i=[1, %c]"]
    assert call.attributes[1].value.items[1].span.text == "%c"
    assert call.span.line == 1 and call.operands[1].span.source.position(call.span.start) == (1, 6)


def test_names_are_shared() -> None:
    program, _ = parse(Source("t", "%some_name = f\n%b = f %some_name"))
    first, second = program.statements
    assert first.target.name is second.value.operands[0].name  # type: ignore[union-attr]


def test_long_programs_are_linear() -> None:
    lines = 100_000
    text = "%x0 = stage f32\n" + "".join(f"%x{k} = add %x{k - 1} 1.0\n" for k in range(1, lines))
    program, diagnostics = parse(Source("t", text))
    assert diagnostics == [] and len(program.statements) == lines
    wide, diagnostics = parse(Source("t", "f " + "%x " * lines + "k=[" + "1," * lines + "1]"))
    call: Any = wide.statements[0]
    assert diagnostics == [] and len(call.operation.operands) == lines
    assert len(call.operation.attributes[0].value.items) == lines + 1
