"""Waits, between two resources, for an admission webhook that runs outside the cluster to answer.

The API server refuses every object a registered webhook should judge while nobody serves its path, and Volcano's
webhook manager serves a path only once its configuration exists. It deliberately does nothing in a preview.
"""

from __future__ import annotations

import http.client
import ssl
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

import pulumi

from raceway.cluster.webhooks import PATHS
from raceway.components.constants import WEBHOOK_WAIT_S
from raceway.errors import RacewayError

_PAUSE_S = 0.2
_TIMEOUT_S = 3
_NOT_SERVED = 404


def serving(url: str, ca_pem: str, after: Sequence[pulumi.CustomResource]) -> pulumi.Output[Sequence[pulumi.Resource]]:
    """Return ``after`` as dependencies that are ready only when ``url`` serves every admission path."""

    def wait(_: object) -> Sequence[pulumi.Resource]:
        if not pulumi.runtime.is_dry_run():
            wait_until_serving(url, ca_pem, WEBHOOK_WAIT_S)
        return list(after)

    return pulumi.Output.all(*(resource.id for resource in after)).apply(wait)


def wait_until_serving(url: str, ca_pem: str, seconds: float, paths: Sequence[str] = tuple(PATHS)) -> None:
    """Return when every path is served; RacewayError when it is not so in time."""
    context = ssl.create_default_context(cadata=ca_pem)
    # The API server does not ask for RFC 5280's optional identifiers either; Python 3.13 does by default.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    end = time.monotonic() + seconds
    while True:
        reason = _first_silent(url, context, paths)
        if not reason:
            return
        if time.monotonic() > end:
            act = "start vc-webhook-manager, or remove webhookUrl from the stack"
            found = f"{url} after {seconds:.0f} s: {reason}"
            raise RacewayError("volcano.webhookUrl", found, "a webhook manager that serves every path", act)
        time.sleep(_PAUSE_S)


def _first_silent(url: str, context: ssl.SSLContext, paths: Sequence[str]) -> str:
    """Return why a path is not served yet, or nothing. Any status but 404 counts."""
    parts = urlsplit(url)
    for path in paths:
        connection = http.client.HTTPSConnection(
            parts.hostname or "", parts.port or 443, context=context, timeout=_TIMEOUT_S
        )
        try:
            # Plain text: the manager looks no further than the type. An empty review would make it panic.
            connection.request("POST", path, body=b"", headers={"Content-Type": "text/plain"})
            if connection.getresponse().status == _NOT_SERVED:
                return f"{path} is not served"
        except (OSError, http.client.HTTPException) as error:
            return f"{path}: {error}"
        finally:
            connection.close()
    return ""
