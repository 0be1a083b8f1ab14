"""What a no-op of eight RoCE ports costs in one node call and as one command task a setting, and what a boot costs.

Run with ``python -m tests.bench.bench_fabric [--repeats N] [--json FILE]``. One VM of the lab, eight ports of the DCB
test module. One side is the role, declared for all eight ports. The other is a playbook as people write it: one
``ansible.builtin.command`` task for each setting of each port, without facts, in one session, with pipelining. Both
find every port as declared, which is read with ``dcb`` before and after. Boot: all ports appear at once (the module is
loaded), and the time until the last one is set is taken on the node itself. It deliberately measures emulated CPUs:
seconds are the VM's, the ratio is the result.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import yaml
from ansible.release import __version__ as ansible_version

from raceway.apply.roce_commands import calls
from raceway.errors import RacewayError
from raceway.lab.vm import VmLab
from raceway.model.qos import Qos
from raceway.model.roce import fields_of, wanted

from . import table

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
PORTS = tuple(f"roce{number}" for number in range(8))
SETTINGS = ("dscp", "pfc", "ets", "pause", "mtu")
LOAD = f"modprobe -r dcbtest; modprobe dcbtest lower= ports={len(PORTS)} && udevadm settle"
REQUEST = "/etc/raceway/boot/roce.json"
# Runs on the node: loads the ports, lets the units work, and takes the end of the last one from the journal, whose
# clock is the same. It asks once a second, so as not to compete with what it measures.
APPEAR = """
import json, subprocess, time
def out(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout
subprocess.run(["modprobe", "-r", "dcbtest"], check=True)
time.sleep(2)
began = time.monotonic()
subprocess.run(["modprobe", "dcbtest", "lower=", "ports=%d" % {ports}], check=True)
ends = []
while len(ends) < {ports} and time.monotonic() - began < 120:
    time.sleep(1)
    rows = [json.loads(line) for line in out("journalctl", "-b", "-o", "json", "-u", "raceway-roce@*").splitlines()]
    done = [row for row in rows if str(row.get("MESSAGE", "")).startswith("Finished ")]
    ends = [int(row["__MONOTONIC_TIMESTAMP"]) / 1e6 - began for row in done]
    ends = [end for end in ends if end > 0]
print(json.dumps(ends))
"""
RUN = """
import subprocess, time
began = time.monotonic()
done = subprocess.run(["/usr/bin/env", "python3", "-I", "/etc/raceway/boot/run.py", "{request}"])
print(time.monotonic() - began if done.returncode == 0 else "failed")
"""


class Node:
    """The VM, its ports' MAC addresses, and the playbooks run on it."""

    def __init__(self, lab: VmLab, folder: Path) -> None:
        self.lab, self.name, self.folder = lab, f"{lab.name}-1", folder
        self.ports: list[dict[str, Any]] = []

    def run(self, script: str, timeout: float = 300) -> str:
        """Run a script that must succeed; return what it printed."""
        command = ["ssh", "-F", str(self.lab.ssh_config), "-o", "BatchMode=yes", self.name, f"set -e\n{script}"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
        if done.returncode:
            raise RacewayError(self.name, (done.stderr or done.stdout).strip()[-800:], act="run it there by hand")
        return done.stdout

    def python(self, program: str) -> str:
        """Run a Python program on the node."""
        return self.run(f"python3 - <<'END'\n{program}\nEND").strip()

    def playbook(self, book: Path) -> tuple[float, str]:
        """Run a playbook that must succeed; return its seconds and its recap."""
        values = {"raceway_roles": ["node", "roce"], "roce_ports": self.ports, "roce_allow_disruptive": True}
        env = {**os.environ, "RACEWAY_LAB": self.lab.name, "NO_COLOR": "1", "ANSIBLE_PIPELINING": "true"}
        env["PATH"] = f"{BIN}:{env['PATH']}"
        command = [str(BIN / "ansible-playbook"), "-i", "inventories/vmlab", str(book), "--limit", self.name]
        began = time.perf_counter()
        done = subprocess.run(
            [*command, "-e", json.dumps(values)], cwd=ROOT, env=env, capture_output=True, text=True, timeout=900
        )
        took = time.perf_counter() - began
        if done.returncode:
            raise RacewayError(str(book), (done.stdout + done.stderr)[-1500:], act="run it by hand")
        return took, done.stdout

    def check(self) -> None:
        """Fail unless every port is as declared, by the kernel's own words."""
        goal = wanted(Qos())
        right = (list(goal.pfc), list(goal.priority_class), list(goal.bandwidth), [list(pair) for pair in goal.dscp])
        asked = [f"dcb -j {what} show dev {port}; echo" for port in PORTS for what in ("pfc", "ets", "app")]
        rows = [json.loads(line) for line in self.run("\n".join(asked)).splitlines() if line.strip()]
        for port, pfc, ets, app in zip(PORTS, rows[::3], rows[1::3], rows[2::3], strict=True):
            dscp = sorted(row[:2] for row in app.get("dscp_prio", []))
            found = (pfc["prio_pfc"], ets["prio_tc"], ets["tc_bw"], dscp)
            if found != right:
                raise RacewayError(port, str(found), str(right), "nothing was reported")


def command_tasks() -> list[dict[str, Any]]:
    """Return one command task a setting a port: the same calls as the role would make, by name."""
    goal = wanted(Qos())
    rows = []
    for port in PORTS:
        for name in SETTINGS:
            values = {field: getattr(goal, field) for field in fields_of(name)}
            for call in calls("dcb", port, name, values):
                rows.append({"name": f"{name} of {port}", "ansible.builtin.command": {"argv": call}})
    return rows


def declare(node: Node) -> None:
    """Load the ports and set them once by the role."""
    node.run(LOAD)
    macs = node.run("cat " + " ".join(f"/sys/class/net/{port}/address" for port in PORTS)).split()
    node.ports = [{"mac": mac, "rail": rail} for rail, mac in enumerate(macs)]
    node.playbook(ROOT / "site.yml")
    node.check()


def no_op(node: Node, repeats: int) -> dict[str, Any]:
    """Measure both no-ops in turns."""
    rows = command_tasks()
    book = node.folder / "commands.yml"
    book.write_text(yaml.safe_dump([{"hosts": "all", "gather_facts": False, "tasks": rows}], sort_keys=False))
    seconds: dict[str, list[float]] = {"raceway": [], "commands": []}
    for _ in range(repeats):
        took, said = node.playbook(ROOT / "site.yml")
        if "changed=0" not in said:
            raise RacewayError("site.yml", said[-500:], "changed=0", "the ports do not hold what was set")
        seconds["raceway"].append(took)
        seconds["commands"].append(node.playbook(book)[0])
        print(f"bench fabric: {seconds['raceway'][-1]:.2f} s and {seconds['commands'][-1]:.2f} s", flush=True)
    node.check()
    return {"ports": len(PORTS), "tasks": len(rows), "seconds": seconds}


def boot(node: Node, repeats: int) -> dict[str, list[float]]:
    """Return seconds: from the ports' appearance to the last one set; one run of the request with nothing to do."""
    found: dict[str, list[float]] = {"appear": [], "again": []}
    for _ in range(repeats):
        ends = json.loads(node.python(APPEAR.format(ports=len(PORTS))))
        if len(ends) < len(PORTS):
            raise RacewayError(node.name, f"{len(ends)} of {len(PORTS)} boot units ended", act="read its journal")
        found["appear"].append(max(ends))
        node.check()
        found["again"].append(float(node.python(RUN.format(request=REQUEST)).splitlines()[-1]))
        print(f"bench fabric: boot {found['appear'][-1]:.2f} s, again {found['again'][-1]:.2f} s", flush=True)
    return found


def main() -> int:
    """Measure, write the JSON, print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.bench_fabric", description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--parts", nargs="+", default=["no-op", "boot"], choices=["no-op", "boot"])
    parser.add_argument("--add", action="store_true", help="keep the other part that the JSON file has")
    parser.add_argument("--json", type=Path, metavar="FILE", required=True)
    args = parser.parse_args()
    args.json.parent.mkdir(parents=True, exist_ok=True)
    result: dict[str, Any] = json.loads(args.json.read_text()) if args.add and args.json.exists() else {}
    lab = VmLab(f"bench-{os.getpid()}", show=True)
    try:
        lab.up(1)
        node = Node(lab, args.json.parent)
        declare(node)
        load = round(os.getloadavg()[0], 1)
        if "no-op" in args.parts:
            result |= {**no_op(node, args.repeats), "load": load}
        if "boot" in args.parts:
            result |= {"boot": boot(node, args.repeats), "boot_load": load}
        kernel = node.run("uname -r").strip()
    finally:
        lab.down()
    result["ended"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    result["versions"] = {"guest kernel": kernel, "ansible-core": ansible_version, "python": platform.python_version()}
    args.json.write_text(json.dumps(result, indent=1) + "\n")
    print(table.fabric(result))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
