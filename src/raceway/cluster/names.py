"""What the Kubernetes API accepts as names, label keys, label values and resource keys.

The forms are those of apimachinery's validation package. It deliberately does not repair anything: a bad name in a
declaration is told, because a silently changed one would no longer match what other tools look for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from raceway.cluster.problems import Problem, nearest

LABEL_MAX_CHARS = 63
NAME_MAX_CHARS = 253
DNS_LABEL = re.compile(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
DNS_SUBDOMAIN = re.compile(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
QUALIFIED_PART = re.compile(r"^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$")
CORE_RESOURCES = ("cpu", "memory", "ephemeral-storage", "pods")
RESERVED_LABEL_DOMAINS = ("kubernetes.io", "k8s.io")


def is_label(text: str) -> bool:
    """True for a DNS label: namespaces, tasks, container names."""
    return len(text) <= LABEL_MAX_CHARS and bool(DNS_LABEL.match(text))


def is_name(text: str) -> bool:
    """True for a DNS subdomain: nodes, queues, HyperNodes, priority classes."""
    return len(text) <= NAME_MAX_CHARS and bool(DNS_SUBDOMAIN.match(text))


def is_qualified(key: str) -> bool:
    """True for a label key or an extended resource: optional ``domain/`` and a part of at most 63 characters."""
    domain, slash, part = key.rpartition("/")
    if slash and not is_name(domain):
        return False
    return len(part) <= LABEL_MAX_CHARS and bool(QUALIFIED_PART.match(part))


def is_label_value(value: str) -> bool:
    """True for a label value (may be empty)."""
    return value == "" or (len(value) <= LABEL_MAX_CHARS and bool(QUALIFIED_PART.match(value)))


def check_name(place: str, name: str, form: str = "name") -> list[Problem]:
    """Return a problem when ``name`` is not a DNS label (``form="label"``) or DNS subdomain (``form="name"``)."""
    good = is_label(name) if form == "label" else is_name(name)
    if good:
        return []
    limit = LABEL_MAX_CHARS if form == "label" else NAME_MAX_CHARS
    allowed = f"lower case letters, digits, '-'{'' if form == 'label' else ', .'}, at most {limit} characters"
    return [Problem(place, repr(name), allowed, "choose a name of that form")]


def check_labels(place: str, labels: Mapping[str, str]) -> list[Problem]:
    """Return a problem for each label key or value that the API would refuse, or that belongs to Kubernetes itself."""
    found: list[Problem] = []
    for key, value in labels.items():
        domain = key.rpartition("/")[0]
        if not is_qualified(key):
            found.append(Problem(f"{place}.{key}", "not a label key", "[domain/]part, part at most 63 characters"))
        elif any(domain == own or domain.endswith("." + own) for own in RESERVED_LABEL_DOMAINS):
            act = "use a domain of your own"
            found.append(Problem(f"{place}.{key}", f"domain {domain} belongs to Kubernetes", "any other domain", act))
        if not is_label_value(value):
            allowed = "letters, digits, - _ . and at most 63 characters"
            found.append(Problem(f"{place}.{key}", repr(value), allowed, "shorten or respell the value"))
    return found


def check_resources(place: str, keys: Iterable[str], offered: Iterable[str]) -> list[Problem]:
    """Return a problem for each resource key that no machine of the inventory offers (``mem``, ``nvidia.com/gpus``)."""
    known = sorted({*CORE_RESOURCES, *(name for name in offered if name)})
    return [
        Problem(f"{place}.{key}", "unknown resource", ", ".join(known), nearest(key, known) or "name a resource above")
        for key in keys
        if key not in known and not re.match(r"^hugepages-\d+[KMG]i$", key)
    ]
