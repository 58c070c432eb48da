"""`gradient y x`, expanded into ordinary nodes (spec/gradient.md).

One `Walk` a y holds the reverse post-order, the edges along which shares flow, and the shares
finished so far. A node's share does not depend on which x is asked for: all its users on a path
to y are on the path of any x below it. So a later x finishes only what is not finished, and k
gradients of one y cost one walk.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradir.autodiff.order import post_order
from gradir.autodiff.rules import NO_RULE, RULES, rule_key
from gradir.ir.builder import Builder
from gradir.ir.expr import Expr
from gradir.ir.literals import Lit
from gradir.ir.ops import OPS
from gradir.ir.table import Hint, Node, Origin, Table
from gradir.ir.verify import Refusal

ONE, ZERO = Lit("float", "1.0"), Lit("float", "0.0")
_LOAD = OPS["load"]


def gradient(builder: Builder, y: int, x: int, kept: Sequence[int] | None = None) -> int:
    """The id of the derivative of y, a float scalar, with respect to x; it has x's shape.

    `kept` are the values of a `checkpoint=` hint, which adds no node. Raises `Refusal` (G1xx).
    """
    table = builder.table
    _check_ends(builder, y, x)
    walk = builder.walks.get(y)
    if walk is None:
        walk = builder.walks[y] = Walk(builder, y)
    if kept is not None:
        inside = set(walk.order)
        for value in kept:
            if value not in inside:
                message = f"%{table.label(value)} is not part of %{table.label(y)}"
                raise Refusal("G108", message, attr="checkpoint")
    result = walk.share(x)
    if kept is not None:
        table.hints.append(Hint(y, x, tuple(kept), len(table) - 1, result))
    return result


def _check_ends(builder: Builder, y: int, x: int) -> None:
    table = builder.table
    for operand, (id, code, what) in enumerate(
        ((y, "G101", "gradient of"), (x, "G102", "gradient with respect to"))
    ):
        node = table[id]
        if node.op is OPS["buffer"]:
            raise Refusal(
                code, f"{what} a buffer", operand=operand, help="load it first: `%w = load %b`"
            )
        if not node.type.dtype.is_float:
            help = "`cast … dtype=f32` makes a float, but no share flows through an integer"
            raise Refusal(code, f"{what} {node.type}, not a float", operand=operand, help=help)
        if table.regions.get(id) is not None:
            raise Refusal(
                "G103",
                f"%{table.label(id)} depends on an open range",
                operand=operand,
                help="a loop is no part of the graph; write the computation with tensor operations",
            )
    if table[y].type.shape:
        raise Refusal(
            "G101",
            f"gradient of {table[y].type}, not a scalar",
            operand=0,
            help="reduce it first: `gradient (reduce %y op=add) %x`; a tensor of one element "
            "becomes a scalar by `reshape … shape=[]`",
        )
    if table[x].op is OPS["const"]:
        raise Refusal(
            "G107",
            "gradient with respect to a literal",
            operand=1,
            help="equal literals are one node: stage the value or load it from a buffer instead",
            nodes=[("this constant is one node wherever it is written", x)],
        )


class Walk:
    """The state of all gradients of one y."""

    def __init__(self, builder: Builder, y: int) -> None:
        self.builder, self.y = builder, y
        table = builder.table
        self.order = post_order(table, y)
        self.position = {id: at for at, id in enumerate(self.order)}
        self.users: dict[int, list[int]] = {y: []}  # the nodes that lead to y, and their users
        for id in reversed(self.order):
            if id in self.users:
                for operand in flows(table, id):
                    users = self.users.setdefault(operand, [])
                    if not users or users[-1] != id:
                        users.append(id)
        self.shares: dict[int, int] = {}
        self._through_memory: dict[int, int] | None = None

    def share(self, x: int) -> int:
        """The share of x: finished before, or finished now, or zeros where no path leads to it."""
        builder, shares = self.builder, self.shares
        self._refuse_memory(x)
        if x not in self.users:
            return builder.full(ZERO, builder.type(x))
        if not shares:
            self._origin(self.y)
            shares[self.y] = builder.literal(ONE, builder.type(self.y).dtype)
        if x not in shares:
            place = builder.origin
            for id in self._agenda(x):
                self._origin(id)
                self._send(id)
            builder.origin = place
        return shares[x]

    def _origin(self, forward: int) -> None:
        self.builder.origin = Origin(self.builder.origin.span, forward)

    def _agenda(self, x: int) -> list[int]:
        """What must send so that x is finished, in visiting order: reverse post-order.

        These are the unfinished nodes above x and the finished ones right above those.
        """
        above = {x}
        senders: set[int] = set()
        stack = [x]
        while stack:
            id = stack.pop()
            for user in self.users[id]:
                if rule_key(self.builder.table[user]) in NO_RULE:
                    self._refuse_rule(x, user)
                senders.add(user)
                if user not in self.shares and user not in above:
                    above.add(user)
                    stack.append(user)
        self._pending = above
        return sorted(senders, key=self.position.__getitem__, reverse=True)

    def _send(self, id: int) -> None:
        """Send a finished node's shares to those operands that wait for them, left first."""
        builder, shares = self.builder, self.shares
        node = builder.table[id]
        rules = RULES[rule_key(node)]
        values: list[Expr] | None = None
        for operand, rule in zip(node.operands, rules, strict=True):
            if rule is None or operand not in self._pending:
                continue
            if values is None:
                values = [Expr(builder, n) for n in (shares[id], id, *node.operands)]
            share = rule(*values, *node.attrs).id
            assert builder.type(share) is builder.type(operand), f"the rule of {node.op.name}"
            arrived = shares.get(operand)
            shares[operand] = share if arrived is None else builder.apply("add", arrived, share)

    # --- refusals -----------------------------------------------------------------------

    def _refuse_rule(self, x: int, barrier: int) -> None:
        table, key = self.builder.table, rule_key(self.builder.table[barrier])
        raise Refusal(
            "G105" if key == "call" else "G104",
            f"{key} on the path from %{table.label(x)} to %{table.label(self.y)} has no rule",
            help=NO_RULE[key],
            nodes=[
                (f"`{key}` is on the path", barrier),
                *((f"then %{table.label(id)}", id) for id in self._path(barrier)[1:6]),
            ],
        )

    def _path(self, start: int) -> list[int]:
        """A chain of users from a node up to y."""
        path = [start]
        while path[-1] != self.y:
            path.append(self.users[path[-1]][0])
        return path

    def _refuse_memory(self, x: int) -> None:
        """Refuse an x that y depends on only by way of a store (GRAD-…)."""
        if self._through_memory is None:
            self._through_memory = through_memory(self.builder.table, self.users)
        load = self._through_memory.get(x)
        if load is not None:
            table = self.builder.table
            made = _store_of(table, table[load])
            raise Refusal(
                "G106",
                f"%{table.label(self.y)} depends on %{table.label(x)} through a store",
                help="use the stored value itself instead of loading it back",
                nodes=[
                    *([("stored here", made)] if made is not None else []),
                    ("and loaded here", load),
                ],
            )


