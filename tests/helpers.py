"""What the tests share: building, dumping and running small programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradir import GirError, Program


def dump(text: str) -> list[str]:
    """The lines of a program's dump."""
    return Program.parse(text).text().splitlines()


def run(text: str, inputs: dict[str, Any] | None = None, **session: Any) -> dict[str, np.ndarray]:
    """The outputs of one step."""
    return Program.parse(text).session(**session).run(inputs or {})


def refused(text: str) -> list[tuple[str, int]]:
    """The codes and lines a program is refused with."""
    with pytest.raises(GirError) as caught:
        Program.parse(text)
    return [(d.code, d.span.line if d.span else 0) for d in caught.value.diagnostics]


def bits(array: Any) -> list[int]:
    """The bit patterns of a float array, flat."""
    array = np.asarray(array)
    return array.reshape(-1).view(f"u{array.itemsize}").tolist()
