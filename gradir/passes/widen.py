"""The same program in f64: every f32 becomes an f64.

This is no bit-exact pass. It serves to compare gradients with finite differences, which need
more digits than f32 has. Constants keep the values that f32 gave them. A `bitcast` of an f32 goes
through f32 still, so that bits mean what they meant.
"""

from __future__ import annotations

import numpy as np

from gradir.ir.ops import OPS
from gradir.ir.table import Function, Node, Table
from gradir.ir.types import F32, F64, TensorType
from gradir.passes.copying import Copier

_BITS = ("const", "pad", "buffer")  # ops with bits of the node's element type in an attribute


def widen(table: Table) -> tuple[Table, dict[int, int]]:
    """The widened table, and the new id of every node."""
    target = Table(dims=dict(table.dims))
    for function in table.functions.values():
        inner, ids = widen(function.table)
        parameters = tuple((name, ids[id]) for name, id in function.parameters)
        target.functions[function.name] = Function(
            function.name, parameters, inner, ids[function.result]
        )
    copier = Copier(table, target, _widened)
    copier.copy(range(len(table)))
    copier.finish()
    return target, copier.ids


def _widened(copier: Copier, id: int, operands: tuple[int, ...]) -> int:
    node = copier.source[id]
    if node.op is OPS["bitcast"]:
        return _bitcast(copier, id, node, operands)
    attrs = node.attrs
    if node.type.dtype is F32 and node.op.name in _BITS:
        attrs = tuple(_bits(a) if isinstance(a, bytes) else a for a in attrs)
    if node.op is OPS["cast"]:
        attrs = (_type(node.type).dtype.name,)
    return copier.add(id, Node(node.op, operands, attrs, _type(node.type)))


def _bitcast(copier: Copier, id: int, node: Node, operands: tuple[int, ...]) -> int:
    (operand,) = operands
    before, after = copier.source.type(node.operands[0]), node.type
    if before.dtype is F32:
        operand = copier.add(id, _cast(operand, before))
    made = copier.add(id, Node(node.op, (operand,), node.attrs, after))
    return copier.add(id, _cast(made, _type(after))) if after.dtype is F32 else made


def _cast(operand: int, type: TensorType) -> Node:
    return Node(OPS["cast"], (operand,), (type.dtype.name,), type)


def _type(type: TensorType) -> TensorType:
    return type.with_dtype(F64) if type.dtype is F32 else type


def _bits(bits: bytes) -> bytes:
    # A NaN comes out as the one pattern that f64 has: widening keeps it quiet and positive.
    return np.frombuffer(bits, "<f4").astype("<f8").tobytes()
