"""up, preview, drift, destroy, outputs of one stack, each usable after any interruption.

Every call says what it does while it does it, and where the log is when it fails. It deliberately asks nothing: a
program calls it, and what it will do was decided by the declaration.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from raceway.errors import RacewayError
from raceway.stack.engine import capture, command, stream
from raceway.stack.project import Project
from raceway.stack.recover import recover

_TAIL_LINES = 15
_REASON_LINES = 40
_ATTEMPTS = 2
_PASSING_PAUSE_S = 3
# Failures of a moment: the webhook manager starts anew, or its copy of the queues lags behind the API.
_PASSING = ("failed to get parent queue", "child queues", "connection refused", "the object has been modified")


# Lines that tell nothing a reader waits for: heartbeats, our own programs being found, work begun (its end is told).
_NO_NEWS = re.compile(
    r"^@ |warning: using pulumi-|(creating|updating|deleting) \(\d+s\)|^(Updating|Diagnostics|Destroying)|Stack \("
)


@dataclass(frozen=True)
class Drift:
    """One difference between the declaration and the cluster: ``field`` is empty when the whole object is meant."""

    kind: str
    name: str
    field: str
    change: str

    def message(self) -> str:
        """Return one line."""
        return f"{self.kind} {self.name}{': ' + self.field if self.field else ''} ({self.change})"


def up(project: Project, *, refresh: bool = False, show: bool = True) -> dict[str, Any]:
    """Make the cluster as declared; return the stack's outputs.

    Without ``refresh`` only what changed in the declaration is applied; with it the cluster is read first, so that
    changes by hand are repaired too.
    """
    ready(project, show)
    words = ("up", "--yes", "--skip-preview", "--suppress-outputs", *(["--refresh"] if refresh else []))
    _run(project, "up", words, show)
    return outputs(project)


def preview(project: Project, *, refresh: bool = False, show: bool = True) -> None:
    """Show what ``up`` would do; change nothing."""
    ready(project, show)
    _run(project, "preview", ("preview", *(["--refresh"] if refresh else []), "--diff"), show)


def destroy(project: Project, *, show: bool = True) -> None:
    """Remove everything the stack has made, then the stack's state. A stack that never was is already gone."""
    project.prepare()
    if not project.checkpoint.exists():
        return
    _say(show, *recover(project))
    _run(project, "destroy", ("destroy", "--yes", "--skip-preview"), show)
    words = command(project, "stack", "rm", "--yes", "--preserve-config", stack=False)
    code, out, err = capture(project, [*words, "--stack", project.stack])
    _check(project, "stack rm", code, (out + err).splitlines())


def outputs(project: Project) -> dict[str, Any]:
    """Return the stack's outputs."""
    words = command(project, "stack", "output", "--json", stack=False)
    code, out, err = capture(project, [*words, "--stack", project.stack])
    _check(project, "stack output", code, err.splitlines())
    return dict(json.loads(out))


def drift(project: Project, *, show: bool = True) -> list[Drift]:
    """Compare the declaration with the live cluster; return every difference, naming kind, name and field."""
    ready(project, show)
    words = command(project, "preview", "--refresh", "--json", "--suppress-outputs")
    for attempt in range(1, _ATTEMPTS + 1):
        code, out, err = capture(project, words)
        told = _told(out) + err.splitlines()
        if not code or attempt == _ATTEMPTS or not _is_passing(told):
            break
        time.sleep(_PASSING_PAUSE_S)
    _check(project, "preview", code, told)
    return [found for step in json.loads(out).get("steps", []) for found in _differences(step)]


def _differences(step: dict[str, Any]) -> list[Drift]:
    if step.get("op") in ("same", "refresh", "read"):
        return []
    kind, name = _identity(step)
    fields = sorted((step.get("detailedDiff") or {}).items()) if step["op"] in ("update", "replace") else []
    if not fields:
        return [Drift(kind, name, ", ".join(step.get("diffReasons") or []), step["op"])]
    return [Drift(kind, name, path, str(detail.get("kind", "update"))) for path, detail in fields]


