"""How diagnostics look, and which misspellings are guessed."""

from __future__ import annotations

import pytest

from gradir.text.diagnostics import Diagnostic, Note, did_you_mean, printable, render
from gradir.text.source import Source, Span

TEXT = "%lr = 2.0\n\n%g = gradient %loss 2.0\n"


def at(text: str, part: str, name: str = "train.gir") -> Span:
    start = text.index(part)
    return Span(Source(name, text), start, start + len(part))


def test_the_picture() -> None:
    source = Source("train.gir", "\n" * 11 + TEXT)
    start = source.text.rindex("2.0")
    first = source.text.index("2.0")
    diagnostic = Diagnostic(
        "G107",
        "gradient with respect to a literal",
        Span(source, start, start + 3),
        [
            Note("every 2.0 in the program is one node"),
            Note("used here", Span(source, first, first + 3)),
        ],
        help="stage it: `%lr = stage f32`",
    )
    assert render([diagnostic]) == (
        "train.gir:14:21: error[G107]: gradient with respect to a literal\n"
        " 14 | %g = gradient %loss 2.0\n"
        "    |                     ^~~\n"
        "note: every 2.0 in the program is one node\n"
        "train.gir:12:7: note: used here\n"
        " 12 | %lr = 2.0\n"
        "    |       ^~~\n"
        "help: stage it: `%lr = stage f32`\n"
    )


def test_without_a_place() -> None:
    assert render([Diagnostic("U701", "cannot read x\nnor y")]) == (
        "error[U701]: cannot read x\n  nor y\n"
    )
    assert render([Diagnostic("W502", "unused", severity="warning")]) == "warning[W502]: unused\n"
    assert render([]) == ""


LOOKS = [
    ("\tf\t%x", "%x", "    f   %x", "        ^~"),
    ("f 漢字 %x", "%x", "f 漢字 %x", "       ^~"),
    ("f 漢字 %x", "漢字", "f 漢字 %x", "  ^~~~"),
    ("f e\u0301 %x", "%x", "f e\u0301 %x", "    ^~"),
    ("f \x1b[31m %x", "%x", "f \ufffd[31m %x", "        ^~"),
    ("f \ud800 %x", "%x", "f \ufffd %x", "    ^~"),
    ("f \u202e %x", "%x", "f \ufffd %x", "    ^~"),
    ("f (g\n%x)", "(g\n%x)", "f (g", "  ^~"),
    ("f\r\ng", "f", "f", "^"),
]


@pytest.mark.parametrize(("text", "part", "line", "mark"), LOOKS)
def test_excerpt(text: str, part: str, line: str, mark: str) -> None:
    _, shown, marked = render([Diagnostic("P102", "m", at(text, part))]).splitlines()
    assert shown == " 1 | " + line
    assert marked == "   | " + mark


def test_end_of_line_and_of_text() -> None:
    for text, start, place, line in (("f\ng", 1, "1:2", "f"), ("f\n", 2, "2:1", "")):
        lines = render([Diagnostic("P102", "m", Span(Source("t", text), start, start))])
        head, shown, mark = lines.splitlines()
        assert head.startswith(f"t:{place}: ") and mark.rstrip().endswith("^")
        assert shown == f" {place[0]} | {line}".rstrip()


@pytest.mark.parametrize("start", [0, 10, 5_000, 999_990, 999_999])
def test_long_lines_are_cut_around_the_place(start: int) -> None:
    text = "x" * start + "@@@" + "y" * (1_000_000 - start)
    _, shown, mark = render([Diagnostic("P102", "m", Span(Source("t", text), start, start + 3))])[
        :-1
    ].split("\n")
    assert len(shown) < 120
    column = mark.index("^")
    assert shown[column : column + 3] == "@@@" and mark.endswith("^~~")


def test_sorted_counted_and_without_repetition() -> None:
    source = Source("t", "f\n" * 60)
    many = [
        Diagnostic("P102", "m", Span(source, 2 * k, 2 * k + 1)) for k in (*range(59, -1, -1), 3, 4)
    ]
    lines = render(many).splitlines()
    heads = [line for line in lines if "error" in line]
    assert heads == [f"t:{k}:1: error[P102]: m" for k in range(1, 21)]
    assert lines[-1] == "40 more"


def test_color() -> None:
    text = render([Diagnostic("P102", "m", at("f", "f"), help="h")], color=True)
    assert "\x1b[1;31merror[P102]:\x1b[0m m" in text and "\x1b[1;32mhelp:\x1b[0m h" in text


def test_messages_cannot_steer_the_terminal() -> None:
    text = render([Diagnostic("U701", "cannot read \x1b]0;x\x07")])
    assert "\x1b" not in text and "\x07" not in text
    assert printable("naïve 漢字 e\u0301\u00a0") == "naïve 漢字 e\u0301\u00a0"


NAMES = ["loss", "softmax", "return", "x", "y", "add", "matmul", "lr", "layer_norm"]
GUESSES = [
    ("los", "loss"),
    ("losss", "loss"),
    ("lsos", "loss"),
    ("lsso", None),
    ("LOSS", "loss"),
    ("softmx", "softmax"),
    ("retrun", "return"),
    ("mtamul", "matmul"),
    ("layernrm", "layer_norm"),
    ("l", None),
    ("z", None),
    ("X", "x"),
    ("div", None),
    ("gradient", None),
    ("", None),
]


@pytest.mark.parametrize(("name", "guess"), GUESSES)
def test_did_you_mean(name: str, guess: str | None) -> None:
    assert did_you_mean(name, NAMES) == guess


def test_did_you_mean_prefers_the_nearest() -> None:
    assert did_you_mean("weight1", ["weights2", "weight12", "weight2"]) == "weight12"


def test_did_you_mean_among_very_many() -> None:
    names = [f"layer{k}.weight{k % 7}" for k in range(100_000)]
    assert did_you_mean("layer500.wieght3", names) == "layer500.weight3"
    assert did_you_mean("something_else", names) is None
    assert did_you_mean("q" * 100_000, names) is None
