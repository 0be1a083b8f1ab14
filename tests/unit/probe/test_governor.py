"""cpufreq policies on a node."""

from __future__ import annotations

import pytest

from raceway.host import Ledger
from raceway.model.governor import parse
from raceway.probe.governor import probe

from ..builders import recorded_host


@pytest.mark.parametrize(("shape", "count"), [("h100-node", 4), ("debian12-vm", 0), ("lab-container", 0)])
def test_every_policy_is_read_and_a_machine_without_cpufreq_has_none(shape: str, count: int) -> None:
    host = recorded_host(shape)
    facts = probe(host, parse({"governor": "performance"}), Ledger(host))
    assert len(facts.policies) == count
    assert {policy.governor for policy in facts.policies.values()} <= {"powersave"}


def test_policies_are_not_read_where_nothing_is_managed() -> None:
    host = recorded_host("h100-node")
    assert probe(host, parse({}), Ledger(host)).policies == {}
