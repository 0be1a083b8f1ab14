"""Vault-encrypted test data, made with Ansible's own vault; the passwords are in this file and open nothing else."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from ansible import constants
from ansible.parsing.vault import VaultLib, VaultSecret

PASSWORD = b"of no use outside these tests"


def ciphertext(plain: str) -> str:
    """Return a whole vault file."""
    text: bytes = VaultLib([("default", VaultSecret(PASSWORD))]).encrypt(plain.encode())
    return text.decode()


def encrypted(name: str, plain: str) -> str:
    """Return ``name: !vault |`` with the value encrypted."""
    return f"{name}: !vault |\n{indent(ciphertext(plain), '  ')}"


def password(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Configure the password as ansible.cfg would."""
    file = folder / "vault-password"
    file.write_bytes(PASSWORD)
    monkeypatch.setattr(constants, "DEFAULT_VAULT_PASSWORD_FILE", str(file))
