"""Certificates as a verifier of their own kind sees them: chain, names, usages, and keys that belong together."""

from __future__ import annotations

import datetime

import pytest
from cryptography import x509
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from raceway import certificates
from raceway.certificates import CLIENT, SERVING, Authority, Leaf

NOW = datetime.datetime.now(datetime.timezone.utc)


def make_authority(common: str = "test CA") -> Authority:
    return certificates.authority(common, NOW, days=30)


def verify(signer: Authority, certificate: x509.Certificate, name: str) -> None:
    verifier = PolicyBuilder().store(Store([signer.certificate])).build_server_verifier(x509.DNSName(name))
    verifier.verify(certificate, [])


def test_a_server_leaf_verifies_for_its_names_only() -> None:
    signer = make_authority()
    certificate, _ = certificates.leaf(Leaf("api", (SERVING,), ("localhost", "127.0.0.1")), signer, NOW, 30)

    verify(signer, certificate, "localhost")
    with pytest.raises(VerificationError):
        verify(signer, certificate, "elsewhere")


def test_a_leaf_of_another_authority_does_not_verify() -> None:
    certificate, _ = certificates.leaf(Leaf("api", (SERVING,), ("localhost",)), make_authority("other"), NOW, 30)
    with pytest.raises(VerificationError):
        verify(make_authority(), certificate, "localhost")


def test_an_ip_address_becomes_an_ip_name_and_not_a_dns_name() -> None:
    certificate, _ = certificates.leaf(Leaf("api", (SERVING,), ("127.0.0.1",)), make_authority(), NOW, 30)
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(name) for name in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1"]
    assert names.get_values_for_type(x509.DNSName) == []


def test_a_client_leaf_carries_its_group_and_no_server_usage() -> None:
    wanted = Leaf("admin", (CLIENT,), organisation="system:masters")
    certificate, key = certificates.leaf(wanted, make_authority(), NOW, 30)
    usages = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert certificate.subject.rfc4514_string() == "CN=admin,O=system:masters"
    assert list(usages) == [CLIENT]
    assert certificate.public_key() == key.public_key()


def test_loading_tells_a_key_that_belongs_to_another_certificate() -> None:
    one, other = make_authority(), make_authority()
    text, key, wrong = (certificates.pem(part) for part in (one.certificate, one.key, other.key))
    loaded = certificates.load(text, key)
    assert loaded is not None and certificates.pem(loaded.key) == key
    assert certificates.load(text, wrong) is None
