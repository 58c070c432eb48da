"""Processes that grade: a pool of warm servers, each of which forks a child a job.

Programs and Python files have servers of their own: those of programs keep the lessons they have
read, and no Python file may find expectations in the memory it inherits. A server that dies is
started anew; the job it had counts as failed. Several threads may use one pool.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gradir.lessons.server import answer as _answer


@dataclass(frozen=True)
class Limits:
    """`seconds` for each case, `memory` in bytes of address space."""

    seconds: float
    memory: int
    cases: int = 1


@dataclass(frozen=True)
class Done:
    """What came of a job: answers by case, the last case begun (-1: none), and why it ended."""

    answers: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    reached: int = -1
    failure: str | None = None
    printed: str = ""


def _done(answer: Mapping[str, Any]) -> Done:
    return Done(
        {int(told["case"]): told for told in answer["answers"]},
        int(answer["reached"]),
        answer["failure"] or None,
        answer["printed"],
    )


class Pool:
    """At most `processes` jobs at once; the servers start when they are first needed.

    With 0 processes this one forks the children of programs itself, which spares the start of a
    server: for one check at a time, in a process without threads.
    """

    def __init__(self, processes: int = 1) -> None:
        self.processes = processes
        self._idle: dict[str, queue.LifoQueue[subprocess.Popen[bytes]]] = {}
        self._room = threading.Semaphore(max(processes, 1))
        self._all: list[subprocess.Popen[bytes]] = []
        self._lock = threading.Lock()

    def run(self, job: Mapping[str, Any], limits: Limits) -> Done:
        """Run one job and wait for it."""
        request = {
            "job": dict(job),
            "limits": {
                "seconds": limits.seconds,
                "memory": limits.memory,
                "cases": limits.cases,
            },
        }
        if self.processes == 0 and job["kind"] == "gir":
            return _done(_answer(request))
        with self._room:
            idle = self._idle_of(str(job["kind"]))
            server = self._server(idle)
            try:
                assert server.stdin is not None and server.stdout is not None
                server.stdin.write(json.dumps(request).encode() + b"\n")
                server.stdin.flush()
                line = server.stdout.readline()
                answer = json.loads(line)
            except (OSError, ValueError):
                self._drop(server)
                return Done(failure="the grader's process was ended")
            except BaseException:
                self._drop(server)
                raise
            idle.put(server)
        return _done(answer)

    def _idle_of(self, kind: str) -> queue.LifoQueue[subprocess.Popen[bytes]]:
        with self._lock:
            return self._idle.setdefault(kind, queue.LifoQueue())

    def _server(self, idle: queue.LifoQueue[subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        try:
            return idle.get_nowait()
        except queue.Empty:
            started = subprocess.Popen(
                [sys.executable, "-m", "gradir.lessons.server"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment(),
                start_new_session=True,
            )
            with self._lock:
                self._all.append(started)
            return started

    def _drop(self, server: subprocess.Popen[bytes]) -> None:
        with contextlib.suppress(OSError):
            server.kill()
        server.wait()

    def close(self) -> None:
        with self._lock:
            servers, self._all = self._all, []
        for server in servers:
            for stream in (server.stdin, server.stdout):
                with contextlib.suppress(OSError):
                    if stream is not None:
                        stream.close()
        for server in servers:
            try:
                server.wait(5)
            except subprocess.TimeoutExpired:
                self._drop(server)


def environment() -> dict[str, str]:
    """The servers' environment: one thread each, this very gradir, hashes that do not vary."""
    import gradir

    root = os.path.dirname(os.path.dirname(os.path.abspath(gradir.__file__)))
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL")}
    fixed = {"PYTHONPATH": path, "PYTHONHASHSEED": "0"}
    return {**os.environ, **threads, **fixed}
