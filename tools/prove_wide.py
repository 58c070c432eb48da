"""What cannot be tried on all arguments: errors of the f64 functions, the NumPy twin, fma.

    python tools/prove_wide.py errors    a function's largest error against MPFR
    python tools/prove_wide.py twin      NumPy's bits against C's, every target made here
    python tools/prove_wide.py fma       hardware, soft and NumPy's fma, f32 and f64
    …  [--function NAME] [--count N] [--jobs N] [--record]

Arguments are drawn so that every magnitude, table interval, branch point, tie and kind of result
comes up (tools/proof/wide.h); number i of a function is always the same one.  For `errors`,
sin and cos get the f64 numbers closest to multiples of pi/2 besides, at every exponent.  Errors
need x86, MPFR and its header (method: tools/proof/wide.c).  `--record` writes
spec/proofs/wide-….json; runs that fail or are shorter than what is recorded are not written.
Where a later C text gives the same object code, what is recorded stays, and is not run again.
Refuses what cannot be built here.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import ctypes
import hashlib
import json
import pathlib
import re
import sys
import tempfile
from collections.abc import Callable, Iterator

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import prove_numerics as proof  # noqa: E402

from gradir import numerics  # noqa: E402
from gradir.numerics import coefficients, ctext  # noqa: E402

FUNCTIONS = proof.FUNCTIONS
PIECES = ("f64_exp", "f64_log", "f64_sin", "f64_tanh", "f64_erf", "fma")
COUNTS = {"errors": 10**9, "twin": 10**8, "fma": 10**8}
BOUNDS = {"tanh": 1.0, "erf": 1.0}  # FUNC-6; the others 0.6
SLACK = 2.0**-8  # of wide.c
PART = 1 << 20
SPECIAL = [0.0, 1.0, 5e-324, 2.0**-1022, 2.0**18, 0.0625, 0.25, 6.0, 20.0, 1.7976931348623157e308]
TYPES = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}


def text_hash(mode: str) -> str:
    """Of the code that a record is about, comments and white space of the C text left out."""
    pieces = [p for p in PIECES if (p == "fma") == (mode == "fma")]
    text = ctext.assemble(pieces) + (proof.PROOF / "wide_kernels.c").read_text()
    bare = re.sub(r"\s+", "", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    return hashlib.sha256(bare.encode() + b"".join(modules(mode))).hexdigest()


def modules(mode: str) -> list[bytes]:
    """What stands for the Python modules that a record is about."""
    names = {"errors": (), "twin": ("twin",), "fma": ("fma", "exact")}[mode]
    folder = ROOT / "gradir" / "numerics"
    return [
        proof.twin_hash().encode() if name == "twin" else (folder / f"{name}.py").read_bytes()
        for name in names
    ]


class Tally(ctypes.Structure):
    """`tally` of wide.c."""

    largest: float
    at: float
    screen_largest: float
    screen_at: float
    arguments: int
    decided: int
    sampled: int
    _fields_ = [
        *[(n, ctypes.c_double) for n in ("largest", "at", "screen_largest", "screen_at")],
        *[(n, ctypes.c_int64) for n in ("arguments", "decided", "sampled")],
    ]

    def take(self, other: Tally) -> None:
        if other.largest > self.largest:
            self.largest, self.at = other.largest, other.at
        if other.screen_largest > self.screen_largest:
            self.screen_largest, self.screen_at = other.screen_largest, other.screen_at
        for name in ("arguments", "decided", "sampled"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Library:
    """The C text of one build with the tool's own C behind it."""

    def __init__(
        self, name: str, folder: pathlib.Path, mpfr: bool = False, wrong: str | None = None
    ) -> None:
        build = proof.Build.of(name)
        source, made = folder / f"{name}.c", folder / f"{name}.so"
        source.write_text(ctext.assemble(PIECES) + (proof.PROOF / "wide_kernels.c").read_text())
        flags = build.flags + ([f"-DGIR_PROVE_WRONG={wrong}"] if wrong else [])
        kernels, own = folder / f"{name}-kernels.o", folder / f"{name}-own.o"
        proof.run([build.program, *flags, "-fPIC", "-c", "-o", str(kernels), str(source)])
        # fma by the processor is what fma is compared with, whatever the build
        have = ["-mfma"] if "fma" in proof.processor()[1] else []
        own_flags = ["-O2", "-fPIC", "-ffp-contract=off", *have, *(["-DWITH_MPFR"] * mpfr)]
        own_source = str(proof.PROOF / "wide.c")
        proof.run([build.program, *own_flags, "-c", "-o", str(own), own_source])
        libraries = ["-lmpfr", "-lgmp", "-lm"] if mpfr else ["-lm"]
        self.object = hashlib.sha256(kernels.read_bytes()).hexdigest()
        linked = [build.program, "-shared", "-o", str(made), str(kernels), str(own), *libraries]
        proof.run(linked)
        self.loaded = ctypes.CDLL(str(made))
        self.compiler = proof.run([build.program, "--version"]).decode().splitlines()[0]
        self.flags = " ".join(build.flags)

    def call(self, name: str, *arguments: np.ndarray | int | ctypes.Structure) -> None:
        function = getattr(self.loaded, name)
        function.restype = None
        converted: list[object] = []
        for a in arguments:
            if isinstance(a, np.ndarray):
                converted.append(ctypes.c_void_p(a.ctypes.data))
            elif isinstance(a, int):
                converted.append(ctypes.c_uint64(a))
            else:
                converted.append(ctypes.byref(a))
        function(*converted)

    def map(self, form: str, function: str, x: np.ndarray) -> np.ndarray:
        out = np.empty_like(x)
        self.call(f"gir_{form}_{function}", out, x, x.size)
        return out


