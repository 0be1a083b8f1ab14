"""A node as kubeadm, kubectl, systemd and ip answer on it, with the state of its cluster in memory.

Written from what the programs printed on a lab node (kubeadm and kubectl 1.35.4), not from raceway's code. ``failing``:
beginning of a command line → how it ends; ``seen``: what stood in the file given with ``--config``, and its mode.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from raceway.host import Host, Result

from .builders import make_tree

TOKEN, HASH = "abcdef.0123456789abcdef", "sha256:" + "1" * 64
KEY = "9" * 64
KUBECONFIG = "clusters:\n- cluster:\n    server: https://10.0.0.10:6443\n"
LOCAL = "clusters:\n- cluster:\n    server: https://10.0.0.11:6443\n"  # of a control-plane node's kubelet
MANIFEST = (
    "metadata:\n  annotations:\n    kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: 10.0.0.11:6443\n"
    "spec:\n  containers:\n  - image: registry.k8s.io/kube-apiserver:v1.35.4\n"
)
OK = Result(0, "", "")


class FakeCluster(Host):
    """``nodes``: Node objects by name. ``calls``: command lines so far."""

    def __init__(self, root: Path, name: str = "node1", files: dict[str, str] | None = None) -> None:
        super().__init__(str(make_tree(root, {"/run/keep": "", **(files or {})})))
        self.name, self.version = name, "1.35.4"
        self.nodes: dict[str, dict[str, Any]] = {}
        self.running: set[str] = set()
        self.enabled: set[str] = set()
        self.routes: list[dict[str, str]] = []
        self.masquerading = False
        self.answers = False
        self.api = True
        self.failing: dict[str, Result] = {}
        self.calls: list[str] = []
        self.seen: list[tuple[str, int]] = []

    def which(self, program: str) -> str | None:
        return f"/usr/bin/{program}" if program != "etcdutl" else None

    def add(self, name: str, subnet: str, address: str, **more: Any) -> None:
        """Let a node be in the cluster."""
        self.nodes[name] = {
            "metadata": {"name": name, "labels": more.get("labels", {})},
            "spec": {"podCIDR": subnet, "taints": more.get("taints", [])},
            "status": {
                "addresses": [{"type": "InternalIP", "address": address}],
                "conditions": [{"type": "Ready", "status": more.get("ready", "True"), "message": "as it is"}],
                "nodeInfo": {"kubeletVersion": f"v{more.get('kubelet', '1.35.4')}"},
            },
        }

    def run(self, argv: Sequence[str], timeout: float = 60.0, stdin: str = "") -> Result:
        """Answer as the named program does."""
        line = " ".join(argv)
        self.calls.append(line)
        for start, result in self.failing.items():
            if line.startswith(start):
                return result
        if "--config" in argv:
            path = argv[list(argv).index("--config") + 1]
            mode = Path(self.path(path)).stat().st_mode
            self.seen.append((self.read(path) or "", stat.S_IMODE(mode)))
        words = [word for word in argv if word != "--"]
        answer = getattr(self, f"_{Path(words[0]).name.replace('-', '_')}", None)
        return answer(words[1:]) if answer else OK

    def _kubeadm(self, words: list[str]) -> Result:
        verb = words[0]
        if verb == "version":
            return Result(0, f"v{self.version}\n", "")
        if verb in ("init", "join") and words[1:2] != ["phase"]:
            self._become(self.seen[-1][0], verb == "init")
        if verb == "reset":
            for path in ("kubelet.conf", "admin.conf", "manifests/kube-apiserver.yaml"):
                self.remove(f"/etc/kubernetes/{path}")
            self.remove("/var/lib/kubelet/pki/kubelet-client-current.pem")
        if verb == "token":
            return Result(
                0, f"kubeadm join 10.0.0.10:6443 --token {TOKEN} --discovery-token-ca-cert-hash {HASH} \n", ""
            )
        if verb == "kubeconfig":
            return Result(0, "users:\n- user:\n    client-key-data: U0VDUkVU\n", "")
        return OK

    def _become(self, document: str, first: bool) -> None:
        plane = first or "controlPlane:" in document
        own = LOCAL if plane else KUBECONFIG
        files = {"/etc/kubernetes/kubelet.conf": own, "/var/lib/kubelet/pki/kubelet-client-current.pem": "x\n"}
        if plane:
            files |= {
                "/etc/kubernetes/admin.conf": KUBECONFIG,
                "/etc/kubernetes/manifests/kube-apiserver.yaml": MANIFEST,
            }
        make_tree(Path(self.root), files)
        registered = next(yaml.safe_load_all(document), None) or {"nodeRegistration": {"taints": []}}
        taints, number = registered["nodeRegistration"]["taints"], len(self.nodes)
        self.add(self.name, f"10.244.{number}.0/24", f"10.0.0.{11 + number}", taints=taints)

    def _kubectl(self, words: list[str]) -> Result:
        line = " ".join(words)
        if "/version" in line:
            return Result(0, '{"gitVersion": "v1.35.4"}', "") if self.answers else Result(1, "", "refused")
        if not self.api:
            return Result(1, "", "The connection to the server 10.0.0.10:6443 was refused")
        if "get nodes" in line:
            return Result(0, json.dumps({"kind": "List", "items": list(self.nodes.values())}), "")
        if "get node " in line:
            node = self.nodes.get(words[words.index("node") + 1])
            return Result(0, json.dumps({"kind": "Node", **node}), "") if node else Result(1, "", "(NotFound)")
        if "patch node" in line:
            self._patch(words[words.index("node") + 1], json.loads(words[words.index("-p") + 1]))
        return OK

    def _patch(self, name: str, body: dict[str, Any]) -> None:
        node = self.nodes[name]
        for key, value in body.get("metadata", {}).get("labels", {}).items():
            node["metadata"]["labels"].pop(key, None)
            if value is not None:
                node["metadata"]["labels"][key] = value
        if "spec" in body:
            node["spec"]["taints"] = body["spec"]["taints"] or []

    def _routes(self, _words: list[str]) -> Result:
        others = [one for name, one in self.nodes.items() if name != self.name]
        self.routes = [
            {"dst": one["spec"]["podCIDR"], "gateway": one["status"]["addresses"][0]["address"]} for one in others
        ]
        self.masquerading = True
        return OK

    def _ip(self, words: list[str]) -> Result:
        if "flush" in words:
            self.routes = []
        return Result(0, json.dumps(self.routes), "") if "show" in words else OK

    def _iptables(self, words: list[str]) -> Result:
        rule = "-A POSTROUTING -s 10.244.0.0/24 -m comment --comment raceway-pods -j MASQUERADE\n"
        if "-D" in words:
            self.masquerading = False
        return Result(0, rule if self.masquerading else "", "") if "-S" in words else OK

    def _pgrep(self, words: list[str]) -> Result:
        return Result(1, "", "") if words[-1] not in self.running else OK

    def _systemctl(self, words: list[str]) -> Result:
        verb, names = words[0], words[1:]
        if verb == "show":
            return Result(0, "\n".join(self._shown(name) for name in names[2:]), "")
        if verb in ("enable", "disable"):
            (self.enabled.add if verb == "enable" else self.enabled.discard)(names[-1])
        if verb in ("restart", "start", "stop"):
            (self.running.discard if verb == "stop" else self.running.add)(names[-1])
        return OK

    def _shown(self, name: str) -> str:
        there = self.exists(f"/etc/systemd/system/{name}") or name == "keepalived.service"
        state = "active" if name in self.running else "inactive"
        enabled = "enabled" if name in self.enabled else "disabled" if there else ""
        load = "loaded" if there else "not-found"
        return f"Id={name}\nLoadState={load}\nActiveState={state}\nUnitFileState={enabled}\nInvocationID={name}\n"
