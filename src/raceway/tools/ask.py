"""Asks a program which version it is, with a time limit and a tolerant reading of the answer.

It deliberately does not judge: an answer that cannot be had or read is ``None``, and the caller goes on to the
next candidate. A user's broken program on PATH must never stop a run that does not need it.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from .pins import Tool

SECONDS = 45.0  # a cold start of the larger programs on a busy machine takes long; a hang must end all the same

Runner = Callable[[Sequence[str]], str]


def run(argv: Sequence[str]) -> str:
    """Return what a command printed, both streams; empty when it cannot be run or takes too long."""
    # No kubeconfig, no home lookups over the network: `kubectl version --client` must not reach for a cluster.
    env = {**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true", "KUBECONFIG": os.devnull}
    try:
        done = subprocess.run(
            list(argv),
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace")


def version(tool: Tool, program: Path, runner: Runner = run) -> str | None:
    """Return the version ``program`` says it has, without a leading v; None when it does not say."""
    if not tool.answer:
        from . import plugin

        return plugin.version(program)
    found = re.search(tool.answer, runner([str(program), *tool.ask]), re.MULTILINE)
    return found.group(1).lstrip("v").strip("\"',;") if found else None
