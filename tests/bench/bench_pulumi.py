"""How long a no-op ``pulumi up`` of 500 objects takes: raceway, plain Pulumi, ``kubectl apply``, ``kubectl diff``.

Run with ``python -m tests.bench.bench_pulumi [--objects N] [--repeats N] [--json FILE]``. All four see the same
manifests on the same API server, in rounds (A B C D, A B C D …), so that a busy moment hits all alike; medians are
compared. *plain* is the generated SDK with an explicit provider and every setting left at its default. It
deliberately starts no Volcano: what is measured is the layout, not the scheduler.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from raceway.components.versions import PROVIDER_KUBERNETES
from raceway.lab import Lab
from raceway.stack.engine import PROGRAMS, environment
from raceway.stack.project import Project
from raceway.tools import bin_path, ensure

RACEWAY = """
import json, pathlib, pulumi
from raceway.components.objects import KubernetesObject, provider
from raceway.components.settings import lighten
lighten()
cluster = provider("cluster", "bench")
opts = pulumi.ResourceOptions(provider=cluster)
for one in json.loads(pathlib.Path({path!r}).read_text()):
    KubernetesObject(f"{{one['kind']}}-{{one['metadata']['name']}}", one, opts)
"""
PLAIN = """
import json, pathlib, pulumi, pulumi_kubernetes as k8s
cluster = k8s.Provider("cluster")
opts = pulumi.ResourceOptions(provider=cluster)
KINDS = {{"Namespace": k8s.core.v1.Namespace, "ConfigMap": k8s.core.v1.ConfigMap,
         "PriorityClass": k8s.scheduling.v1.PriorityClass}}
for one in json.loads(pathlib.Path({path!r}).read_text()):
    name, kind = one["metadata"]["name"], one.pop("kind")
    one.pop("apiVersion")
    KINDS[kind](f"{{kind}}-{{name}}", opts=opts, **one)
"""


def manifests(count: int, space: str) -> list[dict[str, Any]]:
    """Return ``count`` objects of the kinds a layout has most of: namespaces, priority classes, configuration."""
    made: list[dict[str, Any]] = []
    for number in range(count):
        name = f"{space}-{number}"
        if number % 10 == 0:
            made.append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"team": "x"}}})
        elif number % 10 == 1:
            metadata = {"name": name}
            made.append(
                {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": metadata, "value": number}
            )
        else:
            metadata = {"name": name, "namespace": "default", "labels": {"team": "x", "number": str(number)}}
            data = {f"key-{key}": f"value {key} of {number}" for key in range(10)}
            made.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    return made


def write_program(root: Path, text: str, name: str, objects: list[dict[str, Any]]) -> Project:
    """Write a project with its manifests; return it."""
    folder = root / "pulumi" / name
    folder.mkdir(parents=True)
    data = folder / "manifests.json"
    data.write_text(json.dumps(objects))
    (folder / "__main__.py").write_text(text.format(path=str(data)))
    (folder / "Pulumi.yaml").write_text(
        f"name: raceway-{name}\nruntime: {{name: python, options: {{virtualenv: {sys.prefix}}}}}\n"
    )
    (folder / "Pulumi.bench.yaml").write_text("config: {}\n")
    return Project(name, "bench", Path(), {}, root / "state", root)


def plain_environment(project: Project) -> dict[str, str]:
    """Return Pulumi's defaults: only what it cannot run without here."""
    kept = {name: value for name, value in environment(project).items() if not name.startswith("PULUMI_")}
    needed = ("PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE_FILE", "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION")
    made = environment(project)
    return {**kept, **{name: made[name] for name in needed}, "PULUMI_SKIP_UPDATE_CHECK": "true"}


def timed(words: list[str], env: dict[str, str], codes: tuple[int, ...] = (0,)) -> float:
    """Return the seconds one call takes; a call that fails ends the bench."""
    began = time.monotonic()
    done = subprocess.run(words, env=env, capture_output=True, text=True)
    seconds = time.monotonic() - began
    if done.returncode not in codes:
        raise SystemExit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return seconds


