"""The end of a certificate, read from its bytes: the oracle is the cryptography library that made it."""

from __future__ import annotations

import base64
import datetime

import pytest

from raceway import certificates
from raceway.facts.kube_cluster_certificates import not_after

NOW = datetime.datetime(2026, 12, 1, 12, 0, tzinfo=datetime.UTC)


def make_pem(days: int) -> str:
    return certificates.pem(certificates.authority("kubernetes", NOW, days).certificate).decode()


# Ends beyond 2049 are written in another form (RFC 5280).
@pytest.mark.parametrize("days", [1, 365, 3650, 9000])
def test_the_end_is_the_one_the_certificate_was_made_with(days: int) -> None:
    made = certificates.authority("kubernetes", NOW, days).certificate
    assert not_after(certificates.pem(made).decode()) == made.not_valid_after_utc.timestamp()


def test_the_certificate_in_a_kubeconfig_is_read_and_its_key_is_not_looked_for() -> None:
    data = base64.b64encode(make_pem(30).encode()).decode()
    text = f"users:\n- name: admin\n  user:\n    client-certificate-data: {data}\n    client-key-data: U0VDUkVU\n"
    assert not_after(text) == not_after(make_pem(30))


def test_the_first_certificate_of_several_counts() -> None:
    assert not_after("private key first\n" + make_pem(10) + make_pem(20)) == not_after(make_pem(10))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no certificate",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n",
        "    client-certificate-data: not-base64\n",
        "-----BEGIN CERTIFICATE-----\n"
        + base64.b64encode(b"0\x03\x02\x01\x01").decode()
        + "\n-----END CERTIFICATE-----",
    ],
)
def test_what_is_no_certificate_has_no_end(text: str) -> None:
    assert not_after(text) is None
