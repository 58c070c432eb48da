"""Programs: what a text becomes, and where sessions that run it start."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from threading import Lock
from typing import Any

from gradir.ir.build import Built, build
from gradir.ir.builder import Builder
from gradir.ir.scope import Gradient
from gradir.ir.table import Table
from gradir.runtime.engines import Chosen, choose_engine
from gradir.runtime.session import Session
from gradir.text.diagnostics import Diagnostic, error
from gradir.text.printer import print_table
from gradir.text.reading import read_source
from gradir.text.source import Source

EXAMPLE = "example:"


class Program:
    """A program that has been read and built without an error."""

    def __init__(self, built: Built) -> None:
        self.table: Table = built.table
        self.source: Source = built.source
        self.warnings: list[Diagnostic] = built.warnings
        self.builder: Builder = built.builder
        self.gradients: list[Gradient] = built.gradients
        self._engines: dict[tuple[str, int], Chosen] = {}
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles have no engines: they compile again where they are run."""
        return {**self.__dict__, "_engines": {}, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    @classmethod
    def load(cls, path: str | Path) -> Program:
        """Read a .gir file, or `example:NAME`. Raises GirError with every error found."""
        name = str(path)
        if name.startswith(EXAMPLE):
            return cls(build(example_source(name.removeprefix(EXAMPLE))))
        return cls(build(read_source(name)))

    @classmethod
    def parse(cls, text: str, name: str = "<text>") -> Program:
        """Build a program from its text."""
        return cls(build(Source(name, text)))

    @property
    def folder(self) -> Path:
        """Where the program's own files lie."""
        return Path(self.source.path).resolve().parent if self.source.path else Path.cwd()

    def text(self) -> str:
        """The node table as GIR text."""
        return print_table(self.table)

    def session(
        self,
        *,
        dims: Mapping[str, int] | None = None,
        state: Mapping[str, Any] | None = None,
        backend: str = "numpy",
        threads: int = 1,
    ) -> Session:
        """A session with fresh buffers; `state` gives some of them contents.

        `dims` states dimensions that no input shows. `backend` is "numpy" (the interpreter),
        "c" (compiled; GirError U704 without a compiler) or "auto" (compiled where that can be,
        else interpreted, and the session's `note` says why). `threads` is the most that a step of
        compiled code may use. The bits are the same.
        """
        if threads < 1:
            raise error("U702", f"threads={threads}: at least 1")
        with self._lock:  # compiled once, however many threads ask
            chosen = self._engines.get((backend, threads))
            if chosen is None:
                chosen = choose_engine(self.table, backend, threads)
                self._engines[backend, threads] = chosen
        return Session(self, dims, state, chosen.engine, chosen.note)

    def compile(
        self,
        *,
        threads: int = 1,
        backend: str = "auto",
        dims: Mapping[str, int] | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> Session:
        """A session that runs compiled code where there is a compiler: `step(x=batch)["loss"]`.

        `threads` is the most that a step may use; the bits never depend on it.
        """
        session = self.session(dims=dims, state=state, backend=backend, threads=threads)
        if session.note is not None:
            warnings.warn(session.note, RuntimeWarning, stacklevel=2)
        return session


def example_names() -> list[str]:
    """The names that `example:NAME` knows, sorted."""
    folder = resources.files("gradir") / "examples"
    return sorted(f.name[:-4] for f in folder.iterdir() if f.name.endswith(".gir"))


def example_source(name: str) -> Source:
    if name not in example_names():
        raise error(
            "U701", f"there is no example {name}", help="`gradir example list` shows them all"
        )
    file = resources.files("gradir") / "examples" / f"{name}.gir"
    return Source(f"example:{name}", file.read_text(encoding="utf-8"), str(file))
