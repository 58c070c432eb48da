"""Canonical spacing; comments, blank lines and line breaks stay; the meaning stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradir.text.diagnostics import GirError
from gradir.text.format import format_source, same_tree
from gradir.text.grammar import parse, read_source
from gradir.text.source import Source

ROOT = Path(__file__).parents[2]


def formatted(text: str) -> str:
    once = format_source(Source("t", text))
    assert format_source(Source("t", once)) == once
    return once


LINES = [
    ("dim   B=1 .. 64", "dim B = 1..64"),
    ("%a=f", "%a = f"),
    ("%a :f32 [1.0] = f", None),
    ("%a:f32[ B , 3 ]  =  f", "%a: f32[B,3] = f"),
    ("%a : f32 = f k = 1", "%a: f32 = f k=1"),
    ("f ( g  %x )( h )", "f (g %x) (h)"),
    ("f [ 1.0,[ 2.0 ] ]", "f [1.0, [2.0]]"),
    ("f f32[2] [1.0]", "f f32[2] [1.0]"),
    ("f f32 [1.0]", "f f32 [1.0]"),
    ("f true [1.0]", "f true [1.0]"),
    ("f 2.0 : f64 -1: %b", "f 2.0:f64 -1:%b"),
    ("f $ k : %e", "f $k:%e"),
    ("f k = [ 0,1 ] l = B * 2 m=$k * B", "f k=[0, 1] l=B*2 m=$k*B"),
    ("f k=B* -2", "f k=B*-2"),
    ('f name = "a = b ,c"', 'f name="a = b ,c"'),
    ("f (g k = 1)", "f (g k=1)"),
    ("@m %x a=1", "@m %x a=1"),
    ("call @f (g)", "call @f (g)"),
    ('include   "a.gir"', 'include "a.gir"'),
    ("macro @m %x k = 1{return $k}", "macro @m %x k=1 { return $k }"),
    ("macro @m{ }", "macro @m {}"),
    ("func @f ( %a:f32 ,%b : i32[2] ){return (g 1:%a)}", None),
    ("f%x", "f %x"),
    ("f %x#c", "f %x  #c"),
    ("f (g)[1]", "f (g) [1]"),
    ("  \t f", "f"),
]


@pytest.mark.parametrize(("text", "expected"), LINES)
def test_spacing(text: str, expected: str | None) -> None:
    if text.startswith("func"):
        expected = "func @f(%a: f32, %b: i32[2]) { return (g 1:%a) }"
    if expected is None:
        with pytest.raises(GirError):
            formatted(text)
    else:
        assert formatted(text) == expected + "\n"


WHOLE = [
    ("", ""),
    ("\n\n", ""),
    ("\ufeff\n\n# a  \n\n\n\n#b\nf\n\n\n", "# a\n\n#b\nf\n"),
    ("f\r\n\r\n\r\n%a = g\r\n", "f\n\n%a = g\n"),
    (
        "macro @m %x {\n\n\n %a=f # one\n# two\n\n\n  return %a\n\n}\nf",
        "macro @m %x {\n  %a = f  # one\n  # two\n\n  return %a\n}\nf\n",
    ),
    (
        "func @f(%a: f32,\n        %b: f32) {\nreturn (add %a\n%b) }",
        "func @f(%a: f32,\n  %b: f32) {\n  return (add %a\n    %b) }\n",
    ),
    (
        "%a = const f32[2,2] [\n[1.0,2.0], # row\n\n\n     # next\n[3.0,4.0]\n]",
        "%a = const f32[2,2] [\n  [1.0, 2.0],  # row\n\n  # next\n  [3.0, 4.0]\n]\n",
    ),
    ("%a = f (g (\nh\n) %x\n)\n", "%a = f (g (\n    h\n  ) %x\n)\n"),
]


@pytest.mark.parametrize(("text", "expected"), WHOLE)
def test_lines(text: str, expected: str) -> None:
    assert formatted(text) == expected


def test_errors_are_raised() -> None:
    with pytest.raises(GirError) as caught:
        format_source(Source("t", "f ?\ng ("))
    assert [d.code for d in caught.value.diagnostics] == ["P101", "P105"]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("f  %x", "f %x", True),
        ("f %x", "f %y", False),
        ("f 1", "f 1.0", False),
        ("f 1.0", "f 1.00", False),
        ("f [1.0]", "f", False),
        ("f f32[1]", "f f32 [1]", False),
        ("%a = f", "f", False),
    ],
)
def test_same_tree(a: str, b: str, same: bool) -> None:
    first, second = (parse(Source("t", text))[0] for text in (a, b))
    assert same_tree(first, second) is same


def test_programs_in_the_tree_are_formatted() -> None:
    files = [p for folder in ("gradir", "spec") for p in sorted((ROOT / folder).rglob("*.gir"))]
    assert files
    accepted = 0
    for file in files:
        try:
            formatted(read_source(str(file)).text)
        except GirError:
            assert "error: P" in file.read_text(encoding="utf-8", errors="replace"), file
        else:
            accepted += 1
    assert accepted
