"""The lab's own ssh: keys, known_hosts that is complete before the first contact, and one client configuration.

Host keys are made here and put into the nodes, so the first connection is already a checked one
(StrictHostKeyChecking yes). It deliberately never reads or writes ~/.ssh and sets no ControlPersist: that is
for ansible.cfg to decide.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from . import files
from .record import Node, Vm


def make_key(path: Path, comment: str) -> str:
    """Make an ed25519 key at ``path`` unless it is there; return its public line. The public half is always derived."""
    if not path.exists():
        files.folder(path.parent)
        files.write(path, _private(), 0o600)
    key = serialization.load_ssh_private_key(path.read_bytes(), None)
    assert isinstance(key, Ed25519PrivateKey)
    public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    line = f"{public.decode()} {comment}"
    files.write_if_changed(path.with_name(f"{path.name}.pub"), line + "\n")
    return line


def prepare(folder: Path, nodes: Iterable[Node | Vm]) -> None:
    """Make client key, one host key a node, authorized_keys, known_hosts and config under ``folder``."""
    files.folder(folder)
    client = make_key(folder / "id_ed25519", "raceway-lab")
    hosts = []
    for node in nodes:
        home = files.folder(folder / "nodes" / node.name)
        hosts.append((node, make_key(home / "ssh_host_ed25519_key", node.name)))
        files.write_if_changed(home / "authorized_keys", client + "\n", 0o600)
    files.write_if_changed(folder / "known_hosts", known_hosts(hosts), 0o600)
    files.write_if_changed(folder / "config", config(folder, [node for node, _ in hosts]), 0o600)


def known_hosts(hosts: Iterable[tuple[Node | Vm, str]]) -> str:
    """One line a node, valid for its name and, where it has one of its own, its address."""
    return "".join(f"{','.join(_names(node))} {' '.join(line.split()[:2])}\n" for node, line in hosts)


def config(folder: Path, nodes: Iterable[Node | Vm]) -> str:
    """An ssh_config in which the nodes are known by name and by address and nothing else is."""
    blocks = [
        f"Host {' '.join(_names(node))}\n  HostName {node.address}\n{_port(node)}  HostKeyAlias {node.name}\n"
        for node in nodes
    ]
    general = (
        "Host *\n"
        "  User root\n"
        f'  IdentityFile "{folder / "id_ed25519"}"\n'
        "  IdentitiesOnly yes\n"
        "  IdentityAgent none\n"
        f'  UserKnownHostsFile "{folder / "known_hosts"}"\n'
        "  GlobalKnownHostsFile /dev/null\n"
        "  StrictHostKeyChecking yes\n"
        "  UpdateHostKeys no\n"
        "  PasswordAuthentication no\n"
        "  PreferredAuthentications publickey\n"
        "  ConnectTimeout 5\n"
        # Never leaves this machine: OpenSSH's post-quantum exchange costs 0.1 CPU-seconds a login (measured).
        "  KexAlgorithms ^curve25519-sha256\n"
        "  LogLevel ERROR\n"
    )
    return "# Made by raceway lab up; changes are overwritten.\n" + "".join(blocks) + general


def _names(node: Node | Vm) -> list[str]:
    # VMs share an address: by it alone nobody could tell which one is meant.
    return [node.name] if isinstance(node, Vm) else [node.name, node.address]


def _port(node: Node | Vm) -> str:
    return f"  Port {node.port}\n" if isinstance(node, Vm) else ""


def _private() -> bytes:
    return Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    )


def command(name: str, folder: Path, *words: str) -> list[str]:
    """Return the command line that asks a node of the lab in ``folder``, over a connection of its own."""
    config = str(folder / "ssh" / "config")
    return ["ssh", "-F", config, "-o", "BatchMode=yes", "-o", "ControlPath=none", name, *words]
