"""Dimension symbols take values: from the shapes of arguments, or as stated (spec/running.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradir.ir.types import Bounds, Dim, TensorType, evaluate_extent


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
