"""Nests over the same rows become one loop over the rows.

A normalisation folds each row, and what the fold gave changes the row's elements. The nests for
these steps are one loop here: a row is folded while it is in the first cache, and what is needed
no longer than for the row never goes to memory. Nests are joined only where the row is short and
where the memory that lives at once does not grow.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from gradir.codegen.expressions import ELEMENTARY
from gradir.codegen.steps import Check, Columns, Matmul, Nest, Phase, Repeat, Rows, Work
from gradir.codegen.walk import CASTS, EFFECTS, EXPAND, REDUCE, RESHAPE, At, Walk
from gradir.ir.types import Extent, extent_bounds, product

WINDOW = 8  # steps back that a nest may go
MAX_WEIGHT = 96  # nodes computed in one loop over rows
MAX_COLUMNS = 2048
LOCAL_BYTES = 1 << 14  # of a row's values on the stack
MANY_COLUMNS = 64  # from here on a row alone keeps the elementary functions busy
MAX_FEW = 32  # up to here functions once a row have many rows at once
MAX_UNDONE = 4
# Columns of rows that take no longer than what is computed once for each: if that folds nothing,
# it stays in a nest of its own, where vectors compute it.
ONE_BY_ONE = range(5, 16)


@dataclass
class _Space:
    """Rows and columns that a step's loops can be seen as; no columns: any number would do."""

    full: bool
    rows: Extent
    columns: Extent | None

    def joint(self, other: _Space) -> Extent | None:
        """The columns of both together; 0 where they do not fit."""
        if self.rows != other.rows:
            return 0
        if self.columns is None or other.columns is None:
            return self.columns if other.columns is None else other.columns
        return self.columns if self.columns == other.columns else 0


