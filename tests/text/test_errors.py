"""What the front end says about bad text: code, place, and where reading goes on."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradir.text.diagnostics import Diagnostic, GirError
from gradir.text.format import format_source
from gradir.text.grammar import parse, read_source
from gradir.text.reading import MAX_BYTES, MAX_LINE, source_of_bytes
from gradir.text.source import Source


def places(text: str) -> list[tuple[str, int, int, str]]:
    """Each diagnostic's code, line, column, and the text it points at."""
    _, diagnostics = parse(Source("t", text))
    return [(d.code, *d.span.source.position(d.span.start), d.span.text) for d in diagnostics]


def kept(text: str) -> list[str]:
    program, _ = parse(Source("t", text))
    return [statement.span.text for statement in program.statements]


# text, diagnostics, statements kept
CASES = [
    ("%a = add ? %x\n%b = c", [("P101", 1, 10, "?")], ["%b = c"]),
    ("%a = x + %y", [("P101", 1, 8, "+")], []),
    ("%a = x &?&! %y", [("P101", 1, 8, "&?&!")], []),
    ("f naïve", [("P101", 1, 5, "ï")], []),
    ("f\u00a0%x", [("P101", 1, 2, "\u00a0")], []),
    ("f\r%x", [("P101", 1, 2, "\r")], []),
    ("f \x00", [("P101", 1, 3, "\x00")], []),
    ("f \ud800", [("P101", 1, 3, "\ud800")], []),
    ("f % x", [("P101", 1, 3, "%")], []),
    ("f @", [("P101", 1, 3, "@")], []),
    ("f - 2", [("P101", 1, 3, "-")], []),
    ("f %x.", [("P101", 1, 5, ".")], []),
    ('f n="a\x1bb"', [("P101", 1, 7, "\x1b")], []),
    ("%a = f (g", [("P105", 1, 8, "(")], []),
    ("f %a = 3", [("P102", 1, 6, "=")], []),
    ("%a = ", [("P102", 1, 6, "")], []),
    ("%a", [("P102", 1, 3, "")], []),
    ("%a = 3 4\n%b = c", [("P102", 1, 8, "4")], ["%b = c"]),
    ("f k=1 %x", [("P102", 1, 7, "%x")], []),
    ("f k=", [("P102", 1, 5, "")], []),
    ("f (%x)", [("P102", 1, 4, "%x")], []),
    ("f ((g))", [("P102", 1, 4, "(")], []),
    ("f()", [("P102", 1, 3, ")")], []),
    ("f [1 2]", [("P102", 1, 6, "2")], []),
    ("f [%x]", [("P102", 1, 4, "%x")], []),
    ("f f32[2", [("P105", 1, 3, "f32[")], []),
    ("f f32[1.0]", [("P102", 1, 7, "1.0")], []),
    ("3 = f", [("P102", 1, 1, "3")], []),
    ("dim B = 1.64", [("P102", 1, 9, "1.64")], []),
    ("dim B = 1..n", [("P102", 1, 12, "n")], []),
    ("include a", [("P102", 1, 9, "a")], []),
    ("f k=2*1.0", [("P102", 1, 7, "1.0")], []),
    ("macro m {\n %a = b\n}\n%c = d", [("P102", 1, 7, "m")], ["%c = d"]),
    ("macro @m\n{\n  %a = b\n}\n%c = d", [("P102", 1, 9, "")], ["%c = d"]),
    ("macro @m { %a = b }\n%c = d", [("P102", 1, 19, "}")], ["macro @m { %a = b }", "%c = d"]),
    ("func @f(%a) {\n return %a\n}\n%c = d", [("P102", 1, 11, ")")], ["%c = d"]),
    ("macro @m { return 1 } f", [("P102", 1, 23, "f")], []),
    ('f "text"', [("P102", 1, 3, '"text"')], []),
    ('f n="abc\n%b = c', [("P103", 1, 5, '"abc')], ["%b = c"]),
    ('f n="abc\r\n%b = c', [("P103", 1, 5, '"abc')], ["%b = c"]),
    ("f 1. %x", [("P104", 1, 3, "1.")], []),
    ("f .5", [("P104", 1, 3, ".5")], []),
    ("f -.5", [("P104", 1, 3, "-.5")], []),
    ("f 1_000", [("P104", 1, 3, "1_000")], []),
    ("f 2f", [("P104", 1, 3, "2f")], []),
    ("f 0x", [("P104", 1, 3, "0x")], []),
    ("f 0x1.8", [("P104", 1, 3, "0x1.8")], []),
    ("f 0x1.p3", [("P104", 1, 3, "0x1.p3")], []),
    ("f 1e", [("P104", 1, 3, "1e")], []),
    ("f 1.5e+", [("P104", 1, 3, "1.5e")], []),
    ("f 1.2.3", [("P104", 1, 3, "1.2.3")], []),
    ("f -nan", [("P104", 1, 3, "-nan")], []),
    ("f 2x", [("P104", 1, 3, "2x")], []),
    ("f " + "1" * 1025, [("P104", 1, 3, "1" * 1025)], []),
    ("f 1." + "1" * 1023, [("P104", 1, 3, "1." + "1" * 1023)], []),
    (
        "%a = f (g %x\n%b = h %a\nf (g %x\n%c: f32 = i",
        [("P105", 1, 8, "("), ("P105", 3, 3, "(")],
        ["%b = h %a", "%c: f32 = i"],
    ),
    ("f (g [1,\n  2)\n%b = h", [("P102", 2, 4, ")")], ["%b = h"]),
    ("f (g\n%x\n)\n%b = h", [], ["f (g\n%x\n)", "%b = h"]),
    (
        "func @f(%a: f32,\n%b: f32\n%c = d",
        [("P105", 1, 8, "(")],
        ["%c = d"],
    ),
    ("f " + "(g " * 201 + ")" * 201 + "\n%b = c", [("P106", 1, 603, "(")], ["%b = c"]),
    ("f k=" + "[" * 201 + "]" * 201 + "\n%b = c", [("P106", 1, 205, "[")], ["%b = c"]),
    ("%a = dim %x", [("P109", 1, 6, "dim")], []),
    ("f (inf 2.0)", [("P109", 1, 4, "inf")], []),
    ("f %x true=3", [("P109", 1, 6, "true")], []),
    ("dim inf = 1..2", [("P109", 1, 5, "inf")], []),
    ("f k=return", [("P109", 1, 5, "return")], []),
    ("macro @m {\n  %a = b\n", [("P110", 1, 10, "{")], []),
    ("f\nmacro @m {\n  f (g\n", [("P105", 3, 5, "("), ("P110", 2, 10, "{")], ["f"]),
    ("f )\n%b = c", [("P111", 1, 3, ")")], ["%b = c"]),
    ("f ]", [("P111", 1, 3, "]")], []),
    ("}\n%b = c", [("P111", 1, 1, "}")], ["%b = c"]),
    ("f (g %x))", [("P111", 1, 9, ")")], []),
    ("return %x", [("P112", 1, 1, "return")], []),
    ("macro @m {\n return 1\n %a = b\n}", [("P112", 2, 2, "return 1")], None),
    ("macro @m {\n return 1\n return 2\n}", [("P112", 2, 2, "return 1")], None),
    ("func @f() {\n %a = b\n}", [("P112", 1, 6, "@f")], None),
    (
        "macro @m %x {\n  %a = f )\n  %b = g %a\n  %c = ?\n  return %b\n}\nf ?\n%d = e",
        [("P111", 2, 10, ")"), ("P101", 4, 8, "?"), ("P101", 7, 3, "?")],
        ["macro @m %x {\n  %a = f )\n  %b = g %a\n  %c = ?\n  return %b\n}", "%d = e"],
    ),
]


