"""Output of ``ethtool -m`` of optics and of copper."""

from __future__ import annotations

from raceway.facts.ethtool_module import Lane, Module, parse

from ..builders import CASES


def _read(name: str) -> Module:
    return parse((CASES / "ethtool_module" / f"{name}.txt").read_text(encoding="utf-8"))


def test_maker_and_monitors_of_an_optical_module_are_read() -> None:
    found = _read("normal")
    assert (found.identifier, found.vendor, found.part, found.serial) == (
        "QSFP28",
        "Mellanox",
        "MMA1B00-C100D",
        "MT0000FT00001",
    )
    assert (found.temperature_c, found.voltage_v, found.length_m, found.problem) == (42.17, 3.2917, None, "")
    assert found.lanes[0] == Lane(1, 6.662, 0.7119, -1.48, 0.7682, -1.15)


def test_a_dark_lane_has_no_decibels_and_raises_its_alarm() -> None:
    found = _read("normal")
    assert (found.lanes[3].rx_mw, found.lanes[3].rx_dbm) == (0.0, None)
    assert found.raised == ("Laser rx power low alarm (Chan 4)",)


def test_passive_copper_has_no_temperature_rather_than_zero_degrees() -> None:
    found = _read("passive_copper")
    assert (found.temperature_c, found.voltage_v, found.lanes, found.raised) == (None, None, (), ())
    assert (found.length_m, found.part, found.problem) == (3.0, "MCP1600-C003E30L", "")


def test_an_older_module_with_one_lane_has_names_of_its_own() -> None:
    assert _read("older_sfp").lanes == (Lane(1, 7.42, 0.5918, -2.28, 0.519, -2.85),)


def test_lanes_numbered_from_zero_keep_their_numbers() -> None:
    lines = "\tIdentifier : 0x11 (QSFP28)\n\tVendor SN : X\n\tModule voltage : 3.2 V\n"
    found = parse(lines + "\tRcvr signal avg optical power(Channel 0)  : 0.9522 mW / -0.21 dBm\n")
    assert [(lane.number, lane.rx_dbm) for lane in found.lanes] == [(0, -0.21)]


def test_an_early_end_an_error_and_silence_are_told() -> None:
    found = _read("truncated")
    assert found.vendor == "Mellanox" and found.serial is None and found.problem.endswith("cut off: Vendor SN")
    assert _read("error").problem == "Cannot get module EEPROM information: Input/output error"
    assert _read("empty").problem == "printed nothing"
    assert parse("\ta : b\n").problem.startswith("this is no output of ethtool -m")
