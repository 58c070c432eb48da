"""Executors of conformance files: our own, and foreign ones behind a pipe (PROTO-…).

A request and its answer are plain data, the same for both, so that one comparison serves all.
`serve` is the other end of the pipe: gradir as an executor for somebody else's runner.
"""

from __future__ import annotations

import json
import queue
import shlex
import subprocess
import threading
from collections.abc import Mapping
from typing import Any, Protocol, TextIO

import numpy as np

from gradir.ir.build import build
from gradir.runtime.exchange import ExchangeError, from_json, json_object
from gradir.runtime.program import Program, Session
from gradir.text.diagnostics import Diagnostic, GirError, error
from gradir.text.reading import read_source
from gradir.text.source import Source

Answer = dict[str, Any]


class Executor(Protocol):
    """Answers a request; `path` is the program's file, where there is one on this machine."""

    foreign: bool

    def ask(self, request: Mapping[str, Any], path: str | None) -> Answer: ...

    def close(self) -> None: ...


class Own:
    """Ours, in this process: the interpreter, or compiled code with so many threads."""

    foreign = False

    def __init__(self, backend: str = "numpy", threads: int = 1) -> None:
        self.backend, self.threads = backend, threads

    def ask(self, request: Mapping[str, Any], path: str | None) -> Answer:
        return answer(request, path, self.backend, self.threads)

    def close(self) -> None:
        return None


def answer(
    request: Mapping[str, Any],
    path: str | None = None,
    backend: str = "numpy",
    threads: int = 1,
) -> Answer:
    """What gradir says to a request (PROTO-4, PROTO-5)."""
    head: Answer = {"id": request.get("id")}
    if request.get("op") not in ("build", "run") or not isinstance(request.get("program"), str):
        return {**head, "ok": False, "stage": "unsupported", "message": "no such request"}
    try:
        source = read_source(path) if path else Source("<program>", request["program"])
        program = Program(build(source))
    except GirError as refused:
        return {**head, "ok": False, "stage": "build", "errors": _errors(refused)}
    built = {"nodes": len(program.table), "warnings": list(map(_brief, program.warnings))}
    if request["op"] == "build":
        return {**head, "ok": True, **built}
    session: Session | None = None
    try:
        inputs = _arrays(request.get("inputs"))
        session = program.session(
            dims=request.get("dims") or {},
            state=_arrays(request.get("slots")),
            backend=backend,
            threads=threads,
        )
        outputs: dict[str, np.ndarray] = {}
        for _ in range(int(request.get("steps", 1))):
            outputs = session.run(inputs)
    except GirError as failed:
        slots = _objects(session.state) if session else {}
        return {**head, "ok": False, "stage": "run", "errors": _errors(failed), "slots": slots}
    return {
        **head,
        "ok": True,
        "outputs": _objects(outputs),
        "slots": _objects(session.state),
        "steps": session.steps,
        **built,
    }


def _arrays(given: Any) -> dict[str, np.ndarray]:
    try:
        return {name: from_json(value) for name, value in (given or {}).items()}
    except (ExchangeError, AttributeError) as problem:
        raise error("R602", str(problem)) from None


def _objects(arrays: Mapping[str, np.ndarray]) -> Answer:
    return {name: json.loads(json_object(array)) for name, array in arrays.items()}


def _errors(refused: GirError) -> list[Answer]:
    return list(map(_brief, refused.diagnostics))


def _brief(diagnostic: Diagnostic) -> Answer:
    texts = [diagnostic.message, *(n.message for n in diagnostic.notes), diagnostic.help or ""]
    return {
        "code": diagnostic.code,
        "line": diagnostic.span.line if diagnostic.span else None,
        "message": "\n".join(text for text in texts if text),
    }


def serve(requests: TextIO, answers: TextIO) -> None:
    """Answer requests, a JSON object a line, until the input ends (PROTO-1)."""
    for line in requests:
        if not line.strip():
            continue
        try:
            request = json.loads(line)
            found = answer(request) if isinstance(request, dict) else None
        except (ValueError, RecursionError):
            found = None
        if found is None:
            found = {"id": None, "ok": False, "stage": "unsupported", "message": "not a request"}
        answers.write(json.dumps(found) + "\n")
        answers.flush()


class Foreign:
    """A command that speaks the protocol; started again when it dies or does not answer."""

    foreign = True

    def __init__(self, command: str, timeout: float = 60.0) -> None:
        try:
            self.command = shlex.split(command)
        except ValueError as problem:
            raise error("U702", f"--exec {command}: {problem}") from None
        if not self.command:
            raise error("U702", "--exec is empty")
        self.timeout = timeout
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()

    def ask(self, request: Mapping[str, Any], path: str | None) -> Answer:
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = self._lines.get(timeout=self.timeout)
        except queue.Empty:
            self.close()
            return _no_answer(f"no answer in {self.timeout:g} seconds")
        except OSError as problem:
            self.close()
            return _no_answer(f"the executor has ended: {problem.strerror or problem}")
        if line is None:
            self.close()
            return _no_answer("the executor has ended without an answer")
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or found.get("id") != request.get("id"):
            self.close()
            return _no_answer(f"not an answer to this request: {line.strip()[:60]}")
        return found

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            try:
                self._process = subprocess.Popen(
                    self.command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    encoding="utf-8",
                    errors="replace",
                )
            except OSError as problem:
                what = problem.strerror or problem
                raise error("U702", f"--exec: {self.command[0]} does not start: {what}") from None
            self._lines = queue.Queue()
            threading.Thread(
                target=_collect, args=(self._process.stdout, self._lines), daemon=True
            ).start()
        return self._process

    def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        try:
            process.stdin.close()
        except OSError:
            process.kill()  # it reads no more: nothing is left to be flushed
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _collect(stream: TextIO, lines: queue.Queue[str | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _no_answer(message: str) -> Answer:
    return {"ok": False, "stage": "none", "message": message}
