"""A warm process that forks one child a job: `python -m gradir.lessons.server`.

Requests and answers are lines of JSON on standard input and output. The server itself never
reads a lesson: a Python child inherits nothing of what is expected. It stops a child that takes
too long, prints or tells too much, and removes its folder.
"""

from __future__ import annotations

import gc
import json
import math
import os
import selectors
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Mapping
from typing import Any, NoReturn

PROGRAM_MEMORY = 1 << 30  # what a program's arrays may take: refused before they are made
MOST_PRINTED = 64 << 10
MOST_WRITTEN = 4 << 20  # printed in all before the child is stopped
MOST_TOLD = 16 << 20
PATIENCE = 3  # times its limit is the longest that a case may take on a busy machine
GRACE = 0.5  # seconds beyond a limit, for what is not the submission's


def serve() -> None:
    import gradir.lessons.cases
    import gradir.lessons.sandbox
    import gradir.lessons.work

    gradir.lessons.sandbox.python_files()
    gc.freeze()
    requests, answers = os.fdopen(0, "rb", closefd=False), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else prints does not come between the answers
    for line in requests:
        request = json.loads(line)
        answers.write(json.dumps(answer(request)).encode() + b"\n")
        answers.flush()


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Run one job in a child and say what came of it."""
    from gradir.lessons import work

    folder = tempfile.mkdtemp(prefix="gradir-submission-")
    try:
        work.prepare(request["job"])
        return _Child(request, folder).result()
    finally:
        _remove(folder)


def _remove(folder: str) -> None:
    def again(function: Any, path: str, _: Any) -> None:
        parent = os.path.dirname(path)
        if os.path.commonpath([parent, folder]) == folder:
            os.chmod(parent, 0o700)
        function(path)

    try:
        shutil.rmtree(folder, onerror=again)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)


class _Child:
    """One job's process, from its fork to its end."""

    def __init__(self, request: Mapping[str, Any], folder: str) -> None:
        self.limits = request["limits"]
        self.answers: dict[int, dict[str, Any]] = {}
        self.reached, self.failure = -1, ""
        self.printed, self.written = bytearray(), 0
        self.told = bytearray()
        self.began = time.monotonic()
        self.finished = False
        result_in, result_out = os.pipe()
        print_in, print_out = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(result_in)
            os.close(print_in)
            _run_child(request, folder, result_out, print_out)
        os.close(result_out)
        os.close(print_out)
        self.result_in, self.print_in = result_in, print_in

    def result(self) -> dict[str, Any]:
        try:
            self._watch()
        finally:
            status = self._end()
        if not self.failure and not self.finished:
            self.failure = _ending(status)
        return {
            "answers": list(self.answers.values()),
            "reached": self.reached,
            "failure": self.failure,
            "printed": bytes(self.printed).decode("utf-8", "replace"),
        }

    def _watch(self) -> None:
        seconds = float(self.limits["seconds"])
        begun, used = time.monotonic(), 0.0
        deadline = begun + seconds + GRACE
        with selectors.DefaultSelector() as selector:
            selector.register(self.result_in, selectors.EVENT_READ)
            selector.register(self.print_in, selectors.EVENT_READ)
            while True:
                left = deadline - time.monotonic()
                if left <= 0 and self._starved(begun, used, seconds):
                    deadline = time.monotonic() + GRACE
                    continue
                if left <= 0:
                    self.failure = f"took more than {seconds:g} s and was stopped"
                    return
                before = self.reached
                for key, _ in selector.select(left):
                    data = os.read(key.fd, 1 << 16)
                    if not data and key.fd == self.result_in:
                        return
                    if not data:
                        selector.unregister(key.fd)
                    elif key.fd == self.print_in:
                        self._printed(data)
                    else:
                        self._told(data)
                    if self.failure:
                        return
                if self.reached != before:
                    begun, used = time.monotonic(), self._processor_time()
                    deadline = begun + seconds + GRACE

    def _starved(self, begun: float, used: float, seconds: float) -> bool:
        """Whether a case that is late has not had its time: the machine is busy with others."""
        if time.monotonic() - begun > PATIENCE * seconds:
            return False
        return self._processor_time() - used < seconds

    def _processor_time(self) -> float:
        """Seconds the child has computed; without bound where the system does not tell."""
        try:
            with open(f"/proc/{self.pid}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, IndexError):
            return math.inf

    def _printed(self, data: bytes) -> None:
        self.written += len(data)
        self.printed += data[: MOST_PRINTED - len(self.printed)]
        if self.written > MOST_WRITTEN:
            self.failure = f"printed more than {MOST_WRITTEN >> 20} MB and was stopped"

    def _told(self, data: bytes) -> None:
        self.told += data
        if len(self.told) > MOST_TOLD:
            self.failure = "told too much and was stopped"
            return
        *lines, rest = bytes(self.told).split(b"\n")
        self.told = bytearray(rest)
        for line in lines:
            try:
                self._line(json.loads(line))
            except (ValueError, KeyError, TypeError, RecursionError):
                self.failure = "told something that is no answer"

    def _line(self, told: dict[str, Any]) -> None:
        if told.get("done"):
            self.finished = True
            return
        case = told["case"]
        if not isinstance(case, int) or not 0 <= case < 10_000:
            raise ValueError(case)
        now = time.monotonic()
        if told.get("start"):
            self.reached, self.began = case, now
            return
        told["seconds"] = now - self.began
        self.answers.setdefault(case, told)

    def _end(self) -> int:
        for stop in (os.killpg, os.kill):
            try:
                stop(self.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        os.close(self.result_in)
        os.close(self.print_in)
        return os.waitpid(self.pid, 0)[1]


def _ending(status: int) -> str:
    """How a process ended that was not done, in words."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return "took too much processor time and was stopped"
        return f"its process was ended by {signal.Signals(number).name}"
    return f"its process ended itself (exit code {os.waitstatus_to_exitcode(status)})"


def _run_child(
    request: Mapping[str, Any], folder: str, result_out: int, print_out: int
) -> NoReturn:
    """In the child: shut in, run the job, end."""
    from gradir.lessons import sandbox, work

    code = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(print_out, 1)
        os.dup2(print_out, 2)
        os.dup2(result_out, 3)
        os.closerange(4, 256)
        job, limits = dict(request["job"]), request["limits"]
        result = os.fdopen(3, "wb", buffering=0)

        def tell(told: Mapping[str, Any]) -> None:
            result.write(json.dumps(told).encode() + b"\n")

        if "text" in job:
            job["file"] = os.path.join(folder, job["name"])
            with open(job["file"], "wb") as file:
                file.write(job["text"].encode("utf-8", "surrogateescape"))
            os.chdir(folder)
        cases = int(limits["cases"])
        if not job.get("trusted"):
            os.environ["TMPDIR"] = os.environ["HOME"] = folder
            os.environ["GRADIR_MEMORY"] = str(PROGRAM_MEMORY)
            sandbox.limit(int(limits["memory"]), float(limits["seconds"]) * (cases + 1))
            sandbox.enter(folder, everything_readable=job["kind"] == "gir")
            if job["kind"] == "python":
                sandbox.watch(folder)
        work.run_job(job, tell)
        tell({"done": True})
        sys.stdout.flush()
        sys.stderr.flush()
        code = 0
    except BaseException as failure:
        os.write(2, f"{type(failure).__name__}: {failure}\n".encode()[:1000])
    finally:
        os._exit(code)


if __name__ == "__main__":
    serve()
