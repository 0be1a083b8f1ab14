"""``make bench``: one run of every bench, results in out/bench, the tables in docs/benchmarks.md."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError
from raceway.lab import Lab
from raceway.lab.requirements import INOTIFY, INOTIFY_A_NODE

from . import bench_converge, meters, peers, table

OUT = peers.REPOSITORY / "out" / "bench"
LOCK = peers.REPOSITORY / "requirements-bench.lock"
PINS = ("ansible==14.5.0", "mitogen==0.3.54", "pyinfra==3.10.0")
DOCUMENT = peers.REPOSITORY / "docs" / "benchmarks.md"
PEERS = {"pyinfra", "mitogen", "stock"}
PARTS = ("converge", "inventory", "pulumi", "tcp", "fabric", "sweep")
QUIET_S = 180  # how long the load may take to fall after set-up and between parts


def main() -> int:
    """Run what was asked for."""
    options = _options()
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        if "converge" in options.parts:
            if not set(options.only) or set(options.only) & PEERS:
                _peers()
            _wait_for_quiet(options)
            _converge(options)
        for part in ("inventory", "pulumi", "tcp", "fabric", "sweep"):
            if part in options.parts:
                _wait_for_quiet(options)
                _other(part, options.out)
        if options.docs:
            table.write(options.out, DOCUMENT)
            print(f"bench: tables in {DOCUMENT.relative_to(peers.REPOSITORY)}")
    except RacewayError as error:
        print(error.message(), file=sys.stderr)
        return 2
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=PARTS, help="benches to run")
    parser.add_argument("--nodes", type=int, nargs="+", default=[2, 10, 30], help="sizes to measure")
    parser.add_argument("--tasks", nargs="+", default=list(table.TASKS), choices=table.TASKS)
    parser.add_argument(
        "--only", nargs="+", default=[], help="tools to measure: floor raceway site pyinfra mitogen stock"
    )
    parser.add_argument("--repeats", type=int, nargs=2, default=[5, 3], metavar=("FAST", "SLOW"))
    parser.add_argument("--load", type=float, default=1.5, help="refuse to start above this load")
    parser.add_argument("--force", action="store_true", help="measure on a busy machine all the same")
    parser.add_argument("--docs", action=argparse.BooleanOptionalAction, default=True, help="write the tables")
    parser.add_argument("--lab", default="bench", help="name of the lab to bring up and to remove")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the results")
    parser.add_argument("--keep", action="store_true", help="leave the lab up")
    return parser.parse_args()


def _peers() -> None:
    """Make the peers' virtual environment: their versions must not meet raceway's own."""
    ready = peers.PEERS / "ready"
    wanted = LOCK.read_text() if LOCK.exists() else "\n".join(PINS)
    if ready.exists() and ready.read_text() == wanted:
        return
    print("bench: the peers' environment .venv-bench (log: out/bench/venv.log)", flush=True)
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / "venv.log").open("w") as log:
        source = ["--require-hashes", "-r", str(LOCK)] if LOCK.exists() else list(PINS)
        for command in (
            [sys.executable, "-m", "venv", "--clear", str(peers.PEERS)],
            [str(peers.PEERS / "bin/python"), "-m", "pip", "install", "--disable-pip-version-check", *source],
        ):
            if subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False).returncode:
                raise RacewayError("the peers' environment", "not made", act="read out/bench/venv.log")
    ready.write_text(wanted)


def _wait_for_quiet(options: argparse.Namespace) -> None:
    """Give the machine a while to calm down after set-up; refuse when it does not."""
    until = time.monotonic() + QUIET_S
    while not options.force and time.monotonic() < until and os.getloadavg()[0] > options.load:
        time.sleep(5)
    meters.refuse_load(options.load, options.force)


def _more_inotify(nodes: int) -> str:
    """Let this host's root hold inotify instances for so many nodes during the bench; return what it was before."""
    found = INOTIFY.read_text()
    if nodes * INOTIFY_A_NODE > int(found):
        INOTIFY.write_text(str(nodes * INOTIFY_A_NODE + int(found)))
    return found


def _save(path: Path, result: dict[str, Any]) -> None:
    path.write_text(json.dumps(result, indent=1) + "\n")


def _other(part: str, out: Path) -> None:
    """Run one of the benches that measure by themselves."""
    target = out / f"{part}.json"
    print(f"bench: {part}", flush=True)
    command = [sys.executable, "-m", f"tests.bench.bench_{part}", "--json", str(target)]
    if subprocess.run(command, cwd=peers.REPOSITORY, check=False).returncode:
        raise RacewayError(f"bench {part}", "failed", act=f"run {' '.join(command[1:3])} by itself")


def _converge(options: argparse.Namespace) -> None:
    lab = Lab(options.lab, show=True)
    found = _more_inotify(max(options.nodes))
    try:
        lab.up(max(options.nodes), cluster=False)
        _wait_for_quiet(options)
        for count in options.nodes:
            path = options.out / f"converge-{count}.json"
            bench_converge.bench(
                lab,
                count,
                options.out / "work",
                lambda result, path=path: _save(path, result),  # type: ignore[misc]
                tasks=options.tasks,
                only=options.only,
                limit=options.load,
                force=options.force,
                repeats=tuple(options.repeats),
            )
            print(f"bench: {path}", flush=True)
    finally:
        if not options.keep:
            lab.down()
            INOTIFY.write_text(found)


if __name__ == "__main__":
    raise SystemExit(main())
