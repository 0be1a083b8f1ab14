"""Two readings side by side: every source by its name, what moved, what went back, what cannot be read."""

from __future__ import annotations

from pathlib import Path

from raceway.evidence.counters import Delta, deltas, flat

CASES = Path(__file__).parents[2] / "cases"
SYSFS = "/sys/class/infiniband/mlx5_0/ports/1"


def make_texts(**changed: str) -> dict[str, str]:
    texts = {
        "ethtool/ens1.txt": "NIC statistics:\n     rx_prio3_pause: 5\n     rx_prio3_discards: 0\n",
        "dcb-pfc/ens1.txt": '{"pfc_cap":8,"macsec_bypass":false,"delay":0,"requests":[0,0,0,7,0,0,0,0],'
        '"indications":[0,0,0,1,0,0,0,0],"prio_pfc":[false,false,false,true,false,false,false,false]}',
        "infiniband.txt": f"{SYSFS}/state:4: ACTIVE\n{SYSFS}/counters/port_xmit_data:100\n"
        f"{SYSFS}/hw_counters/np_cnp_sent:3\n{SYSFS}/hw_counters/odd:N/A (no PMA)\n",
        "rdma-statistic.json": '[{"ifname":"mlx5_0","port":1,"out_of_sequence":17}]',
        "proc/net/netstat": "TcpExt: ListenDrops\nTcpExt: 2\n",
        "proc/net/softnet_stat": "0000000a 00000001 00000000\n",
        "ss-ti.txt": (CASES / "ss_ti" / "normal.txt").read_text(encoding="utf-8"),
    }
    return {**texts, **{name: text for name, text in changed.items() if text}}


def test_every_source_has_its_counters_by_name() -> None:
    counters, problems = flat(make_texts())
    assert problems == []
    assert counters["ethtool/ens1/rx_prio3_pause"] == 5
    assert (counters["pfc/ens1/requests.3"], counters["pfc/ens1/indications.3"]) == (7, 1)
    assert counters["rdma/mlx5_0/1/port_xmit_data"] == 100
    assert counters["rdma/mlx5_0/1/np_cnp_sent"] == 3
    assert counters["rdma/mlx5_0/1/out_of_sequence"] == 17
    assert counters["node/TcpExt.ListenDrops"] == 2
    assert counters["node/softnet.dropped"] == 1
    assert [name for name in counters if name.startswith("tcp/")]


def test_a_value_that_is_no_number_is_absent_and_not_zero() -> None:
    assert "rdma/mlx5_0/1/odd" not in flat(make_texts())[0]


def test_what_cannot_be_read_is_told_with_its_file() -> None:
    counters, problems = flat({"ethtool/ens1.txt": "no stats available\n", "proc/net/netstat": ""})
    assert counters == {}
    assert [line.partition(":")[0] for line in problems] == ["ethtool/ens1.txt", "proc/net/netstat"]


def test_only_what_moved_is_a_delta_and_a_reset_is_negative() -> None:
    before = {"a": 1, "b": 5, "c": 9, "gone": 1}
    after = {"a": 1, "b": 8, "c": 0, "new": 4}
    found = deltas(before, after)
    assert found == [Delta("b", 5, 8), Delta("c", 9, 0)]
    assert [row.change for row in found] == [3, -9]


def test_counters_beyond_32_bits_are_subtracted_exactly() -> None:
    assert deltas({"x": 2**63}, {"x": 2**63 + 7})[0].change == 7
