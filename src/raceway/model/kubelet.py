"""The kubelet of a node as declared: fields of its configuration in one drop-in of ours, and what its unit is given.

kubeadm writes /var/lib/kubelet/config.yaml for all nodes of a cluster; what belongs to this node is merged over it from
a drop-in folder (``--config-dir``, a JSON merge patch a file). It deliberately starts no kubelet that is not part of
a cluster: kubeadm does that, when there is a configuration to start it with.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Tuple

from .containerd import UNIT as RUNTIME

UNIT = "kubelet.service"
FOLDER = "/etc/kubernetes/kubelet.conf.d"
CONFIG = f"{FOLDER}/20-raceway.conf"
UNIT_FILE = f"/etc/systemd/system/{UNIT}"
DROP_IN = f"/etc/systemd/system/{UNIT}.d/20-raceway.conf"
DATA = "/var/lib/kubelet"
BASE = f"{DATA}/config.yaml"
# Policy → where its manager keeps what it has given to whom. It does not start on what another policy wrote.
STATES: Dict[str, str] = {
    "cpuManagerPolicy": f"{DATA}/cpu_manager_state",
    "memoryManagerPolicy": f"{DATA}/memory_manager_state",
}
UNIT_LINES = (f"Wants={RUNTIME}", f"After={RUNTIME}", f"ConditionPathExists={BASE}")
ARGUMENTS = f'Environment="KUBELET_CONFIG_ARGS=--config={BASE} --config-dir={FOLDER}"'


@dataclass(frozen=True)
class KubeletDesired:
    """What the ``kubelet`` noun is given. ``config``: fields of KubeletConfiguration; ``present`` false: none is ours.

    ``folders``: where its data and its containers' lie; ``mounts``: mount points that must be mounted; ``unit``:
    content of the unit file where the kubelet comes without one.
    """

    present: bool = False
    config: Mapping[str, Any] = field(default_factory=dict)
    folders: Tuple[str, ...] = (DATA,)
    mounts: Tuple[str, ...] = ()
    memlock: bool = True
    unit: str = ""
    platform: str = "bare_metal"


def parse(spec: Mapping[str, Any]) -> KubeletDesired:
    """Read the JSON form: the names of KubeletDesired's fields; each may be left out."""
    plain = {name: spec[name] for name in ("present", "config", "memlock", "unit", "platform") if name in spec}
    lists: Dict[str, Any] = {name: tuple(spec[name]) for name in ("folders", "mounts") if name in spec}
    return KubeletDesired(**plain, **lists)


def body(config: Mapping[str, Any]) -> str:
    """Return a drop-in's text without its header: JSON, which every reader of YAML reads, this program too."""
    document = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", **config}
    return json.dumps(document, indent=2, sort_keys=True)


def fields(text: str) -> Dict[str, Any]:
    """Return the fields of a drop-in of ours; nothing for a text that is none.

    >>> fields('# Written by raceway\\n{"kind": "KubeletConfiguration", "maxPods": 110}\\n')
    {'maxPods': 110}
    """
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    try:
        document = json.loads("\n".join(lines))
    except ValueError:
        return {}
    found = document if isinstance(document, dict) else {}
    return {name: value for name, value in found.items() if name not in ("apiVersion", "kind")}
