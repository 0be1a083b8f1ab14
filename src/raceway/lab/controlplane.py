"""Brings a lab's control plane up: ports, certificates, kubeconfig, the supervisor, then the fake nodes.

It deliberately starts no program itself: the supervisor does, so that they live on when ``lab up`` has ended.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError

from . import allocate, arguments, fakenodes, files, pki, ports, processes, programs, record
from .kubeapi import ApiError, Client, answers
from .progress import Steps
from .record import Record
from .status import ProgramState

READY_SECONDS = 90.0
CRASHES = 4


def plan(known: Record, tools: dict[str, Path]) -> Record:
    """Give the control plane its ports and tools (the caller holds the lock labs share, and saves)."""
    running = bool(processes.of_lab(known.id))
    usable = set(known.ports) == set(programs.PORTS) and (running or all(map(ports.is_free, known.ports.values())))
    if not usable:
        reserved = {port for other in record.all_records() if other.id != known.id for port in other.reserved_ports}
        known = dataclasses.replace(known, ports=allocate.ports(programs.PORTS, reserved, ports.is_free))
    return dataclasses.replace(known, tools={name: str(path) for name, path in tools.items()})


def up(known: Record, folder: Path, steps: Steps) -> None:
    """Start or complete the control plane and make the fake nodes equal to the machines."""
    pki.ensure(folder / "pki")
    files.folder(folder / "logs")
    files.folder(folder / "run" / "sockets")
    files.write_if_changed(folder / "kubeconfig", kubeconfig(known, folder), 0o600)
    before = _ensure_supervisor(known, folder, steps)
    _wait(known, folder, steps, before)
    _lay_out(known, folder, steps)


def kubeconfig(known: Record, folder: Path) -> str:
    """An admin kubeconfig with everything inside, as JSON (which is YAML)."""

    def data(name: str) -> str:
        return base64.b64encode((folder / "pki" / name).read_bytes()).decode()

    name = f"raceway-{known.name}"
    server = f"https://127.0.0.1:{known.ports['kube-apiserver']}"
    config: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": server, "certificate-authority-data": data("ca.crt")}}],
        "users": [
            {"name": name, "user": {"client-certificate-data": data("admin.crt"), "client-key-data": data("admin.key")}}
        ],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }
    return json.dumps(config, indent=2) + "\n"


def read_status(folder: Path) -> dict[str, Any]:
    """What the supervisor wrote last; empty when there is none."""
    try:
        found: dict[str, Any] = json.loads((folder / "run" / "status.json").read_text())
    except (OSError, ValueError):
        return {}
    return found


def supervisor_process(known: Record) -> processes.Process | None:
    """The lab's supervisor if it runs."""
    return next((one for one in processes.of_lab(known.id) if is_supervisor(one)), None)


def is_supervisor(process: processes.Process) -> bool:
    """Is this process of the lab its supervisor?"""
    return programs.SUPERVISOR in process.command


