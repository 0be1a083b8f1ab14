"""Calls the Pulumi program: its environment, its output line by line, its process group.

A run that is interrupted takes the language host and the provider with it, since they share its group. It deliberately
passes no secret on the command line.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from raceway.errors import RacewayError
from raceway.stack.project import Project
from raceway.tools import bin_path

PROGRAMS = ("pulumi", "pulumi-language-python", "pulumi-resource-kubernetes")
_TERM_WAIT_S = 20


def environment(project: Project) -> dict[str, str]:
    """Return the variables of a run; a backend or a passphrase the user has set wins."""
    own = {
        "KUBECONFIG": str(project.kubeconfig.absolute()),
        # No attribute file beside each file: it is written in place, and one torn by a kill ends every later run.
        "PULUMI_BACKEND_URL": f"file://{project.backend}?metadata=skip",
        # No download of a missing part: on a closed network it would hang, and the parts are pinned.
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK": "true",
        # A checkpoint is compared only where its bytes changed; the backup copies double every write.
        "PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS": "true",
        "PULUMI_PARALLEL_DIFF": "true",
        # The state holds large CRDs; collecting less often takes a third off the engine's and provider's CPU.
        "GOGC": "400",
    }
    made = {**own, **os.environ, "KUBECONFIG": own["KUBECONFIG"]}
    made["PATH"] = bin_path(PROGRAMS) + os.pathsep + os.environ.get("PATH", "")
    if "PULUMI_CONFIG_PASSPHRASE" not in made and "PULUMI_CONFIG_PASSPHRASE_FILE" not in made:
        made["PULUMI_CONFIG_PASSPHRASE_FILE"] = str(project.passphrase_file())
    return made


def command(project: Project, *words: str, stack: bool = True) -> list[str]:
    """Return the words of one call."""
    made = ["pulumi", *words, "--non-interactive", "--color", "never", "--cwd", str(project.folder)]
    return [*made, "--stack", project.stack, "--config-file", str(project.config_file)] if stack else made


def capture(project: Project, words: Sequence[str]) -> tuple[int, str, str]:
    """Run to the end; return exit code, output, errors. The errors also go to the log."""
    with _started(words, project, subprocess.PIPE) as process:
        out, err = _waited(process)
    _log(project.log, words, out + err)
    return process.returncode, out, err


def stream(project: Project, words: Sequence[str], line: Callable[[str], None]) -> tuple[int, list[str]]:
    """Run to the end, giving each line as it comes; return exit code and all lines."""
    lines: list[str] = []
    with _started(words, project, subprocess.STDOUT) as process:
        try:
            assert process.stdout is not None
            for text in process.stdout:
                lines.append(text.rstrip())
                line(lines[-1])
            process.wait()
        except BaseException:
            end(process)
            raise
    _log(project.log, words, "\n".join(lines) + "\n")
    return process.returncode, lines


def end(process: subprocess.Popen[str]) -> None:
    """End the whole group: politely first (Pulumi then writes its state), by force after twenty seconds."""
    if process.poll() is not None:
        return
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(_TERM_WAIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _started(words: Sequence[str], project: Project, stderr: int) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            list(words),
            env=environment(project),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise RacewayError("pulumi", "not found", act="run raceway tools") from error


def _waited(process: subprocess.Popen[str]) -> tuple[str, str]:
    try:
        return process.communicate()
    except BaseException:
        end(process)
        raise


def _log(path: Path, words: Sequence[str], text: str) -> None:
    with path.open("a") as file:
        file.write(f"$ {' '.join(words)}\n{text}\n")
