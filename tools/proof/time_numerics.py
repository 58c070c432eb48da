"""Times of the C text on this machine, beside NumPy's and PyTorch's in the same run.

    python tools/proof/time_numerics.py [--target avx512|avx2|baseline] [--compiler gcc|clang]

Functions: nanoseconds an element, 4096 elements in the first cache, one thread, what is aimed
at, and NumPy's nanoseconds with their ratio to ours.  Sums and matrix products: median (least -
greatest) and the ratio of the other's median to ours, above 1 where ours is faster.  PyTorch is
left out where it is not installed.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import pathlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is loaded

import numpy as np  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import prove_numerics  # noqa: E402

from gradir.numerics import ctext  # noqa: E402

RANGES = {
    "exp2": (-20, 20),
    "exp": (-20, 20),
    "log2": (0.001, 1000),
    "log": (0.001, 1000),
    "sin": (-30, 30),
    "cos": (-30, 30),
    "tanh": (-4, 4),
    "erf": (-4, 4),
}
AIMS = {
    "avx512": dict(zip(RANGES, (0.36, 0.42, 0.40, 0.40, 0.58, 0.62, 0.75, 1.0), strict=True)),
    "avx2": dict(zip(RANGES, (0.60, 0.63, 0.80, 0.85, 0.68, 0.68, 1.05), strict=False)),
}
EXPORTS = """
void sum_f32(float *out, const float *x, long n) { *out = gir_fold_add_f32(x, (size_t)n); }
#define MATMUL(real, kind)                                                                \\
    void matmul_##kind(real *c, const real *a, const real *b, long n) {                   \\
        static real room[GIR_MATMUL_ROOM] __attribute__((aligned(64)));                   \\
        size_t s = (size_t)n;                                                             \\
        gir_matmul_##kind(0, s, s, s, a, n, 1, b, n, 1, c, n, room);                      \\
    }
MATMUL(float, f32)
MATMUL(double, f64)
"""


def seconds(call: Callable[[], object], times: int) -> list[float]:
    result = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        result.append(time.perf_counter() - start)
    return result


def side_by_side(
    ours: Callable[[], object], others: dict[str, Callable[[], object]], times: int
) -> dict[str, list[float]]:
    """Alternating rounds, so that a disturbance meets all alike."""
    found: dict[str, list[float]] = {"ours": [], **{name: [] for name in others}}
    for _ in range(3):
        found["ours"] += seconds(ours, times)
        for name, call in others.items():
            found[name] += seconds(call, times)
    return found


def line(title: str, found: dict[str, list[float]], unit: Callable[[float], str]) -> None:
    own = statistics.median(found["ours"])
    words = []
    for name, values in found.items():
        middle = statistics.median(values)
        ratio = "" if name == "ours" else f" ratio {middle / own:.3f}"
        words.append(f"{name} {unit(middle)} ({unit(min(values))} - {unit(max(values))}){ratio}")
    print(f"{title:12} " + ", ".join(words), flush=True)


def functions(build: prove_numerics.Build, folder: pathlib.Path) -> None:
    measure = prove_numerics.Measure(build, folder)
    for name, (low, high) in RANGES.items():
        told = prove_numerics.run([*measure.command, "time", name, str(low), str(high)])
        middle, least, greatest = map(float, told.split())
        aim = AIMS.get(build.target, {}).get(name)
        against = f", aim {aim}: {'reached' if middle <= aim else 'MISSED'}" if aim else ""
        print(f"{name:12} {middle:.3f} ns ({least:.3f} - {greatest:.3f}){against}", end="")
        print(beside_numpy(name, low, high, middle), flush=True)


def beside_numpy(name: str, low: float, high: float, own: float) -> str:
    """What NumPy takes for the same work, called as often; nothing for what it has not (erf)."""
    function = getattr(np, name, None)
    if function is None:
        return ""
    x = np.random.default_rng(0).uniform(low, high, 4096).astype(np.float32)
    out = np.empty_like(x)
    calls = 40

    def many() -> None:
        for _ in range(calls):
            function(x, out)

    times = [s / calls / x.size * 1e9 for s in seconds(many, 101)]
    middle = statistics.median(times)
    return f", NumPy {middle:.3f} ns ({min(times):.3f} - {max(times):.3f}) ratio {middle / own:.2f}"


def library(build: prove_numerics.Build, folder: pathlib.Path) -> ctypes.CDLL:
    source, target = folder / "folds.c", folder / "folds.so"
    source.write_text(ctext.assemble(["fold", "matmul"]) + EXPORTS)
    command = [build.program, *build.flags, "-shared", "-fPIC", "-o", str(target), str(source)]
    prove_numerics.run(command)
    return ctypes.CDLL(str(target))


def address(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def torch_module():
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    return torch


def sums_and_products(build: prove_numerics.Build, folder: pathlib.Path) -> None:
    lib, torch, random = library(build, folder), torch_module(), np.random.default_rng(0)
    x, out = random.standard_normal(1 << 24).astype(np.float32), np.zeros(1, np.float32)
    others: dict[str, Callable[[], object]] = {"NumPy": x.sum}
    if torch:
        others["PyTorch"] = torch.from_numpy(x).sum
    arguments = (address(out), address(x), ctypes.c_long(x.size))
    found = side_by_side(lambda: lib.sum_f32(*arguments), others, 15)
    line("sum of 16M", found, lambda s: f"{s * 1e3:.2f} ms")
    for dtype, kind in ((np.float32, "f32"), (np.float64, "f64")):
        for n in (64, 128, 256, 512, 1024, 2048):
            a, b = (random.standard_normal((n, n)).astype(dtype) for _ in range(2))
            c = np.empty((n, n), dtype)
            multiply = getattr(lib, f"matmul_{kind}")
            operands = (address(c), address(a), address(b), ctypes.c_long(n))
            found = side_by_side(
                lambda m=multiply, o=operands: m(*o),
                {"OpenBLAS": lambda a=a, b=b, c=c: np.matmul(a, b, out=c)},
                max(5, min(200, int(1e9 / n**3))),
            )
            work = 2 * n**3 / 1e9
            line(f"mm{n} {kind}", found, lambda s, w=work: f"{w / s:.1f} GFLOP/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--target", default="avx512", choices=["avx512", "avx2", "baseline"])
    parser.add_argument("--compiler", default="gcc", choices=["gcc", "clang"])
    arguments = parser.parse_args()
    build = prove_numerics.Build.of(f"{arguments.compiler}-{arguments.target}")
    with tempfile.TemporaryDirectory(prefix="gradir-times-") as name:
        functions(build, pathlib.Path(name))
        sums_and_products(build, pathlib.Path(name))


if __name__ == "__main__":
    main()
