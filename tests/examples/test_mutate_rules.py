"""Wrong gradient rules are caught: a short run of tools/mutate_rules.py, every third mutant."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "tools"))

from mutate_rules import MUTANTS, NODES, caught_by, is_caught

from gradir.autodiff.rules import RULES

CHECKS = ["ties", "differences", NODES]


def test_every_rule_has_a_mutant():
    assert len(MUTANTS) >= 24
    assert {mutant.row for mutant in MUTANTS} == set(RULES)


@pytest.mark.parametrize("mutant", MUTANTS[::3], ids=lambda mutant: mutant.name)
def test_a_wrong_rule_is_caught(mutant):
    before = dict(RULES)
    assert is_caught(mutant, caught_by(mutant, CHECKS))
    assert before == RULES
