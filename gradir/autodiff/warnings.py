"""W501: a gradient that may be NaN in the branch a `where` does not choose (GRAD-18)."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from gradir.autodiff.order import post_order
from gradir.ir.ops import OPS
from gradir.ir.table import Table

# The ops whose slope is infinite somewhere, and the operand it is infinite in.
STEEP = {OPS["recip"]: 0, OPS["log"]: 0, OPS["log2"]: 0, OPS["sqrt"]: 0, OPS["div"]: 1}


class DeadBranch(NamedTuple):
    """A `where`, the steep op in one of its branches, and that op's operand."""

    where: int
    steep: int
    operand: int


def dead_branches(
    table: Table, users: Mapping[int, Sequence[int]], shared: Container[int]
) -> Iterator[DeadBranch]:
    """The places where a share may be 0 times infinity.

    `users` are the edges of a loss's walk, `shared` the nodes that a share has reached.
    """
    graphs: dict[int, set[int]] = {}  # by condition
    for id, above in users.items():
        place = STEEP.get(table[id].op)
        if place is None or id not in shared:
            continue
        tested = table[id].operands[place]
        for user in above:
            node = table[user]
            if node.op is OPS["where"] and id in node.operands[1:]:
                condition = node.operands[0]
                if condition not in graphs:
                    graphs[condition] = set(post_order(table, condition))
                if tested in graphs[condition]:
                    yield DeadBranch(user, id, tested)
