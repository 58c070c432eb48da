"""Mutated programs: whatever a text says, reading it gives a table or diagnostics, and soon.

Takes conformance files, examples and generated programs, and drops, doubles, swaps and replaces
tokens and bytes. A mutant fails that raises anything but GirError or takes over two seconds.

    python tools/fuzz.py --count 20000 [--seed 0]
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from generate import generate

from gradir.ir.build import build
from gradir.text.diagnostics import GirError, render
from gradir.text.reading import source_of_bytes

ROOT = Path(__file__).resolve().parent.parent
TOKEN = re.compile(rb"[%@$]?[A-Za-z_0-9.]+|\s+|.", re.DOTALL)
PIECES = [
    *(b"-1", b"0", b"2147483647", b"99999999999999999999", b"1e999", b"nan", b"[]", b"((", b"))"),
    *(b"{", b"}", b"%x", b"f32[", b"true", b"B*B*B", b"axes=[0,0,0]", b"$a", b"@f"),
]
LIMIT = 2.0
MAX_TEXT = 10_000  # the scalar 30x30 map is 11 KB of macros that build 36,000 nodes


def texts() -> list[bytes]:
    """The programs that are mutated."""
    files = [*sorted((ROOT / "spec/conformance").rglob("*.gir"))]
    files += sorted((ROOT / "gradir/examples").glob("*.gir"))
    found = [file.read_bytes() for file in files]
    found += [generate(seed).text.encode() for seed in range(100)]
    return [text for text in found if len(text) <= MAX_TEXT]


def mutate(text: bytes, other: bytes, rng: random.Random) -> bytes:
    """A few changes to a text: tokens dropped, doubled, swapped, taken from another; bytes."""
    tokens = TOKEN.findall(text)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        if not tokens:
            break
        at, to = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        roll = rng.random()
        if roll < 0.25:
            del tokens[at]
        elif roll < 0.4:
            tokens.insert(at, tokens[at])
        elif roll < 0.6:
            tokens[at], tokens[to] = tokens[to], tokens[at]
        elif roll < 0.75:
            tokens[at] = rng.choice(TOKEN.findall(other) or [b"("])
        elif roll < 0.9:
            tokens[at] = bytes(rng.randrange(256) for _ in range(rng.choice([1, 1, 2, 5])))
        else:
            tokens[at] = rng.choice(PIECES)
    return b"".join(tokens)


def attempt(text: bytes) -> tuple[str, float]:
    """The code a text is refused with ("built" if it is not), and how long that took."""
    started = time.process_time()
    try:
        build(source_of_bytes("fuzz.gir", text))
        code = "built"
    except GirError as refused:
        render(refused.diagnostics)
        code = refused.diagnostics[0].code
    return code, time.process_time() - started


def fuzz(count: int, seed: int) -> Iterator[tuple[bytes, str, float]]:
    rng = random.Random(seed)
    programs = texts()
    for _ in range(count):
        text = mutate(rng.choice(programs), rng.choice(programs), rng)
        try:
            code, seconds = attempt(text)
        except Exception:
            traceback.print_exc()
            yield text, "traceback", 0.0
        else:
            yield text, code, seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    codes: Counter[str] = Counter()
    slowest, failed = 0.0, 0
    for text, code, seconds in fuzz(options.count, options.seed):
        codes[code] += 1
        slowest = max(slowest, seconds)
        if code == "traceback" or seconds > LIMIT:
            failed += 1
            print(f"--- {code} after {seconds:.2f} s\n{text!r}", file=sys.stderr)
    print(f"{options.count} programs, {failed} failed, slowest {slowest:.3f} s")
    print(", ".join(f"{code} {n}" for code, n in codes.most_common()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
