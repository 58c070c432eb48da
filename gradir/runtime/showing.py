"""Results as text for people, as bits, and as JSON (spec/running.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np

from gradir.runtime.exchange import bit_texts, dtype_of, element_texts, json_object

SHOWN = 1000  # elements; of a larger array the edges are shown
EDGE = 3
WIDTH = 88


def json_text(
    outputs: Mapping[str, np.ndarray], slots: Mapping[str, np.ndarray], steps: int
) -> str:
    """One object: outputs and buffers by name, and the number of steps done."""
    groups = [
        f'"{title}": {{'
        + ", ".join(f"{json.dumps(name)}: {json_object(array)}" for name, array in arrays.items())
        + "}"
        for title, arrays in (("outputs", outputs), ("slots", slots))
    ]
    return "{" + ", ".join([*groups, f'"steps": {steps}']) + "}\n"


def array_text(title: str, array: np.ndarray, *, bits: bool = False) -> str:
    """`title: f32[2,2]` and the values, each the shortest that reads back to the same bits."""
    shape = f"[{','.join(map(str, array.shape))}]" if array.ndim else ""
    head = f"{title}: {dtype_of(array)}{shape} ="
    rows = layout(array, bits=bits)
    if len(rows) == 1:
        return f"{head} {rows[0]}\n"
    return "\n".join([head, *(f"  {row}" for row in rows)]) + "\n"


def layout(array: np.ndarray, *, bits: bool = False) -> list[str]:
    """The rows of nested brackets, columns aligned, the middle of a large array left out."""
    cut = array.size > SHOWN
    kept = [_kept(size) if cut else list(range(size)) for size in array.shape]
    shown = array[np.ix_(*kept)] if array.ndim else array
    texts = bit_texts(shown) if bits else element_texts(shown)
    if array.ndim > 1:
        width = max(map(len, texts), default=0)
        texts = [text.rjust(width) for text in texts]
    return _nested(texts, shown.shape, [len(k) < s for k, s in zip(kept, array.shape, strict=True)])


def _kept(size: int) -> list[int]:
    return list(range(size)) if size <= 2 * EDGE else [*range(EDGE), *range(size - EDGE, size)]


def _nested(texts: list[str], shape: tuple[int, ...], cut: list[bool]) -> list[str]:
    """Rows of text; the recursion is as deep as the rank, which the language bounds."""
    if not shape:
        return texts
    if len(shape) == 1:
        if cut[0]:
            texts = [*texts[:EDGE], "…", *texts[EDGE:]]
        return _wrapped(texts)
    size = shape[0]
    step = len(texts) // size if size else 0
    blocks = [_nested(texts[k * step : (k + 1) * step], shape[1:], cut[1:]) for k in range(size)]
    if cut[0]:
        blocks.insert(EDGE, ["…"])
    rows: list[str] = []
    for at, block in enumerate(blocks):
        opened = "[" if at == 0 else " "
        rows += [(opened if k == 0 else " ") + row for k, row in enumerate(block)]
        if at < len(blocks) - 1:
            rows[-1] += "," if block != ["…"] else ""
    if not rows:
        return ["[]"]
    rows[-1] += "]"
    return rows


def _wrapped(texts: list[str]) -> list[str]:
    """One list, over several rows where it is long."""
    rows = ["["]
    for at, text in enumerate(texts):
        last = at == len(texts) - 1
        part = text + ("]" if last else ",")
        if len(rows[-1]) > 1 and len(rows[-1]) + 1 + len(part) > WIDTH:
            rows.append(" ")
        rows[-1] += ("" if len(rows[-1]) == 1 else " ") + part
    return rows if texts else ["[]"]


def brief(array: np.ndarray) -> str:
    """A line about an array: all of a small one, else its extent."""
    if array.size <= 8:
        return " ".join(row.strip() for row in layout(array))
    if array.dtype.kind == "f":
        finite = array[np.isfinite(array)]
        wild = array.size - finite.size
        rest = f", {wild} not finite" if wild else ""
        if not finite.size:
            return f"{array.size} values, none finite"
        return f"{array.size} values from {finite.min():.4g} to {finite.max():.4g}{rest}"
    if array.dtype.kind == "b":
        return f"{array.size} values, {int(array.sum())} true"
    return f"{array.size} values from {array.min()} to {array.max()}"
