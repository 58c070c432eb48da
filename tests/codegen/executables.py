"""Programs interpreted and compiled, side by side: what the tests of executables share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradir import GirError, Program, Session

LINEAR = """dim B = 1..64
%x = stage f32[B,3]
%t = stage f32[B,2]
%w = buffer f32[3,2] init=0.5
%wv = load %w
%loss = mean (square (sub (matmul %x %wv) %t))
%gx = gradient %loss %x
%gw = gradient %loss %wv
store %w (sub %wv (mul %gw 0.125))
output %loss
output %gx
output %gw
"""
WORK = """%x = stage f32[64,64]
%h = tanh (matmul %x %x)
%y = softmax (matmul %h %x) axis=1
%s = reduce %y op=add axes=[0]
output %y
output %s
"""


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One cache for a file: what is compiled once is compiled for all its tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def pair(text: str, **session: Any) -> tuple[Session, Session]:
    """A program interpreted and compiled."""
    program = Program.parse(text)
    return program.session(**session), program.session(**session, backend="c")


def same(expected: dict[str, np.ndarray], found: dict[str, np.ndarray]) -> None:
    assert list(expected) == list(found)
    for name, array in expected.items():
        assert (array.shape, array.dtype) == (found[name].shape, found[name].dtype), name
        assert array.tobytes() == found[name].tobytes(), name


def refusal(run: Callable[[], Any]) -> str:
    with pytest.raises(GirError) as caught:
        run()
    return caught.value.diagnostics[0].code


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What `work(0)`, `work(1)`, … give, all started at once."""
    gate, found = threading.Barrier(count), [None] * count

    def body(number: int) -> None:
        gate.wait()
        found[number] = work(number)

    threads = [threading.Thread(target=body, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found
