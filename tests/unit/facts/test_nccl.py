"""Texts of sysfs, of a library's file and of package managers."""

from __future__ import annotations

import pytest

from raceway.facts.gid import Gid
from raceway.facts.nccl import (
    RdmaPort,
    parse_conf,
    parse_gid,
    parse_pci,
    parse_state,
    parse_versions_dpkg,
    parse_versions_rpm,
)

MAPPED = "0000:0000:0000:0000:0000:ffff:0a00:0001"
DPKG = """\
Package: libnccl2
Status: install ok installed
Architecture: amd64
Version: 2.27.5-1+cuda12.9
Description: library
 Version: no field but a line of the description

Package: libnccl-dev
Status: deinstall ok config-files
Version: 2.26.2-1
"""


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("../../../0000:1a:00.0", "0000:1a:00.0"),
        ("../../../10000:e1:00.1/", "10000:e1:00.1"),
        ("../../rxe0", ""),
        ("", ""),
    ],
)
def test_the_link_of_a_device_ends_in_its_pci_address(target: str, address: str) -> None:
    assert parse_pci(target) == address


@pytest.mark.parametrize(("text", "word"), [("4: ACTIVE\n", "ACTIVE"), ("1: DOWN", "DOWN"), ("", "unknown")])
def test_a_state_is_its_word_and_one_that_cannot_be_read_is_not_active(text: str, word: str) -> None:
    assert parse_state(text) == word


def test_an_entry_is_unused_when_it_is_zero_or_its_kind_cannot_be_read() -> None:
    assert parse_gid(3, f"{MAPPED}\n", "RoCE v2\n") == Gid(3, MAPPED, "v2")
    assert parse_gid(3, MAPPED, None) is None
    assert parse_gid(3, "0000:0000:0000:0000:0000:0000:0000:0000", "RoCE v2") is None


def test_a_file_is_read_as_nccl_reads_it_and_the_first_of_two_lines_counts() -> None:
    text = "#NCCL_A=1\n #NCCL_B=2\nNCCL_IB_HCA==mlx5_0:1\nNCCL_C = 3 \nno equals\nNCCL_IB_HCA=mlx5\n"
    assert parse_conf(text) == {" #NCCL_B": "2", "NCCL_IB_HCA": "=mlx5_0:1", "NCCL_C ": " 3 "}
    assert parse_conf("") == {}


def test_only_installed_packages_have_a_version() -> None:
    names = ["libnccl2", "libnccl-dev", "absent"]
    assert parse_versions_dpkg(DPKG, names) == {"libnccl2": "2.27.5-1+cuda12.9"}
    assert parse_versions_dpkg("", names) == {}
    assert parse_versions_rpm("libnccl 2.27.5-1\npackage rccl is not installed\n") == {"libnccl": "2.27.5-1"}


def test_ports_of_one_card_share_it_and_a_soft_port_has_none() -> None:
    one, other = RdmaPort("mlx5_0", "0000:1a:00.0"), RdmaPort("mlx5_1", "0000:1a:00.1", port=2)
    assert one.card == other.card == "0000:1a:00" and other.label == "mlx5_1:2"
    assert RdmaPort("rxe0").card == ""
