"""Whether two tables say the same, up to names (`gradir diff`).

Nodes of both get a class; two nodes are of one class exactly when they are built in the same way
from stages and outputs of the same name, buffers of the same slot, and the same constants. Names
of values, the order of nodes, nodes that no effect needs, and `checkpoint=` hints do not count. A
load's class holds what was stored before it, so memory is compared by what it does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gradir.ir.ops import OPS
from gradir.ir.table import Function, Table

_RANGE, _END, _STORE, _LOAD = (OPS[name] for name in ("range", "end", "store", "load"))


@dataclass(frozen=True)
class Difference:
    """Where the tables part: an output or a slot, and the first nodes that differ there."""

    effect: str
    left: int | None
    right: int | None


class Classes:
    """The numbering of classes, common to the tables compared."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def of(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


class Classified:
    """A table's nodes and memory versions, with their classes."""

    def __init__(
        self,
        table: Table,
        classes: Classes,
        functions: dict[str, int] | None = None,
        parameters: tuple[int, ...] = (),
    ) -> None:
        self.table, self.classes = table, classes
        self.functions = functions or {}
        self.parameters = parameters  # the nodes of a function's parameters, in order
        for function in table.functions.values():
            self.functions[function.name] = self._function(function)
        self.made: dict[int, list[tuple[int, int]]] = {}  # versions by the node that made them
        for buffer, versions in table.versions.items():
            for version, id in enumerate(versions):
                self.made.setdefault(id, []).append((buffer, version))
        self.versions: dict[int, list[int]] = {buffer: [] for buffer in table.versions}
        self.nodes: list[int] = []
        for id in range(len(table)):
            self.nodes.append(classes.of(self._key(id)))
            for buffer, _ in self.made.get(id, ()):
                before = self.versions[buffer][-1:]
                self.versions[buffer].append(classes.of((self.nodes[id], *before)))

    def _function(self, function: Function) -> int:
        parameters = tuple(id for _, id in function.parameters)
        inner = Classified(function.table, self.classes, dict(self.functions), parameters)
        types = tuple(str(function.table.type(id)) for id in parameters)
        return self.classes.of(("func", types, inner.nodes[function.result]))

    def local(self, id: int) -> tuple[object, ...]:
        """What a node is, its operands apart."""
        node = self.table[id]
        type = str(node.type)
        name = node.op.name
        if name == "buffer":
            return name, type, node.attr("slot"), node.attr("init")
        if name in ("load", "store"):
            return name, type
        if name == "call":
            return name, type, self.functions[node.attrs[0]]
        if name == "parameter":
            return name, type, self.parameters.index(id)
        return name, type, tuple(map(_plain, node.attrs)), self._bounds(id)

    def _bounds(self, id: int) -> tuple[object, ...]:
        node = self.table[id]
        symbols = {s for e in node.type.shape if not isinstance(e, int) for s in e.symbols}
        if node.op is OPS["size"]:
            symbols.add(node.attrs[0])
        return tuple((s, self.table.dims.get(s)) for s in sorted(symbols))

    def _key(self, id: int) -> tuple[object, ...]:
        node = self.table[id]
        operands = tuple(self.nodes[o] for o in node.operands)
        return (*self.local(id), operands, self.memory(id))

    def memory(self, id: int) -> int | None:
        """The class of the buffer's contents that a load or a store finds."""
        node = self.table[id]
        if node.op not in (_LOAD, _STORE):
            return None
        return self.versions[node.operands[0]][node.attr("version")]

    def maker(self, id: int) -> int | None:
        """The node that made the contents a load or a store finds."""
        node = self.table[id]
        if node.op not in (_LOAD, _STORE):
            return None
        return self.table.versions[node.operands[0]][node.attr("version")]

    def effects(self) -> Iterator[tuple[str, int, int]]:
        """What a run leaves behind: its name, its class, and the node that makes it."""
        for name, id in self.table.outputs.items():
            yield f"output {name}", self.nodes[id], id
        for name, id in self.table.buffers.items():
            versions = self.table.versions[id]
            if len(versions) > 1:
                slot = self.table[id].attr("slot")
                yield f"slot {slot} ({name})", self.versions[id][-1], versions[-1]


def differences(left: Table, right: Table) -> list[Difference]:
    """Where two tables differ; empty where they say the same."""
    classes = Classes()
    a, b = Classified(left, classes), Classified(right, classes)
    ours = {_slot(name): (name, kind, id) for name, kind, id in a.effects()}
    theirs = {_slot(name): (name, kind, id) for name, kind, id in b.effects()}
    found = []
    for key in [*ours, *(key for key in theirs if key not in ours)]:
        if key not in theirs:
            found.append(Difference(ours[key][0], ours[key][2], None))
        elif key not in ours:
            found.append(Difference(theirs[key][0], None, theirs[key][2]))
        elif ours[key][1] != theirs[key][1]:
            pair = first_pair(a, b, ours[key][2], theirs[key][2])
            found.append(Difference(ours[key][0], *pair))
    return found


def _slot(effect: str) -> str:
    """A slot's number is what counts, not its buffer's name."""
    return effect.partition(" (")[0] if effect.startswith("slot ") else effect


def first_pair(a: Classified, b: Classified, left: int, right: int) -> tuple[int, int]:
    """From two nodes that differ down to the first ones that differ in themselves."""
    seen: set[tuple[int, int]] = set()
    while (left, right) not in seen:
        seen.add((left, right))
        if a.local(left) != b.local(right):
            break
        pairs = list(zip(a.table[left].operands, b.table[right].operands, strict=False))
        makers = a.maker(left), b.maker(right)
        if makers[0] is not None and makers[1] is not None and a.memory(left) != b.memory(right):
            pairs.append((makers[0], makers[1]))
        below = [(p, q) for p, q in pairs if a.nodes[p] != b.nodes[q]]
        if not below:
            break
        left, right = below[0]
    return left, right


def _plain(value: object) -> object:
    return value if isinstance(value, int | str | bytes | type(None)) else str(value)
