"""What stands before the kernels in a C text: of the numerics and the runtime, what they use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources

from gradir.numerics import ctext

# The piece of the numerics' C text that defines a function.
_PIECES = {
    **{"exp": "exp", "exp2": "exp", "log": "log", "log2": "log"},
    **{"sin": "sin", "cos": "sin", "tanh": "tanh", "erf": "erf"},
}
_FUNCTION = re.compile(rf"\bgir_(?:map_)?({'|'.join(_PIECES)})_(f32|f64)\(")
_ONE = re.compile(rf"\bgir_one_({'|'.join(_PIECES)})_f32\(")
_PRODUCT = re.compile(r"\bgir_product_(f32|f64)\(([^)]*)\)")
_MARKS = {
    "map_log": ("gir_map_many_log",),
    "fma": ("gir_fma_",),
    "matmul": ("gir_matmul_f",),
    "fold": ("gir_fold_", "gir_reduce_max_"),
    "fold_columns": ("gir_fold_columns_", "gir_fold_left_columns_"),
}

# Kernels' loops are made of vectors even where some elements are left over at the end.
_VECTORS = """#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("vect-cost-model=cheap")
#endif
"""
SIGNATURE = """typedef struct {
    int64_t node, axis, index, position, size;
} gir_error;
typedef struct {
    void *const *memory;
    const int64_t *dims;
    gir_error *error;
    int64_t threads;
} gir_run;
"""

_ALONE = """
/* Inside its caller a kernel's pointers would not be known to be apart. */
#define GIR_KEPT __attribute__((noinline))
/* A kernel that is done before a second thread is awake: whole, but for tests that divide all. */
#ifdef GIR_FINE_PARTS
#define gir_alone(r, part, count, cost, grain, ...) \\
    gir_each(r, part, __VA_ARGS__, count, cost, grain)
#else
#define gir_alone(r, part, count, cost, grain, ...) part(r, __VA_ARGS__, 0, count)
#endif
/* Rows of a product that stay together: two tiles' height. */
#ifdef GIR_AVX512
#define GIR_ROWS_GRAIN 16
#else
#define GIR_ROWS_GRAIN 12
#endif
"""


# Long straight code costs the compiler more than linear time, and higher levels gain nothing in it.
_PLAIN = """
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define GIR_PLAIN __attribute__((optimize("O1")))
#else
#define GIR_PLAIN
#endif
"""


# gcc's vectors of reads behind a condition, of elements that lie in turn in one memory, take the
# condition of a wrong element. Such loops keep their branches.
_BRANCHES = """
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define GIR_BRANCHES __attribute__((optimize("no-tree-loop-if-convert")))
#else
#define GIR_BRANCHES
#endif
"""


def join(programs: Sequence[str]) -> str:
    """One C text of several programs, with what they stand on in front."""
    text = "".join(programs)
    plain = _PLAIN if "GIR_PLAIN " in text else ""
    plain += _BRANCHES if "GIR_BRANCHES " in text else ""
    return "\n".join([prelude(text), SIGNATURE, plain, _threads(text), _VECTORS, *programs])


def _threads(text: str) -> str:
    """What divides kernels among threads, as far as the programs do that."""
    divided, alone = "gir_each(" in text, "gir_alone(" in text
    pool = ctext.piece("guard") + _own("pool.h") if divided or alone else ""
    if not divided and alone:
        pool = f"#ifdef GIR_FINE_PARTS\n{pool}#endif\n"
    return pool + _ALONE if pool else ""


def _own(name: str) -> str:
    """A piece of C text that ships beside this module."""
    return (resources.files("gradir") / "codegen" / name).read_text(encoding="utf-8")


def prelude(text: str) -> str:
    """The C text of the numerics that a program uses, and the runtime's."""
    functions = sorted(set(_FUNCTION.findall(text)))
    pieces = {f"{dtype}_{_PIECES[name]}" for name, dtype in functions}
    pieces |= {f"one_{_PIECES[name]}" for name in _ONE.findall(text)}
    pieces |= {piece for piece, marks in _MARKS.items() if any(m in text for m in marks)}
    maps = "".join(f"GIR_MAP_{dtype}({name})\n" for name, dtype in functions)
    pieces |= {"lanes"} if maps else set()
    if "matmul" in pieces:
        maps += "GIR_ROOM(f32, float)\nGIR_ROOM(f64, double)\n"
    numerics = ctext.assemble(["base", "elementwise", *sorted(pieces)])
    return "\n".join([_products(text), numerics, _own("runtime.h"), maps])


def _products(text: str) -> str:
    """What leaves tiles out that no product needs, where the sizes of all are known."""
    stated: dict[str, list[str]] = {"f32": [], "f64": []}
    for kind, sizes in _PRODUCT.findall(text):
        stated[kind].append(f"gir_tiles_of_{kind}({sizes})")
    lines = [
        f"#define gir_products_{kind} ({' | '.join(sorted(set(tiles)))})\n"
        for kind, tiles in stated.items()
        if tiles and len(tiles) == text.count(f"gir_matmul_{kind}(")
    ]
    return f"#ifndef GIR_FINE_PARTS\n{''.join(lines)}#endif\n" if lines else ""
