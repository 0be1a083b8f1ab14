"""How long a whole inventory takes to check and to compile for 100, 1,000 and 10,000 hosts, and whether that is linear.

Run with ``python tests/bench/bench_inventory.py [--json FILE] [--hosts N …]``. Each size runs in a process of its own,
so that no cache of the size before helps. It deliberately sets no limit: a shared machine's seconds prove nothing by
themselves; the ratio to the linear expectation does.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ansible.release import __version__ as ansible_version
from rich.console import Console
from rich.progress import track
from rich.table import Table

SIZES = (100, 1_000, 10_000)
HOSTS_A_RACK = 16
RACKS_A_LEAF = 4
LEAFS_A_SPINE = 16

GROUP_VARS = """\
ansible_user: ops
node_address: "{{ ansible_host }}"
node_platform: bare_metal
node_cpus: 192
node_memory_gib: 2048
node_accelerator_kind: nvidia
node_accelerator_model: H100-SXM5-80GB
node_accelerator_count: 8
node_rdma_ports: 8
node_labels: {example.com/pool: training, example.com/rack: "{{ node_rack }}"}
node_taints: ["example.com/accelerator=present:NoSchedule"]
kernel_tcp_congestion_control: bbr
kernel_default_qdisc: fq
kernel_sysctl: {kernel.numa_balancing: 0, vm.swappiness: 1, vm.zone_reclaim_mode: 0}
kernel_limits: {memlock: unlimited, nofile: "1048576"}
system_packages: [chrony, ethtool, pciutils, rdma-core]
system_files:
  - {path: /etc/motd, content: "{{ inventory_hostname_short }} belongs to raceway\\n"}
"""


def write(folder: Path, hosts: int) -> Path:
    """Write an inventory like a real one: nodes in racks, racks below leafs, leafs below spines; return hosts.yml."""
    names = [f"gpu{number:05d}" for number in range(hosts)]
    lines = ["nodes:", "  hosts:"]
    for number, name in enumerate(names):
        lines += [
            f"    {name}:",
            f"      ansible_host: 10.{number // 65536}.{number // 256 % 256}.{number % 256}",
            f"      node_serial: SN{number:07d}",
        ]
    racks = [names[start : start + HOSTS_A_RACK] for start in range(0, hosts, HOSTS_A_RACK)]
    for number, members in enumerate(racks):
        leaf = number // RACKS_A_LEAF
        row = f"node_rack: r{number}, node_leaf: leaf{leaf}, node_spine: spine{leaf // LEAFS_A_SPINE}"
        lines += [f"rack_{number}:", f"  vars: {{{row}}}", "  hosts:", *(f"    {name}:" for name in members)]
    (folder / "group_vars").mkdir(parents=True)
    (folder / "group_vars" / "nodes.yml").write_text(GROUP_VARS, encoding="utf-8")
    path = folder / "hosts.yml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def measure(path: Path) -> dict[str, float]:
    """Return wall and CPU seconds of loading, checking and compiling; fails when the inventory has findings."""
    start, start_cpu = time.perf_counter(), time.process_time()
    from raceway.inventory import check, load
    from raceway.inventory.desired import compile_all

    row: dict[str, float] = {}
    laps = [("import", time.perf_counter())]
    inventory = load(path)
    laps.append(("load", time.perf_counter()))
    findings = check(inventory)
    laps.append(("check", time.perf_counter()))
    row["cpu_check"] = time.process_time() - start_cpu
    states = compile_all(inventory)
    laps.append(("desired", time.perf_counter()))
    if findings or len(states) != len(inventory.hosts):
        raise SystemExit(f"the bench's own inventory is wrong: {[one.message() for one in findings[:3]]}")
    for name, moment in laps:
        row[name] = moment - start
        start = moment
    row["cpu_all"] = time.process_time() - start_cpu
    row["hosts"] = len(inventory.hosts)
    return row


def run(sizes: list[int]) -> list[dict[str, float]]:
    """Measure each size in a fresh process."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="raceway-bench-") as folder:
        for hosts in track(sizes, description="inventories", console=Console(stderr=True), transient=True):
            path = write(Path(folder) / str(hosts), hosts)
            done = subprocess.run(
                [sys.executable, __file__, "--measure", str(path)], capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise SystemExit(f"{hosts} hosts: the measured process failed:\n{done.stderr}")
            rows.append(json.loads(done.stdout))
    return rows


def table(rows: list[dict[str, float]]) -> Table:
    """Return the rows as people read them; linear is 1.00 when twice the hosts take twice the time."""
    shown = Table("hosts", "check s", "check + desired s", "CPU s", "ms a host", "to linear", title="inventory")
    for index, row in enumerate(rows):
        checked = row["load"] + row["check"]
        whole = checked + row["desired"]
        ratio = "–"
        if index:
            before = rows[index - 1]
            expected = (before["load"] + before["check"] + before["desired"]) * row["hosts"] / before["hosts"]
            ratio = f"{whole / expected:.2f}"
        cells = (f"{checked:.2f}", f"{whole:.2f}", f"{row['cpu_all']:.2f}", f"{whole * 1000 / row['hosts']:.2f}", ratio)
        shown.add_row(f"{row['hosts']:,.0f}", *cells)
    return shown


def main() -> None:
    """Measure, print the table, and write JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON too")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measure(args.measure)))
        return
    rows = run(args.hosts)
    versions = {"python": platform.python_version(), "ansible-core": ansible_version}
    console = Console()
    console.print(table(rows))
    console.print(f"wall time without imports; Python {versions['python']}, ansible-core {versions['ansible-core']}")
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps({"bench": "inventory", "versions": versions, "rows": rows}, indent=1) + "\n")
        console.print(f"figures: {args.json}")


if __name__ == "__main__":
    main()