@dataclass
class _Fusion:
    """The state of joining the steps of one list."""

    walk: Walk
    late: Collection[int]
    banned: Collection[int]  # first roots of nests that stay apart
    made: list[Work] = field(default_factory=list)
    place: dict[int, int] = field(default_factory=dict)  # of roots, in `made`
    checks: dict[int, int] = field(default_factory=dict)
    starts: dict[int, int] = field(default_factory=dict)  # of what is computed again now
    joined: dict[int, int] = field(default_factory=dict)  # first root of a nest → where it went
    known: dict[int, list[_Space]] = field(default_factory=dict)  # of nests, by their identity

    def run(self, steps: Sequence[Work]) -> list[Work]:
        for step in _checks_first(steps, self.walk):
            at = len(self.made)
            if isinstance(step, Repeat):
                inner = _Fusion(self.walk, self.late, self.banned)
                self.made.append(Repeat(step.range, inner.run(step.steps)))
                self.place.update(dict.fromkeys(inner.place, at))
                self.checks.update(dict.fromkeys(inner.checks, at))
                continue
            if isinstance(step, Check):
                self.checks[step.node] = at
                self.made.append(step)
                continue
            if isinstance(step, Nest):
                at = self.nest(step)
            else:
                self.made.append(step)
            for root in roots_of(step):
                self.place[root] = at
                if root in self.late:
                    self.starts.setdefault(self.run_start(root), at)
        return self.made

    def run_start(self, root: int) -> int:
        """The first of the neighbouring nodes that are computed again together."""
        while root - 1 in self.late:
            root -= 1
        return root

    def nest(self, nest: Nest) -> int:
        """Join a nest to a step made before, if that may be; where it is now."""
        last = len(self.made)
        least = max(0, last - WINDOW)
        for root in nest.roots:
            if root in self.late:
                least = max(least, self.starts.get(self.run_start(root), last))
        at = self.latest(nest)
        if at >= least and nest.roots[0] not in self.banned:
            for own in self.spaces(nest) if self.spaces(self.made[at]) else ():
                joined = self.join(at, nest, own)
                if joined is not None:
                    self.made[at] = joined
                    self.joined[nest.roots[0]] = at
                    return at
        self.made.append(nest)
        return last

    def latest(self, nest: Nest) -> int:
        """The step that made the last of what the nest needs."""
        latest = -1
        for root in nest.roots:
            for read in self.walk.reads(root, At.ELSEWHERE):
                latest = max(latest, self.place.get(read.root, -1))
            if self.checks:
                for id in self.walk.inside(root):
                    latest = max(latest, self.checks.get(id, -1))
        return latest

    def spaces(self, step: Work) -> list[_Space]:
        """The ways to see a step as a loop over rows."""
        if isinstance(step, Rows):
            return [_Space(True, step.rows, step.columns)]
        if not isinstance(step, Nest):
            return []
        known = self.known.get(id(step))
        if known is None:
            known = self.known[id(step)] = self.found(step)
        return known

    def found(self, step: Nest) -> list[_Space]:
        found = []
        shape = step.shape
        functions = self.functions(step.roots)
        flat = self.flat(step)
        if len(shape) > 1 and isinstance(shape[-1], int) and 1 < shape[-1] <= MAX_COLUMNS:
            apart = functions and flat and shape[-1] < MANY_COLUMNS
            if not apart:
                found.append(_Space(True, product(shape[:-1]), shape[-1]))
        folded = self.folded(step.roots)
        if shape and len(folded) < 2:
            columns = next(iter(folded), None)
            few = isinstance(columns, int) and columns <= MAX_FEW
            short = columns is None or (isinstance(columns, int) and columns < MANY_COLUMNS)
            apart = functions and short and not few
            if not apart and (columns is None or columns in range(2, MAX_COLUMNS)):
                found.append(_Space(False, product(shape), columns))
        return found

    def functions(self, roots: Sequence[int]) -> bool:
        table = self.walk.table
        return any(table[id].op.name in ELEMENTARY for r in roots for id in self.walk.inside(r))

    def flat(self, nest: Nest) -> bool:
        """Whether the nest reads and writes all memory in row-major order."""
        table = self.walk.table
        return not any(
            table[id].op not in CASTS
            and table[id].op not in EFFECTS
            and table[id].op is not RESHAPE
            and not table[id].op.elementwise
            and table[id].operands
            and not (
                table[id].op is EXPAND and product(table.type(table[id].operands[0]).shape) == 1
            )
            for root in nest.roots
            for id in self.walk.inside(root)
        )

    def folded(self, roots: Sequence[int]) -> set[Extent]:
        """The lengths of the rows that roots fold once a row."""
        table = self.walk.table
        found: set[Extent] = set()
        for root in roots:
            stack = [root]
            while stack:
                id = stack.pop()
                node = table[id]
                if node.op is REDUCE:
                    inner = table.type(node.operands[0]).shape
                    last = node.attrs[1] == (len(inner) - 1,)
                    found.add(inner[-1] if last else 0)
                    continue
                stack.extend(o for o in self.walk.operands(id) if o not in self.walk.roots)
        return found

    def join(self, at: int, nest: Nest, own: _Space) -> Rows | None:
        """The step at a position with the nest in it, or None where it cannot be."""
        host = self.made[at]
        for space in self.spaces(host):
            columns = space.joint(own)
            if columns == 0 or (columns is None and own.full):
                continue
            unfolded = (space.full or own.full) and None in (space.columns, own.columns)
            if isinstance(host, Nest) and unfolded and columns in ONE_BY_ONE:
                continue
            if isinstance(host, Rows):
                phases, weight = host.phases, host.weight
            else:
                assert isinstance(host, Nest)
                phases, weight = [Phase(space.full, host.roots)], host.weight
            if weight + nest.weight > MAX_WEIGHT:
                continue
            least = self.phase(phases, nest, own.full)
            if least is None:
                continue
            phases = [Phase(p.full, list(p.roots)) for p in phases]
            while least < len(phases) and phases[least].full != own.full:
                least += 1
            if least == len(phases):
                phases.append(Phase(own.full, []))
            phases[least].roots += nest.roots
            return Rows(own.rows, columns, phases, weight + nest.weight)
        return None

    def phase(self, phases: list[Phase], nest: Nest, full: bool) -> int | None:
        """The first phase that the nest can be in, or behind if that one is of the other kind;
        None if what it reads of the step is not complete in any."""
        where = {root: number for number, phase in enumerate(phases) for root in phase.roots}
        least = 0
        for root in nest.roots:
            for read in self.walk.reads(root, At.ELEMENT if full else At.ROW):
                if read.root not in where:
                    continue
                number = where[read.root]
                if phases[number].full:
                    if read.at not in (At.ELEMENT, At.ALL):
                        return None
                elif read.at is not At.ROW:
                    return None
                least = max(least, number)
        return least


