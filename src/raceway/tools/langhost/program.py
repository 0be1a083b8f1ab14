"""Runs one Pulumi program: reads the order from standard input, sets up the SDK, runs the program's main file.

Errors come out as a user can use them: a raceway error as its one message, any other with the traceback cut down to
the user's own frames. It deliberately needs nothing but the Pulumi SDK, of the environment it runs in.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import os
import runpy
import signal
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

SHOWN = 32  # tells the host that the error has been shown


def main() -> int:
    """Run the ordered program; return the exit code the host knows."""
    _die_with_host()
    missing = ""
    try:  # before the order is there: the host starts this process early, so that loading takes no time later
        import grpc  # type: ignore[import-untyped]
        import pulumi
    except ImportError as error:
        missing = str(error)
    text = sys.stdin.read()
    if not text:
        return 0  # the host has changed its mind
    order = json.loads(text)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # programs it starts must not wait for input either
    if missing:
        print(
            f"{sys.executable}: {missing}. Next: install the program's requirements "
            "into this environment (`pulumi install` does that for a named virtualenv).",
            file=sys.stderr,
        )
        return 1
    _configure(pulumi, order)
    program = order["program"]
    try:
        _run(pulumi, program, order["settings"]["parallel"])
    except pulumi.RunError as error:
        pulumi.log.error(str(error))
    except grpc.RpcError as error:
        # The engine has gone or is going (Ctrl-C): it tells the user itself.
        if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
            pulumi.log.error(f"the Pulumi engine refused a call: {error.details()}")
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        pulumi.log.error(explain(error, program))
    else:
        return 0
    return SHOWN


def explain(error: BaseException, program: str) -> str:
    """Return the text for an error the program ended with."""
    message = getattr(error, "message", None)
    if type(error).__name__ == "RacewayError" and callable(message):
        return str(message())
    frames = traceback.extract_tb(error.__traceback__)
    main_file = main_of(program)
    first = next((i for i, frame in enumerate(frames) if Path(frame.filename).absolute() == main_file), None)
    if first is None and isinstance(error, (ImportError, FileNotFoundError)) and not main_file.exists():
        return f"{program} holds no Python program; it must have a __main__.py"
    kept = 0 if first is None else first - len(frames)
    trace = error.__traceback__
    text = "".join(traceback.format_exception(type(error), error, trace, limit=kept or None))
    return f"the program failed:\n{text}"


def main_of(program: str) -> Path:
    """Return the file a program starts with: a folder's ``__main__.py``."""
    path = Path(program).absolute()
    return path if path.suffix == ".py" else path / "__main__.py"


def _configure(pulumi: Any, order: dict[str, Any]) -> None:
    pulumi.runtime.set_all_config(order["config"], order["secret_keys"])
    # An SDK that is older or newer than the host knows fewer or other settings.
    known = inspect.signature(pulumi.runtime.Settings.__init__).parameters
    settings = {name: value for name, value in order["settings"].items() if name in known}
    settings["organization"] = settings.get("organization") or "organization"
    pulumi.runtime.configure(pulumi.runtime.Settings(**settings))
    sys.argv = [order["program"], *order["args"]]
    # As `python PROGRAM` has it; and the modules of this folder must not hide the user's of the same name.
    sys.path[0] = str(main_of(order["program"]).parent)
    os.chdir(order["pwd"])


def _run(pulumi: Any, program: str, parallel: int) -> None:
    # A program that ends with an error leaves futures nobody has looked at; asyncio would complain about each.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    # Each resource in flight holds a thread of the SDK for its call.
    with ThreadPoolExecutor(max_workers=max(parallel, 1) * 4) as threads:
        loop.set_default_executor(threads)
        try:
            loop.run_until_complete(pulumi.runtime.run_in_stack(lambda: runpy.run_path(program, run_name="__main__")))
        finally:
            loop.close()
            sys.stdout.flush()
            sys.stderr.flush()


def _die_with_host() -> None:
    """Ask Linux to end this process when its host is killed, so that no program goes on without an engine."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