def builds() -> list[str]:
    return [f"gcc-{t}" for t in proof.NEEDED if proof.Build.of(f"gcc-{t}").possible()]


def parts(count: int) -> Iterator[tuple[int, int]]:
    for first in range(0, count, PART):
        yield first, min(PART, count - first)


# --- errors -------------------------------------------------------------------------------------


def near_multiples() -> np.ndarray:
    """The f64 numbers closest to multiples of pi/2, for every exponent of their last bit.

    q 2^e is close to p pi/2 where p/q is a convergent of 2^e / (pi/2).
    """
    found = []
    for e in range(-60, 971):
        shift = e + 1 - 1280  # 2^e / (pi/2) = INVERSE_PI_BITS 2^shift
        top = coefficients.INVERSE_PI_BITS << max(shift, 0)
        bottom = 1 << max(-shift, 0)
        before, q = 1, 0
        while bottom and q < 2**53:
            whole = top // bottom
            top, bottom = bottom, top - whole * bottom
            before, q = q, whole * q + before
            if 0 < q < 2**53:
                found.append(float(q) * 2.0**e)
    return np.array(sorted(set(found)))


def errors(function: str, count: int, jobs: int, library: Library) -> tuple[dict, list[str]]:
    number, total = FUNCTIONS.index(function), Tally()

    def measure(part: tuple[int, int]) -> None:
        tally = Tally(largest=total.largest)
        library.call("wide_errors", number, *part, tally)
        total.take(tally)

    if function in ("sin", "cos"):
        extra = near_multiples()
        library.call("wide_decide", number, extra, extra.size, total)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(measure, parts(count)))
    entry = {
        "arguments": total.arguments,
        "largest error in ulp": round(total.largest, 6),
        "at": total.at.hex(),
        "decided by MPFR": total.decided,
        "of these at random": total.sampled,
        "largest error of the screen": round(total.screen_largest, 6),
    }
    wrong = []
    if not total.largest <= BOUNDS.get(function, 0.6):
        wrong.append(f"{function}({total.at.hex()}) is wrong by {total.largest} ulp")
    if not total.screen_largest < SLACK:
        wrong.append(f"the screen itself is wrong by {total.screen_largest} ulp")
    return entry, wrong


# --- bits ---------------------------------------------------------------------------------------


def canonical(x: np.ndarray) -> np.ndarray:
    whole = np.dtype(f"u{x.dtype.itemsize}")
    bits = np.ascontiguousarray(x).view(whole)
    return np.where(x == x, bits, np.array(np.nan, x.dtype).view(whole))


def differing(
    found: np.ndarray, expected: np.ndarray, what: str, operands: list[np.ndarray]
) -> list[str]:
    places = np.nonzero(canonical(found) != canonical(expected))[0]
    return [
        f"{what}({', '.join(float(v[i]).hex() for v in operands)}) is {float(found[i]).hex()}, "
        f"not {float(expected[i]).hex()}"
        for i in places
    ]


def same_in_parts(
    check: Callable[[int, int], list[str]], count: int, jobs: int
) -> tuple[int, list[str]]:
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda part: check(*part), parts(count))
        wrong = [line for lines in found for line in lines]
    return len(wrong), wrong


