"""The lab's certificates: one CA, serving certificates for loopback, and the admin's client certificate.

Elliptic keys, valid for ten years: a lab is thrown away, not rotated. It deliberately makes a CA of its own for each
lab, so that a kubeconfig of one lab is worth nothing in another.
"""

from __future__ import annotations

import datetime
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from . import files

YEARS = 10
# name → (common name, organisation, usages). Serving certificates are for 127.0.0.1 and localhost.
SERVING, CLIENT = ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH
LEAVES: dict[str, tuple[str, str, tuple[x509.ObjectIdentifier, ...]]] = {
    "api": ("kube-apiserver", "", (SERVING,)),
    "webhook": ("volcano-admission-service", "", (SERVING,)),
    # etcd answers as a server and dials itself as a client.
    "etcd": ("etcd", "", (SERVING, CLIENT)),
    "admin": ("admin", "system:masters", (CLIENT,)),
}


def ensure(folder: Path) -> None:
    """Make what is missing. A new CA makes everything below it anew; files of a half-made set are replaced."""
    files.folder(folder)
    authority, key, fresh = _authority(folder)
    for name, (common, organisation, usages) in LEAVES.items():
        if fresh or not ((folder / f"{name}.crt").exists() and (folder / f"{name}.key").exists()):
            _leaf(folder, name, _name(common, organisation), usages, (authority, key))
    if not (folder / "sa.key").exists():
        # kube-apiserver reads the public half from this file too, which it only does in the older form of an EC key.
        files.write(folder / "sa.key", _pem(ec.generate_private_key(ec.SECP256R1()), traditional=True), 0o600)


def _authority(folder: Path) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey, bool]:
    certificate, private = folder / "ca.crt", folder / "ca.key"
    # The key is written first: a certificate on disk means that its key is there.
    if certificate.exists() and private.exists():
        loaded = serialization.load_pem_private_key(private.read_bytes(), None)
        authority = x509.load_pem_x509_certificate(certificate.read_bytes())
        if isinstance(loaded, ec.EllipticCurvePrivateKey) and loaded.public_key() == authority.public_key():
            return authority, loaded, False
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("raceway-lab-ca", "")
    usage = x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        crl_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
    builder = _builder(name, name, key, key).add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    authority = builder.add_extension(usage, critical=True).sign(key, hashes.SHA256())
    files.write(private, _pem(key), 0o600)
    files.write(certificate, authority.public_bytes(serialization.Encoding.PEM))
    return authority, key, True


def _leaf(
    folder: Path,
    name: str,
    subject: x509.Name,
    usages: tuple[x509.ObjectIdentifier, ...],
    signer: tuple[x509.Certificate, ec.EllipticCurvePrivateKey],
) -> None:
    authority, authority_key = signer
    key = ec.generate_private_key(ec.SECP256R1())
    builder = _builder(subject, authority.subject, key, authority_key)
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    builder = builder.add_extension(x509.ExtendedKeyUsage(list(usages)), critical=False)
    if SERVING in usages:
        names = [
            x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
            x509.DNSName("localhost"),
            x509.DNSName("kubernetes"),
        ]
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    certificate = builder.sign(authority_key, hashes.SHA256())
    files.write(folder / f"{name}.key", _pem(key), 0o600)
    files.write(folder / f"{name}.crt", certificate.public_bytes(serialization.Encoding.PEM))


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, signer: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    # Both key identifiers are needed: Python 3.13 checks certificates by the letter of RFC 5280.
    own = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    above = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
    now = datetime.datetime.now(datetime.timezone.utc)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # A day back: clocks of machines that are restored from a snapshot lag.
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=365 * YEARS))
        .add_extension(own, critical=False)
        .add_extension(above, critical=False)
    )


def _name(common: str, organisation: str) -> x509.Name:
    parts = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, organisation)] if organisation else []
    return x509.Name([*parts, x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _pem(key: ec.EllipticCurvePrivateKey, traditional: bool = False) -> bytes:
    form = serialization.PrivateFormat.TraditionalOpenSSL if traditional else serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