def _checks_first(steps: Sequence[Work], walk: Walk) -> list[Work]:
    """Each check in front of what cannot fail and does not make its indices, so that what waits
    for the check can be joined to that."""
    made: list[Work] = []
    for step in steps:
        at = len(made)
        if isinstance(step, Check):
            read = {read.root for read in walk.reads(step.node, At.ELSEWHERE)}
            while (
                at
                and isinstance(made[at - 1], Nest | Matmul | Columns)
                and read.isdisjoint(roots_of(made[at - 1]))
            ):
                at -= 1
        made.insert(at, step)
    return made


def roots_of(step: Work) -> list[int]:
    """The roots that a step computes, outside loops of the program."""
    if isinstance(step, Nest):
        return step.roots
    if isinstance(step, Rows):
        return [root for phase in step.phases for root in phase.roots]
    if isinstance(step, Check | Repeat):
        return []
    return [step.node]


def fuse(steps: Sequence[Work], walk: Walk, late: Collection[int]) -> list[Work]:
    """The steps, with nests over the same rows joined where memory does not grow by it."""
    before = max(_live(steps, walk), default=0)
    banned: set[int] = set()
    for _ in range(MAX_UNDONE):
        fusion = _Fusion(walk, late, banned)
        made = fusion.run(steps)
        _find_local(made, walk)
        live = _live(made, walk)
        peak = max(live, default=0)
        if peak <= before:
            return made
        banned |= {root for root, at in fusion.joined.items() if live[at] > before}
    return list(steps)


def _users(steps: Sequence[Work], walk: Walk) -> dict[int, set[int]]:
    """The steps that read a root, by their number; those of a loop count as the loop."""
    users: dict[int, set[int]] = {}

    def add(step: Work, at: int) -> None:
        if isinstance(step, Repeat):
            for inner in step.steps:
                add(inner, at)
        ids = [step.node] if isinstance(step, Check) else roots_of(step)
        for root in ids:
            for read in walk.reads(root, At.ELSEWHERE):
                users.setdefault(read.root, set()).add(at)

    for at, step in enumerate(steps):
        add(step, at)
    return users


def _find_local(steps: Sequence[Work], walk: Walk) -> None:
    """Say of every loop over rows which of its roots are needed no longer than for a row."""
    for step in steps:
        if isinstance(step, Repeat):
            _find_local(step.steps, walk)
    users = _users(steps, walk)
    for at, step in enumerate(steps):
        if not isinstance(step, Rows) or step.columns is None:
            continue
        room = LOCAL_BYTES
        later = _read_later(step, walk)
        for phase in step.phases:
            for root in phase.roots:
                node = walk.table[root]
                if root not in later or not phase.full or users[root] != {at}:
                    continue
                assert isinstance(step.columns, int)
                size = step.columns * node.type.dtype.itemsize
                if size <= room:
                    step.local.add(root)
                    room -= size


def _read_later(step: Rows, walk: Walk) -> set[int]:
    """The roots that another phase of the step reads than their own."""
    where = {root: phase for phase in step.phases for root in phase.roots}
    return {
        read.root
        for root, phase in where.items()
        for read in walk.reads(root, At.ELEMENT if phase.full else At.ROW)
        if where.get(read.root, phase) is not phase
    }


def _live(steps: Sequence[Work], walk: Walk) -> list[int]:
    """The bytes of roots that live during each step, with symbols at their upper bounds."""
    table = walk.table
    users = _users(steps, walk)
    change = [0] * (len(steps) + 1)
    for at, step in enumerate(steps):
        rows = isinstance(step, Rows)
        local = step.local if isinstance(step, Rows) else ()
        later = _read_later(step, walk) if isinstance(step, Rows) else ()
        for root in roots_of(step):
            node = table[root]
            last = max(users.get(root, ()), default=at)
            unread = last == at and (root not in later if rows else isinstance(step, Nest))
            if node.op in EFFECTS or root in local or unread:
                continue
            size = extent_bounds(node.type.elements, table.dims)[1] * node.type.dtype.itemsize
            change[at] += size
            change[last + 1] -= size
    live, total = [], 0
    for difference in change[:-1]:
        total += difference
        live.append(total)
    return live
