"""Plain ``pulumi`` runs Python programs and policy packs through raceway's language host.

Real engine, real SDK, file backend; no cloud and no provider is called. It cannot see the official host, which is
preferred where a user has it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
import venv
from pathlib import Path

import pytest

from raceway import tools

pytestmark = pytest.mark.cluster
NEEDED = ("pulumi", "pulumi-language-python", "pulumi-resource-kubernetes")
SMALL = """\
import sys
import pulumi
class Rack(pulumi.ComponentResource):
    def __init__(self, name):
        super().__init__("test:lab:Rack", name)
        self.register_outputs({"name": name})
config = pulumi.Config()
for number in range(config.require_int("racks")):
    Rack(f"rack-{number}")
pulumi.export("prefix", sys.prefix)
pulumi.export("stack", f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}")
pulumi.export("password", config.require_secret("password").apply(lambda text: text.upper()))
print("said by the program")
"""


class Project:
    """A Pulumi project in a temporary folder with its own home and state."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.folder.mkdir()
        (folder / "state").mkdir()
        path = tools.bin_path(NEEDED)
        self.env = {
            **os.environ,
            "PATH": f"{path}:{os.environ['PATH']}",
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_BACKEND_URL": f"file://{folder / 'state'}",
            "PULUMI_CONFIG_PASSPHRASE": "lab",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
        }
        self.settings("name: small\nruntime: python\n")
        self.program(SMALL)
        assert self.run("stack", "init", "lab").returncode == 0

    def settings(self, text: str) -> None:
        (self.folder / "Pulumi.yaml").write_text(text)

    def program(self, text: str) -> None:
        (self.folder / "__main__.py").write_text(text)

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["pulumi", *words, "--non-interactive", "--color=never"],
            cwd=self.folder,
            env=self.env,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*words)
        try:
            output = process.communicate(timeout=120)[0]
        finally:
            process.kill()
        return subprocess.CompletedProcess(words, process.returncode, output)

    def up(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.run("up", "--yes", "--skip-preview", *words)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    assert made.run("config", "set", "racks", "3").returncode == 0
    assert made.run("config", "set", "--secret", "password", "hidden").returncode == 0
    return made


def hosts_of(folder: Path) -> list[str]:
    """Command lines of this host's and its programs' processes in one project folder."""
    found = []
    for proc in Path("/proc").glob("[0-9]*"):
        try:
            line = (proc / "cmdline").read_text().replace("\0", " ")
            if "pulumi-language-python" in line and (proc / "cwd").readlink().is_relative_to(folder):
                found.append(line)
        except OSError:
            continue
    return found


def gone(folder: Path, seconds: float = 15.0) -> list[str]:
    deadline = time.monotonic() + seconds
    while (left := hosts_of(folder)) and time.monotonic() < deadline:
        time.sleep(0.2)
    return left


def test_up_creates_and_a_second_up_changes_nothing(project: Project) -> None:
    first = project.up()
    assert first.returncode == 0, first.stdout
    assert "+ 4 created" in first.stdout and "said by the program" in first.stdout
    assert "hidden" not in first.stdout.lower()
    assert "using pulumi-language-python from $PATH" not in first.stdout
    second = project.up("--expect-no-changes")
    assert second.returncode == 0, second.stdout
    outputs = json.loads(project.run("stack", "output", "--json", "--show-secrets").stdout)
    assert outputs == {"password": "HIDDEN", "prefix": sys.prefix, "stack": "organization/small/lab"}
    assert gone(project.folder) == []


def test_a_changed_program_is_previewed_without_being_applied(project: Project) -> None:
    assert project.up().returncode == 0
    assert project.run("config", "set", "racks", "2").returncode == 0
    preview = project.run("preview", "--expect-no-changes")
    assert preview.returncode != 0 and "rack-2" in preview.stdout
    assert len(json.loads(project.run("stack", "export").stdout)["deployment"]["resources"]) == 4


def test_an_error_shows_the_users_own_frames_once(project: Project) -> None:
    # Named like a module of the language host's own, which must not hide it.
    (project.folder / "host.py").write_text("def half(x):\n    return 1 // x\n")
    project.program("import host\nhost.half(0)\n")
    done = project.up()
    assert done.returncode != 0
    assert done.stdout.count("ZeroDivisionError: ") == 1
    assert str(project.folder / "host.py") in done.stdout and "__main__.py" in done.stdout
    assert "runpy" not in done.stdout and "langhost" not in done.stdout


def test_a_raceway_error_in_a_program_is_one_message_without_a_traceback(project: Project) -> None:
    project.program(
        "from raceway.errors import RacewayError\n"
        "raise RacewayError('Pulumi.lab.yaml: racks', '-1', '1 or more', 'correct it')\n"
    )
    done = project.up()
    assert done.returncode != 0
    # The engine shows an error while it runs and once more in its summary.
    summary = done.stdout.split("Diagnostics:")[1]
    assert summary.count("Pulumi.lab.yaml: racks: -1; allowed: 1 or more; next: correct it") == 1
    assert "Traceback" not in done.stdout


@pytest.mark.parametrize(("body", "told"), [("import sys\nsys.exit(7)\n", "exit code 7"), (None, "__main__.py")])
def test_a_program_that_exits_or_is_not_there_is_named(project: Project, body: str | None, told: str) -> None:
    if body:
        project.program(body)
    else:
        (project.folder / "__main__.py").unlink()
    done = project.up()
    assert done.returncode != 0 and told in done.stdout, done.stdout


def test_the_virtualenv_the_project_names_runs_the_program(project: Project) -> None:
    project.settings("name: small\nruntime:\n  name: python\n  options:\n    virtualenv: own\n")
    missing = project.up()
    assert missing.returncode != 0 and "own has no bin/python" in missing.stdout, missing.stdout
    own = project.folder / "own"
    venv.create(own, symlinks=True)
    packages = next(own.glob("lib/python*/site-packages"))
    (packages / "sdk.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    done = project.up()
    assert done.returncode == 0, done.stdout
    assert project.run("stack", "output", "prefix").stdout.strip() == str(own)


def test_a_virtualenv_without_the_sdk_says_what_to_install(project: Project) -> None:
    project.settings("name: small\nruntime:\n  name: python\n  options:\n    virtualenv: own\n")
    venv.create(project.folder / "own", symlinks=True)
    done = project.up()
    assert done.returncode != 0 and "install the program's requirements" in done.stdout, done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "term"])
