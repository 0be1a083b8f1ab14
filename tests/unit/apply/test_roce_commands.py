"""The calls that set one part of a port, by either program."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.apply.roce_commands import calls, unmap
from raceway.model.qos import Qos
from raceway.model.roce import part, wanted

ETS = part(wanted(Qos()), "ets")


@pytest.mark.parametrize(
    ("name", "values", "dcb", "mlnx"),
    [
        ("pfc", {"pfc": Qos().pfc}, "pfc set dev e prio-pfc all:off 3:on", "--pfc 0,0,0,1,0,0,0,0"),
        (
            "ets",
            ETS,
            "ets set dev e tc-tsa 0:ets 1:ets 2:strict 3:strict 4:strict 5:strict 6:strict 7:strict"
            " tc-bw 0:50 1:50 2:0 3:0 4:0 5:0 6:0 7:0 prio-tc 0:0 1:0 2:0 3:1 4:0 5:0 6:2 7:0",
            "--prio_tc 0,0,0,1,0,0,2,0 --tsa ets,ets,strict,strict,strict,strict,strict,strict"
            " --tcbw 50,50,0,0,0,0,0,0",
        ),
        (
            "buffer",
            {"priority_buffer": (0, 1), "buffer_sizes": (9, 8)},
            "buffer set dev e prio-buffer 0:0 1:1 buffer-size 0:9 1:8",
            "--prio2buffer 0,1 --buffer_size 9,8",
        ),
    ],
    ids=["pfc", "ets", "buffer"],
)
def test_each_part_of_dcb_is_one_call_of_the_port_s_program(
    name: str, values: dict[str, Any], dcb: str, mlnx: str
) -> None:
    assert calls("dcb", "e", name, values) == [["dcb", *dcb.split()]]
    assert calls("mlnx_qos", "e", name, values) == [["mlnx_qos", "-i", "e", *mlnx.split()]]


def test_a_dscp_map_is_one_call_of_dcb_and_trust_with_a_call_a_code_point_of_mlnx_qos() -> None:
    values = {"dscp": ((26, 3), (48, 6))}
    assert calls("dcb", "e", "dscp", values) == [["dcb", "app", "replace", "dev", "e", "dscp-prio", "26:3", "48:6"]]
    assert [" ".join(call[3:]) for call in calls("mlnx_qos", "e", "dscp", values)] == [
        *("--trust dscp", "--dscp2prio set,26,3", "--dscp2prio set,48,6")
    ]


def test_pause_and_mtu_are_the_same_for_both() -> None:
    for backend in ("dcb", "mlnx_qos"):
        assert calls(backend, "e", "pause", {"pause": (False, True)}) == [
            ["ethtool", "-A", "e", "rx", "off", "tx", "on"]
        ]
        assert calls(backend, "e", "mtu", {"mtu": 9000}) == [["ip", "link", "set", "dev", "e", "mtu", "9000"]]


def test_a_cable_is_told_in_metres() -> None:
    assert calls("mlnx_qos", "e", "cable", {"cable_m": 30}) == [["mlnx_qos", "-i", "e", "--cable_len", "30"]]


def test_entries_are_taken_out_of_dcb_and_a_map_that_nobody_trusted_is_not_trusted_again() -> None:
    assert unmap("dcb", "e", [(26, 3)], True) == [["dcb", "app", "del", "dev", "e", "dscp-prio", "26:3"]]
    assert unmap("dcb", "e", [], True) == [] and unmap("mlnx_qos", "e", [(26, 3)], True) == []
    assert unmap("mlnx_qos", "e", [(26, 3)], False) == [["mlnx_qos", "-i", "e", "--trust", "pcp"]]