@pytest.mark.parametrize(
    ("text", "expected", "statements"), CASES, ids=[repr(case[0][:40]) for case in CASES]
)
def test_diagnostics(
    text: str, expected: list[tuple[str, int, int, str]], statements: list[str] | None
) -> None:
    assert sorted(places(text)) == sorted(expected)
    if statements is not None:
        assert kept(text) == statements


MESSAGES = [
    ("%a = ", "expected an operation, a value or a literal, found the end of the line"),
    ("dim B = 1", "expected `..`, found the end of the line"),
    ("f [1 2]", "expected `,` or `]`, found `2`"),
    ("f k=", "expected an attribute's value, found the end of the line"),
    ("f (g 1))", "`)` closes nothing"),
    ("* f", "expected a statement, found `*`"),
    ("f k %x=2 3", "expected an operand or the end of the line, found `=`"),
    ("f \x0c", "unexpected character U+000C (control character)"),
    ("f \u00a0", "unexpected character U+00A0 (NO-BREAK SPACE)"),
]


@pytest.mark.parametrize(("text", "message"), MESSAGES)
def test_message(text: str, message: str) -> None:
    _, (diagnostic,) = parse(Source("t", text))
    assert diagnostic.message == message


HELPS = [
    ("f 1.", "`1.0`"),
    ("f .5", "`0.5`"),
    ("f -.5", "`-0.5`"),
    ("f 1.e5", "`1.0e5`"),
    ("f 2f", "`2:f32`"),
    ("f 2.0f64", "`2.0:f64`"),
    ("f 1_000", "`1000`"),
    ("f 0x1.8", "`0x1.8p+0`"),
    ("f -nan", "`nan`"),
    ("f x + y", "`add`"),
    ("f (%x)", "stands alone"),
    ("f ((g", "operation"),
    ("%a = f (g", "add `)`"),
    ("%a = f [1", "add `]`"),
]