def pulumi_words(project: Project, *words: str) -> list[str]:
    """Return a call of the Pulumi program in a project's folder."""
    fixed = ["--yes", "--non-interactive", "--color", "never", "--stack", "bench", "--cwd", str(project.folder)]
    return ["pulumi", *words, "--skip-preview", *fixed]


def measure(root: Path, kubeconfig: Path, count: int, repeats: int) -> dict[str, Any]:
    """Create the objects four times under four names, then time the no-ops in rounds; return seconds by way."""
    kubectl = str(ensure(["kubectl"])["kubectl"])
    ways: dict[str, Callable[[], float]] = {}
    creates: dict[str, float] = {}
    for name, text in (("raceway", RACEWAY), ("plain", PLAIN)):
        project = write_program(root, text, name, manifests(count, name))
        project = Project(name, "bench", kubeconfig, {}, root / "state", root)
        project.prepare()
        env = environment(project) if name == "raceway" else plain_environment(project)
        select = ["pulumi", "stack", "select", "--create", "bench", "--cwd", str(project.folder), "--non-interactive"]
        timed(select, env)
        creates[name] = timed(pulumi_words(project, "up"), env)
        no_op = pulumi_words(project, "up", "--expect-no-changes")
        ways[name] = lambda no_op=no_op, env=env: timed(no_op, env)  # type: ignore[misc]
    listed = root / "kubectl.json"
    listed.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": manifests(count, "kubectl")}))
    env = {**os.environ, "KUBECONFIG": str(kubeconfig)}
    apply = [kubectl, "apply", "--server-side", "-f", str(listed)]
    diff = [kubectl, "diff", "--server-side", "-f", str(listed)]
    creates["kubectl apply"] = timed(apply, env)
    ways["kubectl apply"] = lambda: timed(apply, env)
    ways["kubectl diff"] = lambda: timed(diff, env)
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in track(range(repeats), description="rounds", console=Console(stderr=True)):
        for name, way in ways.items():
            seconds[name].append(round(way(), 3))
    return {"objects": count, "create_seconds": creates, "no_op_seconds": seconds}


def main() -> int:
    """Measure, print the table, write the JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.bench_pulumi", description=__doc__)
    parser.add_argument("--objects", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    os.environ["PATH"] = bin_path(PROGRAMS) + os.pathsep + os.environ.get("PATH", "")
    lab = Lab(f"bench-{os.getpid()}", show=True)
    with tempfile.TemporaryDirectory(prefix="raceway-bench-") as folder:
        try:
            lab.up(nodes=1, containers=False)
            result = measure(Path(folder), lab.kubeconfig, args.objects, args.repeats)
        finally:
            lab.down()
    load = os.getloadavg()[0]
    result["versions"] = {"provider": PROVIDER_KUBERNETES, "python": platform.python_version(), "load": round(load, 2)}
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(result, indent=1) + "\n")
    show(result)
    return 0


def show(result: dict[str, Any]) -> None:
    """Print medians, spread, and the ratio to plain Pulumi."""
    table = Table(title=f"no-op of {result['objects']} objects")
    for head in ("way", "median s", "min–max s", "plain ÷ this", "create s"):
        table.add_column(head, justify="left" if head == "way" else "right")
    plain = statistics.median(result["no_op_seconds"]["plain"])
    for name, seconds in result["no_op_seconds"].items():
        median = statistics.median(seconds)
        create = result["create_seconds"].get(name)
        spread = f"{min(seconds):.2f}–{max(seconds):.2f}"
        table.add_row(name, f"{median:.2f}", spread, f"{plain / median:.2f}", f"{create:.1f}" if create else "")
    Console().print(table)


if __name__ == "__main__":
    raise SystemExit(main())
