"""The system role's variables: a site's own packages, files, mounts and units."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.roles import system

NAMES = ("packages", "files", "units", "mounts")


def make_values(state: str = "present", **given: list[Any]) -> dict[str, Any]:
    return {"system_state": state, **{f"system_{name}": given.get(name, []) for name in NAMES}}


def make_mount(path: str = "/scratch", fstype: str = "tmpfs") -> dict[str, str]:
    return {"path": path, "source": "tmpfs", "fstype": fstype, "options": "nofail"}


def test_a_mount_of_a_file_system_that_is_a_module_asks_the_kernel_for_it() -> None:
    values = make_values(mounts=[make_mount(fstype="nfs4"), make_mount("/x", "xfs"), make_mount("/y")])
    assert {(need.kind, need.key) for need in system.needs(values)} == {("module", "nfsv4"), ("module", "xfs")}


def test_an_absent_role_declares_nothing() -> None:
    values = make_values("absent", packages=["jq"], files=[{"path": "/a", "content": ""}], mounts=[make_mount()])
    state = system.desired(values, (), "vm")
    assert (state["package"]["packages"], state["file"]["files"], state["mount"]["mounts"]) == ([], [], [])


def test_units_know_the_packages_of_the_same_run() -> None:
    state = system.desired(make_values(packages=["chrony"], units=[{"name": "chrony.service"}]), (), "vm")
    assert state["unit"]["packages"] == [row["name"] for row in state["package"]["packages"]] == ["chrony"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"files": [{"path": "/a", "content": ""}, {"path": "/a", "content": "x"}]}, "/a twice"),
        ({"mounts": [make_mount(), make_mount()]}, "/scratch twice"),
        ({"units": [{"name": "a.service"}, {"name": "a.service"}]}, "a.service twice"),
        ({"files": [{"path": "etc/a", "content": ""}]}, "etc/a"),
    ],
    ids=["file", "mount", "unit", "relative"],
)
def test_a_thing_declared_twice_or_nowhere_is_a_problem(given: dict[str, list[Any]], told: str) -> None:
    (problem,) = system.rules(make_values(**given))
    assert problem.found == told


def test_things_declared_once_are_no_problem() -> None:
    assert system.rules(make_values(mounts=[make_mount(), make_mount("/b")])) == []
