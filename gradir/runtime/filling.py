"""What a program is run on where nobody states it: stages and buffers filled by a description.

Refuses arrays that a run has no memory for (R606) and dimensions in conflict (R604).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gradir.ir.binding import BindingConflict, bind_shapes
from gradir.ir.table import Table
from gradir.ir.types import TensorType, evaluate_extent, tensor_type
from gradir.reference.initial import from_description, static_shape
from gradir.reference.memory import memory_limit
from gradir.text.diagnostics import error
from gradir.text.source import Span


@dataclass
class Inputs:
    """Arrays by the names of stages and of buffers, and the dimensions stated."""

    stages: dict[str, np.ndarray] = field(default_factory=dict)
    buffers: dict[str, np.ndarray] = field(default_factory=dict)
    dims: dict[str, int] = field(default_factory=dict)


def filled(description: str, type: TensorType, what: str, span: Span | None) -> np.ndarray:
    """`zeros`, `ones`, `normal:SCALE:SEED` or `uniform:LO:HI:SEED` as an array."""
    shape = static_shape(type)
    if math.prod(shape) * type.dtype.itemsize > memory_limit():
        raise error("R606", f"{what}: {type} is more than a run may take", span)
    if description in ("zeros", "ones"):
        return np.full(shape, description == "ones", type.dtype.numpy)
    return from_description(description, type, Path.cwd(), what, span)


def bound_dims(inputs: Inputs, table: Table) -> dict[str, int]:
    """The dimensions that the inputs given so far determine."""
    pairs = [(table.type(table.stages[n]), a.shape) for n, a in inputs.stages.items()]
    try:
        return bind_shapes(pairs, inputs.dims)
    except BindingConflict as conflict:
        raise error("R604", str(conflict)) from None


def fill_missing(
    inputs: Inputs,
    table: Table,
    needed: Iterable[int],
    make: Callable[[str, TensorType], np.ndarray],
) -> None:
    """Give every needed stage that has no value one; free dimensions become small."""
    dims = bound_dims(inputs, table)
    for symbol, (lo, hi) in table.dims.items():
        if symbol not in dims:
            inputs.dims[symbol] = dims[symbol] = max(lo, min(3, hi))
    wanted = set(needed)
    for name, id in table.stages.items():
        if name not in inputs.stages and id in wanted:
            type = table.type(id)
            shape = tuple(evaluate_extent(extent, dims) for extent in type.shape)
            inputs.stages[name] = make(name, tensor_type(type.dtype, shape))
