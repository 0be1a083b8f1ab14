"""The texts of the container runtime: its configuration, a registry's mirrors, and what its unit is given besides.

It deliberately sets only what the declaration decides; everything else stays the runtime's own default.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Sequence

from ..model.containerd import (
    CERTS,
    CONFIG,
    CRICTL,
    DROP_IN,
    RUNC,
    SOCKET,
    SYSTEMD,
    UNIT_FILE,
    ContainerdDesired,
    Mirror,
    Runtime,
    hosts_file,
)
from .dropin import render

CRI = 'plugins."io.containerd.grpc.v1.cri"'
# Registries whose images are served at another name than their own (containerd's hosts document).
SERVERS = {"docker.io": "https://registry-1.docker.io"}


def texts(desired: ContainerdDesired, runtimes: Sequence[Runtime]) -> Dict[str, str]:
    """Return path → text of every file of the runtime; ``runtimes``: those whose program is there."""
    rows = {UNIT_FILE: desired.unit} if desired.unit else {}
    rows[DROP_IN] = drop_in([desired.root, *desired.mounts], desired.mounts, desired.memlock)
    rows[CONFIG] = render("kubernetes", config(desired, runtimes))
    rows[CRICTL] = render("kubernetes", [f"runtime-endpoint: {SOCKET}", f"image-endpoint: {SOCKET}"])
    for registry, mirrors in desired.mirrors.items():
        rows[hosts_file(registry)] = render("kubernetes", hosts(registry, mirrors))
    return rows


def drop_in(
    folders: Sequence[str], mounts: Sequence[str], memlock: bool, unit: Sequence[str] = (), service: Sequence[str] = ()
) -> str:
    """Return a unit's drop-in: the mounts it waits for and does not start without, and the memory it may lock.

    RequiresMountsFor= takes in whatever mount units a folder lies on; a mount that has no unit, or lost it, is seen by
    the assertion, so that no data lands on the root file system (oci-hpc-oke#46).
    """
    lines = ["[Unit]", *(f"RequiresMountsFor={folder}" for folder in dict.fromkeys(folders))]
    lines += [f"AssertPathIsMountPoint={mount}" for mount in mounts]
    lines += unit
    # Limits of logins do not reach services, and containers have those of what starts them (trixie#81, spur#449).
    rows = [*service, *(["LimitMEMLOCK=infinity"] if memlock else [])]
    return render("kubernetes", [*lines, *(["", "[Service]", *rows] if rows else [])])


def config(desired: ContainerdDesired, runtimes: Sequence[Runtime]) -> List[str]:
    """Return the lines of containerd's configuration."""
    default = next((one.name for one in runtimes if one.default), RUNC)
    lines = ["version = 2", f"root = {_toml(desired.root)}"]
    # containerd makes this folder at each start, by default /opt/containerd: it belongs to the data.
    lines += ["", '[plugins."io.containerd.internal.v1.opt"]', f"path = {_toml(desired.root + '/opt')}", "", f"[{CRI}]"]
    lines += [f"sandbox_image = {_toml(desired.sandbox_image)}"] if desired.sandbox_image else []
    lines += [f"restrict_oom_score_adj = {_toml(desired.restrict_oom_score_adj)}", f"enable_cdi = {_toml(desired.cdi)}"]
    lines += ["", f"[{CRI}.cni]", f"bin_dir = {_toml(desired.cni_folder)}", 'conf_dir = "/etc/cni/net.d"']
    lines += ["", f"[{CRI}.registry]", f"config_path = {_toml(CERTS)}", "", f"[{CRI}.containerd]"]
    lines += [f"snapshotter = {_toml(desired.snapshotter)}", f"default_runtime_name = {_toml(default)}"]
    systemd = desired.cgroup_driver == SYSTEMD
    lines += _runtime(RUNC, {"SystemdCgroup": systemd})
    for one in runtimes:
        lines += _runtime(one.name, {"BinaryName": one.binary, "SystemdCgroup": systemd, **one.options})
    return lines


def hosts(registry: str, mirrors: Sequence[Mirror]) -> List[str]:
    """Return the lines of a registry's hosts file; the registry itself is asked last."""
    lines = [f"server = {_toml(SERVERS.get(registry, f'https://{registry}'))}"]
    for one in mirrors:
        lines += ["", f"[host.{_toml(one.address)}]", 'capabilities = ["pull", "resolve"]']
        lines += [f"ca = {_toml(one.ca)}"] if one.ca else []
        lines += ["skip_verify = true"] if one.skip_verify else []
    return lines


def _runtime(name: str, options: Dict[str, Any]) -> List[str]:
    table = f"{CRI}.containerd.runtimes.{_toml(name)}"
    rows = [f"{key} = {_toml(value)}" for key, value in options.items()]
    return ["", f"[{table}]", 'runtime_type = "io.containerd.runc.v2"', "", f"[{table}.options]", *rows]


def _toml(value: Any) -> str:
    # Strings, numbers and booleans are written alike in TOML and JSON; lists of them too.
    return json.dumps(value)
