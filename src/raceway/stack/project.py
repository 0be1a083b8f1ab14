"""Where one stack's program, state, secrets and configuration lie.

The committed stack file stays untouched: what a run adds (an inventory's path, the lab's webhook address) goes into a
copy beside the state, together with the salt Pulumi writes. It deliberately puts no credential into that copy.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from raceway.errors import RacewayError
from raceway.paths import source_root, state_dir


@dataclass(frozen=True)
class Project:
    """One stack of one project. ``settings`` override or complete the stack file, without the project's prefix."""

    name: str
    stack: str
    kubeconfig: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    state: Path = field(default_factory=lambda: state_dir() / "pulumi")
    root: Path = field(default_factory=source_root)

    @property
    def folder(self) -> Path:
        """The program's folder (``pulumi/platform``, ``pulumi/workloads``)."""
        return self.root / "pulumi" / self.name

    @property
    def prefix(self) -> str:
        """The project's name as it stands before its keys."""
        return f"raceway-{self.name}"

    @property
    def stack_file(self) -> Path:
        """The committed configuration of the stack."""
        return self.folder / f"Pulumi.{self.stack}.yaml"

    @property
    def config_file(self) -> Path:
        """The configuration a run uses."""
        return self.state / "config" / f"{self.prefix}.{self.stack}.yaml"

    @property
    def log(self) -> Path:
        """The full output of the last run."""
        return self.state / "logs" / f"{self.prefix}.{self.stack}.log"

    @property
    def backend(self) -> Path:
        """The folder of the file backend."""
        return self.state / "backend"

    @property
    def history(self) -> Path:
        """Where the file backend keeps a copy of the state for each finished run."""
        return self.backend / ".pulumi" / "history" / self.prefix / self.stack

    @property
    def checkpoint(self) -> Path:
        """The state file of the file backend."""
        return self.backend / ".pulumi" / "stacks" / self.prefix / f"{self.stack}.json"

    @property
    def locks(self) -> Path:
        """Where the file backend keeps the locks of this stack."""
        return self.backend / ".pulumi" / "locks" / "organization" / self.prefix / self.stack

    @property
    def birthplace(self) -> Path:
        """A folder with nothing but the project's name, where the stack is made: Pulumi writes the salt beside it."""
        return self.state / "made" / self.prefix

    def prepare(self) -> None:
        """Check what the run needs, then write the folders, the passphrase and the run's configuration."""
        if not (self.folder / "Pulumi.yaml").exists():
            raise RacewayError(str(self.folder), "no Pulumi.yaml", "platform or workloads", "run from a checkout")
        if not self.stack_file.exists():
            known = ", ".join(sorted(path.name[7:-5] for path in self.folder.glob("Pulumi.*.yaml")))
            raise RacewayError(f"stack {self.stack}", f"no {self.stack_file.name}", known, "name one of these stacks")
        if not self.kubeconfig.exists():
            act = "name a kubeconfig, or bring the lab up: raceway lab up"
            raise RacewayError("kubeconfig", f"{self.kubeconfig} does not exist", act=act)
        for folder in (self.backend, self.config_file.parent, self.log.parent):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._write_config()

    def passphrase_file(self) -> Path:
        """Return the file with the passphrase of a stack that has no other: random, only its owner reads it."""
        path = self.state / "passphrase"
        if not path.exists():
            half = path.with_suffix(f".{os.getpid()}")
            half.touch(mode=0o600)
            half.write_text(secrets.token_urlsafe(32) + "\n")
            half.replace(path)
        return path

    def _write_config(self) -> None:
        made = yaml.safe_load(self.stack_file.read_text()) or {}
        for path in (self.birthplace / self.stack_file.name, self.config_file):
            kept = (yaml.safe_load(path.read_text()) or {}) if path.exists() else {}
            if "encryptionsalt" in kept:
                made["encryptionsalt"] = kept["encryptionsalt"]  # belongs to the state beside it
        config = made.setdefault("config", {}) or {}
        config.update({f"{self.prefix}:{key}": value for key, value in self._absolute(config).items()})
        made["config"] = config
        half = self.config_file.with_suffix(".new")
        half.write_text(yaml.safe_dump(made, sort_keys=False))
        half.replace(self.config_file)

    def _absolute(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings to add; maps are completed key by key, everything else is replaced."""
        merged: dict[str, Any] = {}
        for key, value in self.settings.items():
            stands = config.get(f"{self.prefix}:{key}")
            if isinstance(value, Mapping) and isinstance(stands, Mapping):
                merged[key] = {**stands, **value}
            else:
                merged[key] = value
        return merged
