"""What users get wrong and what nodes suffer from: each gives one clear message, exit ≠ 0, and nothing half done."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.molecule


@pytest.fixture
def wrong(site: Any, tmp_path: Path) -> Any:
    """Return a maker of inventories: the lab's hosts with other group variables."""

    def make(variables: str) -> str:
        root = Path(__file__).parents[2] / "inventories/lab"
        folder = tmp_path / "inventory"
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "group_vars").mkdir(parents=True)
        shutil.copy(root / "hosts.py", folder / "hosts.py")
        (folder / "group_vars/nodes.yml").write_text(f"---\n{variables}\n")
        return str(folder)

    return make


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ("kernel_sysctll: {}", ("kernel_sysctll", "kernel_sysctl", "nodes.yml")),
        ("kernel_listen_backlog: many", ("kernel_listen_backlog", "many", "int")),
        ("kernel_transparent_hugepages: sometimes", ("sometimes", "madvise, always, never")),
        ("kernel_sysctl: {net.rdma.rx_cqe: 4096}", ("net.rdma.rx_cqe", "ethtool -G")),
        ('kernel_sysctl: {net.core.default_qdisc: "fq   # pace"}', ("net.core.default_qdisc", "'#'")),
        ("raceway_roles: [node, kernle]", ("kernle", "kernel")),
    ],
    ids=["typo", "type", "choice", "fictitious key", "inline comment", "role"],
)
def test_a_mistake_in_the_inventory_is_told_with_its_place_before_any_node_is_touched(
    site: Any, wrong: Any, variables: str, told: tuple[str, ...]
) -> None:
    before = site.snapshot(site.nodes[0])

    run = site.playbook("site.yml", inventory=wrong(variables))

    assert run.rc != 0
    text = " ".join(run.text.split())
    assert [part for part in told if part not in text] == []
    assert "Traceback" not in run.text
    assert site.snapshot(site.nodes[0]) == before


def test_a_host_that_is_not_in_the_inventory_is_an_error(site: Any) -> None:
    run = site.playbook("site.yml", "--limit", "gpu-99")

    assert run.rc != 0
    assert "gpu-99" in run.text


def test_an_unreachable_node_is_named_and_the_others_are_done(site: Any, wrong: Any) -> None:
    good, dead = site.nodes
    inventory = wrong("kernel_sysctl: {net.ipv4.tcp_fin_timeout: 29}")
    (Path(inventory) / "host_vars").mkdir()
    # Nobody listens on port 1, so ssh is refused at once.
    (Path(inventory) / f"host_vars/{dead}.yml").write_text("---\nansible_host: 127.0.0.1\nansible_port: 1\n")

    run = site.playbook("site.yml", inventory=inventory)

    assert run.rc != 0
    assert run.nodes[dead]["verdict"] == "unreachable"
    assert run.nodes[good]["verdict"] == "as declared"
    assert site.ssh(good, "cat /proc/sys/net/ipv4/tcp_fin_timeout").strip() == "29"
    assert "Traceback" not in run.text


def test_a_user_without_root_is_told_to_become_root_and_nothing_changes(site: Any) -> None:
    node = site.nodes[0]
    site.playbook("site.yml")
    site.ssh(node, "useradd -m plain && mkdir ~plain/.ssh && cp /etc/ssh/lab/authorized_keys ~plain/.ssh/")
    site.ssh(node, "chown -R plain ~plain")
    site.ssh(node, "sysctl -qw net.ipv4.tcp_keepalive_time=7200")
    try:
        run = site.playbook("site.yml", "--limit", node, "-e", "ansible_user=plain")
        sudo = site.playbook("site.yml", "--limit", node, "-e", "ansible_user=plain", "--become")
        value = site.ssh(node, "cat /proc/sys/net/ipv4/tcp_keepalive_time").strip()
    finally:
        site.ssh(node, "userdel -rf plain; sysctl -qw net.ipv4.tcp_keepalive_time=600")

    assert run.rc != 0 and "become: true" in run.text and "Traceback" not in run.text
    assert sudo.rc != 0 and "sudo" in sudo.text
    assert value == "7200"


def test_a_read_only_etc_is_told_and_leaves_no_setting_behind(site: Any) -> None:
    node = site.nodes[0]
    site.forget(node)
    site.ssh(node, "mount --rbind /etc /etc && mount -o remount,ro,bind /etc")
    try:
        run = site.playbook("site.yml", "--limit", node)
        kept = site.ssh(node, "cat /proc/sys/net/ipv4/tcp_keepalive_time").strip()
    finally:
        site.ssh(node, "umount -l /etc")

    assert run.rc != 0
    assert kept == "7200", "a live value without its file would be half a state"
    refused = run.nodes[node]["refusals"]
    assert "Read-only file system" in refused["/etc/sysctl.d/90-raceway.conf"]
    assert "Traceback" not in run.text
    assert site.playbook("site.yml").rc == 0


def test_a_full_disk_stops_before_the_first_change_since_originals_cannot_be_kept(site: Any) -> None:
    node = site.nodes[0]
    assert site.playbook("site.yml").rc == 0  # the node program is in place
    site.forget(node)
    assert site.playbook("site.yml", "--tags", "never").rc == 0
    before = site.ssh(node, "cat /proc/sys/net/ipv4/tcp_keepalive_time")
    site.ssh(node, "mkdir -p /var/lib/raceway && mount -t tmpfs -o size=64k full /var/lib/raceway")
    site.ssh(node, "dd if=/dev/zero of=/var/lib/raceway/fill bs=1k 2>/dev/null", check=False)
    try:
        run = site.playbook("site.yml", "--limit", node)
        value = site.ssh(node, "cat /proc/sys/net/ipv4/tcp_keepalive_time")
        file = site.ssh(node, "ls /etc/sysctl.d")
    finally:
        site.ssh(node, "umount /var/lib/raceway")

    assert run.rc != 0
    assert "No space left on device" in run.text and "Traceback" not in run.text
    assert value == before
    assert "90-raceway.conf" not in file
    assert site.playbook("site.yml").rc == 0
