"""One peer in a process of its own, for one number of threads: `python -m bench.worker REQUEST`.

REQUEST is a JSON file; the answer is put beside it, so that whatever a library prints is no part
of it. What is measured is printed at once.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from bench.answers import Answer, Request
from bench.measure import measure, pin
from bench.peer import Gradients
from bench.peers import KNOWN
from bench.workloads import described

CALLS = 5  # of each net's gradients


def digest(arrays: Iterable[np.ndarray]) -> str:
    """Of the bits of all arrays."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]


def digests(make: Callable[[], Gradients]) -> list[str]:
    call = make()
    return [digest(call()) for _ in range(CALLS)]


def work(request: Request) -> Answer:
    """Everything asked; a library that fails at one workload still runs the others."""
    if request.threads == 1:
        pin()
    peer = KNOWN[request.peer].make(request.threads)
    peer.warm()
    answer = Answer(versions=peer.versions())

    def say(name: str, text: str) -> None:
        print(f"{request.peer:14s} {request.threads} thr  {name:26s} {text}", flush=True)

    for name, make in sorted(peer.makers().items()):
        if name.split("/")[0] not in request.workloads:
            continue
        try:
            answer.measured[name] = measure(make, request.threads, request.budget)
            say(name, described(name, answer.measured[name]))
        except Exception as problem:
            answer.errors[name] = f"{type(problem).__name__}: {str(problem)[:200]}"
            say(name, answer.errors[name])
    for net, make_gradients in peer.gradient_makers().items():
        if net not in request.nets:
            continue
        try:
            answer.bits[net] = digests(make_gradients)
            say(f"bits_{net}", " ".join(sorted(set(answer.bits[net]))))
        except Exception as problem:
            answer.errors[f"bits_{net}"] = f"{type(problem).__name__}: {str(problem)[:200]}"
            say(f"bits_{net}", answer.errors[f"bits_{net}"])
    return answer


def main(path: Path) -> None:
    answer = work(Request(**json.loads(path.read_text(encoding="utf-8"))))
    path.with_suffix(".answer").write_text(json.dumps(answer.as_json()), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
