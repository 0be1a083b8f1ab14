"""Output of rdma dev show, as JSON and as text: the forms are those of iproute2, the values are made up."""

from __future__ import annotations

import pytest

from raceway.facts.rdma_dev import RdmaDevFacts, parse
from raceway.facts.reading import SILENT

from ..builders import CASES


def read(name: str) -> RdmaDevFacts:
    return parse((CASES / "rdma_dev" / name).read_text(encoding="utf-8"))


def test_devices_come_in_natural_order_and_keys_that_one_version_lacks_are_empty() -> None:
    facts = read("mixed.json")
    assert [device.name for device in facts.devices] == ["irdma0", "mlx5_2", "mlx5_10"]
    iwarp, with_protocol, with_details = facts.devices
    assert (iwarp.node_type, iwarp.protocol, iwarp.firmware) == ("rnic", "iw", "1.60")
    assert (with_protocol.protocol, with_protocol.adaptive_moderation) == ("ib", None)
    assert (with_details.protocol, with_details.adaptive_moderation) == ("", True)
    assert with_details.node_guid == "946dae030073180a" and not facts.problem


def test_a_device_without_firmware_does_not_take_the_next_key_for_it() -> None:
    facts = read("details.txt")
    hardware, software = facts.devices
    assert (hardware.firmware, hardware.adaptive_moderation, hardware.index) == ("28.39.1002", False, 0)
    assert (software.name, software.firmware, software.node_guid) == ("rxe0", "", "505400fffe123456")
    assert not facts.problem


@pytest.mark.parametrize("name", ["truncated.json", "truncated.txt"])
def test_what_stands_before_a_cut_is_kept_and_the_cut_is_told(name: str) -> None:
    facts = read(name)
    assert facts.devices[0].node_guid == "946dae0300731800" and "cut off" in facts.problem


def test_an_empty_list_is_no_device_and_an_empty_output_is_no_answer() -> None:
    assert parse("[ ]") == RdmaDevFacts()
    assert parse("\n") == RdmaDevFacts((), SILENT)


def test_an_error_with_exit_status_0_is_a_problem_and_not_an_absence_of_devices() -> None:
    facts = parse("Failed to open NETLINK_RDMA socket\n")
    assert facts.devices == () and "NETLINK_RDMA" in facts.problem


def test_a_zero_guid_is_none_and_an_entry_without_a_name_is_told() -> None:
    facts = parse('[{"ifname":"x0","node_guid":"0000:0000:0000:0000"},{"node_type":"ca"}]')
    assert facts.devices[0].node_guid == "" and "x0: the node GUID" in facts.problem
    assert "without a name" in facts.problem


def test_a_line_between_the_rows_is_told() -> None:
    facts = parse("0: a0: node_type ca fw 1 node_guid 946d:ae03:0073:1800\nsegmentation fault\n")
    assert facts.devices[0].name == "a0" and "segmentation fault" in facts.problem
