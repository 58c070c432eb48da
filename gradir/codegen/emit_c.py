"""C text from kernels: deterministic, headed by the GIR that each kernel implements."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import resources

from gradir.codegen.expressions import C_TYPES, literal
from gradir.codegen.loops import (
    Call,
    Fold,
    For,
    Guard,
    Index,
    Kernel,
    Let,
    LoopCall,
    MatmulCall,
    Put,
    Statement,
)
from gradir.codegen.poly import symbol
from gradir.ir.table import Table
from gradir.ir.types import DType
from gradir.numerics import ctext
from gradir.text.printer import node_text

ENTRY = "gir_program"  # followed by the program's number, where a library holds several
MAX_COMMENT = 100

# The piece of the numerics' C text that defines a function.
_PIECES = {
    **{"exp": "exp", "exp2": "exp", "log": "log", "log2": "log"},
    **{"sin": "sin", "cos": "sin", "tanh": "tanh", "erf": "erf"},
}
_FUNCTION = re.compile(rf"\bgir_({'|'.join(_PIECES)})_(f32|f64)\(")

SIGNATURE = """typedef struct {
    int64_t node, axis, index, position, size;
} gir_error;
typedef struct {
    void *const *memory;
    const int64_t *dims;
    gir_error *error;
} gir_run;
"""


def emit(table: Table, calls: Sequence[Call], memory: Mapping[int, int]) -> str:
    """The whole C text. `memory` numbers the memories, by node; what has none is not written."""
    return join([program_text(table, calls, memory)])


def program_text(
    table: Table, calls: Sequence[Call], memory: Mapping[int, int], suffix: str = ""
) -> str:
    """The functions of one program; its entry is ENTRY with the suffix."""
    return _Emitter(table, memory, suffix).program(calls)


def join(programs: Sequence[str]) -> str:
    """One C text of several programs, with what they stand on in front."""
    return "\n".join([prelude("".join(programs)), SIGNATURE, *programs])


class _Emitter:
    def __init__(self, table: Table, memory: Mapping[int, int], suffix: str) -> None:
        self.table, self.memory, self.suffix = table, memory, suffix
        self.lines: list[str] = []
        self.depth = 0

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def program(self, calls: Sequence[Call]) -> str:
        self.functions(calls)
        self.line(f"int {ENTRY}{self.suffix}(const gir_run *r) {{")
        self.depth += 1
        self.body_calls(calls)
        self.line("return 0;")
        self.depth -= 1
        self.line("}")
        return "\n".join(self.lines) + "\n"

    def functions(self, calls: Sequence[Call]) -> None:
        for call in calls:
            if isinstance(call, LoopCall):
                self.functions(call.body)
            else:
                self.kernel(call)

    def body_calls(self, calls: Sequence[Call]) -> None:
        for call in calls:
            if isinstance(call, Kernel):
                self.line(f"if ({call.name}{self.suffix}(r)) return 1;")
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
        self.lines.append("")
        for node in kernel.nodes[:8]:
            text = node_text(self.table, node).replace("*/", "* /").replace("\\", "/")
            self.line(f"// {text[:MAX_COMMENT]}")
        if len(kernel.nodes) > 8:
            self.line(f"// and {len(kernel.nodes) - 8} more")
        self.line(f"static int {kernel.name}{self.suffix}(const gir_run *r) {{")
        self.depth += 1
        self.line("(void)r;")
        self.memories(kernel.reads, kernel.writes)
        for name, number in self.dims().items():
            self.line(f"const int64_t {name} = r->dims[{number}];")
            self.line(f"(void){name};")
        self.statements(kernel.body)
        self.line("return 0;")
        self.depth -= 1
        self.line("}")

    def dims(self) -> dict[str, int]:
        return {symbol(name): at for at, name in enumerate(self.table.dims)}

    def memories(self, reads: Mapping[int, DType], writes: Mapping[int, DType]) -> None:
        for node, dtype in sorted({**reads, **writes}.items()):
            if node not in self.memory:
                continue
            const = "" if node in writes else "const "
            c_type = C_TYPES[dtype.name]
            self.line(f"{const}{c_type} *restrict m{node} = r->memory[{self.memory[node]}];")

    def statements(self, body: Sequence[Statement]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        match statement:
            case Let(dtype, name, expression):
                self.line(f"const {C_TYPES[dtype.name]} {name} = {expression};")
            case Index(name, expression):
                self.line(f"const int64_t {name} = {expression};")
            case For(name, count, body):
                self.line(f"for (int64_t {name} = 0; {name} < {count}; {name}++) {{")
                self.block(body)
            case Put(node, offset, expression):
                if node in self.memory:
                    self.line(f"m{node}[{offset}] = {expression};")
            case Guard(node, axis, index, size, position):
                self.line(f"if ({index} < 0 || {index} >= {size}) {{")
                self.depth += 1
                self.line(
                    f"*r->error = (gir_error){{{node}, {axis}, {index}, {position}, {size}}};"
                )
                self.line("return 1;")
                self.depth -= 1
                self.line("}")
            case MatmulCall():
                self.matmul(statement)
            case Fold():
                self.fold(statement)

    def block(self, body: Sequence[Statement]) -> None:
        self.depth += 1
        self.statements(body)
        self.depth -= 1
        self.line("}")

    def matmul(self, call: MatmulCall) -> None:
        sizes = ", ".join(str(size) for size in (call.batch, *call.sizes))
        self.line(f"gir_matmul_{call.dtype}(m{call.node}, m{call.a}, m{call.b}, {sizes});")

    # --- folds --------------------------------------------------------------------------

    def fold(self, fold: Fold) -> None:
        """The three rules of the order; of a known count only those that apply are written."""
        c_type, count = C_TYPES[fold.dtype.name], fold.count.constant()
        self.line(f"{c_type} {fold.name};")
        self.line("{")
        self.depth += 1
        self.line(f"const int64_t count = {fold.count};")
        if fold.order != "lanes" or (count is not None and count <= 32):
            self.left(fold, fold.name, "0", "count")
        elif count is not None and count <= 4096:
            self.lanes(fold, fold.name, "0", "count")
        else:
            self.chunks(fold)
        self.depth -= 1
        self.line("}")

    def identity(self, fold: Fold) -> str:
        dtype = fold.dtype
        if fold.op == "max":
            return f"-GIR_INF_F{dtype.width}" if dtype.is_float else f"gir_least_{dtype}"
        one = {"add": 0, "mul": 1}[fold.op]
        if dtype.is_float:
            return f"{one}.0f" if dtype.width == 32 else f"{one}.0"
        return literal(dtype, one.to_bytes(dtype.itemsize, "little"))

    def combine(self, fold: Fold, a: str, b: str) -> str:
        dtype = fold.dtype
        if fold.op == "max" or dtype.is_int:
            return f"gir_{fold.op}_{dtype}({a}, {b})"
        return f"{a} {'+' if fold.op == 'add' else '*'} {b}"

    def term(self, fold: Fold, into: str) -> None:
        self.statements(fold.body)
        self.line(f"{into} = {self.combine(fold, into, fold.term)};")

    def left(self, fold: Fold, into: str, first: str, stop: str) -> None:
        k = fold.variable
        self.line(f"{into} = {self.identity(fold)};")
        self.line(f"for (int64_t {k} = {first}; {k} < {stop}; {k}++) {{")
        self.depth += 1
        self.term(fold, into)
        self.depth -= 1
        self.line("}")

    def lanes(self, fold: Fold, into: str, first: str, stop: str) -> None:
        k, c_type = fold.variable, C_TYPES[fold.dtype.name]
        self.line(f"{c_type} lane[32];")
        self.line(f"for (int l = 0; l < 32; l++) lane[l] = {self.identity(fold)};")
        self.line(f"int64_t block = {first};")
        self.line(f"for (; block + 32 <= {stop}; block += 32) {{")
        self.line("    for (int l = 0; l < 32; l++) {")
        self.depth += 2
        self.line(f"const int64_t {k} = block + l;")
        self.term(fold, "lane[l]")
        self.depth -= 2
        self.line("    }")
        self.line("}")
        self.line(f"for (int l = 0; block + l < {stop}; l++) {{")
        self.depth += 1
        self.line(f"const int64_t {k} = block + l;")
        self.term(fold, "lane[l]")
        self.depth -= 1
        self.line("}")
        self.line("for (int h = 16; h > 0; h /= 2)")
        combined = self.combine(fold, "lane[l]", "lane[l + h]")
        self.line(f"    for (int l = 0; l < h; l++) lane[l] = {combined};")
        self.line(f"{into} = lane[0];")

    def chunks(self, fold: Fold) -> None:
        """Chunks of 4096, whose results are folded by the same rules."""
        kind = f"{fold.op}_{fold.dtype}"
        self.line(f"gir_folder_{fold.dtype} folder;")
        self.line(f"gir_fold_begin_{kind}(&folder, count);")
        self.line("for (int64_t chunk = 0; chunk < count || chunk == 0; chunk += 4096) {")
        self.depth += 1
        self.line("const int64_t stop = chunk + 4096 < count ? chunk + 4096 : count;")
        self.line(f"{C_TYPES[fold.dtype.name]} part;")
        self.line("if (stop - chunk <= 32) {")
        self.depth += 1
        self.left(fold, "part", "chunk", "stop")
        self.depth -= 1
        self.line("} else {")
        self.depth += 1
        self.lanes(fold, "part", "chunk", "stop")
        self.depth -= 1
        self.line("}")
        self.line(f"gir_fold_push_{kind}(&folder, part);")
        self.depth -= 1
        self.line("}")
        self.line(f"{fold.name} = gir_fold_end_{kind}(&folder);")


def prelude(text: str) -> str:
    """The C text of the numerics that a program uses, and the runtime's."""
    used = {f"{dtype}_{_PIECES[name]}" for name, dtype in _FUNCTION.findall(text)}
    runtime = (resources.files("gradir") / "codegen" / "runtime.h").read_text(encoding="utf-8")
    return "\n".join([ctext.assemble(["base", *sorted(used)]), runtime])
