"""Small tools and families for the tests of this folder; only what a test cares about is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from raceway.tools import pins, store


def make_family(folder: Path, **fields: Any) -> pins.Family:
    recipe = folder / "recipe"
    recipe.mkdir(parents=True, exist_ok=True)
    if not (recipe / "go.mod").exists():
        (recipe / "go.mod").write_text("module example/tiny\n")
    return pins.Family(**{"name": "tiny", "title": "Tiny", "folder": recipe, "disk_gib": 1.0, **fields})


def make_tool(family: pins.Family, **fields: Any) -> pins.Tool:
    known = {"name": "hello", "version": "1.2.3", "source": "here", "why": "a test", "ask": ("--version",)}
    return pins.Tool(family=family, **{**known, "answer": r"v(\S+)", **fields})


def make_pins(*tools: pins.Tool) -> pins.Pins:
    families = {tool.family.name: tool.family for tool in tools}
    return pins.Pins(go_minimum="1.26.0", families=families, tools={tool.name: tool for tool in tools})


def make_program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def publish(tool: pins.Tool, recipe: str = "r1", compiler: str = "go1.26.8 linux/amd64") -> Path:
    with store.lock(tool.family, lambda: None), store.work(tool.family) as work:
        make_program(work / "out" / tool.name)
        return store.publish(work / "out", tool, recipe, compiler)
