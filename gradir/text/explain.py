"""`gradir explain CODE`: what a diagnostic means, the smallest program that has it, the fix.

The texts are data: gradir/text/explanations/*.txt. There a code stands alone on its line, its
meaning follows, then programs: `bad:` is refused with this very code, `good:` is accepted (both
are run by tests, and are in EXAMPLES); `show:` and `instead:` are for reading only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

from gradir.text.codes import CODES
from gradir.text.diagnostics import did_you_mean, error

_FILES = ("text", "names", "types", "memory", "gradients", "running")
_SECTIONS = ("bad", "good", "show", "instead")


@dataclass
class Explanation:
    """One code: its meaning, and its sections without their indentation."""

    meaning: str = ""
    sections: dict[str, str] = field(default_factory=dict)


@lru_cache(maxsize=1)
def explanations() -> dict[str, Explanation]:
    """All explanations by code, in the order of their files."""
    found: dict[str, Explanation] = {}
    section = ""
    current = Explanation()
    for name in _FILES:
        file = files("gradir.text") / "explanations" / f"{name}.txt"
        for line in file.read_text(encoding="utf-8").splitlines():
            if re.fullmatch(r"[A-Z]\d{3}", line):
                current = found[line] = Explanation()
                section = ""
            elif line.endswith(":") and line[:-1] in _SECTIONS:
                section = line[:-1]
                current.sections[section] = ""
            elif section and line:
                current.sections[section] += line.removeprefix("    ") + "\n"
            elif line:
                current.meaning += line + "\n"
    return found


def examples() -> dict[str, tuple[str, str | None]]:
    """Code -> a program that has it, and one that is right (None where that needs files)."""
    return {
        code: (explanation.sections["bad"], explanation.sections.get("good"))
        for code, explanation in explanations().items()
        if "bad" in explanation.sections
    }


EXAMPLES = examples()


def explain(code: str) -> str:
    """The text for people. GirError U702 for a code that does not exist."""
    known = code.strip().upper()
    if known not in CODES:
        near = did_you_mean(known, CODES)
        raise error(
            "U702",
            f"there is no diagnostic {code!r}",
            help=f"did you mean {near}?" if near else "codes look like G107",
        )
    explanation = explanations()[known]
    sections = explanation.sections
    text = f"{known}: {CODES[known]}\n\n{explanation.meaning}"
    wrong, right = sections.get("show", sections.get("bad")), sections.get("instead")
    for title, body in (("Wrong", wrong), ("Right", right or sections.get("good"))):
        if body:
            text += f"\n{title}:\n\n" + "".join(f"    {line}\n" for line in body.splitlines())
    return text