def test_an_interrupted_run_ends_soon_and_leaves_no_process(project: Project, number: signal.Signals) -> None:
    project.program("import time, pathlib\npathlib.Path('started').touch()\ntime.sleep(600)\n")
    process = started(project)
    process.send_signal(number)
    output = process.communicate(timeout=30)[0]
    assert process.returncode != 0
    assert "Traceback" not in output, output
    assert gone(project.folder) == []


def test_a_killed_engine_takes_host_and_program_with_it(project: Project) -> None:
    project.program("import time, pathlib\npathlib.Path('started').touch()\ntime.sleep(600)\n")
    process = started(project)
    assert len(hosts_of(project.folder)) >= 2
    process.kill()
    assert gone(project.folder) == []
    project.program(SMALL)
    project.run("cancel", "--yes")
    assert project.up().returncode == 0


def test_a_policy_pack_in_python_is_run_and_can_refuse(project: Project) -> None:
    pack = project.folder / "policy"
    pack.mkdir()
    (pack / "PulumiPolicy.yaml").write_text("runtime: python\nversion: 0.0.1\n")
    (pack / "__main__.py").write_text(
        "from pulumi_policy import *\n"
        "def few(args, report):\n"
        "    if sum(r.resource_type == 'test:lab:Rack' for r in args.resources) > 2:\n"
        "        report('at most two racks')\n"
        "PolicyPack('racks', enforcement_level=EnforcementLevel.MANDATORY,\n"
        "           policies=[StackValidationPolicy('few-racks', 'few racks', few)])\n"
    )
    refused = project.run("preview", "--policy-pack", str(pack))
    assert refused.returncode != 0 and "at most two racks" in refused.stdout, refused.stdout
    assert project.run("config", "set", "racks", "2").returncode == 0
    passed = project.run("preview", "--policy-pack", str(pack))
    assert passed.returncode == 0, passed.stdout
    assert gone(project.folder) == []


def test_about_names_the_interpreter_and_the_direct_dependencies(project: Project) -> None:
    about = json.loads(project.run("about", "--json").stdout)
    assert about["runtime"]["language"] == "python"
    assert about["runtime"]["executable"] == sys.executable
    names = {row["name"] for row in about["dependencies"]}
    assert "raceway" in names and "grpcio" not in names  # the SDK requires grpcio: it is no direct dependency


def started(project: Project) -> subprocess.Popen[str]:
    process = project.start("up", "--yes", "--skip-preview")
    deadline = time.monotonic() + 60
    while not (project.folder / "started").exists():
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()[0]
        time.sleep(0.1)
    return process
