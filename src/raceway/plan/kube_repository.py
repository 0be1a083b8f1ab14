"""Where pinned packages of Kubernetes come from: a repository's file with its key, and the pin that holds a version.

It deliberately installs nothing: a package is installed, or replaced, by the kube_binaries planner's own step.
"""

from __future__ import annotations

from typing import Dict, List

from ..facts.package import APT, DNF
from ..model.kube_binaries import KubeBinariesDesired
from .dropin import render

APT_SOURCE = "/etc/apt/sources.list.d/raceway-kubernetes.sources"
APT_PIN = "/etc/apt/preferences.d/raceway-kubernetes.pref"
DNF_REPO = "/etc/yum.repos.d/raceway-kubernetes.repo"
DNF_KEY = "/etc/pki/rpm-gpg/RPM-GPG-KEY-raceway-kubernetes"
FILES = (APT_SOURCE, APT_PIN, DNF_REPO, DNF_KEY)
WHY = "a node's version changes when it is declared, not when the mirror has a newer one"


def texts(desired: KubeBinariesDesired, manager: str) -> Dict[str, str]:
    """Return path → text of the repository's file, its key and the pins; nothing where nothing is pinned."""
    if manager == DNF and desired.repository:
        lines = ["[raceway-kubernetes]", "name=Kubernetes (raceway)", f"baseurl={desired.repository}", "enabled=1"]
        lines += ["gpgcheck=1", f"gpgkey=file://{DNF_KEY}"]
        return {DNF_REPO: render("kubernetes", lines), DNF_KEY: desired.key}
    if manager != APT:
        return {}
    rows: Dict[str, str] = {}
    if desired.repository:
        # An inline key: every line indented, and a dot where one is empty (sources.list(5), apt 2.3.10 and newer).
        key = [f" {line}" if line.strip() else " ." for line in desired.key.strip().splitlines()]
        source = ["Types: deb", f"URIs: {desired.repository}", "Suites: /", "Signed-By:", *key]
        rows[APT_SOURCE] = render("kubernetes", source)
    pins: List[str] = []
    for pin in desired.pins:
        if pin.version:
            # Above 1000 a pin may go back to an older version, which a corrected declaration can mean.
            pins += [f"Package: {pin.name}", f"Pin: version {pattern(pin.version)}", "Pin-Priority: 1001", ""]
    if pins:
        rows[APT_PIN] = render("kubernetes", pins[:-1])
    return rows


def pattern(version: str) -> str:
    """Return apt's pattern for a version whose revision may be left out: 1.35.4 must not mean 1.35.41.

    >>> pattern("1.35.4"), pattern("1.35.4-1.1")
    ('1.35.4[-+~]*', '1.35.4-1.1*')
    """
    return f"{version}*" if any(mark in version for mark in "-+~") else f"{version}[-+~]*"
