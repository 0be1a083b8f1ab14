"""What a declared port is on its node: found by its address alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from raceway.probe.pairwise import look

from ..builders import FakeHost, make_tree

GID = "0000:0000:0000:0000:0000:ffff:0a00:0001"
PORT = "/sys/class/infiniband/mlx5_3/ports/1"
ROCE = {
    f"{PORT}/link_layer": "Ethernet\n",
    f"{PORT}/state": "4: ACTIVE\n",
    f"{PORT}/phys_state": "5: LinkUp\n",
    f"{PORT}/rate": "400 Gb/sec (4X NDR)\n",
    f"{PORT}/gids/2": f"{GID}\n",
    f"{PORT}/gid_attrs/types/2": "IB/RoCE v1\n",
    f"{PORT}/gid_attrs/ndevs/2": "ens1\n",
    f"{PORT}/gids/3": f"{GID}\n",
    f"{PORT}/gid_attrs/types/3": "RoCE v2\n",
    f"{PORT}/gid_attrs/ndevs/3": "ens1\n",
}
IB = "/sys/class/infiniband/mlx5_0/ports/1"
INFINIBAND = {
    f"{IB}/link_layer": "InfiniBand\n",
    f"{IB}/state": "4: ACTIVE\n",
    f"{IB}/phys_state": "5: LinkUp\n",
    f"{IB}/rate": "400 Gb/sec (4X NDR)\n",
    "/sys/class/net/ib0/device/infiniband/mlx5_0/node_guid": "x\n",
    "/sys/class/net/ib0/dev_port": "0\n",
}
ADDRESSES = [
    {"ifname": "lo", "addr_info": [{"local": "127.0.0.1"}]},
    {"ifname": "ens1", "addr_info": [{"local": "10.0.0.1", "prefixlen": 24}, {"local": "fd00::1"}]},
    {"ifname": "ib0", "addr_info": [{"local": "10.9.0.1"}]},
]


def seen(folder: Path, files: dict[str, str], address: str = "10.0.0.1", transport: str = "rdma") -> dict[str, Any]:
    programs = {"ip -j addr show": json.dumps(ADDRESSES), "ib_write_bw": "", "rping": ""}
    host = FakeHost(make_tree(folder, {"/sys/class/net/ens1/speed": "400000\n", **files}), programs)
    (row,) = look(host, [{"rail": 4, "address": address, "transport": transport}])
    return row


def test_a_roce_port_has_the_gid_of_version_2_of_its_address(tmp_path: Path) -> None:
    row = seen(tmp_path, ROCE)
    assert (row["rail"], row["interface"], row["device"], row["ib_port"], row["gid_index"]) == (
        4,
        "ens1",
        "mlx5_3",
        1,
        3,
    )
    assert (row["rate_gbps"], row["problem"], row["tools"]) == (400.0, "", ["ib_write_bw", "rping"])


def test_a_port_of_infiniband_is_found_by_its_interface_and_has_no_gid(tmp_path: Path) -> None:
    row = seen(tmp_path, INFINIBAND, "10.9.0.1")
    assert (row["device"], row["gid_index"], row["link_layer"], row["problem"]) == ("mlx5_0", -1, "InfiniBand", "")


def test_a_tcp_port_needs_no_rdma_device(tmp_path: Path) -> None:
    row = seen(tmp_path, {}, "fd00:0::1", "tcp")
    assert (row["interface"], row["rate_gbps"], row["problem"]) == ("ens1", 400.0, "")


@pytest.mark.parametrize(
    ("files", "address", "transport", "said"),
    [
        (ROCE, "10.0.0.9", "rdma", "10.0.0.9 is on no interface of this node"),
        ({}, "10.0.0.1", "rdma", "no RDMA device has a RoCE v2 GID for 10.0.0.1"),
        ({**ROCE, f"{PORT}/gid_attrs/types/3": "IB/RoCE v1\n"}, "10.0.0.1", "rdma", "no RDMA device has a RoCE v2 GID"),
        ({**ROCE, f"{PORT}/state": "1: DOWN\n"}, "10.0.0.1", "rdma", "mlx5_3/1 is DOWN, LinkUp"),
        ({"/sys/class/net/ens1/operstate": "down\n"}, "10.0.0.1", "tcp", "ens1 is down"),
    ],
)
def test_a_port_that_cannot_take_part_says_why(
    tmp_path: Path, files: dict[str, str], address: str, transport: str, said: str
) -> None:
    assert said in seen(tmp_path, files, address, transport)["problem"]


def test_a_node_without_ip_says_so_of_its_ports(tmp_path: Path) -> None:
    (row,) = look(FakeHost(make_tree(tmp_path, ROCE)), [{"rail": 0, "address": "10.0.0.1", "transport": "rdma"}])
    assert row["problem"] == "10.0.0.1 is on no interface of this node" and row["tools"] == []
