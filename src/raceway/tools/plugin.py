"""Asks a Pulumi plugin for its version over the plugin protocol: start it, read the port, call GetPluginInfo.

Resource plugins have no ``--version``. It deliberately does not raise for a program that is no plugin: it
answers None. The process is always ended, also when this one is interrupted.
"""

from __future__ import annotations

import contextlib
import selectors
import subprocess
import time
from pathlib import Path

SECONDS = 45.0


def version(program: Path) -> str | None:
    """Return the version a plugin reports, without a leading v; None when it does not report one."""
    try:
        # Without an engine's address it waits for one to attach, which is all that is needed here. Unbuffered: what
        # Python had read ahead the selector below would wait for in vain.
        process = subprocess.Popen(
            [str(program)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
    except OSError:
        return None
    try:
        port = _port(process)
        return _ask(port) if port else None
    finally:
        process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        if process.stdout:
            process.stdout.close()


def _port(process: subprocess.Popen[bytes]) -> int | None:
    """Read the first line of output, which is the port, or give up after SECONDS."""
    assert process.stdout is not None
    end, line = time.monotonic() + SECONDS, b""
    with selectors.DefaultSelector() as waiting:
        waiting.register(process.stdout, selectors.EVENT_READ)
        while not line.endswith(b"\n") and (left := end - time.monotonic()) > 0:
            if waiting.select(left):
                byte = process.stdout.read(1)
                if not byte:
                    break
                line += byte
    text = line.decode("ascii", "replace").strip()
    return int(text) if text.isdigit() else None


def _ask(port: int) -> str | None:
    import grpc  # type: ignore[import-untyped]
    from google.protobuf import empty_pb2  # type: ignore[import-untyped]
    from pulumi.runtime.proto import provider_pb2_grpc

    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        try:
            info = provider_pb2_grpc.ResourceProviderStub(channel).GetPluginInfo(empty_pb2.Empty(), timeout=SECONDS)
        except grpc.RpcError:
            return None
    return str(info.version).lstrip("v") or None
