"""One choice a port: which program reads and sets its DCB, and what each of them says in the same words."""

from __future__ import annotations

from raceway.facts.dcb import App, Buffer, Dcbx, Ets, Pfc
from raceway.facts.mlnx_qos import parse
from raceway.facts.roce_backend import Half, Readings, by_dcb, by_mlnx_qos, choose

from ..builders import CASES
from ..fake_mlnx_qos import FakeMlnxQos

DCB, MLNX = Half(backend="dcb", chosen="kernel netlink answers"), Half(backend="mlnx_qos")
UNSUPPORTED = Half(backend="dcb", problem="PFC: Operation not supported")


def test_a_port_that_answers_over_netlink_is_set_over_netlink_even_where_the_vendor_s_tool_is_there() -> None:
    assert choose(DCB, MLNX) == choose(DCB, None) == DCB


def test_the_vendor_s_tool_takes_over_where_netlink_refuses_and_the_reason_is_kept() -> None:
    made = choose(UNSUPPORTED, MLNX)
    assert made.backend == "mlnx_qos" and made.chosen == "dcb cannot here: PFC: Operation not supported"


def test_where_neither_can_both_reasons_are_told() -> None:
    assert choose(UNSUPPORTED, None).problem == "PFC: Operation not supported; there is no mlnx_qos either"
    both = choose(UNSUPPORTED, Half(backend="mlnx_qos", problem="cut off: traffic classes"))
    assert both.backend == "" and both.problem.endswith("; mlnx_qos: cut off: traffic classes")


def test_an_iproute2_that_knows_no_dscp_map_cannot_set_a_port() -> None:
    old = App(problem='Object "app" is unknown, try "dcb help".')
    found = by_dcb(Readings(Pfc(), Ets(), old, Dcbx(), Buffer()))
    assert found.problem.startswith('DSCP map: Object "app" is unknown') and found.dscp is None


def test_recorded_output_of_the_vendor_s_tool_fills_the_same_fields() -> None:
    found = by_mlnx_qos(parse((CASES / "mlnx_qos/normal.txt").read_text(encoding="utf-8")))
    assert (found.backend, found.cable_m, found.buffer, found.firmware_dcbx) == ("mlnx_qos", 7, 262016, False)
    assert found.pfc == tuple(number == 3 for number in range(8)) and (26, 3) in (found.dscp or ())
    # Classes nobody uses are printed with -a alone; without them how the port schedules is unknown.
    assert found.priority_class == (0, 0, 0, 3, 0, 0, 6, 0) and found.scheduling is None


def test_with_all_classes_scheduling_and_shares_are_known() -> None:
    found = by_mlnx_qos(parse(FakeMlnxQos().shown()))
    assert found.scheduling == ("vendor",) * 8 and found.bandwidth == (0,) * 8
    assert found.priority_class == (1, 0, 2, 3, 4, 5, 6, 7) and found.classes == 8


def test_a_port_that_trusts_pcp_has_no_dscp_map_and_one_that_does_not_say_an_unknown_one() -> None:
    older = parse((CASES / "mlnx_qos/older_pcp_without_buffers.txt").read_text(encoding="utf-8"))
    assert by_mlnx_qos(older).dscp == ()
    assert by_mlnx_qos(parse("tc: 0 ratelimit: unlimited, tsa: vendor\n")).dscp is None


def test_firmware_that_controls_dcbx_is_noticed() -> None:
    seen = parse((CASES / "mlnx_qos/lldpad_runs.txt").read_text(encoding="utf-8"))
    assert by_mlnx_qos(seen).firmware_dcbx
