"""Calls podman for one lab: with the lab's own containers.conf, labels on everything, and errors in one message.

It deliberately never edits the host's podman configuration (its own file goes in through CONTAINERS_CONF) and
never acts on a container or network that does not carry the lab's id.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError

from . import files, processes

LABEL_ID, LABEL_LAB, LABEL_HOME = "raceway.lab.id", "raceway.lab.name", "raceway.lab.folder"
LABEL_SPEC = "raceway.lab.spec"


def containers_conf(nofile: int, nproc: int) -> str:
    """podman's settings for a lab. Limits above the host's hard ones would keep every container from starting."""
    return (
        "# Made by raceway lab up; used through CONTAINERS_CONF only.\n"
        "[containers]\n"
        f'default_ulimits = ["nofile={nofile}:{nofile}", "nproc={nproc}:{nproc}"]\n'
        'log_driver = "k8s-file"\n'
        'base_hosts_file = "none"\n'
        "[engine]\n"
        'runtime = "runc"\n'
        'events_logger = "file"\n'
        "[network]\n"
        'network_backend = "netavark"\n'
    )


def host_limits() -> tuple[int, int]:
    """The hard limits a container can be given here, for open files and processes.

    runc lacks CAP_SYS_RESOURCE on some hosts and then cannot give the full hard limit of processes (measured:
    96365 refused, 32768 given, on a host whose hard limit is 96365); 32768 is plenty for a node.
    """
    nofile, nproc = (resource.getrlimit(kind)[1] for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC))
    return tuple(  # type: ignore[return-value]
        ceiling if value == resource.RLIM_INFINITY else min(value, ceiling)
        for value, ceiling in ((nofile, 1048576), (nproc, 32768))
    )


class Podman:
    """podman as one lab uses it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._conf = folder / "containers.conf"

    def run(
        self, arguments: Sequence[str], *, check: bool = True, timeout: float = 120, mortal: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """Run podman; with ``check`` a failure is a RacewayError with podman's own last line.

        A call goes on when we are killed, so that nothing is half-made; a ``mortal`` one ends with us.
        """
        files.folder(self.folder)
        files.write_if_changed(self._conf, containers_conf(*host_limits()))
        environment = {**os.environ, "CONTAINERS_CONF": str(self._conf)}
        try:
            result = subprocess.run(
                ["podman", *arguments],
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=timeout,
                check=False,
                # Ctrl-C is for us; podman finishes what it is making.
                start_new_session=True,
                preexec_fn=processes.die_with_parent() if mortal else None,
            )
        except subprocess.TimeoutExpired:
            raise RacewayError(
                f"podman {arguments[0]}", f"no answer in {timeout:.0f} s", act="look at `podman ps -a` and run again"
            ) from None
        if check and result.returncode:
            last = [line for line in result.stderr.splitlines() if line.strip()][-1:] or [f"exit {result.returncode}"]
            raise RacewayError(
                f"podman {' '.join(arguments[:2])}", last[0], act="settle this and run the same command again"
            )
        return result

    def json(self, arguments: Sequence[str]) -> Any:
        """Run podman with output in JSON."""
        return json.loads(self.run(arguments).stdout or "[]") or []

    def containers(self, *filters: str) -> list[dict[str, Any]]:
        """All containers, running or not, that pass the filters."""
        flags = [word for item in filters for word in ("--filter", item)]
        found: list[dict[str, Any]] = self.json(["ps", "--all", "--external=false", "--format", "json", *flags])
        return found

    def networks(self) -> list[dict[str, Any]]:
        """All podman networks."""
        found: list[dict[str, Any]] = self.json(["network", "ls", "--format", "json"])
        return found

    def image_exists(self, image: str) -> bool:
        """Is the image in podman's store?"""
        return self.run(["image", "exists", image], check=False).returncode == 0
