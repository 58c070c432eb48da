"""einsum: sums of products named by letters, as reductions, permutations and one matmul a pair.

Sizes do not broadcast, and a letter stands once in a group: no diagonals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gradir.ir.expr import Expr
from gradir.ir.ops import NUMBER, Attr
from gradir.ir.sugar_rows import Misuse, need_kind, sugar
from gradir.ir.types import Extent, product


@dataclass(frozen=True)
class Term:
    """A tensor and the letter of each of its axes."""

    value: Expr
    letters: str

    def summed(self, gone: str) -> Term:
        """Without these letters, in one reduce; no node without letters."""
        if not gone:
            return self
        axes = [self.letters.index(letter) for letter in gone]
        rest = "".join(letter for letter in self.letters if letter not in gone)
        return Term(self.value.reduce("add", axes), rest)

    def ordered(self, letters: str) -> Term:
        """The axes in this order; no node where they have it."""
        if letters == self.letters:
            return self
        return Term(self.value.permute([self.letters.index(c) for c in letters]), letters)

    def sizes(self, letters: str) -> list[Extent]:
        return [self.value.shape[self.letters.index(letter)] for letter in letters]


def bad(message: str, code: str = "T310", operand: int | None = None) -> Misuse:
    attr = "spec" if operand is None else None
    return Misuse(code, message, attr=attr, operand=operand, help='`spec="ij,jk->ik"`')


def groups(spec: str, count: int) -> tuple[list[str], str]:
    """The operands' letters and the result's."""
    left, arrow, result = spec.replace(" ", "").partition("->")
    inputs = left.split(",")
    if not arrow:
        raise bad(f'"{spec}" has no `->`')
    for group in (*inputs, result):
        for letter in group:
            if not (letter.isascii() and letter.isalpha()):
                raise bad(f"`{letter}` in spec=; letters, `,` and one `->` are allowed")
            if group.count(letter) > 1:
                raise bad(f"{letter} stands twice in one group of spec=")
    if len(inputs) != count:
        raise bad(f"{len(inputs)} groups in spec= for {count} operand{'s' * (count != 1)}")
    for letter in result:
        if letter not in left:
            raise bad(f"{letter} is in the result and in no operand")
    return inputs, result


def check_sizes(terms: Sequence[Term]) -> None:
    sizes: dict[str, Extent] = {}
    for at, term in enumerate(terms):
        if len(term.letters) != term.value.type.rank:
            raise bad(
                f'"{term.letters}" for a tensor of rank {term.value.type.rank}', "T314", operand=at
            )
        for letter, size in zip(term.letters, term.value.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise bad(f"{letter} is {sizes[letter]} and {size}", "T313", operand=at)


def joined(a: Term, b: Term, wanted: str) -> Term:
    """EINSUM-3: the product of two, summed over the letters that only they have."""
    a = a.summed("".join(c for c in a.letters if c not in b.letters and c not in wanted))
    b = b.summed("".join(c for c in b.letters if c not in a.letters and c not in wanted))
    batch = "".join(c for c in a.letters if c in b.letters and c in wanted)
    summed = "".join(c for c in a.letters if c in b.letters and c not in wanted)
    left = "".join(c for c in a.letters if c not in b.letters)
    right = "".join(c for c in b.letters if c not in a.letters)
    a = a.ordered(batch + left + summed)
    b = b.ordered(batch + summed + right)
    lead, lefts, rights = a.sizes(batch), a.sizes(left), b.sizes(right)
    if summed:
        inner = product(a.sizes(summed))
        matrix = a.value.reshape_to((*lead, product(lefts), inner))
        other = b.value.reshape_to((*lead, inner, product(rights)))
        value = (matrix @ other).reshape_to((*lead, *lefts, *rights))
    else:
        one = a.value.reshape_to((*lead, *lefts, *[1] * len(right)))
        value = one * b.value.reshape_to((*lead, *[1] * len(left), *rights))
    return Term(value, batch + left + right)


@sugar("tensor*", Attr("spec", "string"))
def einsum(*operands: Expr, spec: str) -> Expr:
    """Pair by pair from the left, keeping the letters that something later still needs."""
    for at, operand in enumerate(operands):
        need_kind("einsum", operand, NUMBER, at)
    inputs, result = groups(spec, len(operands))
    terms = [Term(value, letters) for value, letters in zip(operands, inputs, strict=True)]
    check_sizes(terms)
    term = terms[0]
    for at, other in enumerate(terms[1:], 2):
        term = joined(term, other, result + "".join(inputs[at:]))
    term = term.summed("".join(letter for letter in term.letters if letter not in result))
    return term.ordered(result).value
