"""Element types, extents and tensor types (spec/types.md).

An extent is an integer or a product of an integer and dimension symbols; there are no sums, so
two extents are equal exactly when they are written equal. Tensor types are interned: two equal
types are one object, and a node's hash never looks inside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

MAX_SIZE = 2**31 - 1
MAX_ELEMENTS = 2**40
MAX_RANK = 16


@dataclass(frozen=True, eq=False, slots=True)
class DType:
    """An element type. `width` is in bits; a bool takes a byte of memory."""

    name: str
    kind: str  # "float", "int" or "bool"
    width: int
    numpy: str  # the NumPy dtype's name

    @property
    def itemsize(self) -> int:
        return self.width // 8

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_int(self) -> bool:
        return self.kind == "int"

    @property
    def int_range(self) -> tuple[int, int]:
        """Least and greatest value of an integer type."""
        if self.name.startswith("u"):
            return 0, 2**self.width - 1
        return -(2 ** (self.width - 1)), 2 ** (self.width - 1) - 1

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__

    def __getitem__(self, sizes: ExtentLike | tuple[ExtentLike, ...]) -> TensorType:
        """`f32[B, 3]`, as in a program."""
        listed = sizes if isinstance(sizes, tuple) and not isinstance(sizes, Dim) else (sizes,)
        return tensor_type(self, tuple(listed))


F32 = DType("f32", "float", 32, "float32")
F64 = DType("f64", "float", 64, "float64")
I32 = DType("i32", "int", 32, "int32")
I64 = DType("i64", "int", 64, "int64")
U32 = DType("u32", "int", 32, "uint32")
BOOL = DType("bool", "bool", 8, "bool")
DTYPES: dict[str, DType] = {t.name: t for t in (F32, F64, I32, I64, U32, BOOL)}


class Dim(NamedTuple):
    """`coefficient * symbols...` with at least one symbol; the symbols are sorted."""

    coefficient: int
    symbols: tuple[str, ...]

    def __str__(self) -> str:
        factors = [] if self.coefficient == 1 else [str(self.coefficient)]
        return "*".join([*factors, *self.symbols])


Extent: TypeAlias = int | Dim
ExtentLike: TypeAlias = int | Dim
Shape: TypeAlias = tuple[Extent, ...]
Bounds: TypeAlias = Mapping[str, tuple[int, int]]


def product(extents: Iterable[Extent]) -> Extent:
    """The product of extents; an integer as soon as no symbol is left (a 0 clears them)."""
    coefficient = 1
    symbols: list[str] = []
    for extent in extents:
        if isinstance(extent, Dim):
            coefficient *= extent.coefficient
            symbols.extend(extent.symbols)
        else:
            coefficient *= extent
    if coefficient == 0 or not symbols:
        return coefficient
    return Dim(coefficient, tuple(sorted(symbols)))


def quotient(a: Extent, b: Extent) -> Extent | None:
    """The extent q with q * b = a, or None where there is none."""
    num, num_symbols = (a.coefficient, a.symbols) if isinstance(a, Dim) else (a, ())
    den, den_symbols = (b.coefficient, b.symbols) if isinstance(b, Dim) else (b, ())
    left = Counter(num_symbols)
    left.subtract(den_symbols)
    if den == 0 or num % den or any(n < 0 for n in left.values()):
        return None
    return product([num // den, *(Dim(1, (s,)) for s in left.elements())])


def extent_bounds(extent: Extent, dims: Bounds) -> tuple[int, int]:
    """The least and greatest value the extent can have."""
    if not isinstance(extent, Dim):
        return extent, extent
    lo = hi = extent.coefficient
    for symbol in extent.symbols:
        lo *= dims[symbol][0]
        hi *= dims[symbol][1]
    return lo, hi


def evaluate_extent(extent: Extent, values: Mapping[str, int]) -> int:
    """The integer an extent stands for when every symbol has a value."""
    if not isinstance(extent, Dim):
        return extent
    result = extent.coefficient
    for symbol in extent.symbols:
        result *= values[symbol]
    return result


def substitute_extent(extent: Extent, values: Mapping[str, Extent]) -> Extent:
    """The extent with symbols replaced by extents."""
    if not isinstance(extent, Dim):
        return extent
    return product([extent.coefficient, *(values.get(s, Dim(1, (s,))) for s in extent.symbols)])


class TensorType:
    """An element type and a shape; a scalar has the shape (). Made by `tensor_type` only."""

    __slots__ = ("dtype", "shape")
    dtype: DType
    shape: Shape

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def elements(self) -> Extent:
        return product(self.shape)

    @property
    def is_static(self) -> bool:
        return not any(isinstance(extent, Dim) for extent in self.shape)

    def with_dtype(self, dtype: DType) -> TensorType:
        return tensor_type(dtype, self.shape)

    def with_shape(self, shape: Shape) -> TensorType:
        return tensor_type(self.dtype, shape)

    def __str__(self) -> str:
        if not self.shape:
            return self.dtype.name
        return f"{self.dtype.name}[{','.join(map(str, self.shape))}]"

    __repr__ = __str__

    def __reduce__(self) -> tuple[object, tuple[str, Shape]]:
        return _unpickle, (self.dtype.name, self.shape)


def _unpickle(dtype: str, shape: Shape) -> TensorType:
    return tensor_type(DTYPES[dtype], shape)


_interned: dict[tuple[str, Shape], TensorType] = {}


def tensor_type(dtype: DType, shape: Shape = ()) -> TensorType:
    """The one type object of this element type and shape."""
    key = (dtype.name, shape)
    found = _interned.get(key)
    if found is None:
        found = TensorType.__new__(TensorType)
        found.dtype, found.shape = dtype, shape
        # setdefault, so that threads which race here still get one object
        found = _interned.setdefault(key, found)
    return found


def shape_text(shape: Iterable[Extent]) -> str:
    return f"[{','.join(map(str, shape))}]"
