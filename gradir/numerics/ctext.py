"""The C text of the numerics: pieces of gradir/numerics/c put together, each once, in order.

A piece is a header file; the line `@needs a b` in its first comment names the pieces it stands
on.  What stands between `@for KIND …` and `@end` is put into the text once for each kind: its
words `real`, `whole`, `vector`, … become the kind's types (_KINDS), and the suffix of `gir_x_f64`
the kind's name.  `assemble` returns one text with no `#include` of ours in it, comments kept, so
that what is compiled can be read.  Refuses names that are no piece; reads nothing but the
package's own files.

What generated code may ask for (each piece's first comment says more):

    base, vec         bits of floats, canonical NaN; gir_vf, gir_vd and their loads and stores
    f32_exp f32_log f32_sin f32_tanh f32_erf
                      gir_exp_f32 (one number), gir_exp_f32v (a gir_vf), gir_exp_f32v2 (two), …
    map_log           gir_map_many_log_f32, gir_map_many_log2_f32: from memory to memory
    one_exp one_sin one_tanh
                      gir_one_exp_f32, …: one number soon, where a chain waits for it
    f64_exp f64_log f64_sin f64_tanh f64_erf
                      gir_exp_f64 (one number), gir_exp_f64v (a gir_vd), …
    elementwise, fma  gir_max_f32, gir_f32_to_i32, gir_idiv_i32, gir_fma_f32v, …
    fold              gir_fold_add_f32, …_rows_, …_left_, gir_reduce_max_f32
    fold_columns      gir_fold_columns_add_f32, gir_fold_left_columns_add_f32
    matmul, scatter   gir_matmul_f32, gir_scatter_add_f32, gir_bad_index_32
    guard             gir_mode_enter, gir_mode_leave
"""

from __future__ import annotations

import functools
import importlib.resources
import re
from collections.abc import Iterable

_NEEDS = re.compile(r"@needs ([a-z0-9_ ]+)")
_FOR = re.compile(r"/\* @for ([a-z0-9_ ]+) \*/\n(.*?)/\* @end \*/\n", re.DOTALL)
_SUFFIX = re.compile(r"\b(gir_\w+)_f64(v?)\b")

_F32 = {"real": "float", "whole": "int32_t", "vector": "gir_vf", "LANES": "GIR_LANES"}
_F32 |= {"BEHIND": "gir_behind_f32", "LOAD_UP_TO": "gir_load_up_to_f32"}
_F64 = {"real": "double", "whole": "int64_t", "vector": "gir_vd", "LANES": "(GIR_LANES / 2)"}
_F64 |= {"BEHIND": "gir_behind_f64", "LOAD_UP_TO": "gir_load_up_to_f64"}
_ADD = {"OP": "+", "IDENTITY": "0"}
_MUL = {"OP": "*", "IDENTITY": "1"}


def _integer(bits: int, signed: bool) -> dict[str, str]:
    name = f"int{bits}_t"
    unsigned = "u" + name
    return {
        "integer": name if signed else unsigned,
        "natural": unsigned,
        "WIDTH": str(bits),
        "SIGNED": str(int(signed)),
    }


_KINDS: dict[str, dict[str, str]] = {
    "f32": _F32,
    "f32v": {"real": "gir_vf", "whole": "gir_vi"},
    "f64": _F64 | {"entry": "const double *"},
    "f64v": {"real": "gir_vd", "whole": "gir_vl", "entry": "gir_entries"},
    "add_f32": _F32 | _ADD,
    "mul_f32": _F32 | _MUL,
    "add_f64": _F64 | _ADD,
    "mul_f64": _F64 | _MUL,
    "i32": _integer(32, True) | {"real": "uint32_t"},
    "i64": _integer(64, True) | {"real": "uint64_t"},
    "u32": _integer(32, False) | {"real": "uint32_t"},
}


def names() -> list[str]:
    """All pieces, sorted."""
    folder = importlib.resources.files(__package__) / "c"
    return sorted(f.name[:-2] for f in folder.iterdir() if f.name.endswith(".h"))


@functools.cache
def piece(name: str) -> str:
    """The text of one piece, its parts for several kinds written out."""
    if name not in names():
        raise KeyError(f"no piece of C text named {name!r}; there are {', '.join(names())}")
    text = (importlib.resources.files(__package__) / "c" / f"{name}.h").read_text("utf-8")
    return _FOR.sub(lambda match: _for_each(match.group(1).split(), match.group(2)), text)


def _for_each(kinds: list[str], text: str) -> str:
    return "\n".join(_for_kind(kind, text) for kind in kinds)


def _for_kind(kind: str, text: str) -> str:
    text = _SUFFIX.sub(rf"\1_{kind}\2", text)
    for word, meaning in _KINDS[kind].items():
        text = re.sub(rf"\b{word}\b", meaning, text)
    return text


def needs(name: str) -> list[str]:
    """The pieces that a piece names in its `@needs` line."""
    found = _NEEDS.search(piece(name).split("*/", 1)[0])
    return found.group(1).split() if found else []


def ordered(wanted: Iterable[str]) -> list[str]:
    """`wanted` and all they stand on, each behind what it needs."""
    result: list[str] = []
    open_pieces: list[str] = []

    def visit(name: str) -> None:
        if name in result:
            return
        if name in open_pieces:
            raise ValueError(f"pieces of C text need each other: {' '.join(open_pieces)} {name}")
        open_pieces.append(name)
        for other in needs(name):
            visit(other)
        open_pieces.pop()
        result.append(name)

    for name in wanted:
        visit(name)
    return result


def assemble(wanted: Iterable[str]) -> str:
    """One C text that defines everything in the pieces `wanted`."""
    return "\n".join(piece(name) for name in ordered(wanted))
