"""The Python environment of a program: which interpreter the project asks for, and what is installed there.

It deliberately does not fall back to another interpreter when the named one is missing: a program that runs with
other packages than declared is worse than one that does not run.
"""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from google.protobuf import json_format  # type: ignore[import-untyped]


class Refused(Exception):
    """Something the host cannot do; the text is for the user."""


def options_of(info: Any) -> dict[str, Any]:
    """Return the ``runtime.options`` of the project as plain values."""
    return dict(json_format.MessageToDict(info.options)) if info.HasField("options") else {}


def virtualenv(info: Any) -> Path | None:
    """Return the folder of the virtual environment the project names, relative to its Pulumi.yaml."""
    chosen = options_of(info).get("virtualenv")
    return Path(info.root_directory or info.program_directory or ".") / str(chosen) if chosen else None


def interpreter(info: Any) -> str:
    """Return the Python the project asks for: its virtualenv, else the one this host runs in."""
    folder = virtualenv(info)
    if folder is None:
        return sys.executable
    python = folder / "bin" / "python"
    if not python.exists():
        raise Refused(
            f"Pulumi.yaml: runtime.options.virtualenv: {folder} has no bin/python; "
            "next: run `pulumi install`, or remove the option to use the environment raceway runs in"
        )
    return str(python)


def installed(info: Any) -> list[dict[str, Any]]:
    """Return the distributions in the program's interpreter: name, version, plugin (or None), direct."""
    python = interpreter(info)
    if python == sys.executable:
        return inventory()
    source = inspect.getsource(inventory)
    code = f"from __future__ import annotations\nimport json\n{source}\nprint(json.dumps(inventory()))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"cannot list the packages of {python}: {done.stderr.strip()[-300:]}")
    return list(json.loads(done.stdout))


def inventory() -> list[dict[str, object]]:
    """List the distributions of the running interpreter. Must stand alone: its source is sent to other ones."""
    import importlib.metadata
    import json
    import re

    rows: list[dict[str, object]] = []
    needed: set[str] = set()
    for found in importlib.metadata.distributions():
        name = found.metadata["Name"]
        if not name:
            continue
        plugin = None
        # Packages with a plugin carry this file. The list of files is searched as text: parsing all of them is slow.
        if "pulumi-plugin.json" in (found.read_text("RECORD") or ""):
            for path in found.files or []:
                if path.name == "pulumi-plugin.json":
                    plugin = json.loads(path.read_text())
        rows.append({"name": name, "version": found.version, "plugin": plugin})
        for text in found.requires or []:
            needed.add(re.split(r"[^\w.-]", text, maxsplit=1)[0].lower().replace("_", "-"))
    for row in rows:
        row["direct"] = str(row["name"]).lower().replace("_", "-") not in needed
    return rows
