"""Places and scopes: where a node's value is asked for, and what has a name there.

A place is an index on every axis, or one into the elements in row-major order (`Flat`), or of a
row and in it (`Rowed`). A scope is a body of statements, with what they have named.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from gradir.codegen.loops import Kernel, Statement
from gradir.codegen.poly import Poly, number
from gradir.ir.types import Shape


class Flat(NamedTuple):
    """An index into a tensor's elements in row-major order."""

    offset: Poly


class Rowed(NamedTuple):
    """An index of a row, counted over all axes but the last, and the index in it."""

    row: Poly
    column: Poly


class Kept(NamedTuple):
    """An array in which a node's values wait: those of rows from `first` on, a column behind
    another, `apart` elements from it."""

    name: str
    first: Poly
    apart: int

    def at(self, place: Flat | Rowed) -> str:
        if isinstance(place, Flat):
            return f"{self.name}[{place.offset - self.first}]"
        return f"{self.name}[{place.column * number(self.apart) + place.row - self.first}]"


class Counted(str):
    """The expression of an integer that is known as a polynomial of indices."""

    poly: Poly

    @classmethod
    def of(cls, expression: str, poly: Poly) -> Counted:
        made = cls(expression)
        made.poly = poly
        return made


Place: TypeAlias = tuple[Poly, ...] | Flat | Rowed


@dataclass
class Scope:
    """Where statements go, and what has a name there."""

    kernel: Kernel
    body: list[Statement]
    names: dict[tuple[int, Place], str] = field(default_factory=dict)
    kept: dict[int, Kept] = field(default_factory=dict)  # nodes of whose rows there is an array
    split: dict[tuple[Poly, Shape], tuple[Poly, ...]] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)  # indices that have a value only in here
    outer: Scope | None = None  # where what is the same in the whole loop is computed
    ranges: dict[str, range] = field(default_factory=dict)  # of loops of known lengths

    def inner(
        self, body: list[Statement], variable: str, hoist: bool = True, count: Poly | None = None
    ) -> Scope:
        """The scope of a loop that stands behind all that this scope will hold."""
        split, names, ranges = dict(self.split), dict(self.names), dict(self.ranges)
        outer = self if hoist else None
        length = count.constant() if count else None
        if length:
            ranges[variable] = range(length)
        return Scope(self.kernel, body, names, self.kept, split, {variable}, outer, ranges)

    def varies(self, place: Place) -> bool:
        """Whether a place is another one in each iteration of the loop."""
        return any(self.own & index.names() for index in place)
