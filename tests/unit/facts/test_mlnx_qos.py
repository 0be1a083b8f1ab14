"""Output of mlnx_qos: of today's tool, of older ones, with warnings, and in pieces."""

from __future__ import annotations

from raceway.facts.mlnx_qos import MlnxQos, parse

from ..builders import CASES


def _read(name: str) -> MlnxQos:
    return parse((CASES / "mlnx_qos" / f"{name}.txt").read_text(encoding="utf-8"))


def test_a_whole_output_is_read() -> None:
    found = _read("normal")
    assert (found.dcbx, found.trust, found.cable_m, found.problem) == ("os", "dscp", 7, "")
    assert found.dscp == tuple((dscp, dscp >> 3) for dscp in range(64))
    assert found.buffers == (130944, 130944, 0, 0, 0, 0, 0, 0) and found.buffer_total == 262016
    assert found.enabled == tuple(n == 3 for n in range(8)) and found.priority_buffer == (0, 0, 0, 1, 0, 0, 0, 0)


def test_traffic_classes_have_their_share_limit_and_priorities() -> None:
    other, data, cnp = _read("normal").classes
    assert (other.number, other.scheduling, other.share, other.unlimited) == (0, "ets", 50, True)
    assert (data.limit_gbps, data.unlimited, data.priorities) == (10.0, False, (3,))
    assert (cnp.scheduling, cnp.share, cnp.priorities) == ("strict", None, (6,))
    assert other.priorities == (0, 1, 2, 4, 5, 7)


def test_rows_of_one_priority_are_one_set_whatever_their_order() -> None:
    found = _read("two_rows_of_one_priority")
    first = {dscp for dscp, priority in found.dscp or () if priority == 0}
    assert first == {*range(8), *range(20, 24)}
    assert (26, 3) in (found.dscp or ()) and found.default_priority == 0 and found.buffer_total == 262016
    again = parse("\tprio:6 dscp:48,\n\tprio:3 dscp:26,\n")
    assert again.dscp == ((26, 3), (48, 6))


def test_what_an_older_tool_does_not_print_is_unknown() -> None:
    found = _read("older_pcp_without_buffers")
    assert (found.trust, found.dscp, found.dcbx, found.buffers, found.priority_buffer) == (
        "pcp",
        None,
        None,
        None,
        None,
    )
    assert found.enabled == (False,) * 8 and found.classes[0].priorities == (1,) and found.problem == ""


def test_a_running_lldpad_and_missing_buffers_are_warnings() -> None:
    found = _read("lldpad_runs")
    assert found.lldpad and found.dcbx == "firmware" and found.problem == ""
    assert any("Buffers commands are not supported" in warning for warning in found.warnings)


def test_half_a_row_of_pfc_bits_is_unknown_and_not_off() -> None:
    found = _read("truncated")
    assert found.trust == "dscp" and found.enabled is None
    assert found.problem.endswith("cut off: PFC row enabled; cut off: traffic classes")


def test_errors_and_silence_give_no_value() -> None:
    assert "Operation not supported" in _read("error").problem
    assert _read("empty").problem == "printed nothing" and _read("empty").enabled is None
    assert parse("hello").problem == "this is no output of mlnx_qos: hello"
