"""C text from kernels: deterministic, headed by the GIR that each kernel implements."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradir.codegen import parts
from gradir.codegen.expressions import C_TYPES
from gradir.codegen.loops import (
    Block,
    Call,
    ColumnFolds,
    For,
    Kernel,
    LoopCall,
    MatmulCall,
    Statement,
)
from gradir.codegen.poly import symbol
from gradir.codegen.prelude import join
from gradir.codegen.shared_folds import PART_MARK, SharedFolds
from gradir.codegen.statements import STREAMED
from gradir.ir.table import Table
from gradir.ir.types import DType
from gradir.text.printer import node_text

ENTRY = "gir_program"  # followed by the program's number, where a library holds several
MAX_COMMENT = 100
MAX_CALLS = 32  # of kernels in one function
MAX_RESTRICT = 24  # pointers; telling many apart costs the compiler more than it gains
SMALL = 65536  # operations that one thread does sooner than two: pool.h's GIR_WORTH
PART = "const gir_run *r, void *const *m, int64_t first, int64_t last"

_CUT = "\f"  # between bodies of functions
_LOCAL = re.compile(r"\b(m|r|t|i|k|q|f|span|chunk)(\d+)((?:_\w+)?)\b")
_MEMORY = re.compile(r"\bm(\d+)\b")
_BEHIND = re.compile(r" \? m(\d+)\[")
_LOOP = re.compile(r"\bfor \(int64_t (\w+) = 0; \1 < (\d+);")
MOST_PEELED = 16  # iterations of a loop that a C compiler writes one behind the other


@dataclass
class _Function:
    """The function of a kernel. Several that share it pass rows of memories of their own; the row
    of one alone is the run's."""

    name: str
    comment: list[str]
    types: list[str]  # of the pointers m0, m1, …
    body: str
    divisible: bool
    parts: list[str]  # bodies of functions that have the same memories, and do a part of its work
    users: int = 0


def emit(table: Table, calls: Sequence[Call], memory: Mapping[int, int]) -> str:
    """The whole C text. `memory` numbers the memories, by node; what has none is not written."""
    return join([program_text(table, calls, memory)])


def program_text(
    table: Table, calls: Sequence[Call], memory: Mapping[int, int], suffix: str = ""
) -> str:
    """The functions of one program; its entry is ENTRY with the suffix."""
    functions, main = program_functions(table, calls, memory, suffix)
    return "".join([*functions, main])


def program_functions(
    table: Table, calls: Sequence[Call], memory: Mapping[int, int], suffix: str = ""
) -> tuple[list[str], str]:
    """The functions of a program's kernels, and those that call them."""
    return _Emitter(table, memory, suffix).program(calls)


