"""Ids of the specification's sentences, held against the conformance files that cite them.

    python tools/spec_ids.py            what is wrong; exit 1 if anything is
    python tools/spec_ids.py --list     every id, where it stands, and how many files cite it

A sentence is a list item `- **REDUCE-3.** …` in spec/*.md. A conformance file cites sentences in
a comment of its first lines, `# spec: GRAD-4, REDUCE-2`. `spec/untested.txt` names the ids that
a program cannot show, one a line with the reason: `CONFORM-3: limits are the implementation's`.

It is wrong if an id stands twice, if a file cites nothing or an id that does not exist, if a
sentence has neither a file nor a line in untested.txt, or if it has both.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ID = r"[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*-[0-9]+"
SENTENCE = re.compile(rf"^- \*\*({ID})\.\*\*")
MENTION = re.compile(rf"^\s*- \*\*(?!{ID}\.\*\*)([A-Z][A-Z0-9-]*-?[0-9]*\.?)\*\*")
CITATION = re.compile(r"^#\s*spec:\s*(.*)$")
UNTESTED = re.compile(rf"^({ID}):\s+\S")
HEAD_LINES = 20


class Place(NamedTuple):
    path: Path
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class Survey(NamedTuple):
    """All that is known: sentences, who cites them, who is excused, and what is wrong."""

    sentences: dict[str, Place]
    citations: dict[str, list[Path]]
    untested: dict[str, Place]
    problems: list[str]


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines; some conformance files are bad UTF-8 on purpose."""
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    yield from enumerate(text.split("\n"), 1)


def survey(spec: Path) -> Survey:
    """Read the chapters, the conformance files and untested.txt below the folder `spec`."""
    found = Survey({}, {}, {}, [])
    for chapter in sorted(spec.glob("*.md")):
        fenced = False
        for number, line in read_lines(chapter):
            fenced ^= line.lstrip().startswith("```")
            if fenced:
                continue
            place = Place(chapter, number)
            if match := SENTENCE.match(line):
                if match[1] in found.sentences:
                    first = found.sentences[match[1]]
                    found.problems.append(f"{place}: {match[1]} stands at {first} too")
                found.sentences.setdefault(match[1], place)
            elif match := MENTION.match(line):
                found.problems.append(f"{place}: `{match[1]}` is not of the form `NAME-1.`")
    for program in sorted((spec / "conformance").rglob("*.gir")):
        cited = False
        for number, line in read_lines(program):
            match = CITATION.match(line) if number <= HEAD_LINES else None
            if not match:
                continue
            for id in re.split(r"[,\s]+", match[1].strip()):
                cited = True
                if id not in found.sentences:
                    found.problems.append(f"{program}:{number}: no sentence {id or '(empty)'}")
                found.citations.setdefault(id, []).append(program)
        if not cited:
            found.problems.append(f"{program}:1: cites no sentence (`# spec: …`)")
    excused = spec / "untested.txt"
    for number, line in read_lines(excused) if excused.exists() else ():
        if not line.strip() or line.startswith("#"):
            continue
        place, match = Place(excused, number), UNTESTED.match(line)
        if not match:
            found.problems.append(f"{place}: not of the form `ID: reason`")
        elif match[1] not in found.sentences:
            found.problems.append(f"{place}: no sentence {match[1]}")
        elif match[1] in found.citations:
            found.problems.append(f"{place}: {match[1]} has a conformance file by now")
        else:
            found.untested[match[1]] = place
    for id, where in found.sentences.items():
        if id not in found.citations and id not in found.untested:
            found.problems.append(f"{where}: {id} has no conformance file")
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", action="store_true", help="list every id")
    parser.add_argument("--spec", type=Path, default=Path(__file__).parent.parent / "spec")
    options = parser.parse_args(arguments)
    if not options.spec.is_dir():
        print(f"{options.spec} is not a folder", file=sys.stderr)
        return 2
    found = survey(options.spec)
    if options.list:
        for id, place in found.sentences.items():
            count = len(found.citations.get(id, ()))
            note = "untested" if id in found.untested else f"{count} files"
            print(f"{id:24} {note:>10}  {place}")
        return 0
    for problem in found.problems:
        print(problem)
    covered = sum(id in found.citations for id in found.sentences)
    print(
        f"{len(found.sentences)} sentences: {covered} with conformance files, "
        f"{len(found.untested)} excused, {len(found.problems)} problems",
        file=sys.stderr,
    )
    return 1 if found.problems else 0


if __name__ == "__main__":
    sys.exit(main())
