"""What is read of the container runtime, with as few questions as can be."""

from __future__ import annotations

from pathlib import Path

from raceway.host import Ledger
from raceway.model.containerd import parse
from raceway.probe.containerd import filesystem, main_pid, probe, unmounted

from ..builders import FakeHost, make_tree

MOUNTS = (
    "1 0 0:50 / / rw,relatime - overlay overlay rw\n"
    "2 1 259:1 / /var/lib/containerd rw,relatime - ext4 /dev/vda1 rw\n"
    "3 1 0:51 / /var rw,relatime - xfs /dev/vdb rw\n"
)
PROGRAMS = {
    "systemctl": "Id=containerd.service\nNames=containerd.service\nLoadState=loaded\n"
    "ActiveState=active\nSubState=running\n",
    "containerd": "containerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1+deb12u1\n",
}
FILES = {
    "/proc/self/mountinfo": MOUNTS,
    "/etc/containerd/config.toml": "version = 2\n",
    "/sys/fs/cgroup/system.slice/containerd.service/cgroup.procs": "42\n57\n",
    "/proc/42/limits": "Max locked memory         8388608              8388608              bytes     \n",
    "/run/containerd/io.containerd.runtime.v2.task/k8s.io/abc/init.pid": "99",
    "/usr/bin/nvidia-container-runtime": "",
}
SPEC = {
    "present": True,
    "mirrors": {"docker.io": [{"address": "https://m.example"}]},
    "runtimes": [{"name": "nvidia", "binary": "/usr/bin/nvidia-container-runtime"}, {"name": "x", "binary": "/opt/x"}],
}


def test_the_runtime_is_read_with_two_questions(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, FILES), PROGRAMS)
    facts = probe(host, parse(SPEC), Ledger(host))
    assert facts.version == (1, 6) and facts.filesystem == "ext4" and facts.memlock == "8388608"
    assert facts.containers == ("abc",) and facts.programs == ("/usr/bin/nvidia-container-runtime",)
    assert facts.service.state.running and list(facts.files) == ["/etc/containerd/config.toml"]
    assert [line.split()[0] for line in host.calls] == ["systemctl", "containerd"]


def test_the_file_system_of_a_folder_is_that_of_the_nearest_mount(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, FILES))
    assert filesystem(host, "/var/lib/containerd/x") == "ext4" and filesystem(host, "/var/lib/other") == "xfs"
    assert filesystem(host, "/srv") == "overlay"


def test_a_declared_mount_point_without_a_mount_is_told(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, FILES))
    assert unmounted(host, ("/var/lib/containerd", "/mnt/nvme")) == ("/mnt/nvme",) and unmounted(host, ()) == ()


def test_a_unit_that_does_not_run_has_no_process(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, FILES))
    assert main_pid(host, "containerd.service") == "42" and main_pid(host, "kubelet.service") is None


def test_a_node_without_the_role_is_not_asked(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, FILES), PROGRAMS)
    assert probe(host, parse({}), Ledger(host)).version is None and host.calls == []
