"""Serves the Pulumi engine's language protocol for Python programs and policy packs.

The engine starts it, reads a port from the first line of output and calls it. Programs run in processes of their
own, in the interpreter the project names (``runtime.options.virtualenv``), else in the one this host runs in.
A cancelled or orphaned host ends its programs first. It deliberately does not generate code, does not pack
SDKs, and installs nothing into an interpreter the project does not name.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc  # type: ignore[import-untyped]
from google.protobuf import empty_pb2  # type: ignore[import-untyped]
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

from .children import Children, output
from .environment import Refused, installed, interpreter, virtualenv

VERSION = "3.274.1"
SHOWN = 32  # program.py exits with this after it has shown the error itself
MAX_MESSAGE = 400 * 1024 * 1024  # the engine's own limit
PROGRAM = Path(__file__).resolve().with_name("program.py")


class Host(language_pb2_grpc.LanguageRuntimeServicer):
    """The language protocol. Names of methods and fields are the protocol's."""

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.children = Children()

    def Handshake(self, request: Any, context: Any) -> Any:
        self.engine = request.engine_address or self.engine
        return language_pb2.LanguageHandshakeResponse()

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return plugin_pb2.PluginInfo(version=VERSION)

    def About(self, request: Any, context: Any) -> Any:
        python = guarded(context, interpreter, request.info)
        version = subprocess.run(
            [python, "-c", "import platform; print(platform.python_version())"],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.strip()
        return language_pb2.AboutResponse(executable=python, version=version, metadata={"host": "raceway"})

    def GetRequiredPackages(self, request: Any, context: Any) -> Any:
        found = language_pb2.GetRequiredPackagesResponse()
        # The engine asks this just before it loads its plugins: the program's process can load the SDK meanwhile.
        self.children.prepare(program_in(guarded(context, interpreter, request.info)))
        for row in guarded(context, installed, request.info):
            plugin = row["plugin"] or {}
            if plugin.get("resource"):
                version = str(plugin.get("version") or row["version"])
                found.packages.add(
                    name=str(plugin.get("name") or row["name"].removeprefix("pulumi-")),
                    kind="resource",
                    version="v" + version.lstrip("v"),
                    server=str(plugin.get("server") or ""),
                )
        return found

    def GetProgramDependencies(self, request: Any, context: Any) -> Any:
        rows = sorted(guarded(context, installed, request.info), key=lambda row: str(row["name"]).lower())
        rows = [row for row in rows if request.transitiveDependencies or row["direct"]]
        found = [language_pb2.DependencyInfo(name=row["name"], version=row["version"]) for row in rows]
        return language_pb2.GetProgramDependenciesResponse(dependencies=found)

    def RuntimeOptionsPrompts(self, request: Any, context: Any) -> Any:
        return language_pb2.RuntimeOptionsResponse()

    def Template(self, request: Any, context: Any) -> Any:
        return language_pb2.TemplateResponse()

    def InstallDependencies(self, request: Any, context: Any) -> Iterator[Any]:
        """Make the virtual environment the project names and install its requirements; nothing without one."""
        self.children.drop_prepared()  # they have loaded what is about to change
        info = request.info
        folder = virtualenv(info)
        if folder is None:
            text = f"no runtime.options.virtualenv: the program uses {sys.executable} as it is\n"
            yield language_pb2.InstallDependenciesResponse(stdout=text.encode())
            return
        steps = [[sys.executable, "-m", "venv", str(folder)]]
        wanted = Path(info.program_directory or info.root_directory) / "requirements.txt"
        if wanted.is_file():
            steps.append([str(folder / "bin" / "python"), "-m", "pip", "install", "-r", str(wanted)])
        for argv in steps:
            child = guarded(
                context,
                self.children.start,
                argv,
                cwd=wanted.parent,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            for line in child.stdout:
                yield language_pb2.InstallDependenciesResponse(stdout=line)
            if self.children.finish(child):
                context.abort(grpc.StatusCode.UNKNOWN, f"`{' '.join(argv)}` failed")

    def Run(self, request: Any, context: Any) -> Any:
        """Run the program to its end; an error it has shown itself is not shown again."""
        try:
            python = interpreter(request.info)
            argv = program_in(python)
            child = self.children.take(argv) or self.children.start(argv, stdin=subprocess.PIPE)
        except Refused as error:
            return language_pb2.RunResponse(error=str(error))
        # On stdin, not in the environment or on disk: the configuration holds secrets, and may be large.
        order = json.dumps(self._order(request)).encode()
        assert child.stdin is not None
        with contextlib.suppress(BrokenPipeError), child.stdin:  # if it has ended already its exit code tells
            child.stdin.write(order)
        code = self.children.finish(child)
        if self.children.cancelled or code == SHOWN:
            return language_pb2.RunResponse(bail=True)
        if code:
            ended = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            return language_pb2.RunResponse(error=f"the Python program {ended}")
        return language_pb2.RunResponse()

    def RunPlugin(self, request: Any, context: Any) -> Iterator[Any]:
        """Run a policy pack (or another plugin written in Python) and pass its output on as it comes."""
        info = request.info
        program = Path(info.program_directory) / (info.entry_point or ".")
        argv = [guarded(context, interpreter, info), "-u", str(program), *request.args]
        env = dict(pair.split("=", 1) for pair in request.env if "=" in pair) or None
        child = guarded(
            context,
            self.children.start,
            argv,
            cwd=request.pwd or None,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        context.add_callback(lambda: child.poll() is None and child.terminate())
        for name, data in output(child):
            yield language_pb2.RunPluginResponse(**{name: data})  # type: ignore[arg-type]
        yield language_pb2.RunPluginResponse(exitcode=self.children.finish(child))

    def Cancel(self, request: Any, context: Any) -> Any:
        self.children.cancel()
        return empty_pb2.Empty()

    def _order(self, request: Any) -> dict[str, Any]:
        info = request.info
        folder = info.program_directory or request.pwd
        return {
            "program": os.path.normpath(Path(folder) / (info.entry_point or request.program or ".")),
            "pwd": request.pwd or folder,
            "args": list(request.args),
            "config": dict(request.config),
            "secret_keys": list(request.configSecretKeys),
            "settings": {
                "monitor": request.monitor_address,
                "engine": self.engine,
                "project": request.project,
                "stack": request.stack,
                "parallel": request.parallel,
                "dry_run": request.dryRun,
                "organization": request.organization,
                "root_directory": info.root_directory,
            },
        }


def program_in(python: str) -> list[str]:
    """Return the command that runs a program in an interpreter."""
    return [python, "-u", str(PROGRAM)]


def guarded(context: Any, act: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call ``act``; what it refuses ends the protocol call with the reason."""
    try:
        return act(*args, **kwargs)
    except Refused as error:
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))


def main(argv: list[str]) -> int:
    """Serve until told to stop, or until the engine that started us is gone."""
    if "--version" in argv or "-version" in argv:
        print(f"v{VERSION} (raceway's Python language host, {sys.executable})")
        return 0
    addresses = [word for word in argv if not word.startswith("-")]
    host = Host(addresses[-1] if addresses else "")
    sizes = [("grpc.max_receive_message_length", MAX_MESSAGE), ("grpc.max_send_message_length", MAX_MESSAGE)]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=16), options=sizes)
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    port, engine = server.add_insecure_port("127.0.0.1:0"), os.getppid()
    server.start()
    print(port, flush=True)
    while not stop.wait(1.0):
        if os.getppid() != engine:  # the engine was killed: nobody will ever call again
            break
    host.children.cancel()
    server.stop(0.5).wait()
    return 0
