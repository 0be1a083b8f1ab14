"""``make bench``: one run of every bench, results in out/bench, the tables in docs/benchmarks.md."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from raceway.errors import RacewayError
from raceway.lab import Lab

from . import bench_converge, meters, peers

OUT = peers.REPOSITORY / "out" / "bench"
LOCK = peers.REPOSITORY / "requirements-bench.lock"
PINS = ("ansible==14.5.0", "mitogen==0.3.54", "pyinfra==3.10.0")
LAB = "bench"


def main() -> int:
    """Run what was asked for."""
    options = _options()
    try:
        _peers()
        OUT.mkdir(parents=True, exist_ok=True)
        meters.refuse_load(options.load, options.force)
        _converge(options)
    except RacewayError as error:
        print(error.message(), file=sys.stderr)
        return 2
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="+", default=[2, 10, 30], help="sizes to measure")
    parser.add_argument("--tasks", nargs="+", default=["first", "noop", "drift"], choices=["first", "noop", "drift"])
    parser.add_argument(
        "--only", nargs="+", default=[], help="tools to measure: floor raceway site pyinfra mitogen stock"
    )
    parser.add_argument("--repeats", type=int, nargs=2, default=[5, 3], metavar=("FAST", "SLOW"))
    parser.add_argument("--load", type=float, default=1.5, help="refuse to start above this load")
    parser.add_argument("--force", action="store_true", help="measure on a busy machine all the same")
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


def _converge(options: argparse.Namespace) -> None:
    lab = Lab(LAB, show=True)
    lab.up(max(options.nodes), cluster=False)
    try:
        for count in options.nodes:
            result = bench_converge.bench(
                lab,
                count,
                OUT / "work",
                tasks=options.tasks,
                only=options.only,
                limit=options.load,
                force=options.force,
                repeats=tuple(options.repeats),
            )
            path = OUT / f"converge-{count}.json"
            path.write_text(json.dumps(result, indent=1) + "\n")
            print(f"bench: {path.relative_to(peers.REPOSITORY)}", flush=True)
    finally:
        if not options.keep:
            lab.down()


if __name__ == "__main__":
    raise SystemExit(main())
