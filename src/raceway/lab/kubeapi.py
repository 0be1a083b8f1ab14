"""A small client of the lab's API server over the standard library: enough to lay out fake nodes and to look around.

One connection per client, JSON in and out, certificates always checked. It deliberately knows no kinds and retries
nothing: whoever calls decides what an error means.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

MERGE = "application/merge-patch+json"
JSON = "application/json"
DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


class ApiError(Exception):
    """The server answered with an error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


def context(pki: Path, admin: bool) -> ssl.SSLContext:
    """Trust the lab's CA only; as ``admin`` show the admin's certificate."""
    made = ssl.create_default_context(cafile=str(pki / "ca.crt"))
    if admin:
        made.load_cert_chain(pki / "admin.crt", pki / "admin.key")
    return made


class Client:
    """A client of one API server."""

    def __init__(self, port: int, pki: Path, timeout: float = 5.0) -> None:
        self._connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=timeout, context=context(pki, True))

    def request(self, method: str, path: str, body: Any = None, content: str = JSON, accept: str = JSON) -> Any:
        """Send one request; raise ApiError for an error answer and OSError when nobody answers."""
        data = None if body is None else json.dumps(body)
        headers = {"Accept": accept, **({"Content-Type": content} if data else {})}
        try:
            self._connection.request(method, path, data, headers)
            answer = self._connection.getresponse()
            raw = answer.read()
        except (http.client.HTTPException, OSError) as error:
            self._connection.close()
            raise ConnectionError(f"{method} {path}: {error}") from error
        parsed = json.loads(raw) if raw[:1] in (b"{", b"[") else raw.decode(errors="replace")
        if answer.status >= 400:
            raise ApiError(answer.status, parsed.get("message", "") if isinstance(parsed, dict) else str(parsed)[:200])
        return parsed

    def get(self, path: str) -> Any:
        """GET; None for 404."""
        try:
            return self.request("GET", path)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def answers(url: str, pki: Path, any_status: bool = False, timeout: float = 2.0) -> str:
    """Ask a health address; return "" when it is well, else why not."""
    parts = urlsplit(url)
    assert parts.hostname and parts.port
    connection: http.client.HTTPConnection
    try:
        if parts.scheme == "https":
            # Without a client certificate: vc-webhook-manager refuses every one that is shown to it.
            trust = context(pki, False)
            connection = http.client.HTTPSConnection(parts.hostname, parts.port, timeout=timeout, context=trust)
        else:
            connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
        with contextlib.closing(connection):
            connection.request("GET", parts.path)
            answer = connection.getresponse()
            text = answer.read(200).decode(errors="replace").strip()
    except (http.client.HTTPException, OSError) as error:
        return f"{type(error).__name__}: {error}"
    return "" if answer.status < 300 or any_status else f"HTTP {answer.status} {text}"
