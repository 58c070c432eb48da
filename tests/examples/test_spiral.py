"""example:spiral: the figures it promises, the committed data, and PyTorch beside it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gradir

ROOT = Path(__file__).parents[2]
STEPS, RATE = 300, 0.5
WEIGHTS = ["w1", "b1", "w2", "b2"]


@pytest.fixture(scope="module")
def trained() -> tuple[gradir.Session, list[dict[str, np.ndarray]], dict[str, np.ndarray]]:
    """A session after all steps, the outputs of each, and the buffers before the first."""
    session = gradir.load("example:spiral").session()
    start = {name: np.array(array) for name, array in session.state.items()}
    return session, [session.run() for _ in range(STEPS)], start


def test_loss_and_accuracy_after_300_steps(trained):
    _, outputs, _ = trained
    assert f"{outputs[-1]['loss']:.6f}" == "0.335826"
    assert f"{outputs[-1]['accuracy']:.1%}" == "80.3%"


def test_the_committed_data_are_what_the_script_makes(tmp_path):
    subprocess.run([sys.executable, ROOT / "tools" / "make_spiral.py", tmp_path], check=True)
    made = sorted(tmp_path.iterdir())
    assert [file.name for file in made] == ["labels.npy", "w1.npy", "w2.npy", "x.npy"]
    for file in made:
        committed = ROOT / "gradir" / "examples" / "spiral" / file.name
        assert committed.read_bytes() == file.read_bytes()


def test_beside_pytorch(trained):
    """The same 300 steps by torch: every loss and all weights within 1e-14."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    session, outputs, start = trained
    losses = [float(o["loss"]) for o in outputs]
    w = {name: torch.tensor(start[name], requires_grad=True) for name in WEIGHTS}
    x, labels = torch.tensor(start["x"]), torch.tensor(start["labels"].astype(np.int64))
    theirs = []
    for _ in range(STEPS):
        hidden = torch.relu(x @ w["w1"] + w["b1"])
        loss = torch.nn.functional.cross_entropy(hidden @ w["w2"] + w["b2"], labels)
        shares = torch.autograd.grad(loss, list(w.values()))
        with torch.no_grad():
            for weight, share in zip(w.values(), shares, strict=True):
                weight -= RATE * share
        theirs.append(loss.item())
    apart = {
        name: float(np.abs(session.state[name] - w[name].detach().numpy()).max())
        for name in WEIGHTS
    }
    print("\nlargest difference from PyTorch after 300 steps:", apart)
    print("in the last loss:", abs(losses[-1] - theirs[-1]))
    assert max(abs(a - b) for a, b in zip(losses, theirs, strict=True)) <= 1e-14
    assert max(apart.values()) <= 1e-14
