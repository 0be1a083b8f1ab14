"""Setting ports for real on a machine that answers as dcb, ethtool and ip do: set, read back, given back."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from raceway.apply.outcome import Applying
from raceway.host import Ledger
from raceway.model.qos import to_spec
from raceway.model.roce import RoceDesired, parse
from raceway.node.program import run

from ..fake_dcb import FakeDcb, fresh

ONE, TWO = "0000:3b:00.0", "0000:5e:00.0"


@pytest.fixture
def host(tmp_path: Path) -> FakeDcb:
    made = FakeDcb(tmp_path)
    made.add("ens1f0np0", ONE, "b8:3f:d2:00:00:01")
    made.add("ens2f0np0", TWO, "b8:3f:d2:00:00:02")
    return made


def request(mode: str, *ports: str, allow: tuple[str, ...] = ("safe", "disruptive")) -> dict[str, object]:
    rows = [{"pci": pci, "rail": rail} for rail, pci in enumerate(ports)]
    spec = {"ports": rows, "qos": to_spec(RoceDesired().qos), "persist": False, "platform": "bare_metal"}
    assert len(parse(spec).ports) == len(ports)
    return {"mode": mode, "explain": True, "roles": {"roce": {"allow": allow, "nouns": {"roce": spec}}}}


def test_a_converge_sets_every_port_and_a_second_one_writes_nothing(host: FakeDcb) -> None:
    first = run(request("apply", ONE, TWO), host)
    host.calls.clear()
    second = run(request("apply", ONE, TWO), host)
    assert len(first["applied"]) == 10 and first["refused"] == first["remaining"] == []
    assert second["applied"] == []
    assert [line for line in host.calls if " set " in line or "replace" in line or "-A" in line] == []
    assert sorted(host.ports["ens2f0np0"]["app"]) == [(26, 3), (48, 6)]
    assert host.ports["ens2f0np0"]["pfc"] == [number == 3 for number in range(8)]
    assert host.ports["ens2f0np0"]["bw"] == [50, 50, 0, 0, 0, 0, 0, 0]
    assert host.ports["ens2f0np0"]["pause"] == [False, False]


def test_without_consent_nothing_of_a_port_is_touched(host: FakeDcb) -> None:
    answer = run(request("apply", ONE, allow=("safe",)), host)
    assert answer["applied"] == []
    assert {row["act"] for row in answer["roles"]["roce"]["refusals"]} == {"set roce_allow_disruptive: true to consent"}
    assert host.ports["ens1f0np0"] == fresh()


@pytest.mark.parametrize(
    ("ignored", "field"),
    [("pfc", "pfc"), ("ets", "priority_class"), ("app", "dscp"), ("pause", "pause"), ("mtu", "mtu")],
)
def test_a_driver_that_says_yes_and_does_nothing_is_found_out(host: FakeDcb, ignored: str, field: str) -> None:
    host.ignored = {ignored}
    answer = run(request("apply", ONE), host)
    told = [row["reason"] for row in answer["refused"]]
    assert any(f"the driver accepted it, but ens1f0np0 shows {field}" in reason for reason in told), told


def test_a_port_without_dcb_is_refused_and_the_other_is_set(host: FakeDcb) -> None:
    host.ports["ens1f0np0"]["dcb"] = False
    answer = run(request("apply", ONE, TWO), host)
    (refusal,) = answer["roles"]["roce"]["refusals"]
    assert refusal["target"] == f"pci {ONE}" and "Operation not supported" in refusal["reason"]
    assert {row["target"] for row in answer["applied"]} == {f"pci {TWO}"}


def test_a_foreign_change_is_seen_and_repaired(host: FakeDcb) -> None:
    run(request("apply", ONE), host)
    host.run(["dcb", "app", "add", "dev", "ens1f0np0", "dscp-prio", "26:0"])
    seen = run(request("verify", ONE), host)["roles"]["roce"]["steps"]
    assert [step["what"].split()[1] for step in seen] == ["dscp"]
    assert run(request("apply", ONE), host)["remaining"] == []
    assert sorted(host.ports["ens1f0np0"]["app"]) == [(26, 3), (48, 6)]


def test_removal_gives_every_port_back_as_it_was_found(host: FakeDcb) -> None:
    host.ports["ens1f0np0"]["app"] = [(26, 1), (10, 2)]
    before = copy.deepcopy(host.ports)
    run(request("apply", ONE, TWO), host)
    answer = run(request("apply"), host)
    for port in (*host.ports.values(), *before.values()):
        port["app"].sort()
    assert host.ports == before
    assert host.read("/sys/class/net/ens1f0np0/mtu") == "1500\n"
    assert answer["remaining"] == answer["refused"] == [] and Ledger(host).owned("roce") == {}


def test_a_port_that_left_is_forgotten(host: FakeDcb) -> None:
    Applying(host, Ledger(host)).ledger.remember("roce", "pci 0000:99:00.0", {})
    run(request("apply"), host)
    assert Ledger(host).owned("roce") == {}


def test_switches_for_dcqcn_are_set_where_the_driver_has_them_and_given_back(host: FakeDcb) -> None:
    host.add_switches("ens1f0np0")
    ecn = host.folder / "sys/class/net/ens1f0np0/ecn"
    run(request("apply", ONE, TWO), host)
    assert (ecn / "roce_np/enable/3").read_text() == (ecn / "roce_rp/enable/3").read_text() == "1\n"
    assert (ecn / "roce_np/cnp_dscp").read_text() == "48\n" and (ecn / "roce_np/enable/0").read_text() == "0\n"
    run(request("apply"), host)
    assert (ecn / "roce_np/enable/3").read_text() == "0\n" and (ecn / "roce_np/cnp_dscp").read_text() == "4\n"


def test_a_switch_the_driver_refuses_is_told(host: FakeDcb) -> None:
    host.add_switches("ens1f0np0")
    path = host.folder / "sys/class/net/ens1f0np0/ecn/roce_np/cnp_dscp"
    path.unlink()
    path.mkdir()
    told = [row["reason"] for row in run(request("apply", ONE), host)["refused"]]
    assert any("the driver refused '48' in ecn/roce_np/cnp_dscp: Is a directory" in reason for reason in told)


def test_connections_start_with_the_declared_byte_on_ports_with_an_rdma_device(host: FakeDcb) -> None:
    host.add_rdma("ens1f0np0", "mlx5_0")
    run(request("apply", ONE, TWO), host)
    assert host.tos == {"mlx5_0": 106} and host.listdir("/sys/kernel/config/rdma_cm") == []
    assert run(request("apply", ONE, TWO), host)["applied"] == []
    run(request("apply"), host)
    assert host.tos == {"mlx5_0": 0}
