"""Prove that the C text's f32 functions are correctly rounded, for all 2^32 arguments.

    python tools/prove_numerics.py                    all functions, every build made here
    python tools/prove_numerics.py --build gcc-avx512 --function exp
    python tools/prove_numerics.py --sample           hard cases and random blocks, under 2 minutes
    python tools/prove_numerics.py --reference        the exact results themselves, again (15 min.)
    python tools/prove_numerics.py --build twin       the NumPy functions instead
    python tools/prove_numerics.py --list             the builds and the compilers they need

The exact results are known as one hash for each block of 65536 arguments, and as the list of the
hard arguments, whose value lies so near half way between two f32 that MPFR had to decide
(spec/proofs/exact.npz, made with --reference; method: tools/proof/exact.h).  A build passes
where all its blocks have these hashes.  Where a block differs, the arguments are found by
computing its exact results (needs x86, MPFR and its header).

What has been run is recorded in spec/proofs/BUILD.json, a function at a time, with hashes of the
C text and of the object code. Where a later text gives the same object code, a function proven
completely stays proven and is not run again (--again runs it).
"""

from __future__ import annotations

import argparse
import concurrent.futures
import datetime
import hashlib
import itertools
import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from gradir import numerics  # noqa: E402
from gradir.numerics import ctext  # noqa: E402

PROOF = ROOT / "tools" / "proof"
RECORDS = ROOT / "spec" / "proofs"
EXACT = RECORDS / "exact.npz"
FUNCTIONS = ("exp", "exp2", "log", "log2", "sin", "cos", "tanh", "erf")
SYMMETRIC = ("sin", "cos", "tanh", "erf")
ODD = ("sin", "tanh", "erf")
BLOCKS = BLOCK = 65536
PIECES = ("f32_exp", "f32_log", "f32_sin", "f32_tanh", "f32_erf")
ONE_FUNCTIONS = ("exp", "exp2", "sin", "cos", "tanh")
ONE_PIECES = ("one_exp", "one_sin", "one_tanh")
MAP_FUNCTIONS = ("log", "log2")
MAP_PIECES = ("map_log",)
SAMPLED_BLOCKS = 64
TWIN = "twin"

TARGETS = {
    "avx512": "-mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx2 -mfma -mprefer-vector-width=512",
    "avx2": "-mavx2 -mfma",
    "baseline": "",
    "aarch64": "-static",
}
NEEDED = {
    "avx512": {"avx512f", "avx512dq", "avx512bw", "avx512vl"},
    "avx2": {"avx2", "fma"},
    "baseline": set(),
}
COMMON = "-std=gnu99 -fno-trapping-math -ffp-contract=off"


@dataclass(frozen=True)
class Build:
    """COMPILER-TARGET[-scalar|-one|-map][-O0]: a way to compile kernels, -O3 unless said otherwise.

    Functions of vectors; `scalar`: those of one number; `one`: the gir_one_ functions; `map`: those
    from memory to memory in a form of their own.
    """

    name: str
    compiler: str
    target: str
    form: str
    optimisation: str

    @classmethod
    def of(cls, name: str) -> Build:
        compiler, target, *rest = name.split("-")
        level = next((r for r in rest if r.startswith("O")), "O3")
        if target not in TARGETS or compiler not in ("gcc", "clang"):
            raise SystemExit(f"no build '{name}'; --list shows them")
        form = next((r for r in rest if r in ("scalar", "one", "map")), "")
        return cls(name, compiler, target, form, "-" + level)

    @property
    def functions(self) -> tuple[str, ...]:
        return {"one": ONE_FUNCTIONS, "map": MAP_FUNCTIONS}.get(self.form, FUNCTIONS)

    @property
    def text(self) -> str:
        """The C text."""
        own = {"one": ("one_kernels.c", ONE_PIECES), "map": ("map_kernels.c", MAP_PIECES)}
        kernels, pieces = own.get(self.form, ("kernels.c", PIECES))
        return ctext.assemble(pieces) + (PROOF / kernels).read_text()

    @property
    def program(self) -> str:
        return "aarch64-linux-gnu-gcc" if self.target == "aarch64" else self.compiler

    @property
    def runner(self) -> list[str]:
        foreign = self.target == "aarch64" and platform.machine() != "aarch64"
        return ["qemu-aarch64"] if foreign else []

    @property
    def flags(self) -> list[str]:
        scalar = ["-DGIR_PROVE_SCALAR"] if self.form == "scalar" else []
        return [self.optimisation, *COMMON.split(), *TARGETS[self.target].split(), *scalar]

    def possible(self) -> bool:
        programs = [self.program, *self.runner]
        have = processor()[1]
        return all(map(shutil.which, programs)) and NEEDED.get(self.target, set()) <= have


