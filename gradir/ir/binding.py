"""Dimension symbols take values: integers at a run, extents at a call.

`bind_shapes` follows spec/running.md, `unify` the section on `call`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradir.ir.types import (
    MAX_SIZE,
    Bounds,
    Dim,
    Extent,
    TensorType,
    evaluate_extent,
    extent_bounds,
    product,
    quotient,
    substitute_extent,
)
from gradir.ir.verify import Refusal


class BindingConflict(Exception):
    """Shapes that do not fit their types, or a symbol that stays without a value."""


def bind_shapes(
    pairs: Sequence[tuple[TensorType, tuple[int, ...]]], stated: Mapping[str, int]
) -> dict[str, int]:
    """Values of all symbols that the shapes determine, on top of the stated ones.

    Raises BindingConflict where ranks or sizes disagree. A product of symbols determines one of
    them once the others are known.
    """
    values = dict(stated)
    symbolic: list[tuple[Dim, int]] = []
    for type, shape in pairs:
        if len(shape) != type.rank:
            raise BindingConflict(f"shape {list(shape)} does not fit {type}")
        for extent, size in zip(type.shape, shape, strict=True):
            if isinstance(extent, Dim):
                symbolic.append((extent, size))
            elif extent != size:
                raise BindingConflict(f"shape {list(shape)} does not fit {type}")
    progress = True
    while progress:
        progress = False
        for extent, size in symbolic:
            open_symbols = [s for s in extent.symbols if s not in values]
            if len(open_symbols) != 1:
                continue
            known = evaluate_extent(
                Dim(extent.coefficient, tuple(s for s in extent.symbols if s in values)), values
            )
            if known == 0:
                continue
            if size % known:
                raise BindingConflict(f"size {size} is no multiple of {known} ({extent})")
            values[open_symbols[0]] = size // known
            progress = True
    for extent, size in symbolic:
        if all(s in values for s in extent.symbols):
            found = evaluate_extent(extent, values)
            if found != size:
                raise BindingConflict(f"{extent} is {found} elsewhere, but {size} here")
    return values


def check_bounds(values: Mapping[str, int], dims: Bounds) -> None:
    """Refuse values outside their declared bounds."""
    for symbol, value in values.items():
        if symbol in dims and not dims[symbol][0] <= value <= dims[symbol][1]:
            lo, hi = dims[symbol]
            raise BindingConflict(f"{symbol} = {value} is outside its bounds {lo}..{hi}")


def unify(
    parameters: Sequence[TensorType],
    arguments: Sequence[TensorType],
    dims: Mapping[str, tuple[int, int]],
) -> dict[str, Extent]:
    """The extents that the parameters' symbols stand for, given the arguments (CALL-…)."""
    values: dict[str, Extent] = {}
    open_pairs: list[tuple[int, Dim, Extent]] = []
    for at, (wanted, given) in enumerate(zip(parameters, arguments, strict=True)):
        if wanted.dtype is not given.dtype or wanted.rank != given.rank:
            raise Refusal("T321", f"the parameter is {wanted}, the argument {given}", operand=at)
        for want, have in zip(wanted.shape, given.shape, strict=True):
            if isinstance(want, Dim):
                open_pairs.append((at, want, have))
            elif want != have:
                raise Refusal(
                    "T321", f"the parameter is {wanted}, the argument {given}", operand=at
                )
    progress = True
    while progress:
        progress = False
        for _, want, have in open_pairs:
            unknown = {s for s in want.symbols if s not in values}
            if len(unknown) == 1 and want.symbols.count(symbol := unknown.pop()) == 1:
                known = product(
                    [want.coefficient, *(values[s] for s in want.symbols if s != symbol)]
                )
                solved = quotient(have, known)
                if solved is not None:
                    values[symbol] = solved
                    progress = True
    for at, want, have in open_pairs:
        if substitute_extent(want, values) != have or any(s not in values for s in want.symbols):
            raise Refusal("T321", f"size {have} does not fit the parameter's {want}", operand=at)
    for symbol, extent in values.items():
        lo, hi = extent_bounds(extent, dims)
        if lo < dims[symbol][0] or hi > min(dims[symbol][1], MAX_SIZE):
            raise Refusal(
                "T321",
                f"{symbol} = {extent} is outside its bounds {dims[symbol][0]}..{dims[symbol][1]}",
            )
    return values
