"""Hands a stack's configuration to ``raceway.cluster.config`` as plain data, with its keys as they are written.

``pulumi.Config`` answers only for keys one asks for, so a misspelt key would pass unseen; here all keys of the project
are read. It deliberately does not judge them.
"""

from __future__ import annotations

import gc
import json
from typing import Any, NoReturn

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env

from raceway.errors import RacewayError


def stack_settings(project: str) -> dict[str, Any]:
    """Return key → value of the project's own keys; structured values are parsed."""
    prefix = f"{project}:"
    raw = {**get_config_env(), **CONFIG.get()}  # the environment from the official host, CONFIG from an embedded one
    return {key[len(prefix) :]: _value(text) for key, text in sorted(raw.items()) if key.startswith(prefix)}


def _value(text: str) -> Any:
    # The engine passes everything as text: maps and lists as JSON, true and 3 as they look.
    try:
        return json.loads(text)
    except ValueError:
        return text


def lighten() -> None:
    """Spare a program of seconds what costs it a third of its time and gives it nothing (``tests/bench``).

    The SDK sends the engine four debug lines a resource, each a call it waits for, whether or not the engine was
    started with --debug. Collecting garbage finds none worth the walk: what a program registers lives until it ends.
    """
    gc.disable()
    pulumi.log.debug = lambda *words, **more: None


def stop(error: RacewayError) -> NoReturn:
    """End the program with one message instead of a traceback; nothing has been registered yet."""
    raise pulumi.RunError(error.message())