def twin(
    function: str, count: int, jobs: int, libraries: dict[str, Library]
) -> tuple[dict, list[str]]:
    """Half the arguments drawn for the function, half any bits, and special values."""
    number, first_library = FUNCTIONS.index(function), next(iter(libraries.values()))

    def check(first: int, n: int) -> list[str]:
        x = np.empty(-(-n // 16) * 16 + 32)
        half = x.size // 2
        first_library.call("wide_arguments", number, first, half, x)
        first_library.call("wide_bits", first, x.size - half, x[half:])
        special = np.array([*SPECIAL, np.inf, np.nan])
        x[: 2 * special.size] = np.concatenate([special, -special])
        expected, wrong = numerics.FUNCTIONS[function](x), []
        for name, library in libraries.items():
            for form in ("map", "one"):
                what = f"{name} {form} {function}"
                wrong += differing(library.map(form, function, x), expected, what, [x])
        return wrong

    different, wrong = same_in_parts(check, count, jobs)
    return {"arguments": count, "different": different}, wrong


def fma(kind: str, count: int, jobs: int, libraries: dict[str, Library]) -> tuple[dict, list[str]]:
    first_library = next(iter(libraries.values()))

    def check(first: int, n: int) -> list[str]:
        size = -(-n // 16) * 16
        a, b, c = (np.empty(size, TYPES[kind]) for _ in "abc")
        expected, out = np.empty_like(a), np.empty_like(a)
        first_library.call(f"triples_{kind}", first, size, a, b, c)
        first_library.call(f"hardware_fma_{kind}", expected, a, b, c, size)
        wrong = differing(numerics.fma(a, b, c), expected, "NumPy's fma", [a, b, c])
        for name, library in libraries.items():
            for form in ("fma", "soft_fma"):
                library.call(f"{form}_{kind}", out, a, b, c, size)
                wrong += differing(out, expected, f"{name} {form}", [a, b, c])
        return wrong

    if "fma" not in proof.processor()[1]:
        raise SystemExit("this processor has no fma to compare with")
    different, wrong = same_in_parts(check, count, jobs)
    return {"triples": count, "different": different}, wrong


# --- records ------------------------------------------------------------------------------------


def record_path(mode: str) -> pathlib.Path:
    return proof.RECORDS / f"wide-{mode}.json"


def objects(libraries: dict[str, Library]) -> dict[str, str]:
    return {name: library.object for name, library in libraries.items()}


def modules_hash(mode: str) -> str:
    return hashlib.sha256(b"".join(modules(mode))).hexdigest()


def kept(mode: str, names: list[str], count: int, libraries: dict[str, Library]) -> bool:
    """Whether the record is about the object code and the modules that there are now, and about
    as many arguments; its text is then today's."""
    path = record_path(mode)
    known = json.loads(path.read_text()) if path.exists() else {}
    if known.get("objects") != objects(libraries) or known.get("modules") != modules_hash(mode):
        return False
    size = "triples" if mode == "fma" else "arguments"
    if any(known["functions"].get(name, {}).get(size, 0) < count for name in names):
        return False
    path.write_text(json.dumps({**known, "text": text_hash(mode)}, indent=2) + "\n")
    return True


def record(mode: str, name: str, entry: dict, libraries: dict[str, Library]) -> None:
    path = record_path(mode)
    known = json.loads(path.read_text()) if path.exists() else {}
    if known.get("text") != text_hash(mode):
        known = {"text": text_hash(mode), "functions": {}}
    known["objects"], known["modules"] = objects(libraries), modules_hash(mode)
    old = known["functions"].get(name, {})
    size = "triples" if mode == "fma" else "arguments"
    if old.get(size, 0) > entry[size]:
        return
    known["builds"] = {n: f"{lib.compiler} {lib.flags}" for n, lib in libraries.items()}
    known["NumPy"] = np.__version__
    known["processor"] = proof.processor()[0]
    known["functions"][name] = {**entry, "date": proof.today()}
    path.write_text(json.dumps(known, indent=2) + "\n")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("mode", choices=COUNTS)
    parser.add_argument("--function", action="append", metavar="NAME")
    parser.add_argument("--count", type=lambda text: int(float(text)), help="of arguments")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", type=int, default=20, help="differences listed")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--again", action="store_true", help="run what is recorded, too")
    parser.add_argument(
        "--wrong", metavar="BITS", help="make one result wrong: a test of the proof"
    )
    options = parser.parse_args(words)
    mode, count = options.mode, options.count or COUNTS[options.mode]
    known = tuple(TYPES) if mode == "fma" else FUNCTIONS
    chosen = options.function or list(known)
    if unknown := [name for name in chosen if name not in known]:
        parser.error(f"no {mode} of '{unknown[0]}'; there are {', '.join(known)}")
    if options.record and options.wrong:
        parser.error("a run that is made wrong is not recorded")
    names = builds()
    if not names:
        raise SystemExit("needs gcc")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="gradir-wide-") as folder:
        used = names[:1] if mode == "errors" else names
        libraries = {
            name: Library(name, pathlib.Path(folder), mode == "errors", options.wrong)
            for name in used
        }
        if options.record and not options.again and kept(mode, chosen, count, libraries):
            print(f"{mode}: the object code that is recorded")
            return 0
        for name in chosen:
            if mode == "errors":
                entry, wrong = errors(name, count, options.jobs, libraries[used[0]])
            else:
                entry, wrong = (twin if mode == "twin" else fma)(
                    name, count, options.jobs, libraries
                )
            told = ", ".join(f"{key} {value}" for key, value in entry.items())
            print(f"{mode} {name}: {told}", flush=True)
            for line in wrong[: options.show]:
                print(f"    {line}", flush=True)
            failed += bool(wrong)
            if options.record and not wrong:
                record(mode, name, entry, libraries)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
