"""The tools: how each is called for a converge and for a drift report, and how its report is read.

Each tool has its own configuration and its own folder of ssh control sockets, so that none profits from another's
session. It deliberately measures nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.b60 import settings

REPOSITORY = Path(__file__).parents[2]
B60 = Path(__file__).parent / "b60"
PEERS = REPOSITORY / ".venv-bench"
OURS = Path(sys.executable).parent


@dataclass(frozen=True)
class Tool:
    """One way to do the work. ``slow`` tools get fewer repeats; the floor does no work at all.

    ``keeps_sessions``: also measured with the ssh sessions of the run before (a login is nothing in the slow ones)."""

    name: str
    label: str
    converge: tuple[str, ...]
    drift: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    slow: bool = False
    reference: bool = False
    keeps_sessions: bool = False


def tools(work: Path, nodes: int) -> list[Tool]:
    """All tools for an inventory of so many nodes, in the order they take turns."""
    inventory = ("-i", str(work / "inventory.json"))
    stock = (str(PEERS / "bin/ansible-playbook"), *inventory, str(B60 / "stock.yml"))
    mitogen = {"ANSIBLE_STRATEGY": "mitogen_linear", "ANSIBLE_STRATEGY_PLUGINS": str(_mitogen_strategies())}
    ours = str(OURS / "ansible-playbook")
    pyinfra = (
        str(PEERS / "bin/pyinfra"),
        "--parallel",
        str(nodes),
        "--no-wait",
        str(B60 / "pyinfra/inventory.py"),
        str(B60 / "pyinfra/deploy.py"),
    )
    role = (ours, *inventory, str(B60 / "raceway.yml"))
    floor = (ours, *inventory, str(B60 / "floor.yml"))
    site = (ours, *inventory, str(REPOSITORY / "site.yml"))
    own = {"ANSIBLE_CONFIG": str(REPOSITORY / "ansible.cfg")}
    empty = {"ANSIBLE_LIBRARY": str(B60 / "library")}
    check = ("--check", "--diff")
    return [
        Tool("floor", "floor: one empty call", floor, (), empty, reference=True, keeps_sessions=True),
        Tool("raceway", "raceway, kernel + system", role, (*role, *check), own, keeps_sessions=True),
        Tool("pyinfra", "pyinfra", (*pyinfra, "-y"), (*pyinfra, "--dry", "--json")),
        Tool("site", "raceway, whole site.yml", site, (*site, *check), own, keeps_sessions=True),
        Tool("mitogen", "stock modules, Mitogen", stock, (*stock, *check), mitogen, slow=True),
        Tool("stock", "stock modules", stock, (*stock, *check), slow=True),
    ]


def environment(tool: Tool, work: Path) -> dict[str, str]:
    """The environment of one run; the tuned ansible.cfg unless the tool brings its own."""
    base = {name: os.environ[name] for name in ("HOME", "LANG", "LC_ALL", "TERM") if name in os.environ}
    program = Path(tool.converge[0]).parent
    return {
        **base,
        "PATH": f"{program}:{os.environ['PATH']}",
        "ANSIBLE_CONFIG": str(work / "ansible.cfg"),
        "ANSIBLE_SSH_CONTROL_PATH_DIR": str(control_folder(tool)),
        "ANSIBLE_CALLBACK_PLUGINS": str(B60 / "callback"),
        "B60_RECORD": str(work / "record.json"),
        **tool.env,
    }


def control_folder(tool: Tool) -> Path:
    """Where the tool's ssh masters listen; short, since a socket's path has a length limit."""
    return Path(tempfile.gettempdir()) / f"raceway-bench-{os.getpid()}" / tool.name


def write_inputs(work: Path, nodes: Sequence[Mapping[str, Any]], ssh: Path) -> None:
    """Write the inventories, the settings and the tuned configuration of the peers."""
    work.mkdir(parents=True, exist_ok=True)
    hosts = {node["name"]: node["variables"] for node in nodes}
    group = {"hosts": hosts, "vars": {**_raceway_variables(), "b60": settings.as_json()}}
    _write(work / "inventory.json", {"all": {"children": {"nodes": group}}})
    _write(work / "b60.json", settings.as_json())
    data = {
        "ssh_user": "root",
        "ssh_key": str(ssh / "id_ed25519"),
        "ssh_known_hosts_file": str(ssh / "known_hosts"),
        "ssh_config_file": str(ssh / "config"),
        "ssh_strict_host_key_checking": "yes",
    }
    rows = [{"name": n["name"], "data": {**data, "ssh_hostname": n["variables"]["ansible_host"]}} for n in nodes]
    _write(work / "pyinfra-nodes.json", rows)
    (work / "ansible.cfg").write_text(
        "# Tuned by Ansible's own guide.\n"
        f"[defaults]\nforks = {len(nodes)}\ngathering = explicit\ninterpreter_python = /usr/bin/python3\n"
        "[ssh_connection]\npipelining = True\n"
        "ssh_args = -C -o ControlMaster=auto -o ControlPersist=60s -o ConnectTimeout=10\n"
    )


def changed(tool: Tool, out: str, work: Path) -> list[str]:
    """What a converge says it changed."""
    if tool.name == "pyinfra":
        rows = [line.split() for line in out[out.index("--> Results:") :].splitlines() if line.strip()]
        return [row[0] for row in rows if len(row) == 5 and row[1].isdigit() and row[2] != "-" and row[0] != "Grand"]
    return [f"{host}: {name}" for host, name in json.loads((work / "record.json").read_text())]


def reported(tool: Tool, out: str, work: Path) -> dict[str, set[str]]:
    """The settings a drift report names, per node."""
    if tool.name == "pyinfra":
        plan = json.JSONDecoder().raw_decode(out[out.index('{"plan"') :])[0]["plan"]
        pairs = [(host, row["name"]) for row in plan for host in row["hosts_with_change"]]
    else:
        pairs = [tuple(row) for row in json.loads((work / "record.json").read_text())]
    found: dict[str, set[str]] = {}
    for host, name in pairs:
        found.setdefault(host, set()).add(_setting(name))
    return found


def _setting(name: str) -> str:
    """Tools that keep many limits or modules in one file report the file; one of its lines has drifted."""
    if "/security/limits.d/" in name:
        return settings.DRIFT["limit"]
    return settings.DRIFT["module"] if "/modules-load.d/" in name else name


def versions() -> dict[str, str]:
    """What took part."""
    found = {}
    theirs = ("ansible", "ansible-core", "mitogen", "pyinfra") if PEERS.is_dir() else ()
    for place, names in ((OURS, ("ansible-core",)), (PEERS / "bin", theirs)):
        if not names:
            continue
        code = "import importlib.metadata as m, sys; print(*[m.version(n) for n in sys.argv[1:]])"
        answer = subprocess.run([place / "python", "-c", code, *names], capture_output=True, text=True, check=True)
        label = "of raceway" if place == OURS else "of the peers"
        found.update({f"{name} {label}": number for name, number in zip(names, answer.stdout.split(), strict=True)})
    return found


def _raceway_variables() -> dict[str, Any]:
    """The 60 settings as variables of the roles kernel and system; what the baseline does not hold is not managed."""
    return {
        # As a container it would leave modules to its host; the others write them, so it shall.
        "node_platform": "vm",
        "kernel_tcp_congestion_control": "",
        "kernel_default_qdisc": "",
        "kernel_qdisc_default_route": False,
        "kernel_socket_buffer_max_bytes": 0,
        "kernel_listen_backlog": 0,
        "kernel_netdev_backlog_packets": 0,
        "kernel_tcp_mtu_probing": 0,
        "kernel_neighbour_thresholds": [],
        "kernel_transparent_hugepages": "",
        "kernel_cpu_governor": "",
        "kernel_packages": [],
        "kernel_sysctl": settings.SYSCTLS,
        "kernel_modules": [{"name": name} for name in settings.MODULES],
        "kernel_limits": {item: values[0] for item, values in settings.LIMITS.items()},
        "system_files": [{"path": path, **row} for path, row in settings.FILES.items()],
        "system_units": [{"name": name, "enabled": True, "state": "started"} for name in settings.UNITS],
        "system_mounts": [
            {"path": path, "source": "tmpfs", "fstype": "tmpfs", "options": options}
            for path, options in settings.MOUNTS.items()
        ],
    }


def _mitogen_strategies() -> Path:
    return next(PEERS.glob("lib/python3*/site-packages/ansible_mitogen/plugins/strategy"), PEERS)


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n")
