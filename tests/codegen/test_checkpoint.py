"""`checkpoint=` carried out by native code: less memory, few more products, the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from test_bits import COMPILER, build, findings, made

from gradir import Program
from gradir.codegen.loops import Call, Kernel, LoopCall
from gradir.codegen.memory import place
from gradir.codegen.stages import Staged, stage

WIDTH, BATCH = 8, 64


def deep(depth: int, every: int | None, second: bool = False) -> str:
    """The gradients of a chain of nonlinear layers; one value kept in `every`, or no hint.

    With `second`, those of the sum of their squares too, hinted likewise.
    """
    lines = [f"%h0 = stage f32[{BATCH},{WIDTH}] name=x"]
    for k in range(1, depth + 1):
        lines.append(f"%w{k} = stage f32[{WIDTH},{WIDTH}]")
        lines.append(f"%h{k} = tanh (matmul %h{k - 1} %w{k})")
    lines.append(f"%loss = reduce (mul %h{depth} %h{depth}) op=add")
    kept = ", ".join(f"%h{k}" for k in range(every or 1, depth, every or 1))
    hint = f" checkpoint=[{kept}]" if every else ""
    for k in range(1, depth + 1):
        lines.append(f"%g{k} = gradient %loss %w{k}{hint}")
        lines.append(f"output (reduce %g{k} op=add) name=g{k}")
    if second:
        lines.append("%n1 = reduce (mul %g1 %g1) op=add")
        for k in range(2, depth + 1):
            lines.append(f"%n{k} = add %n{k - 1} (reduce (mul %g{k} %g{k}) op=add)")
        for k in range(1, depth + 1):
            lines.append(f"output (gradient %n{depth} %w{k}{hint}) name=s{k}")
    return "\n".join(lines) + "\n"


def staged(text: str) -> Staged:
    return stage(Program.parse(text).table)


def products(calls: list[Call], made: Staged) -> int:
    """The matrix products of a step: there are no loops around them here."""
    assert not any(isinstance(call, LoopCall) for call in calls)
    return sum(
        made.table[id].op.name == "matmul"
        for call in calls
        if isinstance(call, Kernel)
        for id in call.writes
    )


def test_depth_144_takes_a_fifth_of_the_memory_for_half_as_many_products_more() -> None:
    kept, again = staged(deep(144, None)), staged(deep(144, 12))
    (_, all_of_it), (_, peak) = (place(s.table, s.memory, {}) for s in (kept, again))
    assert all_of_it >= 144 * BATCH * WIDTH * 4  # every layer's value lives until it is used
    assert all_of_it >= 5 * peak
    assert products(kept.calls, kept) == 3 * 144 - 1  # none for the gradient of x
    assert products(again.calls, again) <= 1.5 * products(kept.calls, kept)


@pytest.mark.skipif(COMPILER is None, reason="there is neither gcc nor clang")
def test_bits_of_first_and_second_gradients() -> None:
    rng = np.random.default_rng(5)
    inputs = {"x": rng.standard_normal((BATCH, WIDTH)).astype("f4")}
    for k in range(1, 13):
        inputs[f"w{k}"] = rng.standard_normal((WIDTH, WIDTH)).astype("f4")
    texts = {f"every {n}": deep(12, n, second=True) for n in (None, 1, 3, 5, 12)}
    cases = [made(name, text, **inputs) for name, text in texts.items()]
    assert findings(cases, build("O1")) == []
    first = [outputs for case in cases for _, (outputs, _) in case.steps]
    for other in first[1:]:
        assert {k: v.tobytes() for k, v in first[0].items()} == {
            k: v.tobytes() for k, v in other.items()
        }
