"""The printer: a node table as GIR text, one node a statement in id order (spec/table.md).

Reading the text back gives the very same table: names, hints and functions included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradir.ir.ops import OPS, Attr
from gradir.ir.table import PARAMETER, Function, Hint, Node, Table
from gradir.ir.types import Dim, DType, TensorType, shape_text
from gradir.text.literals import format_float

_NO_RESULT = frozenset(OPS[name] for name in ("store", "end", "output"))


def print_table(table: Table) -> str:
    """The whole table as a program."""
    return "".join(line + "\n" for line in table_lines(table))


def table_lines(table: Table) -> Iterator[str]:
    """The lines of a program: dimensions, functions, then the nodes in id order."""
    for name, (lo, hi) in table.dims.items():
        yield f"dim {name} = {lo}..{hi}"
    for function in table.functions.values():
        yield from _function_lines(function)
    yield from _node_lines(table)


def _function_lines(function: Function) -> Iterator[str]:
    table = function.table
    parameters = ", ".join(f"%{name}: {table.type(id)}" for name, id in function.parameters)
    yield f"func @{function.name}({parameters}) {{"
    for line in _node_lines(table):
        yield "  " + line
    yield f"  return %{table.label(function.result)}"
    yield "}"


def _node_lines(table: Table) -> Iterator[str]:
    hints: dict[int, list[Hint]] = {}
    for hint in table.hints:
        hints.setdefault(hint.after, []).append(hint)
    for hint in hints.get(-1, ()):
        yield hint_text(table, hint)
    for id, node in enumerate(table.nodes):
        if node.op is not PARAMETER:
            yield node_text(table, id)
        names = table.node_names.get(id, ())
        first = 0 if node.op is PARAMETER else 1
        label = table.label(id)
        for alias in names[first:]:
            if alias != label:
                yield f"%{alias} = %{label}"
        for hint in hints.get(id, ()):
            yield hint_text(table, hint)


def node_text(table: Table, id: int) -> str:
    """One node as a statement, e.g. `%y: f32[5] = mul %x %x`."""
    node = table[id]
    operation = operation_text(table, node)
    if node.op in _NO_RESULT:
        return operation
    if node.op is OPS["const"]:
        return f"%{table.label(id)} = {operation}"
    return f"%{table.label(id)}: {node.type} = {operation}"


def hint_text(table: Table, hint: Hint) -> str:
    kept = ", ".join(f"%{table.label(id)}" for id in hint.kept)
    return f"gradient %{table.label(hint.y)} %{table.label(hint.x)} checkpoint=[{kept}]"


def operation_text(table: Table, node: Node) -> str:
    """The right-hand side: op, operands, attributes with the defaults filled in."""
    parts = [node.op.name]
    name = node.op.name
    if name == "const":
        parts += [str(node.type), constant_text(node.type, node.attrs[0])]
    elif name == "size":
        parts.append(node.attrs[0])
    elif name == "call":
        parts.append(f"@{node.attrs[0]}")
    elif not node.operands and name in ("stage", "buffer", "iota"):
        parts.append(str(node.type))
    parts += [f"%{table.label(operand)}" for operand in node.operands]
    for row, value in zip(node.op.attrs, node.attrs, strict=True):
        if not row.hidden and value is not None:
            parts.append(f"{row.name}={attr_text(row, value, node.type.dtype)}")
    return " ".join(parts)


def attr_text(row: Attr, value: Any, dtype: DType) -> str:
    """An attribute's value as the reader takes it; `dtype` is what a scalar's bits are of."""
    if row.kind in ("scalar", "init") and isinstance(value, bytes):
        return scalar_text(dtype, value)
    if row.kind in ("string", "init"):
        return f'"{value}"'
    if row.kind == "flag":
        return "true" if value else "false"
    if isinstance(value, tuple) and not isinstance(value, Dim):
        return shape_text(value)
    return str(value)


def scalar_text(dtype: DType, bits: bytes) -> str:
    """The shortest literal that reads back to the same bits of its type."""
    if dtype.is_float:
        return format_float(int.from_bytes(bits, "little"), dtype.width)
    if dtype.kind == "bool":
        return "true" if bits != b"\x00" else "false"
    return str(int.from_bytes(bits, "little", signed=dtype.int_range[0] < 0))


def constant_text(type: TensorType, bits: bytes) -> str:
    """A scalar, or an array in nested brackets."""
    size = type.dtype.itemsize
    if not type.shape:
        return scalar_text(type.dtype, bits)
    sizes = [int(extent) for extent in type.shape]  # type: ignore[arg-type]
    texts = [scalar_text(type.dtype, bits[at : at + size]) for at in range(0, len(bits), size)]
    return _nested(texts, sizes)


def _nested(texts: Sequence[str], sizes: Sequence[int]) -> str:
    """Brackets from the inside out; an axis of size 0 prints as `[]`."""
    for at in range(len(sizes) - 1, -1, -1):
        size = sizes[at]
        count = int(np.prod(sizes[:at], dtype=np.int64))
        if size == 0:
            texts = ["[]"] * count
        else:
            texts = [f"[{', '.join(texts[k * size : (k + 1) * size])}]" for k in range(count)]
    return texts[0]
