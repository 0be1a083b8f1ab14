"""The registry: every noun has its four stages, every step type one handler, and a foreign noun is refused."""

from __future__ import annotations

import pytest

from raceway.errors import RacewayError
from raceway.host import Ledger
from raceway.model.plan import Plan
from raceway.node.registry import ORDER, VERIFY_ONLY, noun, shared_handlers

from ..builders import FakeHost


@pytest.mark.parametrize("name", ORDER)
def test_each_noun_has_its_four_stages(name: str) -> None:
    stages = noun(name)
    assert stages.name == name
    assert all(callable(part) for part in (stages.parse, stages.probe, stages.plan, *stages.handlers.values()))
    assert stages.handlers or name in ("machine", "kube_host", *VERIFY_ONLY)  # the nouns that only compare


@pytest.mark.parametrize("name", ORDER)
def test_each_noun_plans_nothing_for_an_empty_declaration_on_an_empty_machine(name: str, tmp_path: object) -> None:
    stages, host = noun(name), FakeHost(tmp_path)  # type: ignore[arg-type]
    desired = stages.parse({})
    plan = stages.plan(desired, stages.probe(host, desired, Ledger(host)))
    assert isinstance(plan, Plan)
    assert plan.empty, plan


def test_no_two_nouns_handle_the_same_step_type_in_different_ways() -> None:
    seen: dict[str, object] = {}
    for name in ORDER:
        for kind, handler in noun(name).handlers.items():
            assert seen.setdefault(kind, handler) is handler, f"{kind} is handled twice, once by {name}"


def test_whole_files_are_handled_for_every_noun() -> None:
    assert {"file", "file_restore"} <= set(shared_handlers())


def test_an_unknown_noun_is_refused_with_the_known_ones() -> None:
    with pytest.raises(RacewayError, match=r"unknown noun 'disk'; allowed: rdma_stack, .*; next: send"):
        noun("disk")


def test_files_come_before_mounts_and_mounts_before_units() -> None:
    assert ORDER.index("package") < ORDER.index("file") < ORDER.index("mount") < ORDER.index("unit")
