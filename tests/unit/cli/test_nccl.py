"""``raceway nccl env``: each variable with its reason, and what is told where something does not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import raceway.cli.nccl  # noqa: F401 - its import starts ldconfig, which no test may
from raceway.cli.main import main

from ..builders import make_tree

HOSTS = """\
nodes:
  vars:
    raceway_roles: [node, nccl]
    node_accelerator_kind: nvidia
    node_accelerator_count: 8
    nccl_version: 2.27.5
    nccl_socket_interfaces: [eth0]
  hosts:
    a: {nccl_rails: [{rail: 0, pci: "0000:3B:00.0"}, {rail: 1, pci: "0000:1a:00.0"}]}
    b:
    c: {raceway_roles: [node]}
    d: {nccl_state: absent}
"""
EXAMPLE = Path(__file__).parents[3] / "inventories" / "example-roce"
DEVICES = [{"device": "mlx5_0", "pci": "0000:1A:00.0"}, {"device": "mlx5_1", "pci": "0000:3b:00.0", "port": 1}]


@pytest.fixture
def inventory(tmp_path: Path) -> str:
    path = tmp_path / "hosts.yml"
    path.write_text(HOSTS, encoding="utf-8")
    return str(path)


def devices(folder: Path, rows: Any) -> str:
    path = folder / "devices.json"
    path.write_text(rows if isinstance(rows, str) else json.dumps(rows), encoding="utf-8")
    return str(path)


def test_each_variable_stands_above_its_reason(
    inventory: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["nccl", "env", "a", "-i", inventory, "--devices", devices(tmp_path, DEVICES)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "NCCL 2.27.5, /etc/nccl.conf",
        "NCCL_IB_HCA==mlx5_1:1,mlx5_0:1",
        "    the declared rails in their order; = because without it mlx5_1 would take mlx5_10 along (NVIDIA/nccl#236)",
    ]
    assert "NCCL_IB_TC=106" in lines and "NCCL_SOCKET_IFNAME==eth0" in lines


def test_a_copy_of_sysfs_serves_as_well(inventory: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {}
    for number, bus in enumerate(("1a", "3b")):
        device = f"/sys/class/infiniband/mlx5_{number}"
        files[f"{device}/device"] = f"-> ../../../0000:{bus}:00.0"
        files[f"{device}/ports/1/link_layer"] = "InfiniBand\n"
        files[f"{device}/ports/1/state"] = "4: ACTIVE\n"
    tree = make_tree(tmp_path / "node", files)
    assert main(["nccl", "env", "a", "-i", inventory, "--devices", str(tree), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in data["variables"]] == ["NCCL_IB_HCA", "NCCL_SOCKET_IFNAME"]
    assert data["variables"][0]["value"] == "=mlx5_1:1,mlx5_0:1" and data["refusals"] == []


def test_a_missing_rail_is_refused_with_exit_one(
    inventory: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["nccl", "env", "a", "-i", inventory, "--devices", devices(tmp_path, DEVICES[:1])]) == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("refused")]
    assert "rail 0: no RDMA device with the PCI address 0000:3b:00.0" in line
    assert "devices present: mlx5_0:1 at 0000:1a:00.0" in line


def test_a_host_without_rails_needs_no_devices(inventory: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nccl", "env", "b", "-i", inventory]) == 0
    assert "note     devices: no RDMA device is here" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("host", "told"),
    [
        ("a", "--devices: not given, and rails are declared"),
        ("c", "c: the role nccl is not enabled"),
        ("d", "d: nccl_state is absent"),
        ("z", "host z: not in the inventory"),
    ],
)
def test_a_question_that_has_no_answer_exits_two(
    host: str, told: str, inventory: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["nccl", "env", host, "-i", inventory]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("{", "no JSON"),
        ({"device": "mlx5_0"}, "a dict"),
        ([{"pci": "0000:1a:00.0"}], "entry 1: no device"),
        ([{"device": "a"}, {"device": "b", "prot": 1}], "entry 2: prot: 1"),
        ([{"device": "a", "port": "1"}], "entry 1: port: '1'"),
        ([{"device": "a", "gids": [{"index": 1}]}], "entry 1: gids"),
    ],
)
def test_a_devices_file_that_cannot_be_used_is_told_with_its_place(
    rows: Any, told: str, inventory: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["nccl", "env", "a", "-i", inventory, "--devices", devices(tmp_path, rows)]) == 2
    assert told in capsys.readouterr().err


def test_gids_of_a_devices_file_are_checked_like_those_of_a_node(
    inventory: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gid = {"index": 1, "address": "fe80::1", "kind": "RoCE v2"}
    place = devices(tmp_path, [{**row, "gids": [gid]} for row in DEVICES])
    hosts = HOSTS.replace("nccl_version: 2.27.5", "nccl_version: 2.27.5\n    nccl_gid_index: 1")
    (tmp_path / "pinned.yml").write_text(hosts, encoding="utf-8")
    assert main(["nccl", "env", "a", "-i", str(tmp_path / "pinned.yml"), "--devices", place]) == 1
    assert "GID 1 of mlx5_1:1 is fe80" in capsys.readouterr().out


def test_the_example_inventory_gives_its_eight_rails_in_the_order_of_their_slots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slots = ["18", "40", "4f", "5e", "9a", "c0", "ce", "dc"]
    rows = [{"device": f"mlx5_{11 - n}", "pci": f"0000:{slot}:00.0"} for n, slot in enumerate(slots)]
    words = ["nccl", "env", "gpu01", "-i", str(EXAMPLE), "--devices", devices(tmp_path, rows), "--json"]
    assert main(words) == 0
    values = {row["name"]: row["value"] for row in json.loads(capsys.readouterr().out)["variables"]}
    assert values["NCCL_IB_HCA"] == "=" + ",".join(f"mlx5_{11 - n}:1" for n in range(8))
    assert (values["NCCL_IB_TC"], values["NCCL_SOCKET_IFNAME"]) == ("106", "=eno1")