def _ensure_supervisor(known: Record, folder: Path, steps: Steps) -> dict[str, int]:
    """Make sure the right supervisor runs; return how often each program had crashed under it before."""
    wanted = programs.fingerprint(known, arguments.all_programs(known, folder))
    there = supervisor_process(known)
    if there and read_status(folder).get("fingerprint") in (wanted, None):
        processes.send(there, known.id, signal.SIGHUP)  # whatever waits after a crash is tried again now
        return _crashes(folder)
    if there:
        with steps.step("programs or ports changed: the supervisor is started anew"):
            processes.end([there], known.id, patience=30.0)
    # What a killed supervisor may have left: ended before a new one starts the same ports.
    processes.end(processes.of_lab(known.id), known.id)
    (folder / "run" / "status.json").unlink(missing_ok=True)
    environment = {**os.environ, processes.MARK: known.id, "PYTHONUNBUFFERED": "1"}
    with (folder / "logs" / "supervisor.log").open("ab") as log:
        subprocess.Popen(
            [sys.executable, "-m", programs.SUPERVISOR, str(folder)],
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    return {}


def wait_for_volcano(known: Record, folder: Path, steps: Steps, seconds: float) -> None:
    """Wait until Volcano's programs serve."""
    _wait(known, folder, steps, _crashes(folder), volcano=True, seconds=seconds)


def _wait(
    known: Record,
    folder: Path,
    steps: Steps,
    before: dict[str, int],
    *,
    volcano: bool = False,
    seconds: float = READY_SECONDS,
) -> None:
    wanted = [program for program in arguments.all_programs(known, folder) if program.crds == volcano]
    until = time.monotonic() + seconds
    title = f"Volcano on {known.name}" if volcano else f"control plane of {known.name}"
    with steps.count(title, len(wanted)) as advance:
        for done, program in enumerate(wanted, start=1):
            advance(done - 1, program.name)
            while why := answers(program.health, folder / "pki", program.any_status):
                crashes = _crashes(folder).get(program.name, 0) - before.get(program.name, 0)
                if crashes >= CRASHES or time.monotonic() > until:
                    raise _failed(program, folder, crashes, _reason(folder, program.name) or why)
                time.sleep(0.1)
            advance(done, program.name)


def _reason(folder: Path, name: str) -> str:
    return str(read_status(folder).get("programs", {}).get(name, {}).get("reason", ""))


def _crashes(folder: Path) -> dict[str, int]:
    return {name: one["restarts"] for name, one in read_status(folder).get("programs", {}).items()}


def _failed(program: programs.Program, folder: Path, crashes: int, why: str) -> RacewayError:
    # A program that crashes again and again will not become healthy by waiting.
    log = folder / "logs" / f"{program.name}.log"
    last = log.read_bytes()[-400:].decode(errors="replace").splitlines()[-1:] if log.exists() else []
    found = f"crashed {crashes} times: {last[0] if last else why}" if crashes else f"not healthy in time ({why})"
    return RacewayError(program.name, found, act="read the log, then run raceway lab up again", log=str(log))


def _lay_out(known: Record, folder: Path, steps: Steps) -> None:
    machines = [fakenodes.machine(values) for values in known.machines]
    client = Client(known.ports["kube-apiserver"], folder / "pki", timeout=15.0)
    until = time.monotonic() + READY_SECONDS
    with contextlib.closing(client), steps.count(f"fake nodes of {known.name}", len(machines)) as advance:
        fakenodes.reconcile(client, machines, known.name, advance)
        while late := fakenodes.not_ready(client, known.name):
            if time.monotonic() > until:
                raise RacewayError(
                    f"fake node {late[0]}",
                    f"not Ready after {READY_SECONDS:.0f} s ({len(late)} such nodes)",
                    act="read kwok's log",
                    log=str(folder / "logs" / "kwok.log"),
                )
            advance(len(machines) - len(late), "Ready")
            time.sleep(0.1)


def states(known: Record, folder: Path) -> list[ProgramState]:
    """Each program as it is now: its process checked by pid and start time, its health asked."""
    told = read_status(folder).get("programs", {})
    alive = supervisor_process(known) is not None
    found = [
        ProgramState(
            "supervisor", "healthy" if alive else "down", _pid(known), 0, 0, "" if alive else "run raceway lab up"
        )
    ]
    for program in arguments.all_programs(known, folder):
        one = told.get(program.name, {})
        process = processes.Process(one.get("pid", 0), one.get("started", 0) or 0)
        reason = str(one.get("reason", ""))
        if not process.pid or not processes.alive(process):
            state = "waiting" if alive and reason.startswith("waiting") else "down"
            found.append(ProgramState(program.name, state, 0, program.port, one.get("restarts", 0), reason))
            continue
        why = answers(program.health, folder / "pki", program.any_status)
        found.append(
            ProgramState(
                program.name,
                "unhealthy" if why else "healthy",
                process.pid,
                program.port,
                one.get("restarts", 0),
                why or reason,
            )
        )
    return found


def api_summary(known: Record, folder: Path) -> tuple[str, int]:
    """Version of the API and number of fake nodes; empty and 0 when it does not answer."""
    try:
        with contextlib.closing(Client(known.ports["kube-apiserver"], folder / "pki")) as client:
            version = client.request("GET", "/version")["gitVersion"]
            items = client.request("GET", "/api/v1/nodes")["items"]
    except (ApiError, OSError):
        return "", 0
    return version, sum(
        1 for item in items if (item["metadata"].get("annotations") or {}).get(fakenodes.FAKE) == "fake"
    )


def _pid(known: Record) -> int:
    found = supervisor_process(known)
    return found.pid if found else 0
