"""The gate between webhook configurations and what they judge."""

from __future__ import annotations

import http.server
import ssl
import threading
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import pytest

from raceway.components.gate import wait_until_serving
from raceway.errors import RacewayError
from raceway.stack.certificates import Certificate, make

pytestmark = pytest.mark.allow("network", reason="the gate is a request to a local server")


class Manager(http.server.BaseHTTPRequestHandler):
    """Serves one path and answers 404 elsewhere, as vc-webhook-manager does."""

    def do_POST(self) -> None:
        self.send_error(400 if self.path == "/jobs/validate" else 404)

    def log_message(self, *args: object) -> None:
        return


@pytest.fixture
def certificate() -> Certificate:
    return make(("localhost",), datetime.now(timezone.utc))


@pytest.fixture
def url(certificate: Certificate, tmp_path: Path) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Manager)
    (tmp_path / "both.pem").write_text(certificate.certificate_pem + certificate.key_pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "both.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://localhost:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_any_answer_but_404_counts_as_served(url: str, certificate: Certificate) -> None:
    assert wait_until_serving(url, certificate.ca_pem, 5, ["/jobs/validate"]) is None


def test_a_path_not_yet_served_holds_back_and_is_named(url: str, certificate: Certificate) -> None:
    with pytest.raises(RacewayError, match="/queues/validate is not served"):
        wait_until_serving(url, certificate.ca_pem, 0.3, ["/jobs/validate", "/queues/validate"])


def test_nobody_listening_is_told_with_the_address_and_the_next_act(certificate: Certificate) -> None:
    with pytest.raises(RacewayError, match=r"https://127.0.0.1:1 after 0 s.*start vc-webhook-manager"):
        wait_until_serving("https://127.0.0.1:1", certificate.ca_pem, 0.1)


def test_a_server_with_another_ca_is_not_believed(url: str) -> None:
    other = make(("localhost",), datetime.now(timezone.utc))
    with pytest.raises(RacewayError, match="certificate verify failed"):
        wait_until_serving(url, other.ca_pem, 0.1, ["/jobs/validate"])
