"""Index arithmetic: integer polynomials over loop variables and dimension symbols."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gradir.ir.types import Dim, Extent, product


@dataclass(frozen=True)
class Poly:
    """A sum of integer multiples of products of names; the terms are sorted."""

    terms: tuple[tuple[tuple[str, ...], int], ...]

    @classmethod
    def of(cls, terms: dict[tuple[str, ...], int]) -> Poly:
        return cls(tuple(sorted((names, n) for names, n in terms.items() if n)))

    def __add__(self, other: Poly) -> Poly:
        terms = dict(self.terms)
        for names, n in other.terms:
            terms[names] = terms.get(names, 0) + n
        return Poly.of(terms)

    def __mul__(self, other: Poly) -> Poly:
        terms: dict[tuple[str, ...], int] = {}
        for names, n in self.terms:
            for others, m in other.terms:
                joint = tuple(sorted((*names, *others)))
                terms[joint] = terms.get(joint, 0) + n * m
        return Poly.of(terms)

    def __sub__(self, other: Poly) -> Poly:
        return self + other * number(-1)

    def constant(self) -> int | None:
        """The integer this is, or None where a name is left."""
        if not self.terms:
            return 0
        (names, n), *more = self.terms
        return n if not names and not more else None

    def split(self, name: str) -> tuple[Poly | None, Poly]:
        """(a, b) where this is a * name + b and name is in neither; a is None if there are none."""
        slope: dict[tuple[str, ...], int] = {}
        rest: dict[tuple[str, ...], int] = {}
        for names, n in self.terms:
            if name not in names:
                rest[names] = n
            elif names.count(name) == 1:
                slope[tuple(other for other in names if other != name)] = n
            else:
                return None, self
        return Poly.of(slope), Poly.of(rest)

    def bounds(self, ranges: Mapping[str, range]) -> range | None:
        """A range that holds this where every name's value is in its own; None for products."""
        lo = hi = 0
        for names, n in self.terms:
            if len(names) > 1 or not ranges.keys() >= set(names):
                return None
            ends = [n * ranges[name][end] for name in names for end in (0, -1)] or [n]
            lo, hi = lo + min(ends), hi + max(ends)
        return range(lo, hi + 1)

    def names(self) -> set[str]:
        return {name for names, _ in self.terms for name in names}

    def __str__(self) -> str:
        """A C expression."""
        parts = []
        for names, n in self.terms:
            factors = [*([str(n)] if n != 1 or not names else []), *names]
            parts.append(" * ".join(factors))
        return " + ".join(parts) or "0"


def number(value: int) -> Poly:
    return Poly.of({(): value})


def variable(name: str) -> Poly:
    return Poly.of({(name,): 1})


def symbol(name: str) -> str:
    """The C name of a dimension: one for each name, and never a keyword or another identifier."""
    return "d_" + name.replace("_", "__").replace(".", "_o")


def extent(value: Extent) -> Poly:
    if isinstance(value, Dim):
        return Poly.of({tuple(sorted(symbol(s) for s in value.symbols)): value.coefficient})
    return number(value)


def elements(shape: Iterable[Extent]) -> Poly:
    return extent(product(shape))


def ravel(index: Iterable[Poly], shape: tuple[Extent, ...]) -> Poly:
    """The row-major offset of an index."""
    offset = number(0)
    for at, position in enumerate(index):
        offset = offset + position * elements(shape[at + 1 :])
    return offset