@pytest.mark.parametrize(("text", "part"), HELPS)
def test_help(text: str, part: str) -> None:
    _, (diagnostic, *_) = parse(Source("t", text))
    assert part in (diagnostic.help or "")


def test_what_a_dropped_statement_binds() -> None:
    text = "%a = ?\n%b: f32 = f (g\n%c = 3 4\nf ?\n%d\nmacro @m {\n  %e = ?\n}"
    text += "\nmacro @n x {\n}\nfunc @g(%a) { return %a }\nf @h ?\nfunc (@k)"
    _, diagnostics = parse(Source("t", text))
    assert [d.binds for d in diagnostics] == [
        *("a", "b", "c", None, "d", "e"),
        *("@n", "@g", None, None),
    ]


def test_reading_stops_at_the_twentieth_error() -> None:
    text = "%a = b\n" + "f ?\n" * 30 + "%c = d\n"
    assert len(places(text)) == 20
    assert kept(text) == ["%a = b"]
    nested = "%a = b\nmacro @m {\n" + "f ?\n" * 30
    assert len(places(nested)) == 20
    assert kept(nested) == ["%a = b"]


HUGE = [
    "(" * 100_000,
    "%a = f " + "(g " * 100_000,
    "%a = f " + "(g " * 100_000 + ")" * 100_000,
    "f k=" + "[" * 100_000,
    "f32[" * 100_000,
    "{" * 100_000,
    "macro @m {\n" * 10_000,
    "}\n" * 100_000,
    ")" * 100_000,
    "f " + "9" * 1_000_000,
    "f " + "1." * 500_000,
    "f " + "?" * 1_000_000,
    "%a" + ".a" * 500_000,
    'f n="' + "x" * 1_000_000,
    "# " + "x" * 1_000_000,
    "\r" * 100_000,
    "-" * 100_000,
    "f 0x" + "1" * 100_000 + ".",
    "f (g\n" * 50_000,
    "f (g\n%a = b\n" * 50_000,
]


@pytest.mark.parametrize("text", HUGE, ids=[repr(text[:12]) for text in HUGE])
def test_huge_texts_are_refused_quickly(text: str) -> None:
    _, diagnostics = parse(Source("t", text))
    assert len(diagnostics) <= 20
    assert bool(diagnostics) == (text[0] not in "#%" or "=" in text or text.startswith("%a."))
    assert all(len(d.message) < 300 for d in diagnostics)


