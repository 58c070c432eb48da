"""The loop language: what a kernel does, before it is C text.

Expressions are C already; indices are polynomials. A name is a kernel's own local variable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from gradir.codegen.poly import Poly, number, variable
from gradir.ir.types import DType


@dataclass
class Let:
    """`const T name = expression`; where `function` is named, of an elementary function.

    Then `expression` is the argument, and a loop may compute many of them at once.
    """

    dtype: DType
    name: str
    expression: str
    function: str | None = None


@dataclass
class Set:
    """An assignment to an element of a local array."""

    target: str
    expression: str


@dataclass
class Local:
    """An array of this function's own; `zero` if it is not filled before it is read."""

    dtype: DType
    name: str
    count: int
    zero: bool = False


@dataclass
class Index:
    """An integer variable: a part of an index that is no polynomial."""

    name: str
    expression: str


@dataclass
class For:
    """`for name from 0 below count`; `apart` if no iteration reads what another one writes."""

    name: str
    count: Poly
    body: list[Statement] = field(default_factory=list)
    apart: bool = False


BLOCK = 64  # rows; as many elements as a function has at once
VECTOR = 16  # elements; no vector has more


@dataclass
class Block:
    """Its iterations from 0 below `count` in blocks: `name` is a block's first, and loops from 0
    below `length()`, its number of them, do something in each. What happens in arrays alone goes
    on to `filled()`, where vectors are full."""

    name: str
    count: Poly
    body: list[Statement] = field(default_factory=list)

    def length(self) -> Poly:
        return variable(f"{self.name}_n")

    def filled(self) -> Poly:
        return variable(f"{self.name}_f")


@dataclass
class Fold:
    """name = the fold of `term` over `variable` from 0 below `count`, in the order of FOLD-…."""

    dtype: DType
    name: str
    op: str  # add, mul or max
    order: str | None  # "lanes", "left", or None where it cannot matter
    variable: str
    count: Poly
    body: list[Statement]  # what the term needs, at one value of the variable
    term: str
    source: Strided | None = None  # where the terms lie, if they lie in memory


class Strided(NamedTuple):
    """Elements of a memory or a local array, `step` apart from `first` on."""

    array: str
    first: Poly
    step: Poly


@dataclass
class Put:
    """Write a value to the memory of a node."""

    node: int
    offset: Poly
    expression: str

    @property
    def element(self) -> str:
        return f"m{self.node}[{self.offset}]"


@dataclass
class Guard:
    """Fail the run unless 0 <= index < size; the error names the node, axis and position."""

    node: int
    axis: int
    index: str
    size: Poly
    position: Poly  # row-major among the indices


class Matrices(NamedTuple):
    """Matrices in a memory: where the first begins, the strides from one to the next on each
    axis of a batch, and those between rows and columns, of which one is 1."""

    node: int
    first: Poly
    batch: tuple[Poly, ...]
    row: Poly
    column: Poly

    def swapped(self) -> Matrices:
        return self._replace(row=self.column, column=self.row)


@dataclass
class MatmulCall:
    """c = a b for each of a batch; the columns of c lie together."""

    dtype: DType
    a: Matrices
    b: Matrices
    c: Matrices
    batch: tuple[Poly, ...]  # how many, on each axis
    sizes: tuple[Poly, Poly, Poly]  # rows, inner, columns

    @property
    def count(self) -> Poly:
        count = number(1)
        for size in self.batch:
            count = count * size
        return count


@dataclass
class ColumnFolds:
    """Folds of each column of matrices that follow one another: of a matrix, out[j] folds
    x[i * columns + j] over i."""

    node: int
    dtype: DType
    op: str
    order: str
    x: int
    batch: Poly
    count: Poly
    columns: Poly


Statement: TypeAlias = (
    Let | Set | Local | Index | For | Block | Fold | Put | Guard | MatmulCall | ColumnFolds
)


@dataclass
class Kernel:
    """A function of the C text: the memories it reads and writes, and what it does."""

    name: str
    nodes: list[int]  # whose text heads it
    reads: dict[int, DType] = field(default_factory=dict)
    writes: dict[int, DType] = field(default_factory=dict)
    body: list[Statement] = field(default_factory=list)


@dataclass
class LoopCall:
    """A range of the program around calls of kernels."""

    range: int
    count: str
    reads: dict[int, DType]
    body: list[Call]


Call: TypeAlias = Kernel | LoopCall
