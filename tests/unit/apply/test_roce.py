"""Setting ports for real on a machine that answers as dcb, ethtool and ip do: set, read back, given back."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from raceway.apply.outcome import Applying
from raceway.host import Ledger
from raceway.model.qos import to_spec
from raceway.model.roce import RoceDesired, parse
from raceway.node.program import run
from raceway.probe import roce_watch

from ..fake_dcb import FakeDcb, fresh
from ..fake_mlnx_qos import FakeMlnxQos

ONE, TWO = "0000:3b:00.0", "0000:5e:00.0"


@pytest.fixture
def host(tmp_path: Path) -> FakeDcb:
    made = FakeDcb(tmp_path)
    made.add("ens1f0np0", ONE, "b8:3f:d2:00:00:01")
    made.add("ens2f0np0", TWO, "b8:3f:d2:00:00:02")
    return made


def request(mode: str, *ports: str, allow: tuple[str, ...] = ("safe", "disruptive"), **more: Any) -> dict[str, Any]:
    rows = [{"pci": pci, "rail": rail} for rail, pci in enumerate(ports)]
    spec = {"ports": rows, "persist": False, "platform": "bare_metal", **more}
    spec["qos"] = {**to_spec(RoceDesired().qos), **more.get("qos", {})}
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


def test_a_port_that_netlink_refuses_is_set_by_the_vendor_s_tool_and_given_back(host: FakeDcb) -> None:
    host.ports["ens1f0np0"]["dcb"] = False
    tool = host.mlnx["ens1f0np0"] = FakeMlnxQos()
    before = copy.deepcopy(vars(tool))
    answer = run(request("apply", ONE, TWO), host)
    assert answer["refused"] == answer["remaining"] == [] and len(answer["applied"]) == 10
    assert (tool.trust, tool.dscp[26], tool.dscp[48], tool.pfc) == ("dscp", 3, 6, [0, 0, 0, 1, 0, 0, 0, 0])
    assert (tool.classes, tool.tsa[:3], tool.share[:2]) == (
        [0, 0, 0, 1, 0, 0, 2, 0],
        ["ets", "ets", "strict"],
        [50, 50],
    )
    again = run(request("apply", ONE, TWO), host)
    assert again["applied"] == []
    (noop,) = [row for row in again["roles"]["roce"]["noops"] if "mlnx_qos" in row["reason"]]
    assert "since dcb cannot here: PFC:" in noop["reason"]
    run(request("apply"), host)
    assert vars(tool) == before


def test_a_map_that_was_trusted_before_is_given_back_code_point_by_code_point(host: FakeDcb) -> None:
    host.ports["ens1f0np0"]["dcb"] = False
    tool = host.mlnx["ens1f0np0"] = FakeMlnxQos()
    tool.trust, tool.dscp[26] = "dscp", 5
    before = copy.deepcopy(vars(tool))
    run(request("apply", ONE), host)
    host.calls.clear()
    run(request("apply"), host)
    assert vars(tool) == before
    assert [line for line in host.calls if "--dscp2prio" in line] == ["mlnx_qos -i ens1f0np0 --dscp2prio set,26,5"]


@pytest.mark.parametrize(("option", "part"), [("--trust", "dscp"), ("--pfc", "pfc"), ("--tsa", "ets")])
def test_what_the_vendor_s_tool_refuses_or_ignores_is_told(host: FakeDcb, option: str, part: str) -> None:
    host.ports["ens1f0np0"]["dcb"] = False
    tool = host.mlnx["ens1f0np0"] = FakeMlnxQos()
    tool.refused = {option}
    told = [row["reason"] for row in run(request("apply", ONE), host)["refused"]]
    assert any(f"set {part} of" in reason and "Netlink error" in reason for reason in told), told
    tool.refused, host.ignored = set(), {option}
    told = [row["reason"] for row in run(request("apply", ONE), host)["refused"]]
    assert any("the driver accepted it, but ens1f0np0 shows" in reason for reason in told), told


def test_a_long_cable_is_told_to_a_driver_that_asks_for_it(host: FakeDcb) -> None:
    host.ports["ens1f0np0"]["dcb"] = False
    tool = host.mlnx["ens1f0np0"] = FakeMlnxQos()
    run(request("apply", ONE, qos={"cable_m": 30}), host)
    assert tool.cable == 30 and tool.buffers[0] == 262016
    run(request("apply"), host)
    assert tool.cable == 7


@pytest.mark.parametrize("vendor", [False, True], ids=["dcb", "mlnx_qos"])
def test_receive_buffers_are_divided_where_it_is_declared_and_given_back(host: FakeDcb, vendor: bool) -> None:
    port = host.ports["ens1f0np0"]
    tool = host.mlnx["ens1f0np0"] = FakeMlnxQos()
    port["dcb"] = not vendor
    before = copy.deepcopy((port, vars(tool)))
    answer = run(request("apply", ONE, buffer="headroom"), host)
    assert answer["remaining"] == answer["refused"] == []
    owner, sizes = (tool.priority_buffer, tool.buffers) if vendor else (port["prio_buffer"], port["sizes"])
    assert owner == [0, 0, 0, 1, 0, 0, 0, 0] and sizes[1] > 150928 and sum(sizes) <= 262016
    assert run(request("apply", ONE, buffer="headroom"), host)["applied"] == []
    assert [row["what"].split()[1] for row in run(request("apply", ONE), host)["applied"]] == ["buffer"]
    run(request("apply"), host)
    assert (port, vars(tool)) == before and Ledger(host).owned("roce_buffer") == {}


def test_counters_are_watched_by_verify_alone_which_is_red_for_what_grew(
    host: FakeDcb, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait(seconds: float) -> None:
        host.counters["ens1f0np0"] = {"rx_prio3_discards": int(seconds)}

    monkeypatch.setattr(roce_watch.time, "sleep", wait)
    host.counters["ens1f0np0"] = {"rx_prio3_discards": 0}
    asked = {mode: request(mode, ONE) for mode in ("plan", "apply", "verify")}
    for body in asked.values():
        nouns = body["roles"]["roce"]["nouns"]
        nouns["roce_watch"] = {"ports": nouns["roce"]["ports"], "qos": nouns["roce"]["qos"], "seconds": 4}
    run(asked["plan"], host)
    assert run(asked["apply"], host)["refused"] == []
    assert [call for call in host.calls if call.startswith("ethtool -S")] == []
    (refusal,) = run(asked["verify"], host)["roles"]["roce"]["refusals"]
    assert "priority 3 discarded 4 packets" in refusal["reason"]


def test_what_a_boot_runs_sets_the_ports_that_are_there_and_gives_none_back(host: FakeDcb) -> None:
    run(request("apply", ONE, TWO, persist=True, consent=True), host)
    stored = json.loads(host.read("/etc/raceway/boot/roce.json") or "")
    host.ports["ens1f0np0"] = fresh()
    shutil.rmtree(host.folder / "sys/class/net/ens2f0np0")
    answer = run(stored, host)
    assert {row["target"] for row in answer["applied"]} == {f"pci {ONE}"} and answer["refused"] == []
    assert host.ports["ens1f0np0"]["pfc"][3] and set(Ledger(host).owned("roce")) == {f"pci {ONE}", f"pci {TWO}"}
    assert json.loads(host.read("/etc/raceway/boot/roce.json") or "") == stored


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
