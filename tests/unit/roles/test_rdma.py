"""The rdma role's variables: what cannot be right is named, what the kernel is asked for, what the node is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from raceway.model.needs import CMDLINE, LIMIT, MODULE
from raceway.model.rdma import parse
from raceway.roles import rdma

DEFAULTS = yaml.safe_load((Path(__file__).parents[3] / "roles/rdma/defaults/main.yml").read_text())
DEVICE = {"rail": 0, "pci": "0000:3B:00.0"}
KEY = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n"
DOCA = {"rdma_stack": "doca", "rdma_doca_repository": "https://m.example/d/", "rdma_doca_key": KEY}


def make_values(**given: Any) -> dict[str, Any]:
    return {**DEFAULTS, "rdma_devices": [DEVICE], **given}


def test_the_defaults_are_without_a_problem() -> None:
    assert rdma.rules(DEFAULTS) == [] and rdma.rules(make_values()) == []


@pytest.mark.parametrize(
    ("given", "variable", "found"),
    [
        ({"rdma_devices": [{"rail": 0}]}, "rdma_devices", "rail 0: none of them"),
        ({"rdma_devices": [{**DEVICE, "guid": "b83f:d203:0000:0001"}]}, "rdma_devices", "rail 0: pci and guid"),
        ({"rdma_devices": [{"rail": 0, "pci": "mlx5_0"}]}, "rdma_devices", "rail 0: pci mlx5_0"),
        ({"rdma_devices": [DEVICE, {"rail": 1, "pci": "0000:3b:00.0"}]}, "rdma_devices", "selector 0000:3b:00.0 twice"),
        ({"rdma_devices": [DEVICE, {"rail": 0, "pci": "0000:5e:00.0"}]}, "rdma_devices", "rail 0 twice"),
        ({"rdma_devices": [{**DEVICE, "name": "rail 0"}]}, "rdma_devices", "rail 0: name rail 0"),
        ({"rdma_devices": [{**DEVICE, "firmware": {"LINK_TYPE_P1": 2}}]}, "rdma_devices", "rail 0: LINK_TYPE_P1"),
        ({"rdma_firmware": {"ATS_ENABLED": "False"}}, "rdma_firmware", "ATS_ENABLED: 'False'"),
        ({"rdma_firmware": {"ats": 0}}, "rdma_firmware", "ats"),
        ({"rdma_firmware": {"ATS_ENABLED": 0}, "rdma_devices": []}, "rdma_firmware", "without a device"),
        ({"rdma_max_read_request": 4000}, "rdma_max_read_request", "4000"),
        ({"rdma_memlock_units": ["containerd"]}, "rdma_memlock_units", "containerd"),
        ({"rdma_ipoib": [{"rail": 7}]}, "rdma_ipoib", "rail 7"),
        ({"rdma_ipoib": [{"rail": 0, "mtu": 65520}]}, "rdma_ipoib", "rail 0: mtu 65520"),
        ({"rdma_ipoib": [{"rail": 0, "pkey": "0x0001"}]}, "rdma_ipoib", "rail 0: pkey 0x0001"),
        ({"rdma_ipoib": [{"rail": 0}, {"rail": 0}]}, "rdma_ipoib", "rail 0 twice"),
        ({"rdma_partitions": ["Default=0x7fff:ALL=full;"]}, "rdma_partitions", "without an opensm here"),
        ({**DOCA, "rdma_doca_version": ""}, "rdma_doca_version", "empty"),
        ({**DOCA, "rdma_doca_version": "3.2.1", "rdma_doca_key": "mQENBF"}, "rdma_doca_key", "no armoured key"),
        ({**DOCA, "rdma_doca_version": "3.2.1", "rdma_doca_repository": "doca"}, "rdma_doca_repository", "doca"),
        ({**DOCA, "rdma_doca_version": "3.2.1", "rdma_doca_packages": []}, "rdma_doca_packages", "empty"),
    ],
)
def test_what_cannot_be_right_is_named(given: dict[str, Any], variable: str, found: str) -> None:
    (problem,) = rdma.rules(make_values(**given))
    assert (problem.variable, problem.found) == (variable, found) and problem.allowed and problem.act


def test_the_kernel_role_is_asked_for_modules_limits_and_boot_arguments() -> None:
    values = make_values(rdma_acs="boot", rdma_iommu="iommu=pt", rdma_ipoib=[{"rail": 0}])
    keys = {(need.kind, need.key) for need in rdma.needs(values)}
    assert {(MODULE, "ib_uverbs"), (MODULE, "ib_ipoib"), (LIMIT, "memlock"), (CMDLINE, "iommu=pt")} < keys
    assert (CMDLINE, "pci=disable_acs_redir=pci:0:0") in keys
    assert not [need for need in rdma.needs(make_values()) if need.kind == CMDLINE]


def test_a_device_has_everybodys_settings_and_its_own_last() -> None:
    device = {**DEVICE, "link_type": "ethernet", "firmware": {"NUM_OF_VFS": 16}}
    values = make_values(
        rdma_devices=[device], rdma_firmware={"ATS_ENABLED": False, "NUM_OF_VFS": 8}, rdma_relaxed_ordering="enabled"
    )
    state = rdma.desired(values, (), "bare_metal")
    made = parse(state["rdma"]).devices[0]
    assert (made.by, made.value, made.link_type) == ("pci", "0000:3b:00.0", "ethernet")
    assert dict(made.firmware) == {"ATS_ENABLED": 0, "NUM_OF_VFS": 16, "PCI_WR_ORDERING": 1}
    assert "mstflint" in [row["name"] for row in state["package"]["packages"]]


def test_each_stack_brings_its_own_packages() -> None:
    inbox = rdma.desired(make_values(rdma_subnet_manager="opensm"), (), "vm")
    assert [row["name"] for row in inbox["package"]["packages"]] == [*DEFAULTS["rdma_packages"], "opensm"]
    doca = rdma.desired(make_values(**DOCA, rdma_doca_version="3.2.1"), (), "vm")
    assert [row["name"] for row in doca["package"]["packages"]] == ["doca-ofed", "pciutils"]
    assert doca["rdma_stack"]["version"] == "3.2.1" and inbox["rdma_stack"]["repository"] == ""


def test_an_absent_role_declares_nothing() -> None:
    state = rdma.desired(make_values(rdma_state="absent"), (), "vm")
    assert parse(state["rdma"]) == parse({"platform": "vm"})
    assert state["package"]["packages"] == [] and "stack" not in state["rdma_stack"]
