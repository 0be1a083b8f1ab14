"""What a control-plane node does for other nodes: means to join, drain, uncordon, take from the list of nodes.

The means live for minutes: a token, the key under which the certificates are stored for two hours at most, and a
kubeconfig that may label and taint nodes. It deliberately writes none of it to a disk, and passes none as an argument.
"""

from __future__ import annotations

import json
import secrets
import time
from typing import Any, Dict, List, Mapping

from ..facts.kube_cluster import parse_advertised, parse_image_version, parse_join, parse_server
from ..host import Host, Result
from ..model.kube_cluster import ADMIN, API_SERVER
from ..plan.kube_cluster_config import means_documents
from ..plan.kube_cluster_objects import CONVERGE_GROUP
from .kube_cluster_secret import kept_while, last_words, reason
from .outcome import Refused

CALL_S = 90.0
CLOCKS_S = 300  # a node whose clock is a little behind must not find its certificate not yet valid or over
GONE = "(NotFound)"


def means(host: Host, request: Mapping[str, Any]) -> Dict[str, Any]:
    """Return what lets nodes in; ``control_plane``: certificates are stored for them too."""
    minutes = int(request["ttl_min"])
    made = _kubeadm(host, ["token", "create", "--ttl", f"{minutes}m", "--print-join-command"])
    token, digest = parse_join(made.out)
    if not token:
        raise Refused(f"kubeadm token create printed no join command: {last_words(made)}")
    found = {"token": token, "ca_hash": digest, "certificate_key": "", "kubeconfig": _kubeconfig(host, minutes)}
    if request.get("control_plane"):
        found["certificate_key"] = secrets.token_hex(32)
        with kept_while(host, "upload.yaml", _config(host, found["certificate_key"])) as path:
            _kubeadm(host, ["init", "phase", "upload-certs", "--upload-certs", "--config", path])
    return {"means": found}


def _kubeconfig(host: Host, minutes: int) -> str:
    period = f"{minutes * 60 + CLOCKS_S}s"
    argv = ["kubeconfig", "user", "--client-name", "raceway", "--org", CONVERGE_GROUP, "--validity-period", period]
    with kept_while(host, "user.yaml", _config(host)) as path:
        return _kubeadm(host, [*argv, "--config", path]).out


def _config(host: Host, key: str = "") -> str:
    """Return what kubeadm would otherwise find out by asking the internet (version) and its routes (address)."""
    manifest, server = host.read(API_SERVER) or "", parse_server(host.read(ADMIN) or "")
    version, address = parse_image_version(manifest), parse_advertised(manifest)
    if not (version and server):
        raise Refused("this node is no control-plane node of a cluster: it has no API server and no administrator")
    return means_documents(version, server, address, key)


def drain(host: Host, request: Mapping[str, Any]) -> Dict[str, Any]:
    """Let the pods of a node leave; disruption budgets are respected, and the node stays cordoned."""
    name, limit = str(request["node"]), int(request["timeout_s"])
    if not _known(host, name):
        return {"changed": False}
    argv = ["drain", name, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout", f"{limit}s"]
    done = host.run(["kubectl", "--kubeconfig", ADMIN, *argv], limit + CALL_S)
    if done.rc:
        raise Refused(f"{name} is not empty after {limit} s: {last_words(done)}; it stays cordoned")
    return {"changed": True}


def uncordon(host: Host, request: Mapping[str, Any]) -> Dict[str, Any]:
    """Let pods come to a node again, once it is ready."""
    name, limit = str(request["node"]), int(request["timeout_s"])
    done = _kubectl(host, ["wait", "--for=condition=Ready", f"node/{name}", "--timeout", f"{limit}s"], limit + CALL_S)
    if done.rc:
        raise Refused(f"{name} is not ready after {limit} s, so it stays cordoned: {last_words(done)}")
    done = _kubectl(host, ["uncordon", name])
    if done.rc:
        raise Refused(reason("kubectl uncordon", done))
    return {"changed": "already uncordoned" not in done.out}


def delete(host: Host, request: Mapping[str, Any]) -> Dict[str, Any]:
    """Take a node that has been reset from the list of nodes."""
    name = str(request["node"])
    done = _kubectl(host, ["delete", "node", name, "--wait=true", "--timeout=60s"])
    if done.rc and GONE not in done.err:
        raise Refused(reason("kubectl delete node", done))
    return {"changed": not done.rc}


def wait_for_api(host: Host, limit_s: float) -> None:
    """Wait until this node's API server is ready."""
    end = time.monotonic() + limit_s
    done = _kubectl(host, ["get", "--raw", "/readyz"])
    while done.rc and time.monotonic() < end:
        time.sleep(1.0)
        done = _kubectl(host, ["get", "--raw", "/readyz"])
    if done.rc:
        raise Refused(f"the API server is not ready after {limit_s:.0f} s: {last_words(done)}")


def _known(host: Host, name: str) -> bool:
    done = _kubectl(host, ["get", "node", name, "-o", "json"])
    if done.rc and GONE not in done.err:
        raise Refused(reason("kubectl get node", done))
    return not done.rc and json.loads(done.out).get("kind") == "Node"


def _kubectl(host: Host, arguments: List[str], limit_s: float = CALL_S) -> Result:
    return host.run(["kubectl", "--kubeconfig", ADMIN, *arguments], limit_s)


def _kubeadm(host: Host, arguments: List[str]) -> Result:
    done = host.run(["kubeadm", *arguments], CALL_S)
    if done.rc:
        raise Refused(reason(f"kubeadm {' '.join(arguments[:2])}", done))
    return done
