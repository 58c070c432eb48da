"""C texts that are compiled side by side: what one defines, another finds."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from gradir import Program
from gradir.codegen import units
from gradir.codegen.toolchain import find_compiler

# A fold of everything that threads divide, of a costly function, and others beside it.
TEXT = """dim N = 1..100000
%x = stage f32[N]
%y = reduce (log (add (mul %x %x) 1.0)) op=add
%z = reduce (tanh %x) op=max
%w = reduce (sin (exp2 %x)) op=add axes=[0]
output %y
output %z
output %w
output (erf (cos %x)) name=e
"""


@pytest.mark.skipif(find_compiler() is None, reason="no C compiler")
def test_kernels_with_parts_in_texts_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made: list[list[str]] = []
    divided = units.units

    def recorded(functions: list[str], main: str, tail: str, most: int) -> list[str]:
        made.append(divided(functions, main, tail, 4))
        return made[-1]

    monkeypatch.setattr("gradir.codegen.units.WORTH", 5.0)
    monkeypatch.setattr("gradir.codegen.units.units", recorded)
    program = Program.parse(TEXT)
    x = np.linspace(-2, 2, 9000, dtype=np.float32)
    found, wanted = (program.session(backend=b).run(inputs={"x": x}) for b in ("c", "numpy"))
    for name, value in wanted.items():
        assert found[name].tobytes() == value.tobytes(), name
    (texts,) = made
    assert len(texts) > 1
    assert any(re.search(r"gir_k\d+_part\d+\(", text) for text in texts[1:])
