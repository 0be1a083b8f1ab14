"""The runtime's version as it prints it, and the two settings pods depend on in configurations of other people."""

from __future__ import annotations

import pytest

from raceway.facts.containerd import parse_root, parse_systemd_cgroup, parse_version

# Lines of containerd 1.6 (Debian 12), 1.7 (Docker's package) and 2.1.
PRINTED = {
    "containerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1+deb12u1\n": (1, 6),
    "containerd containerd.io 1.7.27 05044ec0a9a75232cad458027ca83437aae3f4da\n": (1, 7),
    "containerd github.com/containerd/containerd/v2 v2.1.4 75cb2b7193e4e490e9fbdc236c0e811ccaba3376\n": (2, 1),
}


@pytest.mark.parametrize("line", PRINTED)
def test_the_version_is_read_of_every_packaging(line: str) -> None:
    assert parse_version(line) == PRINTED[line]


def test_another_output_has_no_version() -> None:
    assert parse_version("") is None and parse_version("containerd: not found") is None


def test_the_root_of_a_configuration_is_its_own_and_not_one_of_a_table() -> None:
    assert parse_root('version = 2\nroot = "/data/containerd"\n') == "/data/containerd"
    assert parse_root("root = '/data'\n") == "/data"
    assert parse_root('[plugins.x]\n  root_path = "/x"\n  root = "/y"\n') == ""


def test_the_owner_of_the_cgroups_is_read_as_people_indent_it() -> None:
    assert parse_systemd_cgroup("            SystemdCgroup = false\n") is False
    assert parse_systemd_cgroup("  systemd_cgroup = true\n") is None
