"""The declaration of a collective library: its JSON form, versions, and which override counts."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.model.nccl import NOT_GIVEN, Declaration, Pin, Rail, parse, parse_declaration, version_of
from raceway.model.qos import Qos


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("2.27.5", (2, 27, 5)),
        ("2.27.5-1+cuda12.9", (2, 27, 5)),
        ("2.30", (2, 30, 0)),
        ("2", None),
        ("v2.27.5", None),
        ("2.27.x", None),
        ("", None),
    ],
)
def test_a_version_is_read_with_or_without_the_revision_of_its_package(text: str, numbers: Any) -> None:
    assert version_of(text) == numbers


@pytest.mark.parametrize(("version", "newer"), [("2.22.2", False), ("2.22.3", True), ("2.100.0", True), ("", False)])
def test_versions_are_compared_as_numbers_and_no_version_is_the_oldest(version: str, newer: bool) -> None:
    assert Declaration("nvidia", version).since((2, 22, 3)) is newer


def test_nothing_declared_is_no_declaration_and_not_an_empty_one() -> None:
    assert parse({}).declaration is None
    assert parse({"declaration": {"kind": "nvidia"}, "platform": "vm"}).declaration == Declaration(
        "nvidia", platform="vm"
    )


def test_a_rail_keeps_its_one_selector_in_the_form_of_sysfs() -> None:
    rows = [{"rail": 0, "pci": "0000:1A:00.0"}, {"rail": 1, "device": "mlx5_Bond", "plane": 1, "pci": ""}, {"rail": 2}]
    found = parse_declaration({"kind": "nvidia", "rails": rows}).rails
    assert found == (Rail(0, "pci", "0000:1a:00.0"), Rail(1, "device", "mlx5_Bond", plane=1), Rail(2, "", ""))
    assert [rail.label for rail in found] == ["rail 0", "rail 1 plane 1", "rail 2"]


def test_numbers_of_a_site_become_text_and_the_fabrics_numbers_its_quality_of_service() -> None:
    spec = {"kind": "nvidia", "extra": {"NCCL_IB_TIMEOUT": 22}, "qos": {"dscp": 24}}
    found = parse_declaration(spec)
    assert (found.extra, found.qos) == ({"NCCL_IB_TIMEOUT": "22"}, Qos(dscp=24))
    assert parse({"packages": [{"name": "rccl"}]}).pins == (Pin("rccl"),)


def test_an_override_of_a_device_outranks_the_one_of_all() -> None:
    rail = Rail(0, "device", "mlx5_0", gid_index=5)
    declaration = Declaration("nvidia", gid_index=3)
    assert (declaration.gid_of(rail), declaration.gid_of(None)) == (5, 3)
    assert Declaration("nvidia").gid_of(Rail(0, "device", "mlx5_0")) == NOT_GIVEN