def _identity(step: dict[str, Any]) -> tuple[str, str]:
    state = step.get("newState") or step.get("oldState") or {}
    kind = str(state.get("type", step["urn"].split("::")[-2])).rpartition(":")[2]
    metadata = (state.get("inputs") or {}).get("metadata") or {}
    name = str(metadata.get("name") or step["urn"].rpartition("::")[2])
    space = metadata.get("namespace")
    return kind.removesuffix("Patch"), f"{space}/{name}" if space else name


def ready(project: Project, show: bool = False) -> None:
    """Check the environment, make the stack where it is not there yet, settle what a killed run left."""
    project.prepare()
    if project.checkpoint.exists():
        _say(show, *recover(project))
        return
    _make(project)
    project.prepare()  # once more: the new stack's salt goes into the run's configuration


def _make(project: Project) -> None:
    """Make the stack from a folder of its own: in the program's folder Pulumi would write into the committed file."""
    project.birthplace.mkdir(parents=True, exist_ok=True, mode=0o700)
    (project.birthplace / "Pulumi.yaml").write_bytes((project.folder / "Pulumi.yaml").read_bytes())
    words = ["pulumi", "stack", "init", project.stack, "--no-select", "--non-interactive", "--color", "never"]
    code, out, err = capture(project, [*words, "--cwd", str(project.birthplace)])
    _check(project, "stack init", code, (out + err).splitlines())


def _run(project: Project, verb: str, words: tuple[str, ...], show: bool) -> None:
    console = Console(highlight=False)
    line: Callable[[str], None] = (lambda text: _print(console, text)) if show else (lambda text: None)
    for attempt in range(1, _ATTEMPTS + 1):
        code, lines = stream(project, command(project, *words), line)
        if not code or not _is_passing(lines) or attempt == _ATTEMPTS:
            break
        time.sleep(_PASSING_PAUSE_S)
        _say(show, "a refusal of the moment (admission was not there or lagged behind); once more")
        _say(show, *recover(project))
    _check(project, verb, code, lines)


def _print(console: Console, text: str) -> None:
    if text.strip() and not _NO_NEWS.search(text):
        console.print(text, markup=False, soft_wrap=True)


def _say(show: bool, *texts: str) -> None:
    for text in texts:
        if show:
            Console(highlight=False).print(f"  {text}", markup=False)


def _check(project: Project, verb: str, code: int, lines: list[str]) -> None:
    if not code:
        return
    raise RacewayError(
        f"pulumi {verb} of {project.prefix}/{project.stack}",
        "\n    ".join(_reasons(lines)) or f"exit code {code}",
        act="mend what is named, then run it again; what is done stays done",
        log=str(project.log),
    )


def _reasons(lines: list[str]) -> list[str]:
    """Return what Pulumi says under Diagnostics, else its errors, else its last words."""
    told = [text.strip() for text in lines if text.strip()]
    if "Diagnostics:" in told:
        after = told[told.index("Diagnostics:") + 1 :]
        ends = [index for index, text in enumerate(after) if text in ("Outputs:", "Resources:")]
        return after[: min([*ends, _REASON_LINES])]
    return [text for text in told if text.startswith("error:")][:_REASON_LINES] or told[-_TAIL_LINES:]


def _told(text: str) -> list[str]:
    """Return the errors of a preview in JSON, or its text when it is none."""
    try:
        diagnostics = json.loads(text).get("diagnostics") or []
    except ValueError:
        return text.splitlines()
    errors = [one for one in diagnostics if one.get("severity") == "error"]
    return [f"error: {one.get('urn', '').rpartition('::')[2]}: {one['message'].strip()}" for one in errors]


def _is_passing(lines: list[str]) -> bool:
    return any(word in text for text in lines for word in _PASSING)
