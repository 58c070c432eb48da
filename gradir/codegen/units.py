"""A program's C text in several, which are compiled side by side and linked into one library.

Kernels that need one costly function of the numerics, a matrix product or an elementary function,
stay together, so that it is compiled once; otherwise the texts are made to take about as long.
Whether and how a program is divided changes no bit. Refuses nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from gradir.codegen.emit_c import PART
from gradir.codegen.prelude import join

MOST = 4
WORTH = 60.0  # milliseconds of compiling that pay for another process
# Milliseconds that gcc takes, roughly, on one of 2025's cores.
_MAIN = 40.0
_COSTS = {"matmul": 80.0, "map": 40.0, "fold": 10.0}
_BY_LETTER = 0.006
_BY_PLAIN_LETTER = 0.002

_COSTLY = re.compile(r"\bgir_((matmul|map|fold)_\w+)\(")
# Of a kernel, not of a part that stands before it and that it alone calls.
_HEAD = re.compile(
    r"^((?:GIR_PLAIN |GIR_BRANCHES )*)(?:GIR_KEPT )?static int (gir_k(?!\w*_part\d+\()\w+)\(",
    re.MULTILINE,
)
_FAR = '#define GIR_FAR __attribute__((visibility("hidden")))\n'


def processors() -> int:
    """How many this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # only Linux tells
        return os.cpu_count() or 1


def units(functions: Sequence[str], main: str, tail: str, most: int) -> list[str]:
    """Up to `most` texts of kernels' functions, what calls them, and a text to stand behind it."""
    groups = _together(functions)
    weights = [_weight("".join(functions[at] for at in group)) for group in groups]
    count = max(1, min(most, int((_MAIN + sum(weights)) / WORTH)))
    parts: list[list[int]] = [[] for _ in range(count)]
    loads = [_MAIN, *[0.0] * (count - 1)]
    for weight, group in sorted(zip(weights, groups, strict=True), reverse=True):
        lightest = loads.index(min(loads))
        loads[lightest] += weight
        parts[lightest] += group
    first, *others = ([functions[at] for at in sorted(part)] for part in parts)
    far = [[_exported(text) for text in other] for other in others if other]
    names = [name for other in far for name, _ in other]
    declared = [f"GIR_FAR int {name}({PART});\n" for name in names]
    own = join(["".join([_FAR, *declared, *first, main])]) + tail
    return [own, *(join(["".join([_FAR, *(text for _, text in other)])]) for other in far)]


def _exported(text: str) -> tuple[str, str]:
    """A kernel's name, and its function for other texts of the library to call."""
    head = _HEAD.search(text)
    assert head is not None, text
    return head[2], f"{text[: head.start()]}{head[1]}GIR_FAR int {text[head.start(2) :]}"


def _together(functions: Sequence[str]) -> list[list[int]]:
    """The functions by number, those that need a costly one of the numerics in one group."""
    groups: dict[int, list[int]] = {}
    owner: dict[str, int] = {}  # of a costly function: the group that needs it
    for at, text in enumerate(functions):
        groups[at] = [at]
        for name in {match[0] for match in _COSTLY.findall(text)}:
            other = owner.get(name)
            if other is not None and other != at:
                groups[at] += groups.pop(other)
            owner.update({n: at for n, g in owner.items() if g == other}, **{name: at})
    return list(groups.values())


def _weight(text: str) -> float:
    costly = {match: _COSTS[match[1]] for match in _COSTLY.findall(text)}
    letter = _BY_PLAIN_LETTER if "GIR_PLAIN " in text else _BY_LETTER
    return sum(costly.values()) + letter * len(text)
