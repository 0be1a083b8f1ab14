"""``make demo``: the whole road on one machine, with the same commands a user of real nodes types.

Lab nodes over ssh → ``site.yml`` twice → ``pulumi up`` of both stacks on a real API server with real Volcano → a gang
that runs and one that waits, with the reason. Each step is checked; the first that is not as promised ends the demo
with a message and exit code 1. It deliberately leaves everything running, and says how to look around and remove it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from raceway.errors import RacewayError
from raceway.inventory import load, machines
from raceway.lab.lab import Lab
from raceway.paths import source_root
from raceway.stack import Project, drift, up
from raceway.tools import ensure

NODES = 3
WAIT_S = 120.0  # a gang starts within seconds; a machine under load may take longer
GANG, TOO_BIG = ("team-a", "fsdp-small"), ("team-b", "fsdp-too-big")


class Demo:
    """One run of the demo on the lab named by RACEWAY_LAB."""

    def __init__(self, lab: Lab, console: Console) -> None:
        self.lab = lab
        self.console = console
        self.root = source_root()
        self.inventory = self.root / "inventories" / "lab"
        self.started = time.monotonic()
        self.report = lab.folder / "run.json"

    def run(self) -> None:
        """Go the whole road; RacewayError at the first step that does not hold."""
        self._title("A lab: container nodes over ssh, a real control plane with fake accelerators")
        ensure(["pulumi", "pulumi-resource-kubernetes", "pulumi-language-python", "kubectl"])
        self.lab.up(nodes=NODES)
        self._title("ansible-playbook site.yml: every node becomes what the inventory declares")
        applied = self._site()
        self._title("ansible-playbook site.yml, again: nothing is left to do")
        self._second_site()
        self._title("pulumi up: namespaces, queues, priorities, topology, scheduler configuration, Volcano")
        platform, workloads = self._projects()
        up(platform)
        self.lab.wait_for_volcano()
        self._title("pulumi up: a training gang that fits and one that does not")
        up(workloads)
        placed = self._wait("the gang runs", lambda: self._placed(*GANG))
        reason = self._wait("the big gang tells its reason", lambda: self._reason(*TOO_BIG))
        self._title("Has anything drifted?")
        found = [one.message() for project in (platform, workloads) for one in drift(project, show=False)]
        if found:
            raise RacewayError("drift right after pulumi up", "; ".join(found))
        self._close(applied, placed, reason)

    def _site(self) -> int:
        nodes = self._playbook()
        wrong = {name: node["verdict"] for name, node in nodes.items() if node["verdict"] != "as declared"}
        if wrong or len(nodes) != NODES:
            raise RacewayError("site.yml", str(wrong or f"{len(nodes)} nodes"), f"{NODES} nodes as declared")
        return sum(len(node["applied"]) for node in nodes.values())

    def _second_site(self) -> None:
        again = [step for node in self._playbook().values() for step in node["applied"]]
        if again:
            raise RacewayError("the second site.yml", f"applied {len(again)} steps: {again[0]} …", "changed=0")

    def _playbook(self) -> dict[str, Any]:
        program = Path(sys.executable).parent / "ansible-playbook"
        env = {**os.environ, "RACEWAY_LAB": self.lab.name, "RACEWAY_REPORT": str(self.report)}
        self.report.unlink(missing_ok=True)
        argv = [str(program), "-i", str(self.inventory), "site.yml"]
        done = subprocess.run(argv, cwd=self.root, env=env)
        if done.returncode or not self.report.exists():
            raise RacewayError("site.yml", f"exit code {done.returncode}", "0", "read the reasons above")
        nodes: dict[str, Any] = json.loads(self.report.read_text())["nodes"]
        return nodes

    def _projects(self) -> tuple[Project, Project]:
        os.environ["RACEWAY_LAB"] = self.lab.name  # the inventory's source reads it
        authority = str(self.lab.folder / "pki" / "ca.crt")
        volcano = {"webhookUrl": self.lab.webhook_url, "webhookCaFile": authority}
        state = self.lab.folder / "pulumi"
        platform = Project("platform", "lab", self.lab.kubeconfig, {"volcano": volcano}, state)
        return platform, Project("workloads", "lab", self.lab.kubeconfig, {}, state)

    def _get(self, *words: str) -> list[dict[str, Any]]:
        kubectl = ensure(["kubectl"], show=False)["kubectl"]
        argv = [str(kubectl), "--kubeconfig", str(self.lab.kubeconfig), "get", *words, "-o", "json"]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
        items: list[dict[str, Any]] = json.loads(done.stdout)["items"] if done.returncode == 0 else []
        return items

    def _placed(self, namespace: str, job: str) -> list[str]:
        """Return ``pod on node`` for every pod once all of the gang run, else nothing."""
        jobs = [one for one in self._get("vcjob", "-n", namespace) if one["metadata"]["name"] == job]
        pods = self._get("pods", "-n", namespace, "-l", f"volcano.sh/job-name={job}")
        running = [pod for pod in pods if pod.get("status", {}).get("phase") == "Running"]
        if not jobs or jobs[0].get("status", {}).get("state", {}).get("phase") != "Running":
            return []
        whole = len(running) == sum(task["replicas"] for task in jobs[0]["spec"]["tasks"])
        return [f"{pod['metadata']['name']} on {pod['spec']['nodeName']}" for pod in running] if whole else []

    def _reason(self, namespace: str, job: str) -> str:
        """Return why the job's pod group cannot be placed, as the scheduler says it."""
        for group in self._get("podgroup", "-n", namespace):
            conditions = group.get("status", {}).get("conditions", [])
            if group["metadata"]["name"].startswith(job):
                return next((str(row["message"]) for row in conditions if row["type"] == "Unschedulable"), "")
        return ""

    def _wait(self, what: str, holds: Callable[[], Any]) -> Any:
        end = time.monotonic() + WAIT_S
        with self.console.status(f"waiting until {what}"):
            while not (found := holds()):
                if time.monotonic() > end:
                    act = f"kubectl --kubeconfig {self.lab.kubeconfig} get vcjob,podgroup,pods -A"
                    raise RacewayError(what, f"not within {WAIT_S:.0f} s", act=act, log=str(self.lab.folder / "logs"))
                time.sleep(0.5)
        return found

    def _title(self, text: str) -> None:
        self.console.rule(f"[bold]{text}", align="left")

    def _close(self, applied: int, placed: Sequence[str], reason: str) -> None:
        shapes = machines(load(self.inventory))
        accelerators = sum(machine.accelerator_count for machine in shapes)
        self._title("What you have now")
        show = self.console.print
        kube = f"{ensure(['kubectl'], show=False)['kubectl']} --kubeconfig {self.lab.kubeconfig}"
        show(f"nodes     {NODES} over ssh, {applied} steps applied, the second run changed nothing")
        show(f"cluster   real API server and Volcano, {len(shapes)} declared nodes with {accelerators} accelerators")
        show(f"runs      {GANG[1]}: {', '.join(placed)}")
        show(f"waits     {TOO_BIG[1]}: {reason}")
        show(f"time      {time.monotonic() - self.started:.0f} s")
        show("")
        show(f"look      {kube} get vcjob,podgroup,pods -A", soft_wrap=True)
        show(f"          ssh -F {self.lab.ssh_config} {self.lab.name}-1", soft_wrap=True)
        show(f"          .venv/bin/raceway inventory show {self.lab.name}-1 -i inventories/lab")
        show(f"          .venv/bin/raceway lab status --name {self.lab.name}")
        show("change    edit inventories/lab/group_vars/nodes.yml, then look before you apply:")
        show("          .venv/bin/ansible-playbook site.yml --check --diff")
        show(f"end       .venv/bin/raceway lab down --name {self.lab.name}")


def main() -> int:
    """Run the demo and return its exit code."""
    console = Console(highlight=False)
    try:
        Demo(Lab(os.environ.get("RACEWAY_LAB", "lab")), console).run()
    except RacewayError as error:
        print(f"demo: {error.message()}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("demo: interrupted; `make demo` goes on, `raceway lab down` removes the lab", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