def all_builds() -> list[Build]:
    names = [f"{c}-{t}" for c in ("gcc", "clang") for t in ("avx512", "avx2", "baseline")]
    names += [f"{n}-O0" for n in names] + ["gcc-baseline-scalar", "clang-baseline-scalar"]
    wide = [f"{c}-{t}" for c in ("gcc", "clang") for t in ("avx512", "avx2")]
    names += [f"{n}-{form}" for form in ("one", "map") for n in wide]
    names += ["gcc-aarch64", "gcc-aarch64-one"]
    return [Build.of(name) for name in names]


def processor() -> tuple[str, set[str]]:
    """Name and feature flags."""
    name, flags = platform.processor() or platform.machine(), set()
    path = pathlib.Path("/proc/cpuinfo")
    for line in path.read_text().splitlines() if path.exists() else []:
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            name = value.strip()
        if key.strip() == "flags":
            flags = set(value.split())
    family = (
        re.search(r"cpu family\s*: (\d+)\nmodel\s*: (\d+)", path.read_text()) if flags else None
    )
    return f"{name}, family {family[1]} model {family[2]}" if family else name, flags


def text_hash(build: Build) -> str:
    """Of the C text without comments and white space, so that only code counts."""
    bare = re.sub(r"\s+", "", re.sub(r"/\*.*?\*/", "", build.text, flags=re.DOTALL))
    return hashlib.sha256(bare.encode()).hexdigest()


def twin_hash() -> str:
    """Of the modules that the NumPy functions are made of."""
    names = ("angle", "coefficients", "erf_table", "exact", "exceptions", "f32", "f64", "functions")
    paths = [ROOT / "gradir" / "numerics" / f"{name}.py" for name in names]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def run(command: list[str], data: bytes | None = None) -> bytes:
    done = subprocess.run(command, input=data, capture_output=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr.decode(errors='replace')}")
    return done.stdout


class Measure:
    """A compiled build."""

    def __init__(self, build: Build, folder: pathlib.Path, wrong: str | None = None) -> None:
        source = folder / f"{build.name}.c"
        source.write_text(build.text)
        kernels, program = folder / f"{build.name}.o", folder / build.name
        flags = build.flags + ([f"-DGIR_PROVE_WRONG={wrong}"] if wrong else [])
        run([build.program, *flags, "-c", "-o", str(kernels), str(source)])
        measure = str(PROOF / "measure.c")
        static = ["-static"] if build.runner else []
        own = [build.program, "-O2", *static, "-o", str(program), measure, str(kernels)]
        run(own)
        self.object = hashlib.sha256(kernels.read_bytes()).hexdigest()
        self.command = [*build.runner, str(program)]
        self.version = run([build.program, "--version"]).decode().splitlines()[0]

    def hashes(self, function: str, first: int, last: int) -> np.ndarray:
        out = run([*self.command, "hashes", function, str(first), str(last)])
        return np.frombuffer(out, "<u8").astype(np.uint32)  # modulo 2^32

    def values(self, function: str, arguments: np.ndarray) -> np.ndarray:
        data = arguments.astype("<u4").tobytes()
        return canonical(np.frombuffer(run([*self.command, "values", function], data), "<u4"))


