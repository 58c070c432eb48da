"""What a picture of a table shows: which nodes, of which kind, with which text.

Nothing here knows Graphviz. A picture is a choice of nodes of one table; it adds none and, except
for folded constants, leaves none out. `fold` writes a scalar constant, and the `reshape` and
`expand` that broadcast it, into the label of each use, and drops the nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from gradir.ir.ops import OPS
from gradir.ir.table import PARAMETER, Node, Table
from gradir.text.printer import attr_text, constant_text, node_text, scalar_text
from gradir.text.source import Span

FORWARD, GRADIENT, CONSTANT, SOURCE, EFFECT = "forward", "gradient", "constant", "source", "effect"

_CONSTANTS = frozenset(OPS[name] for name in ("const", "iota", "size"))
_SOURCES = frozenset([*(OPS[name] for name in ("stage", "buffer", "load")), PARAMETER])
_EFFECTS = frozenset(OPS[name] for name in ("store", "output", "range", "end"))
_CARRIERS = frozenset(OPS[name] for name in ("reshape", "expand"))

# Ops whose operands may change places need no numbers on their edges.
_COMMUTATIVE = frozenset(
    OPS[name] for name in ("add", "mul", "max", "eq", "ne", "and", "or", "xor")
)

# Defaults that would only lengthen a label.
_SILENT = frozenset([("order", "lanes"), ("axis", 0)])

LONGEST_TEXT = 28  # characters of a constant or attribute in a label


@dataclass(frozen=True)
class Edge:
    """A drawn operand, from its node to its user; `place` is 0 where the order is no matter."""

    tail: int
    head: int
    place: int


@dataclass(frozen=True)
class Box:
    """A drawn node: its kind, and its lines of text."""

    id: int
    kind: str
    title: str  # op with folded operands and attributes
    type: str
    names: tuple[str, ...]
    value: str
    statement: str
    span: Span | None
    forward: int | None  # the forward node a gradient's node belongs to
    phase: str  # "forward", "backward" or "update"


@dataclass
class Picture:
    """The boxes by id in table order, the edges, and what has been folded away."""

    table: Table
    boxes: dict[int, Box] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    folded: dict[int, str] = field(default_factory=dict)


def picture(
    table: Table,
    *,
    only: Iterable[int] | None = None,
    fold: bool = True,
    value_of: Callable[[int], str] | None = None,
) -> Picture:
    """The picture of a table, or of what the nodes `only` are computed from."""
    roots = None if only is None else frozenset(only)
    shown = range(len(table)) if roots is None else sorted(ancestors(table, roots))
    drawn = Picture(table)
    if fold:
        drawn.folded = foldable(table, shown, roots or frozenset())
    phases = phases_of(table)
    for id in shown:
        if id in drawn.folded:
            continue
        node = table[id]
        drawn.boxes[id] = Box(
            id=id,
            kind=kind_of(table, id),
            title=title(table, id, drawn.folded),
            type="" if node.op in (OPS["output"], OPS["end"]) else str(node.type),
            names=tuple(table.node_names.get(id, ())),
            value=value_of(id) if value_of is not None else "",
            statement=node_text(table, id)
            if node.op is not PARAMETER
            else f"parameter {node.type}",
            span=table.span(id),
            forward=table.origins[id][0].forward,
            phase=phases[id],
        )
        drawn.edges.extend(edges(node, id, drawn.folded))
    return drawn


def edges(node: Node, id: int, folded: dict[int, str]) -> Iterable[Edge]:
    named = node.op is OPS["store"]  # its buffer stands in the label
    drawn = [
        at
        for at, operand in enumerate(node.operands)
        if operand not in folded and not (named and at == 0)
    ]
    numbered = len(drawn) > 1 and node.op not in _COMMUTATIVE
    for at in drawn:
        yield Edge(node.operands[at], id, at + 1 if numbered else 0)


def ancestors(table: Table, roots: Iterable[int]) -> set[int]:
    """The roots and all they are computed from, memory not followed."""
    found = set(roots)
    stack = list(found)
    while stack:
        for operand in table[stack.pop()].operands:
            if operand not in found:
                found.add(operand)
                stack.append(operand)
    return found


def kind_of(table: Table, id: int) -> str:
    """Which of the five kinds a node is drawn as."""
    node = table[id]
    for kind, ops in ((CONSTANT, _CONSTANTS), (SOURCE, _SOURCES), (EFFECT, _EFFECTS)):
        if node.op in ops:
            return kind
    # A node that forward code built first stays forward when a gradient uses it again.
    return GRADIENT if table.origins[id][0].forward is not None else FORWARD


def phases_of(table: Table) -> list[str]:
    """For each node: forward, backward, or update, which is built from a gradient's result."""
    phases: list[str] = []
    for id, node in enumerate(table.nodes):
        if kind_of(table, id) == GRADIENT:
            phases.append("backward")
        elif any(phases[operand] != "forward" for operand in node.operands):
            phases.append("update")
        else:
            phases.append("forward")
    return phases


def foldable(table: Table, shown: Iterable[int], kept: frozenset[int]) -> dict[int, str]:
    """Scalar constants, and the movement that broadcasts them, with their text."""
    folded: dict[int, str] = {}
    used: set[int] = set()
    for id in shown:
        node = table[id]
        used.update(node.operands)
        if id in kept:
            continue
        bits = table.scalar_constant(id)
        if bits is not None:
            folded[id] = scalar_text(node.type.dtype, bits)
        elif node.op in _CARRIERS and node.operands[0] in folded:
            folded[id] = folded[node.operands[0]]
    # A constant that nothing uses has no label to go to.
    return {id: text for id, text in folded.items() if id in used}


def title(table: Table, id: int, folded: dict[int, str]) -> str:
    """The op, its folded operands (`·` for a drawn one), its attributes."""
    node = table[id]
    parts = [node.op.name]
    if node.op is OPS["const"]:
        parts.append(shorten(constant_text(node.type, node.attrs[0])))
    elif node.op in (OPS["size"], OPS["call"]):
        parts.append(("@" if node.op is OPS["call"] else "") + str(node.attrs[0]))
    elif node.op is OPS["store"]:
        parts.append(f"%{table.label(node.operands[0])}")
    rest = node.operands[node.op is OPS["store"] :]
    if any(operand in folded for operand in rest):
        parts += [folded.get(operand, "·") for operand in rest]
    for row, value in zip(node.op.attrs, node.attrs, strict=True):
        if row.hidden or value is None or (row.name, value) in _SILENT:
            continue
        if row.name == "shape" and tuple(value) == node.type.shape:
            continue  # the type below says it
        if row.name == "name" and value in table.node_names.get(id, ()):
            continue  # so does the name
        parts.append(f"{row.name}={shorten(attr_text(row, value, node.type.dtype))}")
    return " ".join(parts)


def shorten(text: str, longest: int = LONGEST_TEXT) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
