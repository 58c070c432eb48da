"""Find every f32 argument whose function value gradir/numerics/f32.py would misround.

    python tools/fit_exceptions.py              all functions, all 2^32 arguments; rewrites
                                                gradir/numerics/exceptions.py (10 to 30 minutes)
    python tools/fit_exceptions.py exp log      only these, printed and not written

The f64 value y before the last rounding is within y 2^-50 of the exact one (tests measure it).
An argument is a candidate where y (1 - 2^-45) and y (1 + 2^-45) round to different f32; each
candidate, some thousands a function, is computed by mpmath to 60 digits beyond the point that
decides.  For odd and even functions the positive half stands for both.
"""

from __future__ import annotations

import multiprocessing
import pathlib
import sys
import time

import mpmath
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from gradir.numerics import f32  # noqa: E402
from gradir.numerics.exceptions import ODD  # noqa: E402

MARGIN = 2.0**-45
STEP = 1 << 13
PART = 1 << 26
HALF_ONLY = ODD | {"cos", "log", "log2"}  # log of a negative number is NaN
TARGET = ROOT / "gradir" / "numerics" / "exceptions.py"

EXACT = {
    "exp": mpmath.exp,
    "exp2": lambda x: mpmath.power(2, x),
    "log": mpmath.log,
    "log2": lambda x: mpmath.log(x) / mpmath.ln2,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tanh": mpmath.tanh,
    "erf": mpmath.erf,
}


def nearest_f32(value: mpmath.mpf) -> np.float32:
    """Ties to even; subnormals and overflow included."""
    sign, mantissa, exponent, _ = value._mpf_
    drop = max(mantissa.bit_length() - 24, -149 - exponent, 0)
    kept = mantissa >> drop
    lost = mantissa - (kept << drop)
    half = (1 << drop) >> 1
    if drop and (lost > half or (lost == half and kept & 1)):
        kept += 1
    with np.errstate(over="ignore"):
        size = np.float32(float(mpmath.ldexp(kept, exponent + drop)))
    return -size if sign else size


def exact_f32(name: str, bits: int) -> np.float32:
    x = float(np.uint32(bits).view(np.float32))
    with mpmath.workdps(110):
        return nearest_f32(EXACT[name](mpmath.mpf(x)))


def candidates(task: tuple[str, int]) -> list[tuple[int, int]]:
    """(argument, rounded f64 value) of the candidates in one part, as bits."""
    name, first = task
    value = f32.BEFORE_ROUNDING[name]
    found = []
    offsets = np.arange(STEP, dtype=np.uint32)
    with np.errstate(all="ignore"):
        for start in range(first, first + PART, STEP):
            bits = offsets + np.uint32(start)
            y = value(bits.view(np.float32))
            low = (y * (1 - MARGIN)).astype(np.float32)
            close = np.nonzero((low != (y * (1 + MARGIN)).astype(np.float32)) & (y == y))[0]
            for i in close:
                rounded = int(y[i : i + 1].astype(np.float32).view(np.uint32)[0])
                found.append((int(bits[i]), rounded))
    return found


def exceptions(name: str, pool) -> list[tuple[int, int]]:
    started = time.time()
    top = 1 << (31 if name in HALF_ONLY else 32)
    tasks = [(name, first) for first in range(0, top, PART)]
    close = [pair for part in pool.imap(candidates, tasks) for pair in part]
    wrong = []
    for bits, rounded in close:
        exact = int(exact_f32(name, bits).view(np.uint32))
        if exact != rounded:
            wrong.append((bits, exact))
    seconds = time.time() - started
    print(f"{name}: {top} arguments, {len(close)} candidates, {len(wrong)} exceptions", end="")
    print(f", {seconds:.0f} s", *(f"0x{a:08X}->0x{v:08X}" for a, v in wrong), flush=True)
    return wrong


def module_text(found: dict[str, list[tuple[int, int]]]) -> str:
    before = TARGET.read_text().split("EXCEPTIONS = {")[0]
    lines = []
    for name, pairs in found.items():
        if not pairs:
            lines.append(f'    "{name}": (),')
            continue
        lines.append(f'    "{name}": (')
        lines += [f"        (0x{a:08X}, 0x{v:08X})," for a, v in pairs]
        lines.append("    ),")
    return before + "EXCEPTIONS = {\n" + "\n".join(lines) + "\n}\n"


def run(names: list[str]) -> int:
    with multiprocessing.Pool() as pool:
        found = {name: exceptions(name, pool) for name in names or EXACT}
    if not names:
        TARGET.write_text(module_text(found))
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
