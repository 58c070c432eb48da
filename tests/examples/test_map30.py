"""example:map30 and example:map30_scalar: one computation, on tensors and on single numbers.

Where the additions have the same order the bits are the same, and that is everywhere here:

- an output is a left fold of 30 products from +0.0 in both (a sum of at most 32 terms is one);
- the loss adds 30 squares a sample, then 20 samples, again two left folds from +0.0. The scalar
  form writes `add new sum`, which has the bits of `add sum new`;
- a weight's gradient adds 20 shares, one a sample. On tensors that is the sum over the sample axis,
  first sample first. On numbers it is the order in which shares arrive: the walk visits the loss
  in reverse post-order, and with the newest sample as the left operand it meets the first sample
  first. The tensor's sum starts at +0.0 and the shares' at the first share: the same unless
  all shares are -0.0, since +0.0 + c is c.

With `add sum new` the shares would arrive last sample first, and the bits differ; that is tested
too.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gradir

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "make_map30_scalar.py"
SCALAR = ROOT / "gradir" / "examples" / "map30_scalar.gir"


@pytest.fixture(scope="module")
def scalar() -> gradir.Program:
    return gradir.load("example:map30_scalar")


def generate(folder: Path, *options: str) -> str:
    made = folder / "made.gir"
    subprocess.run([sys.executable, SCRIPT, "-o", made, *options], check=True)
    return made.read_text(encoding="utf-8")


def test_the_committed_program_is_what_the_script_makes(tmp_path):
    assert generate(tmp_path) == SCALAR.read_text(encoding="utf-8")


def test_the_scalar_form_holds_no_tensor_but_its_buffers(scalar):
    table = scalar.table
    shaped = {node.op.name for node in table.nodes if node.type.shape}
    assert shaped == {"buffer"}


def test_products_additions_and_gradients_of_the_scalar_form(scalar):
    """Forward: 20 samples of 900 products and 900 additions, for the outputs and the targets."""
    forward = 1 + max(y for y, *_ in scalar.gradients)
    names = [node.op.name for node in scalar.table.nodes[:forward]]
    squares, minus = 600, 600
    assert names.count("mul") == 2 * 20 * 900 + squares + minus
    assert names.count("add") == 2 * 20 * 900 + squares + minus + 20
    assert len({g.x for g in scalar.gradients}) == 900


def test_both_forms_give_the_same_bits(scalar):
    numbers, tensors = scalar.session(), gradir.load("example:map30").session()
    for _ in range(3):
        assert numbers.run()["loss"].tobytes() == tensors.run()["loss"].tobytes()
        for name in ("g", "m", "v", "w", "steps"):
            assert numbers.state[name].tobytes() == tensors.state[name].tobytes(), name


def test_shares_in_the_other_order_give_other_bits(tmp_path):
    """The same program with `add sum new` between the samples: the gradients differ by rounding."""
    text = generate(tmp_path, "--size", "6", "--samples", "20", "--no-adam")
    assert text.count("add (@sample") == 20
    lines = []
    for line in text.splitlines():
        if "add (@sample" in line:  # %sum1 = add (@sample …) %sum0
            head, _, rest = line.partition("add ")
            sample, _, total = rest.rpartition(" ")
            line = f"{head}add {total} {sample}"
        lines.append(line)
    found = []
    for program in (text, "\n".join(lines) + "\n"):
        session = gradir.parse(program).session()
        loss = session.run()["loss"]
        found.append((loss.tobytes(), np.array(session.state["g"])))
    (loss1, g1), (loss2, g2) = found
    assert loss1 == loss2
    assert (g1 != g2).any()
    assert np.abs(g1 - g2).max() < 1e-5
