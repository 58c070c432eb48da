"""Calls of functions replaced by the nodes of their bodies.

A function is closed and pure, so a copy of its nodes gives the same bits. Symbols of the
parameters' types become the extents that they stand for in the call.
"""

from __future__ import annotations

from typing import Any

from gradir.ir.binding import unify
from gradir.ir.ops import OPS
from gradir.ir.table import PARAMETER, Function, Node, Origin, Table
from gradir.ir.types import I32, Dim, Extent, TensorType, product, substitute_extent, tensor_type
from gradir.passes.copying import Copier
from gradir.text.diagnostics import Note

_CALL, _SIZE, _CONST = OPS["call"], OPS["size"], OPS["const"]


def inline_calls(table: Table) -> Table:
    """The table without calls; itself if it has none."""
    if not any(node.op is _CALL for node in table.nodes):
        return table
    target = Table(dims=dict(table.dims))
    copier = Copier(table, target, _expand(table.functions))
    copier.copy(range(len(table)))
    copier.finish()
    return target


def _expand(functions: dict[str, Function]) -> Any:
    def change(copier: Copier, id: int, operands: tuple[int, ...]) -> int:
        node = copier.source[id]
        if node.op is not _CALL:
            return copier.same(id, operands)
        name = node.attrs[0]
        note = Note(f"called here, in @{name}", copier.source.span(id))
        return _body(copier.target, functions, functions[name], operands, (note,))

    return change


def _body(
    target: Table,
    functions: dict[str, Function],
    function: Function,
    arguments: tuple[int, ...],
    calls: tuple[Note, ...],
) -> int:
    """The function's nodes on these arguments; the id of the result.

    `calls` say where it is called, and where what calls it is: innermost first.
    """
    inner = function.table
    parameters = [id for _, id in function.parameters]
    values = unify(
        [inner.type(p) for p in parameters], [target.type(a) for a in arguments], target.dims
    )
    ids = dict(zip(parameters, arguments, strict=True))
    for id, node in enumerate(inner.nodes):
        if node.op is PARAMETER:
            continue
        operands = tuple(ids[o] for o in node.operands)
        if node.op is _CALL:
            name = node.attrs[0]
            here = Note(f"called here, in @{name}", inner.span(id))
            ids[id] = _body(target, functions, functions[name], operands, (here, *calls))
        elif node.op is _SIZE:
            ids[id] = _size(target, values[node.attrs[0]])
        else:
            attrs = tuple(_attr(value, values) for value in node.attrs)
            made = Node(node.op, operands, attrs, _type(node.type, values))
            ids[id] = target.add(made, Origin(inner.span(id), None, calls))
    return ids[function.result]


def _type(type: TensorType, values: dict[str, Extent]) -> TensorType:
    return type.with_shape(tuple(substitute_extent(e, values) for e in type.shape))


def _attr(value: Any, values: dict[str, Extent]) -> Any:
    """Extents inside attributes (of reshape, expand, pad, shrink) are replaced too."""
    if isinstance(value, Dim):
        return substitute_extent(value, values)
    if isinstance(value, tuple):
        return tuple(_attr(item, values) for item in value)
    return value


def _size(target: Table, extent: Extent) -> int:
    """`size` of a symbol that stands for an extent: an i32, wrapped like any product."""
    whole = product([extent])
    coefficient = whole.coefficient if isinstance(whole, Dim) else whole
    type = tensor_type(I32)
    bits = (coefficient % 2**32).to_bytes(4, "little")
    result = target.add(Node(_CONST, (), (bits,), type), Origin(None))
    for symbol in whole.symbols if isinstance(whole, Dim) else ():
        size = target.add(Node(_SIZE, (), (symbol,), type), Origin(None))
        result = target.add(Node(OPS["mul"], (result, size), (), type), Origin(None))
    return result
