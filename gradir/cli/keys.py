"""Single keys from a terminal, without Enter; where there is no terminal, only the waiting."""

from __future__ import annotations

import os
import select
import sys
import time
from types import TracebackType
from typing import Any


class Keys:
    """A context in which `wait` gives a key at once. The terminal is put back behind it."""

    def __init__(self) -> None:
        self._before: Any = None

    def __enter__(self) -> Keys:
        if sys.stdin.isatty():
            import termios
            import tty

            self._before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, what: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._before is not None:
            import termios

            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    def wait(self, seconds: float) -> str:
        """A key, or an empty text when none was pressed in time."""
        if self._before is None:
            time.sleep(seconds)
            return ""
        ready, _, _ = select.select([sys.stdin], [], [], seconds)
        # unbuffered: a second key that came with the first would not be seen by `select`
        return os.read(sys.stdin.fileno(), 1).decode("ascii", "replace").lower() if ready else ""
