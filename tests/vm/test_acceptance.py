"""playbooks/acceptance.yml over soft-RoCE ports of three VMs: it passes, and a rate-limited port fails it by name.

Three, because one pair cannot tell which of its two nodes is the slow one; a test shows that this is said. The third
VM is made for this file and goes with it. It cannot see a real line rate: the threshold is declared for emulated ports,
a tenth of what they do. That nothing is left running is looked at over plain ssh.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .conftest import BIN, ROOT, Run, Vms

pytestmark = pytest.mark.vm
PORT = "roce0"
BOOK = "playbooks/acceptance.yml"
READY = f"""
modprobe rdma_rxe
ip link set {PORT} up
ip addr replace {{address}}/24 dev {PORT}
rdma link add rxe0 type rxe netdev {PORT} || rdma link show rxe0/1
"""
BACK = f"rdma link delete rxe0; tc qdisc del dev {PORT} root; ip addr flush dev {PORT} scope global; true"
# 10 Mbit/s of what leaves; the queue is long enough that nothing is dropped, so the port is slow and not broken.
SLOW = f"tc qdisc replace dev {PORT} root tbf rate 10mbit burst 32kb limit 4mb"
FAST = f"tc qdisc del dev {PORT} root"
TOOLS = "pgrep -a 'ib_write_bw|ib_send_lat|iperf3|rping|udaddy' || true"


@dataclass
class Fabric:
    """The VMs with an address and a soft-RoCE port each."""

    vms: Vms
    addresses: dict[str, str]
    results: Path

    @property
    def nodes(self) -> list[str]:
        """Their names, the slow one of the tests last."""
        return list(self.addresses)

    def values(self, **changed: Any) -> dict[str, Any]:
        """Return the declaration: a threshold for emulated ports, 20 Mb/s."""
        return {
            "raceway_roles": ["node", "acceptance"],
            "lab_addresses": self.addresses,
            "acceptance_ports": [{"rail": 0, "address": "{{ lab_addresses[inventory_hostname] }}"}],
            "acceptance_line_rate_gbps": 0.2,
            "acceptance_fraction": 0.1,
            "acceptance_latency_us": 50000,
            "acceptance_seconds": 2,
            "acceptance_queue_pairs": 1,
            "acceptance_folder": str(self.results),
            **changed,
        }

    def sweep(self, *nodes: str, **changed: Any) -> tuple[Run, dict[str, Any]]:
        """Run the playbook on these nodes (default: all); return how it ended and what it wrote."""
        before = set(self.results.glob("*"))
        run = self.vms.playbook(BOOK, ":".join(nodes or self.nodes), self.values(**changed), "--tags", "fabric")
        made = set(self.results.glob("*")) - before
        (folder,) = made
        path = folder / "fabric.json"
        return run, json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def begun(self, **changed: Any) -> subprocess.Popen[bytes]:
        """Start the playbook on all nodes, and return once the first tool runs on the last one."""
        command = [str(BIN / "ansible-playbook"), "-i", "inventories/vmlab", BOOK, "--limit", ":".join(self.nodes)]
        command += ["-e", json.dumps(self.values(**changed))]
        env = {**os.environ, "RACEWAY_LAB": self.vms.lab.name, "PATH": f"{BIN}:{os.environ['PATH']}"}
        process = subprocess.Popen(command, cwd=ROOT, env=env, start_new_session=True)
        until = time.monotonic() + 120
        while not self.vms.read(self.nodes[-1], TOOLS).strip():
            assert time.monotonic() < until and process.poll() is None, "the sweep did not begin"
            time.sleep(1)
        return process

    def nothing_runs(self) -> bool:
        """Tell whether no measuring tool is left on any node."""
        return all(not self.vms.read(node, TOOLS).strip() for node in self.nodes)


@pytest.fixture(scope="module")
def fabric(vms: Vms, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fabric]:
    vms.lab.up(3)
    names = [f"{vms.lab.name}-{number}" for number in (1, 2, 3)]
    made = Fabric(vms, {name: f"10.99.0.{n}" for n, name in enumerate(names, 1)}, tmp_path_factory.mktemp("acceptance"))
    try:
        for name, address in made.addresses.items():
            vms.read(name, READY.format(address=address))
        yield made
    finally:
        for name in names[:2]:
            vms.ssh(name, BACK)
        vms.lab.up(2)


def test_a_sweep_over_soft_roce_passes_and_every_pair_has_a_figure(fabric: Fabric) -> None:
    run, result = fabric.sweep()
    assert run.rc == 0, run.text[-3000:]
    assert (result["verdict"], result["findings"]) == ("passed", [])
    measured = {(c["measure"], c["sender"], c["receiver"]): c["value"] for c in result["cells"]}
    both_ways = [("bandwidth", a, b) for a in fabric.nodes for b in fabric.nodes if a != b]
    assert all(measured[way] >= 0.02 for way in both_ways)
    assert sum(measure == "latency" for measure, _, _ in measured) == 3
    assert "rail 0: bandwidth, Gb/s" in run.text and fabric.nothing_runs()


def test_a_port_whose_sending_is_limited_fails_the_sweep_and_is_named(fabric: Fabric) -> None:
    slow = fabric.nodes[-1]
    fabric.vms.read(slow, SLOW)
    try:
        run, result = fabric.sweep(acceptance_measures=["bandwidth"])
        pair, alone = fabric.sweep(fabric.nodes[0], slow, acceptance_measures=["bandwidth"])
    finally:
        fabric.vms.read(slow, FAST)
    assert run.rc != 0 and result["verdict"] == "failed"
    (named,) = result["findings"]
    assert (named["kind"], named["name"], named["hosts"]) == ("port", f"{slow} rail 0", [slow])
    assert "it sends too slowly: 2 of 2 measurements" in named["text"] and f"{slow} rail 0" in run.text
    # Of a single pair the direction is known and the node is not; that is what is said.
    (path,) = alone["findings"]
    assert pair.rc != 0 and (path["kind"], path["name"]) == ("path", f"{slow} → {fabric.nodes[0]} rail 0")
    assert f"{slow} sends or {fabric.nodes[0]} receives badly" in path["text"]


def test_a_lost_tool_a_wrong_address_and_a_port_without_one_are_told_and_the_rest_is_measured(fabric: Fabric) -> None:
    first, second, third = fabric.nodes
    fabric.vms.read(third, "mv /usr/bin/ib_write_bw /usr/bin/ib_write_bw.away")
    ports = [
        {"rail": 0, "address": "{{ lab_addresses[inventory_hostname] }}"},
        {"rail": 1, "address": "10.98.0.1"},
        {"rail": 2},
    ]
    try:
        run, result = fabric.sweep(acceptance_ports=ports, acceptance_measures=["bandwidth"])
    finally:
        fabric.vms.read(third, "mv /usr/bin/ib_write_bw.away /usr/bin/ib_write_bw")
    assert run.rc != 0 and result["verdict"] == "incomplete"
    told = "\n".join(f"{one['name']}: {one['text']}" for one in result["findings"])
    assert f"ib_write_bw missing on {third}" in told
    assert f"{first} rail 1: not measured: 10.98.0.1 is on no interface of this node" in told
    assert f"{first} rail 2: not measured: it is declared without address" in told
    cells = {(c["measure"], c["sender"], c["receiver"]): c for c in result["cells"]}
    assert cells["bandwidth", first, second]["state"] == "ok"
    assert cells["reach", first, third]["tool"] == "rping" and cells["reach", first, third]["state"] == "ok"


def test_tcp_is_measured_with_iperf3(fabric: Fabric) -> None:
    tcp = {"acceptance_transport": "tcp", "acceptance_measures": ["bandwidth"], "acceptance_seconds": 1}
    run, result = fabric.sweep(*fabric.nodes[:2], **tcp)
    assert run.rc == 0, run.text[-3000:]
    assert {cell["tool"] for cell in result["cells"]} == {"iperf3"} and result["counts"]["ok"] == 2


def test_one_node_alone_is_one_clear_message(fabric: Fabric) -> None:
    run, result = fabric.sweep(fabric.nodes[0])
    assert run.rc != 0 and result == {}
    assert "it is the only port of its rail that can be measured" in run.text


def test_ctrl_c_leaves_no_tool_running(fabric: Fabric) -> None:
    process = fabric.begun(acceptance_seconds=60)
    os.killpg(process.pid, signal.SIGINT)
    process.wait(timeout=60)
    until = time.monotonic() + 30
    while not fabric.nothing_runs() and time.monotonic() < until:
        time.sleep(1)
    assert fabric.nothing_runs()


def test_a_node_that_loses_its_power_half_way_is_told_and_the_others_are_measured(fabric: Fabric) -> None:
    first, second, lost = fabric.nodes
    before = set(fabric.results.glob("*"))
    process = fabric.begun(acceptance_seconds=5, acceptance_measures=["bandwidth"], acceptance_patience_s=10)
    fabric.vms.lab.machine(lost).cut()  # it goes with this file
    assert process.wait(timeout=240) != 0
    (folder,) = set(fabric.results.glob("*")) - before
    result = json.loads((folder / "fabric.json").read_text(encoding="utf-8"))
    cells = {(cell["sender"], cell["receiver"]): cell for cell in result["cells"]}
    assert cells[first, second]["state"] == cells[second, first]["state"] == "ok"
    assert all(cell["state"] == "none" for ends, cell in cells.items() if lost in ends)
    assert result["verdict"] == "incomplete" and any(f"no answer from {lost}" in f["text"] for f in result["findings"])
