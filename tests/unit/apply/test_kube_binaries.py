"""Programs of a node through whole runs of the node program: put, replaced, kept and given back."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from raceway.host import Result
from raceway.node.program import run

from ..builders import FakeHost, make_tree
from ..requests import make_request
from ..systemd import SERVICE, SystemdHost

NEW, OLD = "#!/bin/sh\necho new\n", "#!/bin/sh\necho old\n"
SUM = hashlib.sha256(NEW.encode()).hexdigest()
TARGET, KEPT = "/usr/local/bin/kubelet", "/var/lib/raceway/kept/usr/local/bin/kubelet"
SPEC = {
    "version": "1.35.4",
    "programs": [{"name": "kubelet", "sha256": SUM, "from": "/srv", "folder": "/usr/local/bin"}],
}
STATUS = "Package: {}\nStatus: install ok installed\nArchitecture: amd64\nVersion: {}\n"


def call(host: FakeHost, mode: str, spec: dict[str, Any]) -> dict[str, Any]:
    return run(make_request(mode, kube_binaries=spec), host)


def test_a_program_is_put_in_place_once_and_goes_when_it_is_given_up(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path, {"/srv/kubelet": NEW})
    answer = call(host, "apply", SPEC)
    assert [row["target"] for row in answer["applied"]] == [TARGET] and not answer["remaining"]
    assert host.read(TARGET) == NEW and not call(host, "apply", SPEC)["applied"]
    call(host, "apply", {})
    assert not host.exists(TARGET) and not call(host, "apply", {})["applied"]


def test_a_program_that_stood_there_comes_back_with_its_mode(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path, {"/srv/kubelet": NEW, TARGET: OLD})
    Path(host.path(TARGET)).chmod(0o750)
    call(host, "apply", SPEC)
    assert host.read(TARGET) == NEW and host.read(KEPT) == OLD
    (tmp_path / "srv/kubelet").write_text("newer")
    newer = {**SPEC["programs"][0], "sha256": hashlib.sha256(b"newer").hexdigest()}  # type: ignore[index, dict-item]
    call(host, "apply", {**SPEC, "programs": [newer]})
    assert host.read(KEPT) == OLD, "a second version must not overwrite what was there before raceway"
    call(host, "apply", {})
    assert host.read(TARGET) == OLD and Path(host.path(TARGET)).stat().st_mode & 0o777 == 0o750
    assert not host.exists(KEPT)


def test_what_is_edited_by_hand_is_seen_and_mended(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path, {"/srv/kubelet": NEW})
    call(host, "apply", SPEC)
    (tmp_path / TARGET.lstrip("/")).write_text("edited")
    assert call(host, "verify", SPEC)["roles"]["system"]["steps"]
    call(host, "apply", SPEC)
    assert host.read(TARGET) == NEW


def test_a_running_kubelet_is_restarted_with_its_new_program_and_only_with_consent_in_a_cluster(tmp_path: Path) -> None:
    files = {"/srv/kubelet": NEW, TARGET: OLD, "/etc/systemd/system/kubelet.service": SERVICE}
    host = SystemdHost(tmp_path, {**files, "/etc/kubernetes/kubelet.conf": "x"})
    host.run(["systemctl", "start", "kubelet.service"])
    assert "kubernetes" not in str(call(host, "apply", SPEC)["applied"]) and host.read(TARGET) == OLD
    answer = run(make_request("apply", ("safe", "disruptive"), kube_binaries=SPEC), host)
    assert answer["applied"] and host.starts == 2 and host.read(TARGET) == NEW


class AptHost(SystemdHost):
    """Knows the versions of one source, and installs what it is told exactly."""

    def __init__(self, root: Path, installed: dict[str, str], source: dict[str, tuple[str, ...]]) -> None:
        super().__init__(root, {"/var/lib/dpkg/status": ""})
        self.installed, self.source, self.updates = dict(installed), source, 0
        self.programs.update({"apt-cache": "", "env": ""})
        self.write_status()

    def write_status(self) -> None:
        text = "\n".join(STATUS.format(name, version) for name, version in self.installed.items())
        make_tree(Path(self.root), {"/var/lib/dpkg/status": text})

    def run(self, argv: Any, timeout: float = 60.0, stdin: str = "") -> Result:
        """Answer apt; everything else as a machine with systemd."""
        words = list(argv)
        if words[:2] == ["apt-cache", "madison"]:
            known = self.source if self.updates else {}
            rows = [
                f" {name} | {version} | http://x  Packages" for name in words[2:] for version in known.get(name, ())
            ]
            return Result(0, "\n".join(rows), "")
        if words[0] != "env":
            return super().run(argv, timeout, stdin)
        self.calls.append(" ".join(words))
        if words[-1] == "update":
            self.updates += 1
        else:
            self.installed.update(word.split("=") for word in words[words.index("--") + 1 :])
            self.write_status()
        return Result(0, "done", "")


PINS = {"version": "1.35.4", "packages": [{"name": "kubeadm", "version": "1.35.4"}, {"name": "runc", "version": "1.3"}]}


def test_packages_are_installed_in_the_version_that_meets_the_pin_after_one_refresh(tmp_path: Path) -> None:
    host = AptHost(tmp_path, {"kubeadm": "1.35.3-1.1"}, {"kubeadm": ("1.36.0-1.1", "1.35.4-1.1"), "runc": ("1.3-2",)})
    answer = call(host, "apply", PINS)
    assert not answer["refused"] and not answer["remaining"]
    assert host.installed == {"kubeadm": "1.35.4-1.1", "runc": "1.3-2"} and host.updates == 1
    assert "Pin: version 1.35.4[-+~]*" in (host.read("/etc/apt/preferences.d/raceway-kubernetes.pref") or "")
    assert not call(host, "apply", PINS)["applied"]


def test_a_version_that_no_source_has_is_refused_with_those_it_has(tmp_path: Path) -> None:
    host = AptHost(tmp_path, {}, {"kubeadm": ("1.35.3-1.1", "1.35.2-1.1"), "runc": ("1.3-2",)})
    (refusal,) = call(host, "apply", PINS)["refused"]
    assert "kubeadm 1.35.4: the package sources have 1.35.3-1.1, 1.35.2-1.1" in refusal["reason"]
    assert host.installed == {}


def test_packages_stay_and_their_pin_goes(tmp_path: Path) -> None:
    host = AptHost(tmp_path, {}, {"kubeadm": ("1.35.4-1.1",), "runc": ("1.3-2",)})
    call(host, "apply", PINS)
    answer = call(host, "apply", {})
    assert not host.exists("/etc/apt/preferences.d/raceway-kubernetes.pref") and not answer["remaining"]
    assert "kubeadm" in host.installed
