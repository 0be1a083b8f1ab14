"""etcd from a snapshot: the control plane stopped, the data replaced, the control plane started.

The former data stays beside the new one under a name with the time, so nothing is lost by a wrong snapshot. The other
control-plane nodes are reset and join anew: their copies belong to the former cluster of etcd. It deliberately uses the
etcdutl of the very etcd image the node runs: data of one version are not rebuilt with another's tool.
"""

from __future__ import annotations

import os
import time
from typing import Any, Dict, List, Mapping

from ..facts.kube_cluster import parse_image_version
from ..host import Host
from ..model.kube_cluster import ETCD_DATA, HOME
from ..plan.kube_cluster_config import reset_documents
from .kube_cluster_acts import wait_for_api
from .kube_cluster_secret import kept_while, last_words, reason
from .outcome import Refused

MANIFESTS = f"{HOME}/manifests"
ASIDE = f"{HOME}/manifests.raceway-stopped"
STATIC = ("kube-apiserver.yaml", "kube-controller-manager.yaml", "kube-scheduler.yaml", "etcd.yaml")
STOP_S, READY_S, RESTORE_S, RESET_S = 120.0, 300.0, 600.0, 300.0
# Watchers that remember a revision from after the snapshot must not meet an older one under the same number.
BUMP = "1000000000"


def look(host: Host, request: Mapping[str, Any]) -> Dict[str, Any]:
    """See that there is a snapshot, and a control plane to restore, before anything is stopped."""
    snapshot = str(request["snapshot"])
    if not host.exists(snapshot):
        raise Refused(f"{snapshot} is not on this node; nothing was stopped")
    if not (host.exists(f"{MANIFESTS}/etcd.yaml") or host.exists(f"{ASIDE}/etcd.yaml")):
        raise Refused("there is no etcd on this node that could be restored")
    return {"changed": False}


def stop(host: Host, request: Mapping[str, Any]) -> Dict[str, Any]:
    """Stop the static pods of the control plane and wait until etcd and the API server have ended."""
    del request
    there = [name for name in STATIC if host.exists(f"{MANIFESTS}/{name}")]
    host.mkdir(ASIDE, 0o700)
    for name in there:
        os.rename(host.path(f"{MANIFESTS}/{name}"), host.path(f"{ASIDE}/{name}"))
    end = time.monotonic() + STOP_S
    while _running(host):
        if time.monotonic() > end:
            raise Refused(f"{', '.join(_running(host))} still run {STOP_S:.0f} s after their manifests went")
        time.sleep(1.0)
    return {"changed": bool(there)}


def restore(host: Host, request: Mapping[str, Any]) -> Dict[str, Any]:
    """Put the snapshot's data in place of etcd's and start the control plane of this node, now the only one."""
    snapshot, name, address = (str(request[key]) for key in ("snapshot", "node", "address"))
    if not host.exists(snapshot):
        raise Refused(f"{snapshot} is not on this node")
    manifest = host.read(f"{ASIDE}/etcd.yaml")
    if manifest is None:
        raise Refused("the control plane has not been stopped: etcd's manifest is not aside")
    stamp = _stamp()
    fresh = f"{ETCD_DATA}/restored-{stamp}"
    peer = f"https://{address or _own(manifest)}:2380"
    argv = ["snapshot", "restore", snapshot, "--data-dir", fresh, "--name", name, "--initial-cluster", f"{name}={peer}"]
    argv += ["--initial-advertise-peer-urls", peer, "--bump-revision", BUMP, "--mark-compacted"]
    done = host.run(_etcdutl(host, manifest, os.path.dirname(snapshot), argv), RESTORE_S)
    if done.rc or not host.exists(f"{fresh}/member"):
        raise Refused(reason("etcdutl snapshot restore", done))
    kept = f"{ETCD_DATA}/member.before-{stamp}"
    if host.exists(f"{ETCD_DATA}/member"):
        os.rename(host.path(f"{ETCD_DATA}/member"), host.path(kept))
    os.rename(host.path(f"{fresh}/member"), host.path(f"{ETCD_DATA}/member"))
    host.rmdir(fresh)
    for file in STATIC:
        if host.exists(f"{ASIDE}/{file}"):
            os.rename(host.path(f"{ASIDE}/{file}"), host.path(f"{MANIFESTS}/{file}"))
    host.rmdir(ASIDE)
    wait_for_api(host, READY_S)
    return {"changed": True, "kept": kept}


def reset(host: Host, request: Mapping[str, Any]) -> Dict[str, Any]:
    """Take a control-plane node out whose etcd belongs to the former cluster; it joins in the next converge."""
    del request
    for name in STATIC:
        if host.exists(f"{ASIDE}/{name}"):
            host.remove(f"{ASIDE}/{name}")
    host.rmdir(ASIDE)
    # Its member is not in the restored etcd, so there is nothing to be taken out of it.
    document = reset_documents() + "skipPhases:\n- remove-etcd-member\n"
    with kept_while(host, "reset.yaml", document) as path:
        done = host.run(["kubeadm", "reset", "--force", "--config", path], RESET_S)
    if done.rc:
        raise Refused(reason("kubeadm reset", done))
    if host.exists(f"{ETCD_DATA}/member"):
        os.rename(host.path(f"{ETCD_DATA}/member"), host.path(f"{ETCD_DATA}/member.before-{_stamp()}"))
    return {"changed": True}


def _stamp() -> str:
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


def _running(host: Host) -> List[str]:
    """Return the names of control-plane containers that run."""
    rows = []
    for name in ("etcd", "kube-apiserver"):
        done = host.run(["pgrep", "-x", name])
        if done.rc == 0:
            rows.append(name)
        elif done.rc != 1:
            raise Refused(f"pgrep: {last_words(done)}")
    return rows


def _etcdutl(host: Host, manifest: str, folder: str, arguments: List[str]) -> List[str]:
    """Return the command that runs etcdutl, the node's own or the image's."""
    if host.which("etcdutl"):
        return ["etcdutl", *arguments]
    image = _image(manifest)
    if not image:
        raise Refused(f"etcd's manifest names no image (version {parse_image_version(manifest) or 'unknown'})")
    mounts = []
    for path in dict.fromkeys((ETCD_DATA, folder)):
        mounts += ["--mount", f"type=bind,src={path},dst={path},options=rbind:rw"]
    return ["ctr", "-n", "k8s.io", "run", "--rm", *mounts, image, "raceway-etcdutl", "etcdutl", *arguments]


def _image(manifest: str) -> str:
    lines = [line.strip() for line in manifest.splitlines()]
    return next((line[len("image:") :].strip().strip("\"'") for line in lines if line.startswith("image:")), "")


def _own(manifest: str) -> str:
    """Return the address etcd tells its peers, from its manifest."""
    mark = "--initial-advertise-peer-urls=https://"
    line = next((line for line in manifest.splitlines() if mark in line), "")
    return line.partition(mark)[2].strip().rpartition(":")[0]
