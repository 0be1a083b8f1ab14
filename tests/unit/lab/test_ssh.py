"""known_hosts is complete before the first contact, and the client configuration trusts nothing else."""

from __future__ import annotations

from pathlib import Path

from raceway.lab import ssh
from raceway.lab.record import Vm

from .builders import make_node


def test_known_hosts_names_every_node_with_the_key_put_into_it(tmp_path: Path) -> None:
    nodes = [make_node(1), make_node(2)]
    ssh.prepare(tmp_path, nodes)
    lines = (tmp_path / "known_hosts").read_text().splitlines()
    assert [line.split()[0] for line in lines] == ["lab-1,10.213.0.11", "lab-2,10.213.0.12"]
    for node, line in zip(nodes, lines, strict=True):
        public = (tmp_path / "nodes" / node.name / "ssh_host_ed25519_key.pub").read_text().split()
        assert line.split()[1:] == public[:2]
    assert lines[0].split()[2] != lines[1].split()[2]


def test_every_node_lets_the_labs_key_in_and_no_other(tmp_path: Path) -> None:
    ssh.prepare(tmp_path, [make_node(1)])
    allowed = (tmp_path / "nodes" / "lab-1" / "authorized_keys").read_text()
    assert allowed == (tmp_path / "id_ed25519.pub").read_text()
    assert allowed.count("\n") == 1


def test_the_configuration_checks_strictly_and_uses_only_the_labs_own_files(tmp_path: Path) -> None:
    text = ssh.config(tmp_path, [make_node(1)])
    words = {line.strip().split(" ", 1)[0]: line.strip().split(" ", 1)[1] for line in text.splitlines() if " " in line}
    assert words["StrictHostKeyChecking"] == "yes"
    assert words["GlobalKnownHostsFile"] == "/dev/null"
    assert words["UserKnownHostsFile"] == f'"{tmp_path}/known_hosts"'
    assert words["IdentityFile"] == f'"{tmp_path}/id_ed25519"'
    assert words["IdentitiesOnly"] == "yes"
    assert "ControlPersist" not in text
    assert "Host lab-1 10.213.0.11\n  HostName 10.213.0.11\n  HostKeyAlias lab-1\n" in text


def test_vms_are_known_by_name_alone_for_they_share_an_address(tmp_path: Path) -> None:
    ssh.prepare(tmp_path, [Vm("vmlab-1", 26000), Vm("vmlab-2", 26001)])
    names = [line.split()[0] for line in (tmp_path / "known_hosts").read_text().splitlines()]
    assert names == ["vmlab-1", "vmlab-2"]
    text = (tmp_path / "config").read_text()
    assert "Host vmlab-2\n  HostName 127.0.0.1\n  Port 26001\n  HostKeyAlias vmlab-2\n" in text


def test_a_second_run_keeps_the_keys_and_a_node_more_gets_its_own(tmp_path: Path) -> None:
    ssh.prepare(tmp_path, [make_node(1)])
    first = (tmp_path / "known_hosts").read_text()
    ssh.prepare(tmp_path, [make_node(1), make_node(2)])
    assert (tmp_path / "known_hosts").read_text().startswith(first)
    assert len((tmp_path / "known_hosts").read_text().splitlines()) == 2


def test_a_lost_public_half_is_derived_again(tmp_path: Path) -> None:
    line = ssh.make_key(tmp_path / "key", "me")
    (tmp_path / "key.pub").unlink()
    assert ssh.make_key(tmp_path / "key", "me") == line
    assert (tmp_path / "key.pub").read_text() == line + "\n"
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