class _Emitter(SharedFolds):
    def __init__(self, table: Table, memory: Mapping[int, int], suffix: str) -> None:
        super().__init__(memory, _large(table, memory))
        self.table, self.suffix = table, suffix
        self.shared: dict[str, _Function] = {}  # by the text that several kernels would share
        self.uses: dict[int, tuple[_Function, list[int], parts.Work | None]] = {}  # by kernel

    def program(self, calls: Sequence[Call]) -> tuple[list[str], str]:
        self.collect(calls)
        functions = []
        for function, numbers in {f.name: (f, n) for f, n, _ in self.uses.values()}.values():
            self.function(function, numbers if function.users == 1 else [*range(len(numbers))])
            functions.append("\n".join([*self.lines, ""]))
            self.lines.clear()
        groups = [calls[at : at + MAX_CALLS] for at in range(0, len(calls), MAX_CALLS)]
        names = [f"gir_group{at + 1}{self.suffix}" for at in range(len(groups))]
        for name, group in zip(names, groups, strict=True):
            rows = all(
                isinstance(call, Kernel) and self.uses[id(call)][0].users > 1 for call in group
            )
            self.line(f"{'GIR_PLAIN ' * rows}static int {name}(const gir_run *r) {{")
            self.depth += 1
            self.dimensions()
            self.body_calls(group)
            self.line("return 0;")
            self.depth -= 1
            self.line("}")
        self.line(f"int {ENTRY}{self.suffix}(const gir_run *r) {{")
        self.lines += [f"    if ({name}(r)) return 1;" for name in names]
        self.lines += ["    return 0;", "}"]
        return functions, "\n".join([*self.lines, ""])

    def collect(self, calls: Sequence[Call]) -> None:
        for call in calls:
            if isinstance(call, LoopCall):
                self.collect(call.body)
            else:
                self.kernel(call)

    def body_calls(self, calls: Sequence[Call]) -> None:
        for call in calls:
            if isinstance(call, Kernel):
                self.line(f"if ({self.use(call)}) return 1;")
                continue
            self.line("{")
            self.depth += 1
            self.memories(call.reads, {call.range: self.table.type(call.range).dtype})
            self.line(f"const int32_t count = {call.count};")
            self.line("for (int32_t i = 0; i < count; i++) {")
            self.depth += 1
            if call.range in self.memory:
                self.line(f"m{call.range}[0] = i;")
            self.body_calls(call.body)
            for _ in range(2):
                self.depth -= 1
                self.line("}")

    def kernel(self, kernel: Kernel) -> None:
        """The function of a kernel, or the one that does the same to other memories.

        Where its body is one loop whose iterations are apart, the function does a part of it.
        """
        nodes = [node for node in sorted({**kernel.reads, **kernel.writes}) if node in self.memory]
        dtypes = {**kernel.reads, **kernel.writes}
        work = parts.divisible(kernel)
        names = [f"m{node}" for node in nodes]
        outer, self.lines, self.depth = self.lines, [], 1
        self.dimensions()
        if work:
            self.part(kernel.body[0])
        elif len(nodes) <= MAX_RESTRICT:
            self.whole(kernel.body, names)
        else:
            self.statements(kernel.body)
        body, self.lines, self.depth = self.lines, outer, 0
        bodies, self.chunk_parts = [body, *self.chunk_parts], []
        types = [
            f"{'' if node in kernel.writes else 'const '}{C_TYPES[dtypes[node].name]} *"
            for node in nodes
        ]
        head = " ".join([*map(str.__add__, types, names), ""])
        text = renamed(_CUT.join([head, *("\n".join(lines) for lines in bodies)]))
        function = self.shared.get(text)
        if function is None:
            name = f"gir_k{len(self.shared) + 1}{self.suffix}"
            _, whole, *chunks = text.replace(PART_MARK, f"{name}_part").split(_CUT)
            function = _Function(name, self.comment(kernel), types, whole, work is not None, chunks)
            self.shared[text] = function
        function.users += 1
        self.uses[id(kernel)] = function, [self.memory[node] for node in nodes], work

    def function(self, function: _Function, numbers: list[int]) -> None:
        """A function whose memories stand at these places of its row."""
        body = function.body
        crowded = len(numbers) > MAX_RESTRICT and function.users == 1
        plain = "GIR_PLAIN " if crowded and "for (" not in body else ""
        plain += "GIR_BRANCHES " * reads_groups(body)
        kept = "GIR_KEPT " if function.divisible else ""
        self.lines += function.comment
        for at, part in enumerate(function.parts):
            self.line(f"GIR_KEPT static int {function.name}_part{at}({PART}) {{")
            for place, type in enumerate(function.types):
                self.line(f"    {type}restrict m{place} = m[{place}];")
            self.lines += [part, "    return 0;", "}"]
        self.line(f"{plain}{kept}static int {function.name}({PART}) {{")
        self.line("    (void)r, (void)m, (void)first, (void)last;")
        if crowded:
            # looked up where used: as many pointers in variables cost the compiler its time
            places = zip(function.types, numbers, strict=True)
            found = [f"(({type})m[{number}])" for type, number in places]
            body = _MEMORY.sub(lambda match: found[int(match[1])], body)
        else:
            restrict = "restrict " if len(numbers) <= MAX_RESTRICT else ""
            for at, (type, number) in enumerate(zip(function.types, numbers, strict=True)):
                self.line(f"    {type}{restrict}m{at} = m[{number}];")
        self.lines += [body, "    return 0;", "}"]

    def use(self, kernel: Kernel) -> str:
        """The call of a kernel's function."""
        function, numbers, work = self.uses[id(kernel)]
        memory = "r->memory"
        if function.users > 1:
            listed = ", ".join(f"r->memory[{number}]" for number in numbers) or "0"
            memory = f"(void *const[]){{{listed}}}"
        if work is None:
            return f"{function.name}(r, {memory}, 0, 1)"
        count, operations = work.length.constant(), (work.length * work.cost).constant()
        sizes = f"{work.length}, {work.cost}, {work.grain}"
        small = operations is not None and operations < SMALL
        if small or (count is not None and count < work.least):
            return f"gir_alone(r, {function.name}, {sizes}, {memory})"
        return f"gir_each(r, {function.name}, {memory}, {sizes})"

    def part(self, statement: Statement) -> None:
        """The iterations from `first` to below `last` of a kernel's one loop."""
        match statement:
            case For():
                self.loop(statement, "first", "last")
            case Block():
                self.blocks(statement, "first", "last")
            case MatmulCall():
                self.matmul(statement, divided=True)
            case ColumnFolds():
                self.column_folds(statement, divided=True)
            case _:
                raise AssertionError(statement)

    def comment(self, kernel: Kernel) -> list[str]:
        listed = [node_text(self.table, node).replace("\\", "/") for node in kernel.nodes[:8]]
        lines = ["", *(f"// {text[:MAX_COMMENT]}" for text in listed)]
        if len(kernel.nodes) > 8:
            lines.append(f"// and {len(kernel.nodes) - 8} more")
        return lines

    def dimensions(self) -> None:
        for at, name in enumerate(self.table.dims):
            self.line(f"const int64_t {symbol(name)} = r->dims[{at}];")
            self.line(f"(void){symbol(name)};")

    def memories(self, reads: Mapping[int, DType], writes: Mapping[int, DType]) -> None:
        for node, dtype in sorted({**reads, **writes}.items()):
            if node not in self.memory:
                continue
            const = "" if node in writes else "const "
            c_type = C_TYPES[dtype.name]
            self.line(f"{const}{c_type} *restrict m{node} = r->memory[{self.memory[node]}];")


def reads_groups(body: str) -> bool:
    """Whether a loop may read neighbouring elements of a memory behind one condition."""
    behind = _BEHIND.findall(body)
    short = any(int(count) <= MOST_PEELED for _, count in _LOOP.findall(body))
    return bool(behind) and (short or len(set(behind)) < len(behind))


def _large(table: Table, memory: Mapping[int, int]) -> dict[int, DType]:
    """The memories that outlive their values in any cache, as far as sizes are known."""
    found = {}
    for node in memory:
        type = table.type(node)
        if isinstance(type.elements, int) and type.elements * type.dtype.itemsize >= STREAMED:
            found[node] = type.dtype
    return found


def renamed(text: str) -> str:
    """The text with its local names numbered anew, so that equal kernels are equal texts."""
    names: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        stem, _, rest = match.groups()
        return names.setdefault(match[1] + match[2], f"{stem}{len(names)}") + rest

    return _LOCAL.sub(rename, text)
