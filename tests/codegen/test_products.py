"""The tiles that GIR_TILES names for a product's sizes are those that the product asks for; and
what products of small and narrow operands take."""

from __future__ import annotations

import ctypes
import itertools
import shutil
from pathlib import Path

import pytest
from callgrind import count

from gradir import Program
from gradir.codegen import toolchain
from gradir.codegen.toolchain import find_compiler, library
from gradir.numerics import ctext

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")

# Without any tile compiled, every one that is wanted is missing; the memory holds nothing.
TEXT = """
static int gir_seen;
#define GIR_MISSING(tile) (gir_seen |= (tile))
#define gir_products_f32 0
#define gir_products_f64 0
%s
static float gir_zeros[GIR_MATMUL_ROOM * 4] __attribute__((aligned(64)));
#define GIR_CHECK(kind, type, lanes)                                                           \\
    int gir_check_##kind(int64_t m, int64_t n, int64_t k, int64_t a_row, int64_t b_col,        \\
                         int64_t parts) {                                                      \\
        type *zeros = (type *)gir_zeros;                                                       \\
        const int form = gir_form_##kind(m, n, k, a_row, b_col);                               \\
        gir_seen = 0;                                                                          \\
        for (int64_t first = 0; first < m; first += parts)                                     \\
            gir_matmul_##kind(form, m - first < parts ? m - first : parts, n, k, zeros,        \\
                              a_row, a_row == 1 ? 2 : 1, zeros, b_col == 1 ? 2 : 1, b_col,     \\
                              zeros + GIR_MATMUL_ROOM, 0, zeros);                              \\
        return gir_seen ^ GIR_TILES(m, n, k, a_row, b_col, lanes);                             \\
    }
GIR_CHECK(f32, float, GIR_LANES)
GIR_CHECK(f64, double, GIR_LANES / 2)
"""

WIDTHS = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 48, 63, 64, 65]


@pytest.mark.parametrize("processor", ["avx512", "avx2", "baseline"])
def test_tiles(processor: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if processor == "avx512" and toolchain.processor() != processor:
        pytest.skip("no AVX-512")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("GRADIR_CPU", processor)
    made = ctypes.CDLL(str(library(TEXT % ctext.assemble(["matmul"]))))
    sizes = [(m, n, k) for m in range(1, 20) for n in WIDTHS for k in (1, 512, 513)]
    large = itertools.product((1, 7, 8, 300), (300, 2048, 2060, 5000), (1, 600))
    most = 1 << (24 if processor == "baseline" else 30)  # fma, which are software in baseline code
    sizes += [(m, n, k) for m, n, k in large if m * n * k <= most]
    for m, n, k in sizes:
        for a_row, b_col in itertools.product((1, 2), repeat=2):
            for parts in (m, 16 if processor == "avx512" else 12):  # rows of a thread
                stated = (m, n, k, a_row, b_col, parts)
                found = [
                    getattr(made, f"gir_check_{kind}")(*map(ctypes.c_int64, stated))
                    for kind in ("f32", "f64")
                ]
                assert found == [0, 0], stated


# Instructions of AVX2 code. Along the rows the first two take 65,000 and 119,000; with columns
# packed one element at a time the third takes 82,000; with the larger operand packed first the
# last two take 581,000 and 623,000.
MOST = {
    ("f32[512,32]", "f32[512,3]", "matmul (permute %a axes=[1,0]) %b"): 20_000,
    ("f32[512,64]", "f32[64,2]", "matmul %a %b"): 50_000,
    ("f32[48,64]", "f32[64,64]", "matmul %a (permute %b axes=[1,0])"): 70_000,
    ("f32[1,512]", "f32[512,512]", "matmul %a %b"): 240_000,
    ("f32[512,512]", "f32[512,1]", "matmul %a %b"): 280_000,
}


@pytest.mark.skipif(
    not (shutil.which("valgrind") and shutil.which("gcc")), reason="valgrind or gcc is missing"
)
@pytest.mark.parametrize(("a", "b", "product"), MOST)
def test_instructions(a: str, b: str, product: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "gcc")
    text = f"%a = stage {a} name=a\n%b = stage {b} name=b\noutput ({product}) name=c\n"
    assert count(Program.parse(text)).total <= MOST[a, b, product]
