"""A picture as DOT text, for Graphviz.

The five kinds of node differ in shape as well as in colour, so that a print in grey can be read.
Every text is escaped: a name may hold any character but `"` and a line's end.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gradir.render.picture import (
    CONSTANT,
    EFFECT,
    FORWARD,
    GRADIENT,
    SOURCE,
    Box,
    Edge,
    Picture,
    shorten,
)
from gradir.text.source import Span

LONGEST_STATEMENT = 44


@dataclass(frozen=True)
class Style:
    """How a kind of node is drawn."""

    shape: str
    fill: str
    line: str
    meaning: str
    look: str = "filled"


STYLES = {
    SOURCE: Style("cylinder", "#fef3c7", "#a16207", "input: stage, buffer, load"),
    FORWARD: Style("box", "#dbeafe", "#1d4ed8", "forward computation", "rounded,filled"),
    GRADIENT: Style("octagon", "#ffe4d6", "#c2410c", "made by gradient"),
    CONSTANT: Style("ellipse", "#f3f4f6", "#6b7280", "constant"),
    EFFECT: Style("house", "#dcfce7", "#15803d", "effect: store, output, range, end"),
}

PHASES = {
    "forward": ("forward", "#93c5fd"),
    "backward": ("backward: made by gradient", "#fdba74"),
    "update": ("computed from gradients", "#86efac"),
}

_HEAD = """\
digraph gir {
  graph [rankdir=TB, ranksep=0.32, nodesep=0.18, compound=true, newrank=true,
         fontname="Helvetica", fontsize=12, fontcolor="#374151", bgcolor="white", pad=0.2];
  node [fontname="Helvetica", fontsize=11, margin="0.09,0.035", height=0.3, width=0.3];
  edge [color="#6b7280", arrowsize=0.55, penwidth=0.9, fontname="Helvetica", fontsize=8,
        fontcolor="#6b7280", labeldistance=1.4];
"""


def dot_text(picture: Picture, *, group: bool = False, legend: bool = True) -> str:
    """The whole picture. `group` frames the nodes of each statement of the program."""
    return "\n".join(dot_lines(picture, group=group, legend=legend)) + "\n"


def dot_lines(picture: Picture, *, group: bool = False, legend: bool = True) -> Iterator[str]:
    yield _HEAD.rstrip("\n")
    if legend and picture.boxes:
        yield from legend_lines(picture)
    phases = {box.phase for box in picture.boxes.values()}
    for phase, (label, line) in PHASES.items():
        boxes = [box for box in picture.boxes.values() if box.phase == phase]
        if not boxes:
            continue
        if len(phases) > 1:
            yield f"  subgraph cluster_{phase} {{"
            yield f'    label="{label}"; labeljust=l; color="{line}"; style=rounded; penwidth=1.5;'
        yield from (statement_lines(picture, phase, boxes) if group else map(node_line, boxes))
        if len(phases) > 1:
            yield "  }"
    for edge in picture.edges:
        yield edge_line(picture, edge)
    yield "}"


def statement_lines(picture: Picture, phase: str, boxes: Iterable[Box]) -> Iterator[str]:
    """A frame for each statement; a gradient's nodes stand under the statement they belong to."""
    groups: dict[str, list[Box]] = {}
    labels: dict[str, str] = {}
    for box in boxes:
        span = statement_of(picture, box)
        key = "" if span is None else f"{span.source.name}:{span.line}"
        groups.setdefault(key, []).append(box)
        if span is not None:
            text = span.source.line(span.line).split("#")[0].strip()
            prefix = "for the gradient of  " if phase == "backward" else ""
            labels.setdefault(key, f"{span.line}: {prefix}{shorten(text, LONGEST_STATEMENT)}")
    for at, (key, members) in enumerate(groups.items()):
        if not key or len(members) == 1:
            yield from map(node_line, members)
            continue
        yield f"    subgraph cluster_{phase}_{at} {{"
        yield f'      label={quote(labels[key])}; labeljust=l; fontsize=10; fontname="Courier";'
        yield '      color="#9ca3af"; style=dashed; penwidth=0.8;'
        yield from map(node_line, members)
        yield "    }"


def statement_of(picture: Picture, box: Box) -> Span | None:
    """The statement of a node; for a gradient's node, of the forward node it belongs to."""
    if box.forward is None:
        return box.span
    return picture.table.span(box.forward)


def node_line(box: Box) -> str:
    style = STYLES[box.kind]
    # A cylinder's lid takes room from the text.
    margin = ', margin="0.09,0.08"' if style.shape == "cylinder" else ""
    tip = box.statement if box.span is None else f"{place(box.span)}  {box.statement}"
    return (
        f"    n{box.id} [label=<{label(box)}>, shape={style.shape}, style={quote(style.look)}, "
        f'fillcolor="{style.fill}", color="{style.line}"{margin}, '
        f"tooltip={quote(shorten(tip, 400))}];"
    )


def label(box: Box) -> str:
    """The text in a node, in Graphviz's HTML-like form."""
    op, _, rest = box.title.partition(" ")
    first = f"<b>{escape(op)}</b>" + (f" {escape(rest)}" if rest else "")
    lines = [first]
    below = []
    if box.names:
        below.append(f'<font color="#111827"><i>%{escape(box.names[0])}</i></font>')
    if box.type:
        below.append(escape(box.type))
    if below:
        lines.append(f'<font point-size="9" color="#4b5563">{"  ".join(below)}</font>')
    for line in box.value.splitlines():
        lines.append(f'<font point-size="9" color="#111827">{escape(line)}</font>')
    return "<br/>".join(lines)


def edge_line(picture: Picture, edge: Edge) -> str:
    tail, head = picture.boxes[edge.tail], picture.boxes[edge.head]
    attrs = []
    if edge.place:
        attrs.append(f'headlabel="{edge.place}"')
    if tail.phase != head.phase:
        attrs.append(f'color="{PHASES[head.phase][1]}"')
    if head.phase == "forward" or tail.phase == "forward":
        if tail.phase != head.phase:
            # A value that is kept for later sets no heights: backward lies beside forward.
            attrs.append("constraint=false")
        return f"  n{edge.tail} -> n{edge.head}" + (f" [{', '.join(attrs)}];" if attrs else ";")
    # What is computed backward is drawn upward, beside the forward nodes it belongs to.
    attrs.append("dir=back")
    text = ", ".join(attrs).replace("headlabel", "taillabel")
    return f"  n{edge.head} -> n{edge.tail} [{text}];"


def legend_lines(picture: Picture) -> Iterator[str]:
    """A sample of each kind that occurs, and a word on folded constants."""
    kinds = {box.kind for box in picture.boxes.values()}
    yield "  subgraph cluster_legend {"
    yield '    label="legend"; labeljust=l; color="#d1d5db"; style=rounded; fontsize=10;'
    samples = []
    for kind, style in STYLES.items():
        if kind in kinds:
            samples.append(f"legend_{kind}")
            yield (
                f"    legend_{kind} [label={quote(style.meaning)}, shape={style.shape}, "
                f'style={quote(style.look)}, fillcolor="{style.fill}", color="{style.line}", '
                "fontsize=9];"
            )
    notes = []
    if picture.folded:
        notes.append("“mul · 2.0”: a scalar constant, written at each use; · is an arrow")
    if any(edge.place for edge in picture.edges):
        notes.append("1, 2, … at an arrow: which operand it is")
    if notes:
        samples.append("legend_notes")
        text = "<br/>".join(escape(note) for note in notes)
        yield f"    legend_notes [label=<{text}>, shape=plaintext, fontsize=9];"
    if len(samples) > 1:  # of a single one, the attribute would make the node itself invisible
        yield f"    {' -> '.join(samples)} [style=invis];"
    yield "  }"


def place(span: Span) -> str:
    return f"{span.source.name}:{span.line}"


def escape(text: str) -> str:
    """For HTML-like labels; a control character becomes a space."""
    return html.escape("".join(c if c.isprintable() else " " for c in text))


def quote(text: str) -> str:
    """A DOT string; backslashes are doubled, since Graphviz gives `\\N` and others a meaning."""
    clean = "".join(c if c.isprintable() else " " for c in text)
    return '"' + clean.replace("\\", "\\\\").replace('"', '\\"') + '"'
