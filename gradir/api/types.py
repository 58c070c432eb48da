"""Types and sizes as Python sees them: `gir.f32[B, 3]`, `gir.dim("B", 1, 64)`.

A size carries the bounds of its symbols, so that two programs in one process may both have a B.
Refuses what the language has no sizes for: sums, fractions, negative numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, TypeAlias

from gradir.ir.types import (
    DTYPES,
    MAX_SIZE,
    Dim,
    DType,
    Extent,
    TensorType,
    product,
    tensor_type,
)
from gradir.text.diagnostics import error

Bounds: TypeAlias = Mapping[str, tuple[int, int]]


class Size:
    """A product of an integer and dimension symbols; `3 * B` is one too."""

    __slots__ = ("bounds", "extent")

    def __init__(self, extent: Dim, bounds: Bounds) -> None:
        self.extent, self.bounds = extent, bounds

    def __mul__(self, other: Size | int) -> Size | int:
        if isinstance(other, Size):
            joint = merged(self.bounds, other.bounds)
            return sized(product([self.extent, other.extent]), joint)
        return sized(product([self.extent, _plain(other)]), self.bounds)

    __rmul__ = __mul__

    def __add__(self, other: object) -> NoReturn:
        raise error("T315", f"a size is a product: {self} plus something is none")

    __radd__ = __sub__ = __rsub__ = __add__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Size) and self.extent == other.extent

    def __hash__(self) -> int:
        return hash(self.extent)

    def __repr__(self) -> str:
        return str(self.extent)


SizeLike: TypeAlias = Size | int


def dim(name: str, lo: int, hi: int) -> Size:
    """A dimension symbol with inclusive bounds, as `dim B = 1..64` (spec/types.md)."""
    if not (name.isascii() and name.replace(".", "_").replace("_", "a").isalnum()):
        raise error("T310", f'"{name}" is not a name', help="letters, digits, `_`, `.` between")
    if name in DTYPES:
        raise error("N205", f"{name} is an element type")
    if not 0 <= lo <= hi <= MAX_SIZE:
        raise error("N215", f"bounds {lo}..{hi} of {name}", help="0 <= lo <= hi < 2^31")
    return Size(Dim(1, (name,)), {name: (lo, hi)})


def sized(extent: Extent, bounds: Bounds) -> SizeLike:
    return Size(extent, bounds) if isinstance(extent, Dim) else extent


def _plain(size: Any) -> int:
    if isinstance(size, bool) or not hasattr(size, "__index__"):
        raise error("T315", f"{size!r} is not a size")
    return int(size.__index__())


def extent_of(size: Any) -> tuple[Extent, Bounds]:
    """A size given from Python, and the bounds it brings along."""
    if isinstance(size, Size):
        return size.extent, size.bounds
    return _plain(size), {}


def merged(*given: Bounds) -> Bounds:
    """All bounds together; GirError N205 where a symbol has two."""
    first, *rest = [bounds for bounds in given if bounds] or [{}]
    if all(bounds is first for bounds in rest):
        return first
    found = dict(first)
    for bounds in rest:
        for name, value in bounds.items():
            if found.setdefault(name, value) != value:
                a, b = found[name], value
                raise error(
                    "N205", f"{name} is a dimension of {a[0]}..{a[1]} and of {b[0]}..{b[1]}"
                )
    return found


class Type:
    """An element type with a shape: `gir.f32[B, 3]`."""

    __slots__ = ("bounds", "plain")

    def __init__(self, plain: TensorType, bounds: Bounds) -> None:
        self.plain, self.bounds = plain, bounds

    @property
    def dtype(self) -> ElementType:
        return ELEMENT_TYPES[self.plain.dtype.name]

    @property
    def shape(self) -> tuple[SizeLike, ...]:
        return tuple(sized(extent, self.bounds) for extent in self.plain.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and self.plain is other.plain

    def __hash__(self) -> int:
        return hash(self.plain)

    def __repr__(self) -> str:
        return str(self.plain)


class ElementType:
    """`gir.f32` and its like: the type of a scalar, and with sizes in brackets of a tensor."""

    __slots__ = ("plain",)

    def __init__(self, plain: DType) -> None:
        self.plain = plain

    def __getitem__(self, sizes: Any) -> Type:
        listed = sizes if isinstance(sizes, tuple) else (sizes,)
        found = [extent_of(size) for size in listed]
        bounds = merged(*(bounds for _, bounds in found))
        return Type(tensor_type(self.plain, tuple(extent for extent, _ in found)), bounds)

    def __repr__(self) -> str:
        return self.plain.name


ELEMENT_TYPES = {name: ElementType(plain) for name, plain in DTYPES.items()}


def type_of(given: Any) -> Type:
    """A type given from Python: with sizes, or the bare element type of a scalar."""
    if isinstance(given, Type):
        return given
    if isinstance(given, ElementType):
        return Type(tensor_type(given.plain), {})
    raise error("T318", f"{given!r} is not a type", help="`gir.f32[2, 3]`, `gir.f32` of a scalar")
