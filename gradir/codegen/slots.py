"""Contents of buffers between steps, and how an executor takes part in a session.

An `Engine` runs a program; a `Call` is its memory for one set of sizes and is used by one thread
at a time. Both the interpreter and compiled programs come in this form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

Arrays = dict[str, np.ndarray]
Trace = Callable[[int, Any], None]


class Holder(Protocol):
    """Somebody whose memory is ahead of a session's `now`."""

    def settle(self, slots: Slots) -> None: ...


class Slots:
    """What buffers hold: `now`, and `spare` arrays of the same shapes for the next contents.

    A compiled call exchanges the two by pointer and says so only when it is asked (`settle`).
    `done` counts the steps that ended well.
    """

    def __init__(self, contents: Mapping[str, np.ndarray]) -> None:
        self.now: Arrays = dict(contents)
        self.spare: Arrays = {}
        self.done = np.zeros(1, np.int64)
        self.holder: Holder | None = None

    def settle(self) -> None:
        """Make `now` true."""
        if self.holder is not None:
            self.holder.settle(self)
            self.holder = None

    def exchange(self, name: str) -> None:
        self.now[name], self.spare[name] = self.spare[name], self.now[name]


class Call(Protocol):
    """Memory for one call at a time. Arrays given are of the declared types and in C order."""

    outputs: Arrays

    def set_inputs(self, arrays: Mapping[str, np.ndarray]) -> None:
        """The stages' values; the arrays are read at each run."""

    def set_outputs(self, given: Mapping[str, np.ndarray]) -> None:
        """Where the outputs go: the arrays given, new ones for the rest."""

    def run(self, slots: Slots, steps: int, trace: Trace | None = None) -> None:
        """Steps, with the slots' contents going through them.

        A GirError leaves the slots as they were before the step that failed.
        """

    def quick(self, slots: Slots) -> tuple[Callable[[Any], int], Any] | None:
        """For one step after the other of a program without buffers: a function and its argument.

        What it gives is 0, or else the step does not count and `run` is to be asked, which waits
        while another thread is at it, and says what fails.
        """

    def release(self) -> None:
        """The call is not needed any more: its memory may serve another."""


class Engine(Protocol):
    name: str
    threads: int

    def call(self, dims: Mapping[str, int]) -> Call:
        """Memory for sizes; GirError R606 or R607 where they do not fit."""
