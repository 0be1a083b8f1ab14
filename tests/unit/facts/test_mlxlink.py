"""Output of mlxlink, as text and as JSON."""

from __future__ import annotations

from raceway.facts.mlxlink import PortLink, parse

from ..builders import CASES


def _read(name: str) -> PortLink:
    return parse((CASES / "mlxlink" / name).read_text(encoding="utf-8"))


def test_a_port_that_is_up_is_the_same_in_both_forms() -> None:
    for found in (_read("normal.txt"), _read("normal.json")):
        assert (found.state, found.speed, found.speed_gbps, found.width) == ("Active", "200G", 200.0, 4)
        assert (found.raw_ber, found.effective_errors, found.link_downs, found.problem) == (1e-12, 0, 3, "")
        assert found.sections["Physical Counters and BER Info"]["Raw Physical Errors Per Lane"] == "1204,33,7,0"


def test_module_and_advice_are_read() -> None:
    found = _read("normal.txt")
    assert (found.temperature_c, found.opcode, found.recommendation) == (51.0, 0, "No issue was observed")
    assert (found.firmware, found.auto_negotiation) == ("28.40.1000", True)


def test_colours_are_no_part_of_a_value_and_a_dead_link_has_no_speed() -> None:
    found = _read("polling_in_colours.txt")
    assert (found.state, found.speed, found.width, found.fec) == ("Polling", None, None, None)
    assert (found.opcode, found.recommendation, found.problem) == (1024, "Cable is unplugged", "")


def test_an_older_tool_shows_an_active_port_in_autonegotiation() -> None:
    found = _read("older_active_in_autonegotiation.txt")
    assert (found.state, found.physical_state, found.speed_gbps) == ("Active", "ETH_AN_FSM_ENABLE", 100.0)


def test_the_name_of_an_infiniband_speed_is_no_number() -> None:
    assert (_read("infiniband.txt").speed, _read("infiniband.txt").speed_gbps) == ("IB-NDR", None)


def test_counters_that_were_not_asked_for_are_unknown_and_not_zero() -> None:
    found = _read("infiniband.txt")
    assert (found.effective_errors, found.raw_ber, found.link_downs) == (None, None, None)


def test_an_early_end_errors_and_silence_are_told() -> None:
    assert _read("truncated.txt").state == "Active" and _read("truncated.txt").problem == "cut off: Operational Info"
    assert _read("error.txt").problem.startswith("-E- Failed to open device")
    assert _read("error.json").problem == "error: Unable to get local port"
    assert _read("empty.txt").problem == "printed nothing"
    for text in ("hello", '{"a": 1}', '{"result": {"outp'):
        assert parse(text).problem and parse(text).state is None
