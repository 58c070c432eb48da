"""Shows that the checks of the gradient rules catch wrong rules, and which check catches which.

Each mutant is one share of gradir/autodiff/rules.py replaced in memory by a wrong one. All checks
of tests/examples/rule_checks.py are run on it; a mutant that none catches fails the run. The last
check, `spelled out`, compares nodes, not values, and that alone does not count: a mutant must be
caught by its values, unless it computes the same function with other nodes (marked `=`). The
specification fixes the nodes too, and the last check sees those.

    python tools/mutate_rules.py [--only WORD] [--checks NAME,NAME]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests" / "examples"))

import rule_checks

from gradir.autodiff import rules
from gradir.autodiff.rules import RULES, Share, exp, lt, recip, sin, swap, tie
from gradir.autodiff.rules import where as choose
from gradir.ir.expr import Expr, apply
from gradir.ir.types import I64


@dataclass(frozen=True)
class Mutant:
    """A rule's row, the operand whose share is wrong, what is wrong, and the wrong share."""

    row: str
    operand: int
    fault: str
    share: Share | None
    equal: bool = False  # the same function: no check of values can or need see it

    @property
    def name(self) -> str:
        return f"{self.row}: {self.fault}"

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The rules with this share in them, until the block ends."""
        right = RULES[self.row]
        RULES[self.row] = (*right[: self.operand], self.share, *right[self.operand + 1 :])
        try:
            yield
        finally:
            RULES[self.row] = right


def mean_of(g: Expr, u: Expr, a: Expr, axes: tuple[int, ...]) -> Expr:
    count = 1.0
    for axis in axes:
        count *= int(a.shape[axis])  # type: ignore[arg-type]
    return rules.spread(g * (1.0 / count), a, axes)


def greatest(u: Expr, a: Expr, axes: tuple[int, ...]) -> Expr:
    return apply("eq", a, rules.spread(u, a, axes))


def whole_to_each(g: Expr, u: Expr, a: Expr, op: str, axes: tuple[int, ...], order: Any) -> Expr:
    return choose(greatest(u, a, axes), rules.spread(g, a, axes), 0.0)


def counted_over_all(g: Expr, u: Expr, a: Expr, op: str, axes: tuple[int, ...], order: Any) -> Expr:
    all_of_them = greatest(u, a, axes).cast(I64).reduce("add").cast(g.dtype)
    return choose(greatest(u, a, axes), rules.spread(g * recip(all_of_them), a, axes), 0.0)


def first_of_expanded(g: Expr, u: Expr, a: Expr, shape: Any) -> Expr:
    """The first along each expanded axis in place of the sum over it."""
    return apply("shrink", g, lo=[0] * a.type.rank, shape=list(a.shape))


def mean_of_expanded(g: Expr, u: Expr, a: Expr, shape: Any) -> Expr:
    axes = [at for at, (old, new) in enumerate(zip(a.shape, u.shape, strict=True)) if old != new]
    if not axes:
        return g
    count = 1
    for at in axes:
        count *= int(u.shape[at])  # type: ignore[arg-type]
    return (g.reduce("add", axes) * (1.0 / count)).reshape_to(a.shape)


def regrouped(g: Expr, u: Expr, a: Expr, shape: Any) -> Expr:
    """The right shape, the elements in column-major order."""
    rank = g.type.rank
    return g.permute([*range(rank)][::-1]).reshape(a.shape)


def at_the_origin(g: Expr, a: Expr, op: str) -> Expr:
    return apply(op, g, lo=[0] * a.type.rank, shape=list(a.shape))


NODES = "spelled out"  # the check that compares nodes

MUTANTS = [
    Mutant("add", 1, "sign of the second share", lambda g, u, a, b: g * -1.0),
    Mutant("add", 0, "first share twice", lambda g, u, a, b: g + g),
    Mutant("mul", 0, "own operand in place of the other", lambda g, u, a, b: g * a),
    Mutant("mul", 1, "factor left out", lambda g, u, a, b: g),
    Mutant("mul", 0, "factors in the other order", lambda g, u, a, b: b * g, True),
    Mutant("recip", 0, "sign", lambda g, u, a: g * (u * u)),
    Mutant("recip", 0, "not squared", lambda g, u, a: g * (u * -1.0)),
    Mutant(
        "recip", 0, "from the operand, not the result", lambda g, u, a: g / (a * a) * -1.0, True
    ),
    Mutant("div", 0, "multiplied, not divided", lambda g, u, a, b: g * b),
    Mutant("div", 1, "sign", lambda g, u, a, b: g * u / b),
    Mutant("div", 1, "not divided", lambda g, u, a, b: g * u * -1.0),
    Mutant("max", 0, "ties get everything", lambda g, u, a, b: choose(lt(a, b), 0.0, g)),
    Mutant("max", 1, "ties get nothing", lambda g, u, a, b: choose(lt(a, b), g, 0.0)),
    Mutant("max", 0, "the smaller wins", lambda g, u, a, b: choose(lt(a, b), g, tie(g, a, b))),
    Mutant("where", 1, "share not masked", lambda g, u, c, a, b: g),
    Mutant("where", 1, "branches exchanged", lambda g, u, c, a, b: choose(c, 0.0, g)),
    Mutant("where", 1, "masked by a product", lambda g, u, c, a, b: g * c.cast(g.dtype)),
    Mutant("where", 2, "no share", None),
    Mutant("exp2", 0, "ln 2 left out", lambda g, u, a: g * u),
    Mutant("log2", 0, "ln 2 left out", lambda g, u, a: g * recip(a)),
    Mutant("sqrt", 0, "factor 2 left out", lambda g, u, a: g * recip(u)),
    Mutant("sin", 0, "sine, not cosine", lambda g, u, a: g * sin(a)),
    Mutant("sin", 0, "cosine as an operation", lambda g, u, a: g * apply("cos", a), True),
    Mutant("cos", 0, "sign", lambda g, u, a: g * sin(a)),
    Mutant("exp", 0, "operand in place of the result", lambda g, u, a: g * a),
    Mutant("log", 0, "result in place of the operand", lambda g, u, a: g / u),
    Mutant("tanh", 0, "not squared", lambda g, u, a: g * (1.0 + u * -1.0)),
    Mutant(
        "tanh",
        0,
        "as a product of two factors",
        lambda g, u, a: g * ((1.0 + u) * (1.0 + u * -1.0)),
        True,
    ),
    Mutant("erf", 0, "2/√π left out", lambda g, u, a: g * exp(a * a * -1.0)),
    Mutant("erf", 0, "sign in the exponent", lambda g, u, a: g * (exp(a * a) * 1.1283791670955126)),
    Mutant("fma", 2, "factor on the sum's share", lambda g, u, a, b, c: g * b),
    Mutant("fma", 1, "other factor", lambda g, u, a, b, c: g * b),
    Mutant("cast", 0, "not cast back", lambda g, u, a, dtype: g),
    Mutant("bitcast", 0, "no share", None),
    Mutant(
        "reduce add", 0, "mean, not sum", lambda g, u, a, op, axes, order: mean_of(g, u, a, axes)
    ),
    Mutant("reduce max", 0, "the whole share to each", whole_to_each),
    Mutant("reduce max", 0, "counted over all rows", counted_over_all),
    Mutant("matmul", 0, "second matrix not transposed", lambda g, u, a, b: g @ b),
    Mutant("matmul", 1, "first matrix not transposed", lambda g, u, a, b: a @ g),
    Mutant("matmul", 1, "share transposed", lambda g, u, a, b: swap(g) @ a),
    Mutant("reshape", 0, "column-major", regrouped),
    Mutant("permute", 0, "not inverted", lambda g, u, a, axes: g.permute(axes)),
    Mutant("flip", 0, "not flipped back", lambda g, u, a, axes: g),
    Mutant("expand", 0, "the sum over the axis missing", first_of_expanded),
    Mutant("expand", 0, "mean, not sum", mean_of_expanded),
    Mutant("pad", 0, "cut at 0", lambda g, u, a, lo, shape, value: at_the_origin(g, a, "shrink")),
    Mutant("shrink", 0, "padded from 0", lambda g, u, a, lo, shape: at_the_origin(g, a, "pad")),
    Mutant(
        "take",
        0,
        "added to the operand",
        lambda g, u, a, i, axis: apply("scatter_add", a, i, g, axis=axis),
    ),
    Mutant("scatter_add", 0, "no share", None),
    Mutant(
        "scatter_add",
        2,
        "taken from the result",
        lambda g, u, a, i, v, axis: apply("take", u, i, axis=axis),
    ),
    Mutant("detach", 0, "a share passes", lambda g, u, a: g),
]


def caught_by(mutant: Mutant, checks: list[str]) -> dict[str, str | None]:
    """For each check what it found first, or None."""
    with mutant.applied():
        return {name: first_problem(name) for name in checks}


def first_problem(check: str) -> str | None:
    """What a check finds first; a share of the wrong type is refused while building."""
    try:
        return next(rule_checks.CHECKS[check](), None)
    except AssertionError as refused:
        return f"the share has the wrong type: {refused}"


def is_caught(mutant: Mutant, found: dict[str, str | None]) -> bool:
    by_value = any(problem for name, problem in found.items() if name != NODES)
    return by_value or (mutant.equal and found.get(NODES) is not None)


def prepare(checks: list[str]) -> list[str]:
    """Everything that must be worked out with the right rules; what fails already now."""
    for name in rule_checks.MODELS:
        rule_checks.derived(name)
    rule_checks.gradient_files()
    return [f"{name}: {found}" for name in checks for found in rule_checks.CHECKS[name]()]


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the checks of the rules on wrong rules.")
    parser.add_argument("--only", default="", help="mutants whose name contains this")
    parser.add_argument("--checks", default=",".join(rule_checks.CHECKS), help="names, by commas")
    args = parser.parse_args()
    checks = args.checks.split(",")
    failing = prepare(checks)
    if failing:
        print("the right rules fail:", *failing, sep="\n  ")
        return 1
    chosen = [mutant for mutant in MUTANTS if args.only in mutant.name]
    width = max(len(mutant.name) for mutant in chosen)
    print(" " * width, "=", *checks, sep=" | ")
    survivors = 0
    for mutant in chosen:
        found = caught_by(mutant, checks)
        survivors += not is_caught(mutant, found)
        marks = ("x" if found[name] else "" for name in checks)
        cells = (mark.center(len(name)) for mark, name in zip(marks, checks, strict=True))
        print(mutant.name.ljust(width), "=" if mutant.equal else " ", *cells, sep=" | ", flush=True)
    print(f"{len(chosen) - survivors} of {len(chosen)} caught")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
