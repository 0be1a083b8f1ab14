"""The registry of roles: which are enabled, whose consent counts, how needs of all roles come together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from raceway import roles
from raceway.errors import RacewayError

ROOT = Path(__file__).parents[3] / "roles"


def make_values(**changed: Any) -> dict[str, dict[str, Any]]:
    values = {name: yaml.safe_load((ROOT / name / "defaults/main.yml").read_text()) for name in roles.ROLES}
    for name, value in changed.items():
        values[name.split("_", 1)[0]][name] = value
    return values


def test_roles_work_in_their_order_whatever_order_people_write() -> None:
    assert roles.enabled(["system", "kernel", "node"]) == ("node", "kernel", "system")


def test_an_unknown_role_is_refused_with_the_known_ones() -> None:
    with pytest.raises(RacewayError, match=r"kernle.*node, kernel, system"):
        roles.enabled(["kernle"])


def test_a_need_of_another_role_reaches_the_kernel_roles_modules_with_its_asker() -> None:
    mount = {"path": "/data", "source": "nas:/x", "fstype": "nfs4", "options": "nofail"}
    state = roles.compile_host(make_values(system_mounts=[mount]), roles.ROLES)
    (row,) = [row for row in state["kernel"]["nouns"]["module"]["modules"] if row["name"] == "nfsv4"]
    assert row["asked_by"] == ["system_mounts"]


def test_an_absent_role_asks_the_kernel_for_nothing() -> None:
    mount = {"path": "/data", "source": "nas:/x", "fstype": "nfs4", "options": "nofail"}
    values = make_values(system_mounts=[mount], system_state="absent")
    names = {need.key for need in roles.merged_needs(values, roles.ROLES)}
    assert "nfsv4" not in names and "tcp_bbr" in names


def test_only_what_a_role_consents_to_is_allowed() -> None:
    assert roles.consent("kernel", {"kernel_allow_disruptive": False, "kernel_allow_destructive": False}) == ["safe"]
    assert roles.consent("kernel", {"kernel_allow_disruptive": True}) == ["safe", "disruptive"]


def test_the_platform_of_the_node_role_reaches_every_noun_of_every_role() -> None:
    state = roles.compile_host(make_values(node_platform="container"), roles.ROLES)
    platforms = {spec["platform"] for body in state.values() for spec in body["nouns"].values()}
    assert platforms == {"container"}


@pytest.mark.parametrize("name", roles.ROLES)
def test_every_choice_of_a_text_is_a_text_also_where_yaml_reads_another_thing(name: str) -> None:
    specs = yaml.safe_load((ROOT / name / "meta/argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    rows = [*specs.items(), *(pair for option in specs.values() for pair in (option.get("options") or {}).items())]
    wrong = {key: spec["choices"] for key, spec in rows if spec["type"] == "str" and spec.get("choices")}
    assert all(isinstance(choice, str) for choices in wrong.values() for choice in choices), wrong
