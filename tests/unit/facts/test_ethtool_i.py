"""Output of ``ethtool -i``."""

from __future__ import annotations

from raceway.facts.ethtool_i import Driver, parse

from ..builders import CASES


def _read(name: str) -> Driver:
    return parse((CASES / "ethtool_i" / f"{name}.txt").read_text(encoding="utf-8"))


def test_the_firmware_and_the_board_behind_it_are_told_apart() -> None:
    found = _read("normal")
    assert (found.driver, found.firmware, found.psid) == ("mlx5_core", "28.39.1002", "MT_0000000838")
    assert (found.bus, found.rom, found.problem) == ("0000:5e:00.0", None, "")
    assert found.supports["statistics"] is True and found.supports["eeprom-access"] is False


def test_a_virtual_interface_has_no_bus_and_that_is_whole() -> None:
    found = _read("virtual")
    assert (found.driver, found.bus, found.firmware, found.problem) == ("veth", None, None, "")


def test_an_older_tool_says_less() -> None:
    found = _read("older")
    assert (found.driver, found.firmware, found.bus, found.supports, found.problem) == (
        "bnx2x",
        None,
        "0000:02:00.1",
        {},
        "",
    )


def test_an_early_end_an_error_and_silence_are_told() -> None:
    assert _read("truncated").driver == "mlx5_core" and _read("truncated").problem.endswith("cut off: bus-info")
    assert _read("error").problem == "Cannot get driver information: No such device"
    assert _read("empty").problem == "printed nothing"
    assert parse("a: b").problem == "this is no output of ethtool -i: a: b"