PIECES = [
    *("%a", "%b.c", "@m", "f", "f32[", "[", "]", "(", ")", "{", "}", "=", ":", ",", "..", "*"),
    *("$", "dim ", "include ", "macro ", "func ", "return ", "inf", "-inf", "nan", "true"),
    *("1", "-2", "0x1f", "1.5", "1e", "1.", '"s"', '"', "#", "\n", "\n", "\n", " ", " ", "\r\n"),
    *("\n%a = ", "\n%b: ", "?", "é", "\x00", "\ud800", "macro @m {\n", "func @f(%a: f32) {\n"),
]
PROGRAM = """dim B = 1..64
%x = stage f32[B,3]
macro @huber %e delta=1.0 {
  %d = $delta:%e  # a comment
  return (where (lt %e %d) (mul 0.5:%e %e) -inf)
}
func @f(%a: f32[3],
        %b: f32[B*2]) { return (add %a %b) }
%y: f32[2] = const f32[2] [
  1.0, [2.0]]
store %y (f %x axes=[0, 1] name="n") k=B*2
"""


def check(text: str) -> None:
    """Nothing raises; places lie in the text; and what is accepted can be formatted."""
    source = Source("t", text)
    _, diagnostics = parse(source)
    for diagnostic in diagnostics:
        span = diagnostic.span
        assert span is not None and 0 <= span.start <= span.end <= len(text)
    if diagnostics:
        with pytest.raises(GirError):
            format_source(source)
    else:
        once = format_source(source)
        assert format_source(Source("t", once)) == once


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_token_soup(pieces: list[str]) -> None:
    check("".join(pieces))


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    check(text)


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**32))
def test_mutated_programs(seed: int) -> None:
    rng = random.Random(seed)
    text = PROGRAM
    for _ in range(rng.randrange(1, 5)):
        at, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        if rng.random() < 0.7:
            end = min(end, at + 3)
        text = text[:at] + rng.choice(["", rng.choice(PIECES), text[at:end] * 2]) + text[end:]
    check(text)


def refused(path: Path | str) -> Diagnostic:
    with pytest.raises(GirError) as caught:
        read_source(str(path))
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


def test_reading_files(tmp_path: Path) -> None:
    file = tmp_path / "a.gir"
    file.write_bytes(b"\xef\xbb\xbf%a = b\r\n%c = d")
    source = read_source(str(file), "shown.gir")
    assert (source.name, source.path, source.text) == (
        "shown.gir",
        str(file),
        "%a = b\r\n%c = d",
    )
    assert source.line(1) == "%a = b"
    assert refused(tmp_path / "none.gir").code == "U701"
    assert refused(tmp_path).code == "U701"
    assert refused("a\0b").code == "U701"


def test_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / "a.gir"
    file.write_bytes("%a = b\n# é ".encode() + b"\xff\n")
    diagnostic = refused(file)
    assert diagnostic.code == "P108" and "0xff" in diagnostic.message
    assert diagnostic.span is not None
    assert diagnostic.span.source.position(diagnostic.span.start) == (2, 5)


def test_too_large_files(tmp_path: Path) -> None:
    file = tmp_path / "a.gir"
    with open(file, "wb") as out:  # sparse: nothing of that size is written
        out.truncate(MAX_BYTES + 1)
    assert refused(file).code == "P107"
    os.truncate(file, 70 * 2**20)
    diagnostic = refused(file)
    assert diagnostic.code == "P107" and "line 1 " in diagnostic.message


def test_devices_are_read_up_to_the_limit() -> None:
    if not Path("/dev/zero").exists():
        pytest.skip("no /dev/zero here")
    assert refused("/dev/zero").code == "P107"


def test_long_line() -> None:
    line = b"#" * MAX_LINE
    assert source_of_bytes("t", b"a\n" + line + b"\nb").text[0] == "a"
    with pytest.raises(GirError, match="line 2 of t is longer than 64 MiB"):
        source_of_bytes("t", b"a\n" + line + b"#\nb")
    _, (diagnostic,) = parse(Source("t", "a\n" + "#" * (MAX_LINE + 1)))
    assert diagnostic.code == "P107"
