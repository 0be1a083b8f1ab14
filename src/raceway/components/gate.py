"""Waits, between two resources, for an admission webhook that runs outside the cluster to answer.

The API server refuses every object a registered webhook should judge while nobody listens, and Volcano's webhook
manager listens only once its configurations exist. It deliberately does nothing in a preview.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

import pulumi

from raceway.components.constants import WEBHOOK_WAIT_S
from raceway.errors import RacewayError

_PAUSE_S = 0.2


def listening(url: str, after: Sequence[pulumi.CustomResource]) -> pulumi.Output[Sequence[pulumi.Resource]]:
    """Return ``after`` as dependencies that are ready only when ``url`` accepts connections."""

    def wait(_: object) -> Sequence[pulumi.Resource]:
        if not pulumi.runtime.is_dry_run():
            wait_until_listening(url, WEBHOOK_WAIT_S)
        return list(after)

    return pulumi.Output.all(*(resource.id for resource in after)).apply(wait)


def wait_until_listening(url: str, seconds: float) -> None:
    """Return when the address of ``url`` accepts a connection; RacewayError when it does not in time."""
    parts = urlsplit(url)
    address = (parts.hostname or "", parts.port or 443)
    end = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(address, timeout=2).close()
            return
        except OSError as error:
            if time.monotonic() > end:
                found = f"nobody listens at {address[0]}:{address[1]} after {seconds:.0f} s ({error})"
                act = "start vc-webhook-manager, or remove webhookUrl from the stack"
                raise RacewayError("volcano.webhookUrl", found, "a running webhook manager", act) from error
            time.sleep(_PAUSE_S)
