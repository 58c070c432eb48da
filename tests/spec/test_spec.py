"""The specification: its ids, its list of codes, its grammar and its examples."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from gradir.ir.build import build
from gradir.ir.ops import OPS
from gradir.text.codes import CODES
from gradir.text.source import Source

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "spec"
HEADINGS = ["Syntax", "Types", "Semantics", "Gradient", "Errors", "Examples"]


def load_tool() -> ModuleType:
    found = importlib.util.spec_from_file_location("spec_ids", ROOT / "tools" / "spec_ids.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


spec_ids = load_tool()


def chapters() -> list[Path]:
    return sorted(SPEC.glob("*.md"))


def examples() -> list[tuple[str, str]]:
    found = []
    for chapter in chapters():
        text = chapter.read_text(encoding="utf-8")
        for match in re.finditer(r"^```gir\n(.*?)^```", text, re.S | re.M):
            line = text.count("\n", 0, match.start()) + 2
            found.append((f"{chapter.name}:{line}", match[1]))
    return found


def test_no_id_stands_twice_and_none_is_malformed() -> None:
    problems = spec_ids.survey(SPEC).problems
    assert [p for p in problems if "stands" in p or "not of the form" in p] == []


def test_every_reference_to_an_id_has_its_sentence() -> None:
    known = set(spec_ids.survey(SPEC).sentences)
    named = re.compile(r"(?<![\w*-])([A-Z][A-Z-]+-[0-9]+)(?![\w*-])")
    missing = [
        f"{chapter.name}: {name}"
        for chapter in chapters()
        for name in named.findall(chapter.read_text(encoding="utf-8"))
        if name not in known and name != "UTF-8"
    ]
    assert missing == []


def test_every_link_leads_to_a_chapter() -> None:
    links = {
        (chapter.name, target)
        for chapter in chapters()
        for target in re.findall(r"\]\(([a-z-]+\.md)\)", chapter.read_text(encoding="utf-8"))
    }
    assert sorted(link for link in links if not (SPEC / link[1]).exists()) == []


def test_the_codes_are_those_of_the_implementation() -> None:
    text = (SPEC / "diagnostics.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| ([A-Z]\d{3}) \|", text, re.M) == list(CODES)


def test_every_core_operation_has_a_section_with_the_fixed_headings() -> None:
    sections: dict[str, list[str]] = {}
    for chapter in SPEC.glob("ops-*.md"):
        for part in re.split(r"^### ", chapter.read_text(encoding="utf-8"), flags=re.M)[1:]:
            name, rest = part.split("\n", 1)
            sections[name] = re.findall(r"^\*\*(\w+)\.\*\*", rest, re.M)
    assert sorted(sections) == sorted(OPS)
    assert {name: found for name, found in sections.items() if found != HEADINGS} == {}


@pytest.mark.parametrize(("place", "program"), examples(), ids=[place for place, _ in examples()])
def test_every_example_is_accepted(place: str, program: str) -> None:
    built = build(Source(place, program))
    assert [w.code for w in built.warnings if w.code != "W502"] == []


def test_the_tool_finds_every_kind_of_mistake(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "- **ADD-1.** One.\n- **ADD-2.** Two.\n- **ADD-3.** Three.\n- **ADD-1.** Again.\n"
        "- **Add.** Malformed ids are not silently dropped: **ADD**\n"
        "- **ADD.** No number.\n```\n- **ADD-9.** Not a sentence.\n```\n"
    )
    files = tmp_path / "conformance"
    files.mkdir()
    (files / "good.gir").write_text("# spec: ADD-1\n")
    (files / "unknown.gir").write_text("# spec: ADD-7\n")
    (files / "silent.gir").write_text("%x = 1.0\n")
    (tmp_path / "untested.txt").write_text("# why\nADD-2: no program shows it\nADD-1: stale\nADD\n")
    assert sorted(p.removeprefix(f"{tmp_path}/") for p in spec_ids.survey(tmp_path).problems) == [
        "a.md:3: ADD-3 has no conformance file",
        f"a.md:4: ADD-1 stands at {tmp_path}/a.md:1 too",
        "a.md:6: `ADD.` is not of the form `NAME-1.`",
        "conformance/silent.gir:1: cites no sentence (`# spec: …`)",
        "conformance/unknown.gir:1: no sentence ADD-7",
        "untested.txt:3: ADD-1 has a conformance file by now",
        "untested.txt:4: not of the form `ID: reason`",
    ]
    assert spec_ids.main(["--spec", str(tmp_path)]) == 1
    assert spec_ids.main(["--spec", str(tmp_path / "none")]) == 2
