"""Every code is explained, and every example is what it claims to be."""

from __future__ import annotations

import pytest

from gradir.ir.build import build
from gradir.text.codes import CODES
from gradir.text.diagnostics import GirError
from gradir.text.explain import EXAMPLES, explain, explanations
from gradir.text.format import format_source
from gradir.text.grammar import parse
from gradir.text.source import Source


def test_every_code_is_explained() -> None:
    assert sorted(explanations()) == sorted(CODES)
    for code, explanation in explanations().items():
        assert 1 <= explanation.meaning.count("\n") <= 10, code
        pairs = explanation.sections.keys()
        assert {"bad", "good"} <= pairs or {"show", "instead"} <= pairs, code


def test_programs_for_every_code_of_the_text() -> None:
    without = {"P106", "P107", "P108", "N209", "N211"}
    assert {code for code in CODES if code[0] in "PNTMGW"} - without == set(EXAMPLES)


@pytest.mark.parametrize("code", sorted(EXAMPLES))
def test_examples_are_what_they_claim_to_be(code: str) -> None:
    bad, good = EXAMPLES[code]
    _, diagnostics = parse(Source("bad.gir", bad))
    assert [d.code for d in diagnostics] == ([code] if code[0] == "P" else [])
    if code[0] == "P":
        with pytest.raises(GirError):
            build(Source("bad.gir", bad))
    elif code[0] == "W":
        assert [d.code for d in build(Source("bad.gir", bad)).warnings] == [code]
    else:
        with pytest.raises(GirError) as caught:
            build(Source("bad.gir", bad))
        assert [d.code for d in caught.value.diagnostics] == [code]
    if good is not None:
        assert build(Source("good.gir", good)).warnings == []
        assert format_source(Source("good.gir", good)) == good


def test_explain() -> None:
    text = explain("g107")
    assert text.startswith("G107: gradient with respect to a literal\n\nx is a literal")
    assert "\nWrong:\n\n    %a = stage f32\n" in text and "\nRight:\n" in text
    for code in CODES:
        assert all(len(line) <= 100 for line in explain(code).splitlines()), code


def test_unknown_code() -> None:
    with pytest.raises(GirError) as caught:
        explain("G177")
    assert caught.value.diagnostics[0].code == "U702"
    assert caught.value.diagnostics[0].help == "did you mean G107?"
