"""Run the conformance suite, or the files and folders named.

gradir conform -k "reduce and not order"
gradir conform --backend c --threads 2        compiled, in place of the interpreter
gradir conform --exec "other-gir --serve"     against a foreign implementation
gradir conform --serve                        be one, for somebody else's runner
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from gradir.text.diagnostics import error

Predicate = Callable[[str], bool]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", metavar="FILE|DIR", nargs="*", help="default: the whole suite")
    parser.add_argument("--exec", metavar="CMD", dest="command", help="an executor to test")
    parser.add_argument(
        "--backend", choices=("numpy", "c", "auto"), default="numpy", help="default: numpy"
    )
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="of compiled code")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds an answer may take")
    parser.add_argument("--serve", action="store_true", help="answer requests on standard input")
    parser.add_argument("-k", metavar="EXPR", dest="keep", help="names: words, and, or, not, ( )")
    parser.add_argument("--group", metavar="NAME", help="only the files of this group (folder)")
    parser.add_argument("-v", "--verbose", action="store_true", help="name every file")


def execute(args: argparse.Namespace) -> int:
    from gradir.conform.executor import Executor, Foreign, Own, serve
    from gradir.conform.suite import files_below, run_file, suite

    if args.serve:
        serve(sys.stdin, sys.stdout)
        return 0
    keep = selection(args.keep) if args.keep else None
    root = None if args.paths else suite()
    files = files_below([root] if root else [Path(path) for path in args.paths])
    shown = {file: str(file.relative_to(root)) if root else str(file) for file in files}
    files = [
        file
        for file in files
        if (not args.group or args.group in file.parts) and (not keep or keep(shown[file]))
    ]
    if not files:
        raise error("U702", "no conformance file is left to run")
    executor: Executor = Own(args.backend, args.threads)
    if args.command:
        executor = Foreign(args.command, args.timeout)
    counts: Counter[str] = Counter()
    try:
        for file in files:
            result = run_file(file, executor, shown[file])
            counts[result.status] += 1
            if result.status == "failed" or args.verbose:
                sys.stdout.write(f"{result.status}: {result.file}\n")
                sys.stdout.writelines(f"    {problem}\n" for problem in result.problems)
    finally:
        executor.close()
    parts = [f"{counts['passed']} passed"]
    parts += [f"{counts[s]} {s}" for s in ("failed", "skipped") if counts[s]]
    sys.stdout.write(", ".join(parts) + "\n")
    return 1 if counts["failed"] else 0


def selection(text: str) -> Predicate:
    """`-k`: words that a name contains, with `and`, `or`, `not` and parentheses."""
    tokens = re.findall(r"[()]|[^\s()]+", text)
    at = 0

    def peek() -> str | None:
        return tokens[at] if at < len(tokens) else None

    def either(depth: int) -> Predicate:
        nonlocal at
        found = both(depth)
        while peek() == "or":
            at += 1
            found = _or(found, both(depth))
        return found

    def both(depth: int) -> Predicate:
        nonlocal at
        found = one(depth)
        while peek() == "and":
            at += 1
            found = _and(found, one(depth))
        return found

    def one(depth: int) -> Predicate:
        nonlocal at
        token = peek()
        at += 1
        if token is None or token in (")", "and", "or") or depth > 50:
            raise error("U702", f"-k {text}: a word is missing")
        if token == "not":
            return _not(one(depth + 1))
        if token == "(":
            found = either(depth + 1)
            if peek() != ")":
                raise error("U702", f"-k {text}: a `)` is missing")
            at += 1
            return found
        return lambda name: token.lower() in name.lower()

    found = either(0)
    if peek() is not None:
        raise error("U702", f"-k {text}: `and` or `or` is missing before `{peek()}`")
    return found


def _or(a: Predicate, b: Predicate) -> Predicate:
    return lambda name: a(name) or b(name)


def _and(a: Predicate, b: Predicate) -> Predicate:
    return lambda name: a(name) and b(name)


def _not(a: Predicate) -> Predicate:
    return lambda name: not a(name)
