"""Simplification: a table in which less is computed and no bit differs.

One walk in id order; a node is added again on its simplified operands, by the rules of
`arithmetic` and `movement` and by `folding`. Memory keeps its order: stores, ranges and ends are
all carried over. A check of an index stays even where nobody reads what is taken.
"""

from __future__ import annotations

from collections import Counter

from gradir.ir.ops import OPS
from gradir.ir.table import Node, Table
from gradir.passes import arithmetic, layout, movement
from gradir.passes.copying import Leaving
from gradir.passes.dead import drop_dead
from gradir.passes.folding import fold
from gradir.passes.rewriting import Rewriter, Rules

_STORE, _LOAD = OPS["store"], OPS["load"]
_CONTROL = (OPS["range"], OPS["end"])
_LAID_OUT = frozenset((OPS["reshape"], OPS["permute"]))
# Nodes that stand for an effect or a declared thing: carried over as they are.
_FIXED = frozenset(
    OPS[name] for name in ("stage", "buffer", "load", "store", "range", "end", "output", "call")
)


def joined(*parts: Rules) -> Rules:
    """Rules in the order in which they are tried."""
    rules = Rules()
    for part in parts:
        for rule in part.all:
            rules.append(rule)
    return rules


# Movement comes first: it makes operands small.
RULES = joined(movement.RULES, arithmetic.RULES)
MAX_ROUNDS = 4
LAYOUT = joined(movement.RULES, layout.RULES, arithmetic.RULES)


def simplify(table: Table) -> Table:
    """The simplified table. It has no calls (`gradir.passes.inline`)."""
    return drop_dead(Simplifier(table).run())


def lay_out(table: Table) -> Table:
    """The table with reshapes and transposes cancelled out. One that goes leaves other nodes with
    a single user, so this is done again until nothing goes, a few times at most."""
    for _ in range(MAX_ROUNDS):
        if not any(node.op in _LAID_OUT for node in table.nodes):
            break
        simplifier = Simplifier(table, LAYOUT)
        table = drop_dead(simplifier.run())
        if not any(simplifier.rewriter.applied[rule.name] for rule in layout.RULES.all):
            break
    return table


class Simplifier(Leaving):
    """A copy whose nodes are added through a rewriter."""

    def __init__(self, source: Table, rules: Rules = RULES) -> None:
        super().__init__(source, Table(dims=dict(source.dims), functions=dict(source.functions)))
        self.rewriter = Rewriter(self.target, rules, fold)
        self.cells = {
            node.operands[0]
            for id, node in enumerate(source.nodes)
            if node.op is _STORE and (len(node.operands) > 2 or id in source.regions)
        }

    def run(self) -> Table:
        uses = Counter(o for node in self.source.nodes for o in node.operands)
        for id in range(len(self.source)):
            self.copy((id,))
            self.rewriter.uses[self.ids[id]] += uses[id]
        self.finish()
        return self.target

    def add(self, id: int, node: Node) -> int:
        source, rewriter = self.source, self.rewriter
        rewriter.origins = self.moved_origins(id)
        if node.op not in _FIXED:
            return rewriter.add(node)
        if node.op is _LOAD:
            stored = self.stored(id)
            if stored is not None:
                return stored
        made = rewriter.plain(node)
        region = source.regions.get(id)
        if region is not None:
            self.target.regions[made] = made if region == id else self.ids[region]
        return made

    def stored(self, id: int) -> int | None:
        """The value that a load of a whole buffer sees, if a store of the whole buffer made it.

        Not of a buffer that is written by index or in a loop. A NaN is made canonical by the
        store, which no computation can tell.
        """
        node, source = self.source[id], self.source
        if len(node.operands) > 1 or node.operands[0] in self.cells:
            return None
        versions = source.versions[node.operands[0]]
        made = next(
            versions[at]
            for at in range(node.attr("version"), -1, -1)
            if source[versions[at]].op not in _CONTROL
        )
        if source[made].op is not _STORE:
            return None
        value = self.ids[source[made].operands[1]]
        same = self.target.regions.get(value) is None and id not in source.regions
        return value if same else None
