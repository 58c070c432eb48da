"""The steps of a schedule: what one kernel does, or a loop of the program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from gradir.ir.types import Extent, Shape


@dataclass
class Nest:
    """Loops over one shape; the roots are computed at each point, in order."""

    shape: Shape
    roots: list[int] = field(default_factory=list)
    weight: int = 0


@dataclass
class Phase:
    """Roots that are computed at every element of a row, or once a row."""

    full: bool
    roots: list[int]


@dataclass
class Rows:
    """A loop over rows; for each of them the phases, one after the other.

    `local` are the roots whose values nobody needs behind the row.
    """

    rows: Extent
    columns: Extent | None
    phases: list[Phase]
    weight: int = 0
    local: set[int] = field(default_factory=set)


@dataclass
class Matmul:
    node: int


@dataclass
class Columns:
    """A fold over axes in front of others, which runs along the rows of its operand."""

    node: int


@dataclass
class ScatterAdd:
    node: int


@dataclass
class Check:
    """The indices of a take or scatter_add lie within their axis."""

    node: int


@dataclass
class Access:
    """A load or store of a buffer that must happen here: by index, or of a cell."""

    node: int


@dataclass
class Repeat:
    """A range: its steps are run `count` times."""

    range: int
    steps: list[Work]


Work: TypeAlias = Nest | Rows | Matmul | Columns | ScatterAdd | Check | Access | Repeat
