"""The node role's variables: what a machine is, by the rules of Kubernetes names and of common sense.

It deliberately asks nothing of the kernel and writes nothing: the node compares the declaration with what it finds,
other roles and the cluster layout read it.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Any

from ..model.needs import Merged, Need
from .problem import Problem

COUNTS = ("node_cpus", "node_memory_gib", "node_accelerator_count", "node_rdma_ports")
PLACES = ("node_rack", "node_leaf", "node_spine")  # each becomes a label value and a HyperNode's name
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
# Kubernetes: a name of at most 63 characters, letters and digits at both ends; a prefix is a DNS subdomain (253).
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")
_LABEL_OF_DNS = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_SUBDOMAIN = re.compile(rf"{_LABEL_OF_DNS}(?:\.{_LABEL_OF_DNS})*")
_HOST = re.compile(rf"{_LABEL_OF_DNS}(?:\.{_LABEL_OF_DNS})*\.?", re.IGNORECASE)
NAME_RULE = "at most 63 letters, digits, -, _ and ., a letter or digit at both ends"
# Labels the kubelet and cloud controllers own; a node restriction admission plugin refuses them to others.
_OWNED_PREFIXES = ("kubernetes.io", "k8s.io")
_FREE_IN_OWNED = (
    "node-role.kubernetes.io",
    "topology.kubernetes.io",
    "node.kubernetes.io",
    "node-restriction.kubernetes.io",
)


def rules(values: dict[str, Any]) -> list[Problem]:
    """Return what is wrong with the declaration of one machine."""
    return [
        *_counts(values),
        *_accelerators(values),
        *_places(values),
        *_labels(values["node_labels"]),
        *_taints(values["node_taints"]),
        *_resource(values["node_rdma_resource"]),
        *_address(values["node_address"]),
    ]


def needs(values: dict[str, Any]) -> list[Need]:
    """Return nothing: being a machine asks nothing of the kernel."""
    del values
    return []


def desired(values: dict[str, Any], merged: tuple[Merged, ...], platform: str) -> dict[str, dict[str, Any]]:
    """Return the declared machine, which the node compares with what it finds; this role writes nothing."""
    del merged
    names = ("cpus", "memory_gib", "accelerator_kind", "accelerator_count", "rdma_ports")
    return {"machine": {**{name: values[f"node_{name}"] for name in names}, "platform": platform}}


def bad_label_key(key: str) -> str:
    """Return why a label or taint key is none, or the empty string.

    >>> bad_label_key("example.com/rack"), bad_label_key("-rack")
    ('', 'name: at most 63 letters, digits, -, _ and ., a letter or digit at both ends')
    """
    prefix, slash, name = key.rpartition("/")
    if slash and not (len(prefix) <= 253 and _SUBDOMAIN.fullmatch(prefix)):
        return "prefix: a DNS name of lower-case letters, digits, - and ., at most 253 characters"
    return "" if _NAME.fullmatch(name) else f"name: {NAME_RULE}"


def bad_label_value(value: str) -> str:
    """Return why a label value is none, or the empty string; an empty value is fine."""
    return "" if value == "" or _NAME.fullmatch(value) else NAME_RULE


def bad_address(text: str) -> str:
    """Return why a text is neither an IP address nor a host name, or the empty string.

    >>> bad_address("10.0.0.7"), bad_address("fe80::1"), bad_address("bmc1.example.com"), bad_address("10.0.0.700")
    ('', '', '', 'no IPv4 address')
    """
    try:
        ipaddress.ip_address(text)
        return ""
    except ValueError:
        pass
    if re.fullmatch(r"[0-9.]+", text):
        return "no IPv4 address"
    fits = len(text) <= 253 and _HOST.fullmatch(text)
    return "" if fits else "neither an IP address nor a host name"


def _counts(values: dict[str, Any]) -> list[Problem]:
    return [
        Problem(name, str(values[name]), "0 or more", "0 means not declared") for name in COUNTS if values[name] < 0
    ]


def _accelerators(values: dict[str, Any]) -> list[Problem]:
    kind, count, model = (values[f"node_accelerator_{part}"] for part in ("kind", "count", "model"))
    rows = []
    if kind == "none" and count > 0:
        act = "name the kind: nvidia, amd or ascend; without it no pod can ask for them"
        rows.append(Problem("node_accelerator_count", f"{count} with kind none", "0 for kind none", act))
    if kind != "none" and count == 0:
        act = "give the count, or set the kind to none"
        rows.append(Problem("node_accelerator_kind", f"{kind} with a count of 0", "1 or more for this kind", act))
    if kind == "none" and model:
        act = "remove the model or name the kind"
        rows.append(Problem("node_accelerator_model", f"{model} with kind none", "empty for kind none", act))
    return rows


def _places(values: dict[str, Any]) -> list[Problem]:
    rows = [
        Problem(name, f'"{values[name]}"', NAME_RULE, "it becomes a label value; choose another spelling")
        for name in PLACES
        if bad_label_value(values[name])
    ]
    if values["node_spine"] and not values["node_leaf"]:
        act = "name the leaf: a machine hangs on a leaf, the leaf on the spine"
        rows.append(Problem("node_spine", f"{values['node_spine']} without node_leaf", "a leaf below every spine", act))
    return rows


def _labels(labels: dict[str, Any]) -> list[Problem]:
    rows = []
    for key, value in labels.items():
        wrong_key = bad_label_key(str(key))
        if wrong_key:
            rows.append(Problem("node_labels", f'key "{key}"', wrong_key, "correct the key"))
        if not isinstance(value, str):
            act = f'write {key}: "{str(value).lower()}": label values are strings'
            rows.append(Problem("node_labels", f"{key}: {value} ({type(value).__name__})", "a string", act))
        elif bad_label_value(value):
            rows.append(Problem("node_labels", f'{key}: "{value}"', bad_label_value(value), "correct the value"))
        prefix = str(key).rpartition("/")[0]
        if _owned(prefix):
            act = "use a prefix of your own, for instance example.com/"
            found = f"{key}: Kubernetes keeps this prefix for itself"
            rows.append(Problem("node_labels", found, "your own prefix", act, severity="warning"))
    return rows


def _owned(prefix: str) -> bool:
    if prefix in _FREE_IN_OWNED or prefix.endswith(".node-restriction.kubernetes.io"):
        return False
    return any(prefix == owned or prefix.endswith(f".{owned}") for owned in _OWNED_PREFIXES)


def _taints(taints: list[str]) -> list[Problem]:
    rows = []
    seen: dict[tuple[str, str], str] = {}
    for taint in taints:
        head, colon, effect = taint.rpartition(":")
        key, _, value = head.partition("=")
        if not colon or not key or effect not in EFFECTS:
            allowed = f"key=value:Effect, Effect one of {', '.join(EFFECTS)}"
            rows.append(Problem("node_taints", f'"{taint}"', allowed, 'for instance "example.com/gpu=true:NoSchedule"'))
            continue
        wrong = bad_label_key(key) or bad_label_value(value)
        if wrong:
            rows.append(Problem("node_taints", f'"{taint}"', wrong, "correct the taint"))
        if (key, effect) in seen:
            found = f'"{seen[key, effect]}" and "{taint}"'
            rows.append(Problem("node_taints", found, "one taint a key and effect", "remove one"))
        seen[key, effect] = taint
    return rows


def _resource(name: str) -> list[Problem]:
    prefix, slash, _ = name.partition("/")
    if slash and prefix and not bad_label_key(name) and name.count("/") == 1:
        return []
    return [
        Problem("node_rdma_resource", f'"{name}"', "domain/name", "write the name that the device plugin registers")
    ]


def _address(text: str) -> list[Problem]:
    wrong = bad_address(text) if text else ""
    return (
        [Problem("node_address", f'"{text}": {wrong}', "an IP address or a host name", "correct it")] if wrong else []
    )
