"""Folds of everything there is, by several threads.

The chunks of a long fold are apart (FOLD-4), and of a maximum any are. So a kernel has their
results computed by a function of its own, which may be done in parts, and folds these itself. No
bit depends on who computed which chunk.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence

from gradir.codegen import parts
from gradir.codegen.expressions import C_TYPES, identity
from gradir.codegen.loops import Fold, Index, Let, Local, Statement
from gradir.codegen.poly import number
from gradir.codegen.statements import CHUNK, Statements
from gradir.ir.types import DType

LEAST_SHARED = 16 * CHUNK  # terms
AT_ONCE = CHUNK * CHUNK  # terms of as many chunks as have results at once
PART_MARK = "GIR_PART_"  # followed by a part's number: the function that does it

_NAME = re.compile(r"\b[a-z]+\d+(?:_\w+)?\b")


class SharedFolds(Statements):
    """`chunk_parts` are the bodies of the functions that the kernel at hand asks for chunks."""

    def __init__(self, memory: Mapping[int, int], large: Mapping[int, DType]) -> None:
        super().__init__(memory, large)
        self.chunk_parts: list[list[str]] = []

    def whole(self, body: Sequence[Statement], memories: Sequence[str]) -> None:
        """A kernel's body; its memories are passed on to the functions in this order."""
        for at, statement in enumerate(body):
            if isinstance(statement, Fold) and shared(statement):
                needed = known_before(body[:at], statement)
                if needed is not None:
                    self.shared_fold(statement, needed, memories)
                    continue
            self.statement(statement)

    def shared_fold(self, fold: Fold, needed: Sequence[Statement], memories: Sequence[str]) -> None:
        c_type, count, chunk = C_TYPES[fold.dtype.name], fold.count, self.fresh("chunk")
        outer, self.lines = self.lines, []
        self.chunks_part(fold, needed, chunk, len(memories))
        part = f"{PART_MARK}{len(self.chunk_parts)}"
        self.chunk_parts.append(self.lines)
        self.lines = outer
        known = count.constant()
        single = known is not None and known <= AT_ONCE
        self.line(f"{c_type} {fold.name} = {identity(fold.op, fold.dtype)};")
        self.line("{")
        self.depth += 1
        kind = f"{fold.op}_{fold.dtype}"
        if not single and fold.op != "max":
            self.line(f"gir_levels_{kind} levels;")
            self.line(f"gir_levels_start_{kind}(&levels, ({count} + {AT_ONCE - 1}) / {AT_ONCE});")
        self.line(f"for (int64_t {chunk} = 0; {chunk} < {count}; {chunk} += {AT_ONCE}) {{")
        self.depth += 1
        rest = f"{count} - {chunk}"
        self.line(f"{c_type} {chunk}_r[{CHUNK}];")
        self.line(f"int64_t {chunk}_n = {rest} < {AT_ONCE} ? {rest} : {AT_ONCE};")
        self.line(f"{chunk}_n = ({chunk}_n + {CHUNK - 1}) / {CHUNK};")
        row = ", ".join([*(f"(void *){name}" for name in memories), f"{chunk}_r", f"&{chunk}"])
        cost = number(CHUNK) * parts.fold_cost(fold)
        self.line(f"gir_each(r, {part}, (void *const[]){{{row}}}, {chunk}_n, {cost}, 1);")
        folded = self.folded_chunk(fold, f"{chunk}_r", f"{chunk}_n")
        if fold.op == "max":
            self.line(f"{fold.name} = {self.combine(fold, fold.name, folded)};")
        elif single:
            self.line(f"{fold.name} = {folded};")
        else:
            self.line(f"if ({count} <= {AT_ONCE}) {fold.name} = {folded};")
            self.line(f"else gir_levels_take_{kind}(&levels, {folded}, &{fold.name});")
        for _ in range(2):
            self.depth -= 1
            self.line("}")

    def chunks_part(
        self, fold: Fold, needed: Sequence[Statement], chunk: str, memories: int
    ) -> None:
        """The results of chunks `first` to below `last`, counted from the term where the caller
        is; both stand behind the memories."""
        c_type, count = C_TYPES[fold.dtype.name], fold.count
        self.dimensions()
        self.statements(needed)
        self.line(f"{c_type} *results = m[{memories}];")
        self.line(f"const int64_t start = *(const int64_t *)m[{memories + 1}];")
        self.line("for (int64_t chunk = first; chunk < last; chunk++) {")
        self.depth += 1
        self.line(
            f"const int64_t {chunk} = start + chunk * {CHUNK}, {chunk}_rest = {count} - {chunk};"
        )
        self.line(f"const int64_t {chunk}_n = {chunk}_rest < {CHUNK} ? {chunk}_rest : {CHUNK};")
        source = fold.source
        if source is not None and source.step.constant() == 1:
            terms = f"{source.array} + {source.first} + {chunk}"
        else:
            terms = self.filled_chunk(fold, chunk)
        self.line(f"results[chunk] = {self.folded_chunk(fold, terms, f'{chunk}_n')};")
        self.depth -= 1
        self.line("}")

    @abstractmethod
    def dimensions(self) -> None:
        """The sizes of the program's dimensions, each in a variable."""


def shared(fold: Fold) -> bool:
    """Whether a fold has chunks that are worth a thread's while."""
    known = fold.count.constant()
    return (
        fold.dtype.is_float
        and (fold.op == "max" or fold.order == "lanes")
        and (known is None or known >= LEAST_SHARED)
        and not parts.guarded(fold.body)
    )


def known_before(before: Sequence[Statement], fold: Fold) -> list[Statement] | None:
    """The statements that a fold's terms need of those before it; None if any is more than a
    value of its own."""
    texts = [repr(fold)]
    needed: list[Statement] = []
    for statement in reversed(before):
        if not isinstance(statement, Let | Index | Fold | Local):
            continue
        if not any(statement.name in _NAME.findall(text) for text in texts):
            continue
        if not isinstance(statement, Let | Index):
            return None
        texts.append(statement.expression)
        needed.insert(0, statement)
    return needed
