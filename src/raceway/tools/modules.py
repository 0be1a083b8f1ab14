"""Finds and fetches the source of pinned Go modules: charts, CRDs and stages lie in them.

The version comes from the family's go.mod (``replace`` lines applied) and the content is held against its go.sum.
It deliberately fetches nothing that no recipe pins.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from raceway.errors import RacewayError

from . import golang, pins

REQUIRE = re.compile(r"^\s*(?:require\s+)?(\S+/\S+)\s+(v\S+)\s*(?://.*)?$")
REPLACE = re.compile(r"^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(\S+)(?:\s+(v\S+))?\s*$")


def parse(text: str) -> dict[str, str]:
    """Read a go.mod into module → version as it is built; one replaced by something else has the version "".

    ``require k8s.io/kubernetes v1.35.4`` · ``k8s.io/api => k8s.io/api v0.35.4`` · ``volcano.sh/apis => ./apis``
    """
    found: dict[str, str] = {}
    replaced: dict[str, str] = {}
    for line in text.splitlines():
        if swap := REPLACE.match(line):
            # A folder or another module is not what a caller who asks by the old name expects.
            replaced[swap.group(1)] = (swap.group(3) or "") if swap.group(2) == swap.group(1) else ""
        elif need := REQUIRE.match(line):
            found[need.group(1)] = need.group(2)
    return found | {name: version for name, version in replaced.items() if name in found}


def sums(text: str) -> dict[tuple[str, str], str]:
    """Read a go.sum into (module, version) → hash of its content."""
    rows = [line.split() for line in text.splitlines() if line.strip()]
    return {(row[0], row[1]): row[2] for row in rows if len(row) == 3 and not row[1].endswith("/go.mod")}


def module_dir(module: str) -> Path:
    """Return the folder of a pinned module's source, fetched if absent."""
    table = pins.load()
    for family in table.families.values():
        mod = family.folder / "go.mod"
        if mod.is_file() and (version := parse(mod.read_text(encoding="utf-8")).get(module)):
            there = _in_cache(module, version)
            return there or fetch(module, family.folder, golang.need(table.go_minimum))
    raise RacewayError(
        f"module {module}",
        "no recipe pins it",
        "a module that a go.mod under the tools folder requires",
        "add it to the family that uses it",
    )


def fetch(module: str, recipe: Path, go: golang.Go) -> Path:
    """Download a module at the version of ``recipe``'s go.mod, and hold it against its go.sum."""
    version = parse((recipe / "go.mod").read_text(encoding="utf-8"))[module]
    # In an empty folder: inside the recipe Go would want the folders its go.mod refers to, which may not be made yet.
    with tempfile.TemporaryDirectory(prefix="raceway-module-") as empty:
        done = subprocess.run(
            [str(go.program), "mod", "download", "-json", f"{module}@{version}"],
            cwd=empty,
            env=golang.environment() | {"GOFLAGS": ""},
            capture_output=True,
            text=True,
            check=False,
        )
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = {"Error": (done.stderr or "no answer").strip()[-400:]}
    if answer.get("Error"):
        act = "check the network and the Go proxy setting (`go env GOPROXY`), then run the same command again"
        raise RacewayError(f"Go module {module}@{version}", str(answer["Error"]), act=act)
    pinned = sums((recipe / "go.sum").read_text(encoding="utf-8")).get((module, version))
    if pinned != answer["Sum"]:
        raise RacewayError(
            f"Go module {module}@{version}",
            f"content {answer['Sum']}",
            str(pinned),
            "do not use it: the proxy served something else than was pinned",
        )
    return Path(answer["Dir"])


def _in_cache(module: str, version: str) -> Path | None:
    """Where the module lies if it was fetched before; Go moves a whole folder there, so it is never half there."""
    base = os.environ.get("GOMODCACHE")
    if not base:
        gopath = os.environ.get("GOPATH", "").split(os.pathsep)[0] or str(Path.home() / "go")
        base = f"{gopath}/pkg/mod"
    escaped = re.sub(r"[A-Z]", lambda upper: "!" + upper.group().lower(), f"{module}@{version}")
    folder = Path(base) / escaped
    return folder if folder.is_dir() else None
