"""Builds missing tools family by family: private work folder, check of the result, one atomic move into the cache.

An interrupted or failed build leaves nothing a later run could take for a tool; what Go has compiled is kept in
its build cache, so the next run goes on. It deliberately runs no recipe inside the checkout, and builds one family
at a time: Go uses all processors already.
"""

from __future__ import annotations

import functools
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from raceway import paths
from raceway.errors import RacewayError

from . import ask, disk, golang, keys, langhost_build, locate, recipe, store
from .pins import Family, Pins, Tool
from .progress import Shown


def build(tools: Sequence[Tool], pins: Pins, *, show: bool = True) -> None:
    """Build the given tools; those another process has built meanwhile are left alone."""
    families = [family for family in pins.families.values() if any(tool.family == family for tool in tools)]
    compiled = [family for family in families if family.builder == "go"]
    go = golang.need(pins.go_minimum) if compiled else None
    private = disk.choose(compiled, golang.setting(go, "GOCACHE")) if go else None
    with Shown(families, show) as shown:
        for family in families:
            with store.lock(family, functools.partial(shown.step, family, "waits for another raceway's build")):
                # Where preparing takes longer than linking, the family is made whole: asked for later, one more of
                # its tools would mean preparing again.
                asked = pins.tools.values() if family.prepare else tools
                wanted = [t for t in asked if t.family == family and locate.locate(t, pins).path is None]
                began = time.monotonic()
                _family(family, wanted, go, private, shown)
                names = ", ".join(tool.name for tool in wanted) or "nothing left to do"
                shown.finish(family, f"done in {time.monotonic() - began:.0f} s: {names}")


def log_path(family: Family) -> Path:
    """Where the family's last build wrote its output."""
    return paths.cache_dir() / "logs" / f"tools-{family.name}.log"


def _family(family: Family, tools: Sequence[Tool], go: golang.Go | None, private: Path | None, shown: Shown) -> None:
    if not tools:
        return
    log_path(family).parent.mkdir(parents=True, exist_ok=True)
    shown.step(family, f"{family.title}: prepares")
    with store.work(family) as work, log_path(family).open("w", encoding="utf-8") as log:
        try:
            if go is None or family.builder == "langhost":
                for tool in tools:
                    _publish(tool, langhost_build.make(tool, work), family.builder)
                return
            env = golang.environment()
            if private:
                env["GOCACHE"] = str(disk.private_cache(family))
            _compile(family, tools, recipe.Workshop(family, work, go, env, log, shown))
        except golang.CommandFailed as error:
            raise RacewayError(
                f"building {family.name}",
                f"{error}\n  " + "\n  ".join(error.lines[-8:]) + "\n",
                act="read the log, then run the same command again",
                log=str(log_path(family)),
            ) from None
    if private:
        shutil.rmtree(disk.private_cache(family), ignore_errors=True)


def _compile(family: Family, tools: Sequence[Tool], shop: recipe.Workshop) -> None:
    shop.prepare()
    needs = {tool.name: shop.packages(tool) for tool in tools}
    shop.shown.expect(family, len(set().union(*needs.values())))
    done: set[str] = set()
    for number, tool in enumerate(tools, 1):
        shop.shown.step(family, f"{tool.name} {tool.version} ({number} of {len(tools)})")
        out = shop.work / "out" / tool.name
        shop.compile(tool, out / tool.name, done)
        done |= needs[tool.name]
        shop.shown.reach(family, len(done))
        _publish(tool, out, shop.go.label, shop.log)


def _publish(tool: Tool, made: Path, compiler: str, log: IO[str] | None = None) -> None:
    """Let the new program tell its version before anyone else can see it."""
    program = made / tool.name
    told = ask.version(tool, program)
    if log:
        log.write(f"{tool.name} tells version {told}\n")
    if told != tool.version:
        raise RacewayError(
            f"building {tool.name}",
            f"the new program tells version {told or 'nothing'}",
            tool.version,
            "compare its lines in the table of pins with its go.mod",
            log=str(log_path(tool.family)),
        )
    store.publish(made, tool, keys.recipe(tool), compiler)