class Twin:
    """The NumPy functions of gradir.numerics in the place of a compiled build."""

    version = f"NumPy {np.__version__}"
    object = ""

    def __init__(self) -> None:
        n = np.arange(BLOCK, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        n = (n ^ (n >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        n = (n ^ (n >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        self.weights = ((n ^ (n >> np.uint64(31))) | np.uint64(1)).astype(np.uint32)

    def hashes(self, function: str, first: int, last: int) -> np.ndarray:
        result = np.empty(last - first, np.uint32)
        for i in range(last - first):
            bits = np.arange(BLOCK, dtype=np.uint32) + np.uint32(first + i << 16)
            result[i] = (self.values(function, bits) * self.weights).sum(dtype=np.uint32)
        return result

    def values(self, function: str, arguments: np.ndarray) -> np.ndarray:
        x = np.ascontiguousarray(arguments).view(np.float32)
        return canonical(numerics.FUNCTIONS[function](x).view(np.uint32))


def canonical(bits: np.ndarray) -> np.ndarray:
    return np.where((bits & 0x7FFFFFFF) > 0x7F800000, np.uint32(0x7FC00000), bits)


class Reference:
    """Exact results: committed hashes and hard cases, and the program that computes more."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.program = folder / "reference"
        self.known = dict(np.load(EXACT)) if EXACT.exists() else {}

    def build(self) -> bool:
        """Whether the program is there or could be made."""
        if self.program.exists():
            return True
        command = ["gcc", "-O2", "-o", str(self.program), str(PROOF / "reference.c")]
        done = subprocess.run([*command, "-lmpfr", "-lgmp", "-lm"], capture_output=True)
        return done.returncode == 0

    def values(self, function: str, arguments: np.ndarray) -> np.ndarray:
        data = arguments.astype("<u4").tobytes()
        return np.frombuffer(run([str(self.program), "values", function], data), "<u4")

    def hard(self, function: str) -> tuple[np.ndarray, np.ndarray]:
        """(arguments, results), negative ones of symmetric functions included."""
        arguments, results = self.known[f"hard_{function}"].T
        if function in SYMMETRIC:
            sign = np.uint32(0x80000000)
            negative = results ^ sign if function in ODD else results
            arguments = np.concatenate([arguments, arguments ^ sign])
            results = np.concatenate([results, negative])
        return arguments, results


def parts(first: int, last: int, count: int) -> list[tuple[int, int]]:
    edges = np.linspace(first, last, count + 1).astype(int).tolist()
    return list(itertools.pairwise(edges))


def compute_reference(functions: list[str], folder: pathlib.Path, jobs: int) -> int:
    """Hashes and hard cases of the exact results, compared with the committed or written."""
    reference = Reference(folder)
    if not reference.build():
        raise SystemExit("the reference needs gcc on x86, MPFR and GMP with their headers")
    record_path = RECORDS / "exact.json"
    record = json.loads(record_path.read_text()) if record_path.exists() else {}
    different = 0
    for function in functions:
        top = BLOCKS // 2 if function in SYMMETRIC else BLOCKS
        count = max(jobs * 8, 1)
        work = [(function, i, first, last) for i, (first, last) in enumerate(parts(0, top, count))]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            results = list(pool.map(lambda w: reference_part(reference, *w), work))
        pairs = np.concatenate([r[0] for r in results])
        columns = [pairs[:, 0], pairs[:, 1]] if function in SYMMETRIC else [pairs[:, 0]]
        hashes = np.concatenate(columns)
        hard = np.concatenate([r[1] for r in results])
        checked, failed = (sum(r[k] for r in results) for k in (2, 3))
        different |= failed > 0
        old = reference.known.get(function)
        verdict = "first time"
        if old is not None:
            equal = bool((old == hashes.astype(np.uint32)).all())
            verdict = "as before" if equal else "DIFFERENT FROM BEFORE"
            different |= not equal
        reference.known[function] = hashes.astype(np.uint32)
        reference.known[f"hard_{function}"] = hard
        print(f"{function}: {len(hard)} hard, {checked} cross-checked, {failed} failed, {verdict}")
        record[function] = {
            "arguments": BLOCKS * BLOCK,
            "decided by MPFR": len(hard) * (2 if function in SYMMETRIC else 1),
            "cross-checked with MPFR": checked,
            "cross-checks failed": failed,
            "sum of the blocks' hashes": summed(hashes),
            "date": today(),
            "processor": processor()[0],
            "compiler": run(["gcc", "--version"]).decode().splitlines()[0],
        }
    RECORDS.mkdir(exist_ok=True)
    np.savez_compressed(EXACT, **reference.known)
    record_path.write_text(json.dumps(record, indent=2) + "\n")
    return int(different)


def reference_part(reference: Reference, function: str, number: int, first: int, last: int):
    """(hash pairs, hard cases, cross-checks, failures) of blocks first … last-1."""
    stem = reference.folder / f"{function}-{number}"
    names = [str(stem) + ".bin", str(stem) + ".hard"]
    command = [str(reference.program), function, str(first), str(last), *names]
    done = subprocess.run(command, capture_output=True, text=True)
    sys.stderr.write(done.stderr)
    _, checked, failed = map(int, done.stdout.split())
    pairs = np.fromfile(names[0], "<u8").reshape(-1, 2)
    words = pathlib.Path(names[1]).read_text().split()
    hard = np.array([int(w, 16) for w in words], np.uint32).reshape(-1, 2)
    return pairs, hard, checked, failed


def summed(hashes: np.ndarray) -> str:
    """The blocks' hashes modulo 2^32, added up: one number for a whole run."""
    return f"{int(hashes.astype(np.uint32).sum(dtype=np.uint64)):016x}"


def is_complete(entry: dict | None) -> bool:
    return entry is not None and entry["arguments"] == BLOCKS * BLOCK


def today() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")


@dataclass
class Verdict:
    arguments: int
    wrong: list[str]
    hash: str

    @property
    def misrounded(self) -> int:
        return len(self.wrong)


def check(
    measure: Measure | Twin, reference: Reference, function: str, sample: int | None, jobs: int
) -> Verdict:
    """One function of one build against the exact results."""
    hard, results = reference.hard(function)
    found = measure.values(function, hard)
    wrong = [shown(*t) for t in zip(hard, found, results, strict=True) if t[1] != t[2]]
    expected = reference.known[function]
    if sample is None:
        work = parts(0, BLOCKS, jobs * 4)
    else:
        blocks = np.random.default_rng(len(function)).choice(BLOCKS, sample, replace=False)
        work = [(int(b), int(b) + 1) for b in blocks]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        hashes = list(pool.map(lambda w: measure.hashes(function, *w), work))
    differing = [
        first + int(i)
        for (first, last), h in zip(work, hashes, strict=True)
        for i in np.nonzero(h != expected[first:last])[0]
    ]
    for block in differing[:50]:
        wrong += locate(measure, reference, function, block)
    wrong += [f"block {b:04x} not looked into" for b in differing[50:]]
    tested = np.concatenate(hashes)
    return Verdict(BLOCK * tested.size, sorted(set(wrong)), summed(tested))


def shown(argument: int, found: int, exact: int) -> str:
    return f"{argument:08x}: {found:08x}, exact {exact:08x}"


def locate(measure: Measure | Twin, reference: Reference, function: str, block: int) -> list[str]:
    if not reference.build():
        return [f"somewhere in block {block:04x}"]
    arguments = np.arange(BLOCK, dtype=np.uint32) + np.uint32(block << 16)
    found = measure.values(function, arguments)
    exact = reference.values(function, arguments)
    return [shown(arguments[i], found[i], exact[i]) for i in np.nonzero(found != exact)[0]]


def prove(name: str, functions: list[str], arguments: argparse.Namespace, folder) -> int:
    measure: Measure | Twin
    if name == TWIN:
        measure, text, flags, emulated = Twin(), twin_hash(), [], ""
    else:
        build = Build.of(name)
        functions = [f for f in functions if f in build.functions]
        measure, text = Measure(build, folder, arguments.wrong), text_hash(build)
        flags = build.flags
        emulated = ", emulated" if build.runner else ""
    reference = Reference(folder)
    path = RECORDS / f"{name}.json"
    record = json.loads(path.read_text()) if path.exists() else {}
    same = measure.object and record.get("object") == measure.object
    if record.get("text") != text and not same:
        record = {"functions": {}}
    record |= {
        "text": text,
        "object": measure.object,
        "build": name,
        "compiler": measure.version,
        "flags": " ".join(flags),
        "processor": processor()[0] + emulated,
    }
    failed = 0
    for function in functions:
        known = record["functions"].get(function)
        if same and is_complete(known) and arguments.sample is None and not arguments.again:
            print(f"{name} {function}: the object code that was proven", flush=True)
        else:
            verdict = check(measure, reference, function, arguments.sample, arguments.jobs)
            failed += verdict.misrounded > 0
            tell(f"{name} {function}", verdict, arguments.show)
            if arguments.sample is None or not is_complete(known):
                record["functions"][function] = entry(reference, function, verdict)
        if not failed and not arguments.wrong and arguments.record:
            path.write_text(json.dumps(record, indent=2) + "\n")
    return failed


def tell(title: str, verdict: Verdict, most: int) -> None:
    print(f"{title}: {verdict.arguments} arguments, {verdict.misrounded} misrounded", flush=True)
    for line in verdict.wrong[:most]:
        print(f"    {line}", flush=True)


def entry(reference: Reference, function: str, verdict: Verdict) -> dict[str, object]:
    """What is recorded of a function."""
    made: dict[str, object] = {
        "arguments": verdict.arguments,
        "hard cases": len(reference.hard(function)[0]),
        "misrounded": verdict.misrounded,
        "date": today(),
    }
    if verdict.arguments == BLOCKS * BLOCK:
        made["sum of the blocks' hashes"] = verdict.hash
    return made


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--function", action="append", choices=FUNCTIONS)
    parser.add_argument("--build", action="append", metavar="NAME")
    parser.add_argument("--sample", nargs="?", type=int, const=SAMPLED_BLOCKS, metavar="BLOCKS")
    parser.add_argument("--reference", action="store_true", help="compute the exact results")
    parser.add_argument("--again", action="store_true", help="run what has been proven, too")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", type=int, default=20, help="misrounded arguments listed")
    parser.add_argument("--no-record", dest="record", action="store_false")
    parser.add_argument(
        "--wrong", metavar="BITS", help="make one result wrong: a test of the proof"
    )
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args(words)
    functions = arguments.function or list(FUNCTIONS)
    if arguments.list:
        for build in all_builds():
            print(
                f"{build.name:24} {'' if build.possible() else 'not here; needs '}{build.program}"
            )
        return 0
    builds = arguments.build or [build.name for build in all_builds() if build.possible()]
    with tempfile.TemporaryDirectory(prefix="gradir-proof-") as name:
        folder = pathlib.Path(name)
        if arguments.reference:
            return compute_reference(functions, folder, arguments.jobs)
        missing = [f for f in functions if f not in Reference(folder).known]
        if missing:
            raise SystemExit(f"no exact results for {', '.join(missing)}; use --reference")
        failed = sum(prove(build, functions, arguments, folder) for build in builds)
    print("all correctly rounded" if not failed else f"{failed} functions with wrong results")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
