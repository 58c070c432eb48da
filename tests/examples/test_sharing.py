"""Many gradients of one loss cost one walk: counted in nodes, which a busy machine cannot blur.

`one_walk` is the textbook's single backward pass to many targets at once. The statements
`gradient %loss %w`, one after the other, in whatever order, may add no more nodes than that
times 1.1.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from transformer_numpy import NAMES

import gradir
from gradir.autodiff.expand import flows
from gradir.autodiff.order import post_order
from gradir.autodiff.rules import RULES, rule_key
from gradir.ir.builder import Builder
from gradir.ir.expr import Expr
from gradir.ir.literals import Lit

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tools"))
from make_map30_scalar import program as map30_scalar  # noqa: E402

TRANSFORMER = (ROOT / "gradir" / "examples" / "transformer.gir").read_text(encoding="utf-8")


def forward_part(text: str) -> str:
    """The program without gradients, stores and training steps."""
    effects = ("sgd ", "store ", "@gradients ")
    kept = (
        line
        for line in text.splitlines()
        if "= gradient " not in line and not line.startswith(effects)
    )
    return "\n".join(kept) + "\n"


def one_walk(builder: Builder, y: int, targets: list[int]) -> int:
    """How many nodes one reverse pass from y adds when it stops at all targets at once."""
    table = builder.table
    order = post_order(table, y)
    path = set(targets)
    for id in order:
        if path.intersection(flows(table, id)):
            path.add(id)
    before = len(table)
    shares = {y: builder.literal(Lit("float", "1.0"), table.type(y).dtype)}
    for id in reversed(order):
        if id not in shares or id in targets:
            continue
        node = table[id]
        for operand, rule in zip(node.operands, RULES[rule_key(node)], strict=True):
            if rule is None or operand not in path:
                continue
            values = [Expr(builder, n) for n in (shares[id], id, *node.operands)]
            share = rule(*values, *node.attrs).id
            known = shares.get(operand)
            shares[operand] = share if known is None else builder.apply("add", known, share)
    assert set(targets) <= set(shares)
    return len(table) - before


def added_by_statements(forward: str, names: list[str]) -> int:
    statements = [f"%gradient.{name} = gradient %loss %{name}" for name in names]
    text = forward + "\n".join(statements) + "\n"
    return len(gradir.parse(text).table) - len(gradir.parse(forward).table)


@pytest.mark.parametrize("order", ["as written", "reversed", "shuffled"])
def test_sixteen_gradients_of_the_transformer(order):
    names = list(NAMES)
    if order == "reversed":
        names.reverse()
    elif order == "shuffled":
        random.Random(3).shuffle(names)
    forward = forward_part(TRANSFORMER)
    program = gradir.parse(forward)
    ids = program.table.names
    at_once = one_walk(program.builder, ids["loss"], [ids[name] for name in names])
    one_by_one = added_by_statements(forward, names)
    print(f"\n{order}: {one_by_one} nodes by 16 statements, {at_once} by one walk")
    assert 0 < one_by_one <= 1.1 * at_once


def test_every_gradient_of_a_scalar_map():
    """36 gradients of a loss over 36 weights and 4 samples, all numbers of their own."""
    whole = map30_scalar(6, 4, adam=False).removesuffix("store %nb (add %n 1)\n")
    forward = forward_part(whole)
    program = gradir.parse(forward)
    table = program.table
    weights = table.buffers["w"]
    loads = [id for id in table.of_op("load") if table[id].operands[0] == weights]
    assert len(loads) == 36
    before = len(table)
    at_once = one_walk(program.builder, table.names["loss"], loads)
    after = gradir.parse(whole).table
    stores = sum(1 for _ in after.of_op("store"))
    assert stores == 36
    assert 0 < len(after) - before - stores <= 1.1 * at_once
