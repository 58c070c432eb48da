"""The gradient rules pass all checks of rule_checks, and every rule has a program there."""

from __future__ import annotations

import pytest
import rule_checks
from rule_programs import RULE_PROGRAMS, TIES

from gradir.autodiff.rules import RULES


@pytest.mark.parametrize("case", RULE_PROGRAMS, ids=lambda case: case.name)
def test_a_rule_equals_central_differences(case):
    assert rule_checks.difference_of(case) == []


@pytest.mark.parametrize("case", RULE_PROGRAMS, ids=lambda case: case.name)
def test_a_rule_builds_the_nodes_of_the_specification(case):
    assert rule_checks.spelled_out_of(case) == []


@pytest.mark.parametrize("case", TIES, ids=lambda case: case[0].splitlines()[1])
def test_exact_shares_at_the_edges(case):
    assert rule_checks.tie_of(*case) == []


@pytest.mark.parametrize("name", rule_checks.MODELS)
def test_a_model_equals_its_hand_derived_gradients(name):
    assert rule_checks.by_hand_of(name) == []


def test_every_rule_that_gives_a_share_is_met():
    met = {case.name for case in RULE_PROGRAMS}
    assert set(RULES) - met == {"detach"}
