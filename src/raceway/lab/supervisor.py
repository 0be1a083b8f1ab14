"""``python -m raceway.lab.supervisor FOLDER``: keeps one lab's programs running until it gets SIGTERM.

It starts them in order, starts a crashed one again (later each time), logs to logs/<program>.log, and plays the
kubelet's part for one ConfigMap: the scheduler's configuration becomes the file that vc-scheduler reads. Programs end
with it, even when it is killed. It deliberately decides nothing itself (``decide``) and makes no keys or ports.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from . import decide, files, processes
from .arguments import all_programs
from .decide import Memory, Seen
from .kubeapi import DISCOVERY, ApiError, Client, answers
from .programs import ADMISSION, Program, fingerprint
from .record import Record, load
from .schedulerconf import BUILT_IN, CONFIG_MAP

LOG_LIMIT = 50 * 1024 * 1024
STOP_SECONDS = 6.0
CONF_EVERY = 1.0


class Supervisor:
    """One lab's programs."""

    def __init__(self, record: Record, folder: Path) -> None:
        self.record, self.folder = record, folder
        self.programs = all_programs(record, folder)
        self.print = fingerprint(record, self.programs)
        self.memory = {program.name: Memory() for program in self.programs}
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self.reasons: dict[str, str] = {}
        self.well: set[str] = set()
        self.api: Client | None = None
        self.api_seen: tuple[frozenset[str] | None, frozenset[str] | None] = (None, None)
        self.api_asked = 0.0
        self.conf = folder / "run" / "scheduler" / "volcano-scheduler.conf"
        self.stopping = False
        self.written = ""

    def loop(self) -> None:
        """Run until asked to stop."""
        files.folder(self.conf.parent)
        if not self.conf.exists():
            files.write(self.conf, BUILT_IN)
        wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake_write)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_stop)
        signal.signal(signal.SIGHUP, self._on_retry)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        while not self.stopping:
            quiet = self.round()
            self.write_status()
            select.select([wake_read], [], [], 1.0 if quiet else 0.1)
            with contextlib.suppress(BlockingIOError):
                os.read(wake_read, 4096)
        self.stop_all()

    def round(self) -> bool:
        """Look, decide, act, once; say whether everything is as it shall be."""
        running = frozenset(name for name, child in self.children.items() if child.poll() is None)
        self.well = {program.name for program in self.programs if program.name in running and self._is_well(program)}
        self._ask_api()
        seen = Seen(time.monotonic(), running, frozenset(self.well), *self.api_seen)
        quiet = True
        for program in self.programs:
            decision, memory = decide.decide(program, self.memory[program.name], seen)
            self.memory[program.name] = memory
            self.reasons[program.name] = decision.reason
            if decision.act in ("stop", "restart"):
                self.stop([program.name])
                self.memory[program.name] = decide.stopped(self.memory[program.name])
            if decision.act in ("start", "restart"):
                if program.name == "kwok":
                    self._release_leases()
                self.start(program)
            settled = decision.act == "keep" and program.name in self.well
            quiet = quiet and (settled or decision.reason.startswith("waiting for CRDs"))
        return quiet

    def start(self, program: Program) -> None:
        """Start one program; it carries the lab's mark and ends with us."""
        memory = self.memory[program.name]
        arguments = [word.replace(ADMISSION, memory.wanted) for word in program.arguments]
        run = self.folder / "run"
        environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(run),
            "TMPDIR": str(run),
            processes.MARK: self.record.id,
            "DEBUG_SOCKET_DIR": str(run / "sockets"),
            "KWOK_WORKDIR": str(run / "kwok"),
        }
        log = self.folder / "logs" / f"{program.name}.log"
        if log.exists() and log.stat().st_size > LOG_LIMIT:
            log.replace(log.with_suffix(".log.1"))
        with log.open("ab") as stream:
            stream.write(f"--- {time.strftime('%F %T')} {program.name} starts\n".encode())
            stream.flush()
            try:
                self.children[program.name] = subprocess.Popen(
                    [self.record.tools[program.name], *arguments],
                    env=environment,
                    cwd=run,
                    stdin=subprocess.DEVNULL,
                    stdout=stream,
                    stderr=stream,
                    start_new_session=True,
                    preexec_fn=processes.die_with_parent(),
                )
            except OSError as error:
                stream.write(f"--- does not start: {error}\n".encode())
        self.memory[program.name] = decide.started(memory, time.monotonic())

    def stop(self, names: list[str]) -> None:
        """SIGTERM to some programs at once, SIGKILL to those that take too long."""
        children = [child for name in names if (child := self.children.pop(name, None)) and child.poll() is None]
        for child in children:
            child.terminate()
        until = time.monotonic() + STOP_SECONDS
        for child in children:
            try:
                child.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def stop_all(self) -> None:
        """Stop everything in the reverse order of needs."""
        table = {program.name: program for program in self.programs}
        for group in decide.order_of_stopping(list(self.children), table):
            self.stop(group)
        self.write_status()

    def write_status(self) -> None:
        """run/status.json: what ``lab status`` starts from. Written when it changes."""
        programs = {}
        for program in self.programs:
            child = self.children.get(program.name)
            pid = child.pid if child and child.poll() is None else 0
            programs[program.name] = {
                "pid": pid,
                "started": processes.start_time(pid) if pid else 0,
                "restarts": self.memory[program.name].restarts,
                "reason": self.reasons.get(program.name, ""),
                "well": program.name in self.well,
            }
        text = json.dumps({"fingerprint": self.print, "pid": os.getpid(), "programs": programs}, indent=2)
        if text != self.written:
            files.write(self.folder / "run" / "status.json", text + "\n")
            self.written = text

    def _is_well(self, program: Program) -> bool:
        # Once well, a program is believed while it runs: this is about the order of starting, not a verdict for people.
        known = self.memory[program.name].started_at is not None and program.name in self.well
        return known or not answers(program.health, self.folder / "pki", program.any_status, timeout=1.0)

    def _on_stop(self, *_: Any) -> None:
        self.stopping = True

    def _on_retry(self, *_: Any) -> None:
        self.memory = {name: replace(memory, backoff=0.0, not_before=0.0) for name, memory in self.memory.items()}

    def _ask_api(self) -> None:
        if "kube-apiserver" not in self.well:
            self.api_seen = (None, None)
            return
        if time.monotonic() - self.api_asked < CONF_EVERY:
            return
        self.api_asked = time.monotonic()
        if self.api is None:
            self.api = Client(self.record.ports["kube-apiserver"], self.folder / "pki", timeout=3.0)
        try:
            self.api_seen = (_served(self.api), _webhooks(self.api))
            self._copy_conf(self.api)
        except (ApiError, OSError, KeyError, ValueError) as error:
            self.api_seen = (None, None)
            print(f"API: {error}", flush=True)

    def _release_leases(self) -> None:
        # A new kwok waits for the leases of the one before it to run out (40 s) and plays no node until then.
        try:
            with contextlib.closing(Client(self.record.ports["kube-apiserver"], self.folder / "pki")) as api:
                api.request("DELETE", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases")
        except (ApiError, OSError) as error:
            print(f"leases: {error}", flush=True)

    def _copy_conf(self, api: Client) -> None:
        namespace, name, key = CONFIG_MAP
        found = api.get(f"/api/v1/namespaces/{namespace}/configmaps/{name}")
        text = (found or {}).get("data", {}).get(key, "") or BUILT_IN
        # A rename in the watched folder is a Create event there: vc-scheduler reads the file again.
        if files.write_if_changed(self.conf, text):
            print(f"scheduler configuration: {'from the ConfigMap' if found else 'built in'}", flush=True)


def _served(api: Client) -> frozenset[str]:
    # Discovery tells what is served, in one small answer; the CRDs themselves are megabytes.
    groups = api.request("GET", "/apis", accept=DISCOVERY)["items"]
    return frozenset(
        f"{resource['resource']}.{group['metadata']['name']}"
        for group in groups
        for version in group.get("versions") or []
        for resource in version.get("resources") or []
    )


def _webhooks(api: Client) -> frozenset[str]:
    names: set[str] = set()
    for kind in ("mutatingwebhookconfigurations", "validatingwebhookconfigurations"):
        items = api.request("GET", f"/apis/admissionregistration.k8s.io/v1/{kind}")["items"]
        names |= {item["metadata"]["name"] for item in items}
    return frozenset(names)


def main() -> int:
    """Supervise the lab in the folder given; end at once when another supervisor does."""
    folder = Path(sys.argv[1])
    record = load(folder / "lab.json")
    if record is None:
        print(f"{folder}: no lab.json", file=sys.stderr)
        return 2
    lock = os.open(folder / "run" / "supervisor.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("another supervisor is at work", file=sys.stderr)
        return 0
    Supervisor(record, folder).loop()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
