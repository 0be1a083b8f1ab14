"""The kubelet of a node as it is: our files, its service, and under which policies it has given CPUs and memory away.

Its managers keep checkpoints, one line of JSON each; what kubeadm wrote names the owner of the cgroups::

    {"policyName":"static","defaultCpuSet":"0-1","entries":{…},"checksum":1353318690}
    cgroupDriver: systemd
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Mapping, Tuple

from .kube_service import ServiceFacts

_DRIVER = re.compile(r"^cgroupDriver:\s*\"?(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class KubeletFacts:
    """``files``: path → text of ours; ``owned``: paths raceway has written. ``containers``: ids of those that run.

    ``policies``: path of a checkpoint → the policy that wrote it. ``base``: kubeadm's configuration is there, and
    ``driver`` its cgroup driver. ``arguments``: of the running process. ``unmounted``: declared
    mount points on which nothing is mounted.
    """

    service: ServiceFacts = field(default_factory=ServiceFacts)
    files: Mapping[str, str] = field(default_factory=dict)
    owned: Tuple[str, ...] = ()
    containers: Tuple[str, ...] = ()
    policies: Mapping[str, str] = field(default_factory=dict)
    base: bool = False
    driver: str = ""
    arguments: Tuple[str, ...] = ()
    unmounted: Tuple[str, ...] = ()


def parse_policy(checkpoint: str) -> str:
    """Return the policy that wrote a checkpoint; "?" for one that cannot be read, which no kubelet starts on.

    >>> parse_policy('{"policyName":"none","defaultCpuSet":"","checksum":1353318690}'), parse_policy("")
    ('none', '?')
    """
    try:
        return str(json.loads(checkpoint).get("policyName") or "?")
    except (ValueError, AttributeError):
        return "?"


def parse_driver(config: str) -> str:
    """Return the cgroup driver of kubeadm's configuration, empty where it does not say."""
    found = _DRIVER.search(config)
    return found[1] if found else ""
