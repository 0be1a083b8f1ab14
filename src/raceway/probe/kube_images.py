"""Reads what archives hold and what containerd has: one question to containerd, everything else from files.

It deliberately reads manifests from containerd's content store instead of asking for each: they are files named by
their digest, and a question costs more than reading all of them.
"""

from __future__ import annotations

from typing import Dict

from ..facts.kube_images import Archive, KubeImagesFacts, parse_config, parse_docker, parse_list, parse_oci
from ..host import Host, Ledger
from ..host.archive import member
from ..model.kube_images import KubeImagesDesired
from .containerd import IMAGE_BOOK

CTR = ("ctr", "--namespace", "k8s.io")
SOCKET = "/run/containerd/containerd.sock"
CONTENT = "io.containerd.content.v1.content/blobs/sha256"


def probe(host: Host, desired: KubeImagesDesired, ledger: Ledger) -> KubeImagesFacts:
    """Return the facts the planner compares with ``desired``."""
    if not desired.present:
        return KubeImagesFacts()
    archives = {path: _archive(host, path) for path in desired.archives}
    owned = tuple(ledger.owned(IMAGE_BOOK))
    if not host.exists(SOCKET):
        return KubeImagesFacts(archives, owned=owned)
    done = host.run([*CTR, "images", "ls"])
    return KubeImagesFacts(archives, configs(host, desired.root, parse_list(done.out)), done.rc == 0, owned)


def configs(host: Host, root: str, targets: Dict[str, str]) -> Dict[str, str]:
    """Return name → digest of the configuration; empty where the target is an index of several platforms."""
    blobs = f"{root}/{CONTENT}"
    return {
        name: parse_config(host.read(f"{blobs}/{digest.rpartition(':')[2]}") or "") for name, digest in targets.items()
    }


def _archive(host: Host, path: str) -> Archive:
    name, text, problem = member(host, path, ("manifest.json", "index.json"))
    if problem or text is None:
        return Archive(problem=problem)
    return parse_docker(text) if name == "manifest.json" else parse_oci(text)
