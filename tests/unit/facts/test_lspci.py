"""Output of ``lspci -vvv`` with and without root, of today and of years ago (case X03)."""

from __future__ import annotations

import pytest

from raceway.facts.lspci import Bus, Device, Link, address, parse

from ..builders import CASES


def _read(name: str) -> Bus:
    return parse((CASES / "lspci" / f"{name}.txt").read_text(encoding="utf-8"))


def _by_address(bus: Bus) -> dict[str, Device]:
    return {one.address: one for one in bus.devices}


def test_x03_redirecting_bridges_are_listed_whoever_made_them() -> None:
    found = _read("normal")
    assert found.bridges("redirect") == ("0000:40:01.1",)  # AMD, no PLX
    assert found.bridges("source") == ("0000:41:00.0",)  # SrcValid alone
    assert found.bridges("off") == ("0000:42:00.0",) and found.bridges("unknown") == ()
    assert _by_address(found)["0000:40:01.1"].acs_bits == ("SrcValid", "ReqRedir", "CmpltRedir", "UpstreamFwd")


def test_x03_access_denied_is_unknown_and_not_absent() -> None:
    found = _read("without_root")
    assert {one.acs for one in found.devices} == {"unknown"}
    assert found.bridges("unknown") == ("0000:40:01.1",) and found.denied == ("0000:40:01.1", "0000:45:00.0")
    assert "as root" in found.problem


def test_a_capability_that_is_named_without_its_bits_is_unknown() -> None:
    assert {one.acs for one in _read("names_only").devices} == {"unknown"}


def test_a_device_without_the_capability_has_none() -> None:
    found = _by_address(_read("normal"))
    assert found["0000:45:00.0"].acs == "absent" and found["0000:00:00.0"].acs == "absent"


def test_a_link_below_its_ability_is_seen() -> None:
    nic = _by_address(_read("normal"))["0000:45:00.0"]
    assert (nic.capable, nic.link, nic.slower) == (Link(16.0, 16), Link(8.0, 16), True)
    assert (nic.payload, nic.read_request, nic.numa, nic.driver) == (512, 4096, 1, "mlx5_core")
    assert _by_address(_read("normal"))["0000:40:01.1"].slower is False


def test_an_older_lspci_with_other_marks_is_read() -> None:
    bridge, nic = _read("older").devices
    assert (bridge.address, bridge.acs, bridge.read_request) == ("0000:00:04.0", "redirect", 512)
    assert (nic.link, nic.slower) == (Link(8.0, 4), True)


def test_a_device_of_which_the_extended_space_cannot_be_read_is_unknown() -> None:
    assert _read("older").devices[1].acs == "unknown"  # its list ends below 100


def test_an_empty_slot_is_not_slow() -> None:
    assert _read("older").devices[0].link.width == 0 and _read("older").devices[0].slower is None


def test_the_last_device_of_a_text_that_ends_early_is_unknown() -> None:
    found = _read("truncated")
    assert found.devices[-1].acs == "unknown"  # and not "source", though "SrcValid+" was there
    assert found.problem == "cut off: in 'ACSCtl: SrcValid+ TransBlk-'; cut off: device 0000:40:01.1"


@pytest.mark.parametrize("slot", ["5e:00.0", "0000:5E:00.0", "00000000:5e:00.0"])
def test_an_address_is_the_same_however_it_is_written(slot: str) -> None:
    assert address(slot) == "0000:5e:00.0"


def test_numbers_of_classes_and_complaints_about_labels_do_no_harm() -> None:
    found = parse(
        "pcilib: sysfs_read_vpd: read failed: No such device\n41:00.0 PCI bridge [0604]: A [1000:c010] (rev b0)\n"
    )
    assert (found.devices[0].kind, found.devices[0].bridge, found.problem) == ("PCI bridge", True, "")


def test_an_error_and_silence_are_told() -> None:
    assert _read("error").problem == "lspci: Cannot open /sys/bus/pci/devices"
    assert _read("empty").problem == "printed nothing"
    assert parse("hello").problem == "this is no output of lspci: hello"
