"""The certificates are what each program needs, no more, and a half-made set is completed."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from raceway.lab import pki


def certificate(folder: Path, name: str) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / f"{name}.crt").read_bytes())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pki")
    pki.ensure(made)
    return made


@pytest.mark.parametrize("name", sorted(pki.LEAVES))
def test_every_certificate_is_signed_by_the_labs_own_authority_and_has_its_key(folder: Path, name: str) -> None:
    leaf, authority = certificate(folder, name), certificate(folder, "ca")
    leaf.verify_directly_issued_by(authority)
    key = load_pem_private_key((folder / f"{name}.key").read_bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    assert key.public_key() == leaf.public_key()
    # Python 3.13 and later refuse a chain without both.
    leaf.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier)
    authority.extensions.get_extension_for_class(x509.SubjectKeyIdentifier)


@pytest.mark.parametrize("name", ["api", "webhook", "etcd"])
def test_serving_certificates_are_for_loopback(folder: Path, name: str) -> None:
    names = certificate(folder, name).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.IPAddress) == [ipaddress.ip_address("127.0.0.1")]
    assert "localhost" in names.get_values_for_type(x509.DNSName)


def test_only_the_admin_is_a_master_and_cannot_serve(folder: Path) -> None:
    for name in pki.LEAVES:
        found = certificate(folder, name).subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
        assert [part.value for part in found] == (["system:masters"] if name == "admin" else [])
    usages = certificate(folder, "admin").extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usages) == [ExtendedKeyUsageOID.CLIENT_AUTH]


def test_keys_are_for_their_owner_alone(folder: Path) -> None:
    keys = [*folder.glob("*.key")]
    assert len(keys) == len(pki.LEAVES) + 2
    assert {path.stat().st_mode & 0o777 for path in keys} == {0o600}


def test_the_account_key_has_the_form_the_api_server_reads_its_public_half_from(folder: Path) -> None:
    assert (folder / "sa.key").read_text().startswith("-----BEGIN EC PRIVATE KEY-----")


def test_a_second_run_changes_nothing_and_a_missing_file_is_made_again_alone(tmp_path: Path) -> None:
    pki.ensure(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / "webhook.crt").unlink()
    pki.ensure(tmp_path)
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert {name for name in before if before[name] != after[name]} == {"webhook.crt", "webhook.key"}
    pki.ensure(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == after


def test_an_authority_whose_key_is_another_is_replaced_with_all_below_it(tmp_path: Path) -> None:
    pki.ensure(tmp_path)
    old = certificate(tmp_path, "api")
    (tmp_path / "ca.key").write_bytes((tmp_path / "api.key").read_bytes())
    pki.ensure(tmp_path)
    assert certificate(tmp_path, "api") != old
    certificate(tmp_path, "api").verify_directly_issued_by(certificate(tmp_path, "ca"))