def flows(table: Table, id: int) -> list[int]:
    """The operands of a node that an edge of a path may lead to, left to right."""
    node = table[id]
    if not node.type.dtype.is_float:
        return []
    key = rule_key(node)
    if key in NO_RULE:
        return list(node.operands)
    rules = RULES.get(key)
    if rules is None:
        return []
    return [
        operand
        for operand, rule in zip(node.operands, rules, strict=True)
        if rule is not None and table[operand].type.dtype.is_float
    ]


def _store_of(table: Table, load: Node) -> int | None:
    made = table.versions[load.operands[0]][load.attr("version")]
    return made if table[made].op.name == "store" else None


def through_memory(table: Table, users: dict[int, list[int]]) -> dict[int, int]:
    """The nodes that reach y through memory, and for each the load through which.

    Here, and only here, a load depends on its version and a version on what was stored.
    """
    found: dict[int, int] = {}
    seen: set[tuple[int, int]] = set()
    stack = [(id, id) for id in users if table[id].op is _LOAD]
    while stack:
        id, load = stack.pop()
        if table[id].op is _LOAD:
            node = table[id]
            for value in _stored_values(table, node.operands[0], node.attr("version"), seen):
                if value not in found:
                    found[value] = load
                    stack.append((value, load))
        for operand in flows(table, id):
            if operand not in found:
                found[operand] = load
                stack.append((operand, load))
    return found


def _stored_values(
    table: Table, buffer: int, version: int, seen: set[tuple[int, int]]
) -> list[int]:
    """The float values that a buffer's version may hold, each version looked at once."""
    values: list[int] = []
    versions = table.versions[buffer]
    stack = [version]
    while stack:
        at = stack.pop()
        if at == 0 or (buffer, at) in seen:
            continue
        seen.add((buffer, at))
        made = table[versions[at]]
        if made.op.name == "store":
            if made.type.dtype.is_float:
                values.append(made.operands[1])
            if len(made.operands) > 2:
                stack.append(at - 1)
            continue
        stack.append(at - 1)
        if made.op.name == "range":  # the loop's own stores come round again
            inside = range(at + 1, len(versions))
            end = next((k for k in inside if _ends(table, versions[k], versions[at])), inside.stop)
            stack.extend(range(at + 1, min(end + 1, inside.stop)))
    return values


def _ends(table: Table, id: int, range: int) -> bool:
    return table[id].op.name == "end" and table[id].operands[0] == range
