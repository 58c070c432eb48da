"""The node table: hash-consed, topologically ordered, the one form behind the reader.

An operand's id is smaller than its user's. Adding a node that exists returns the existing one.
The table never simplifies; it holds what the specification says (spec/table.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gradir.ir.ops import OPS, Op
from gradir.ir.types import DType, TensorType, tensor_type
from gradir.text.diagnostics import Note
from gradir.text.source import Span


class Node(NamedTuple):
    """A node's key: everything that makes it differ from another.

    `type` is the type of the result; of `store`, `output` and `end`, which give none, the type
    of the value concerned. `attrs` stand in the order of the op's row, in canonical form.
    """

    op: Op
    operands: tuple[int, ...]
    attrs: tuple[Any, ...]
    type: TensorType

    def attr(self, name: str) -> Any:
        return self.op.attr(self.attrs, name)


class Origin(NamedTuple):
    """Where a node comes from: a place in a text, and the forward node a share belongs to."""

    span: Span | None
    forward: int | None = None
    calls: tuple[Note, ...] = ()  # of a node copied out of a function: where that is called


class Hint(NamedTuple):
    """`gradient y x checkpoint=[kept]`: keep these values for this gradient."""

    y: int
    x: int
    kept: tuple[int, ...]
    after: int  # the last node of the gradient: where the hint is printed
    result: int  # the gradient


@dataclass
class Function:
    """`func @name`: a closed, pure table of its own with parameters and one result."""

    name: str
    parameters: tuple[tuple[str, int], ...]  # name, id of the parameter's node
    table: Table
    result: int = -1
    depth: int = 0  # how deep its own calls nest


# A function's parameters are nodes of its table; no program text can write this op.
PARAMETER = Op("parameter", "source", ("type",), ("float", "int", "bool"), OPS["stage"].attrs)


@dataclass
class Table:
    """Nodes, and what a program says beside them: dimensions, names, functions, hints."""

    nodes: list[Node] = field(default_factory=list)
    origins: list[list[Origin]] = field(default_factory=list)
    dims: dict[str, tuple[int, int]] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    node_names: dict[int, list[str]] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    hints: list[Hint] = field(default_factory=list)
    # the innermost open range a node depends on; absent for nodes that depend on none
    regions: dict[int, int] = field(default_factory=dict)
    range_parents: dict[int, int | None] = field(default_factory=dict)
    # for each buffer the node that made each version; version 0 is the buffer itself
    versions: dict[int, list[int]] = field(default_factory=dict)
    # nodes that a pass computes once more, to be left where they stand
    late: set[int] = field(default_factory=set)
    # stages, buffers and outputs by op and name
    declared: dict[str, dict[str, int]] = field(
        default_factory=lambda: {"stage": {}, "buffer": {}, "output": {}}
    )
    _ids: dict[Node, int] = field(default_factory=dict)

    def add(self, node: Node, origin: Origin) -> int:
        """The id of the node, new or found; `origin` is recorded either way."""
        found = self._ids.get(node)
        if found is None:
            found = self._ids[node] = len(self.nodes)
            self.nodes.append(node)
            self.origins.append([origin])
            if node.op.name in self.declared:
                self.declared[node.op.name][node.attrs[0]] = found
        else:
            self.origins[found].append(origin)
        return found

    def append(self, node: Node, origin: Origin) -> int:
        """Add a node even if it exists already: for schedules that compute a value twice."""
        self.nodes.append(node)
        self.origins.append([origin])
        return len(self.nodes) - 1

    def find(self, node: Node) -> int | None:
        return self._ids.get(node)

    def __len__(self) -> int:
        return len(self.nodes)

    def __getitem__(self, id: int) -> Node:
        return self.nodes[id]

    def type(self, id: int) -> TensorType:
        return self.nodes[id].type

    def bind(self, name: str, id: int) -> None:
        """Give a node a name; all-digit names are for dumps and are not kept."""
        if not name.isdigit() and name not in self.names:
            self.names[name] = id
            self.node_names.setdefault(id, []).append(name)

    def label(self, id: int) -> str:
        """The node's first name, or its id, as a dump writes it (without `%`)."""
        names = self.node_names.get(id)
        return names[0] if names else str(id)

    def span(self, id: int) -> Span | None:
        """The first place in the text a node comes from."""
        return next((o.span for o in self.origins[id] if o.span is not None), None)

    def of_op(self, name: str) -> Iterator[int]:
        """The ids of an op's nodes, in order."""
        op = OPS[name]
        return (i for i, node in enumerate(self.nodes) if node.op is op)

    @property
    def stages(self) -> dict[str, int]:
        """Names and ids of the `stage` nodes, in program order."""
        return self.declared["stage"]

    @property
    def buffers(self) -> dict[str, int]:
        """Names and ids of the `buffer` nodes, in program order."""
        return self.declared["buffer"]

    @property
    def outputs(self) -> dict[str, int]:
        """Names and ids of the `output` nodes, in program order."""
        return self.declared["output"]

    def scalar_constant(self, id: int) -> bytes | None:
        """The bits of a scalar constant, or None."""
        node = self.nodes[id]
        return node.attrs[0] if node.op is OPS["const"] and not node.type.shape else None

    def same_as(self, other: Table) -> bool:
        """Whether both are the very same table: nodes, names, dimensions, functions, hints."""
        return (
            self.nodes == other.nodes
            and self.names == other.names
            and self.node_names == other.node_names
            and self.dims == other.dims
            and self.hints == other.hints
            and list(self.functions) == list(other.functions)
            and all(
                mine.parameters == theirs.parameters
                and mine.result == theirs.result
                and mine.table.same_as(theirs.table)
                for mine, theirs in zip(
                    self.functions.values(), other.functions.values(), strict=True
                )
            )
        )


def constant(dtype: DType, bits: bytes) -> Node:
    """A scalar constant's node."""
    return Node(OPS["const"], (), (bits,), tensor_type(dtype))
