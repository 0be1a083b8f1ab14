"""X.509 for loopback control planes and webhooks: an authority, and leaves it signs. Keys are P-256.

Every certificate carries both key identifiers, because Python 3.13 checks by the letter of RFC 5280, and begins a day
back, because the clock of a machine restored from a snapshot lags. It deliberately keeps nothing: where PEM texts lie,
and when they are made anew, is the caller's business.
"""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

SERVING, CLIENT = ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH
Key = ec.EllipticCurvePrivateKey


@dataclass(frozen=True)
class Authority:
    """A CA certificate with its key."""

    certificate: x509.Certificate
    key: Key = field(repr=False)


@dataclass(frozen=True)
class Leaf:
    """What a leaf is for: its names (IP or DNS) make it a server's, ``organisation`` a group's client."""

    common: str
    usages: tuple[x509.ObjectIdentifier, ...]
    names: tuple[str, ...] = ()
    organisation: str = ""


def new_key() -> Key:
    """Return a new private key."""
    return ec.generate_private_key(ec.SECP256R1())


def pem(made: x509.Certificate | Key, traditional: bool = False) -> bytes:
    """Return PEM bytes; ``traditional`` writes a key in the older SEC 1 form."""
    if isinstance(made, x509.Certificate):
        return made.public_bytes(serialization.Encoding.PEM)
    form = serialization.PrivateFormat.TraditionalOpenSSL if traditional else serialization.PrivateFormat.PKCS8
    return made.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())


def authority(common: str, now: datetime.datetime, days: int) -> Authority:
    """Return a new CA that may sign leaves, not other CAs."""
    key, name = new_key(), _name(common)
    builder = _builder(name, name, key, key, now, days)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    return Authority(builder.add_extension(_usage(signs=True), critical=True).sign(key, hashes.SHA256()), key)


def load(certificate: bytes, private: bytes) -> Authority | None:
    """Return the CA of these PEM texts, or None where the two do not belong together."""
    key = serialization.load_pem_private_key(private, None)
    loaded = x509.load_pem_x509_certificate(certificate)
    good = isinstance(key, ec.EllipticCurvePrivateKey) and key.public_key() == loaded.public_key()
    return Authority(loaded, key) if good and isinstance(key, ec.EllipticCurvePrivateKey) else None


def leaf(wanted: Leaf, signer: Authority, now: datetime.datetime, days: int) -> tuple[x509.Certificate, Key]:
    """Return a new certificate and its key."""
    key = new_key()
    builder = _builder(
        _name(wanted.common, wanted.organisation), signer.certificate.subject, key, signer.key, now, days
    )
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    builder = builder.add_extension(_usage(signs=False), critical=True)
    builder = builder.add_extension(x509.ExtendedKeyUsage(list(wanted.usages)), critical=False)
    if wanted.names:
        names = x509.SubjectAlternativeName([_general(name) for name in wanted.names])
        builder = builder.add_extension(names, critical=False)
    return builder.sign(signer.key, hashes.SHA256()), key


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: Key, signer: Key, now: datetime.datetime, days: int
) -> x509.CertificateBuilder:
    own = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    above = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(own, critical=False)
        .add_extension(above, critical=False)
    )


def _usage(signs: bool) -> x509.KeyUsage:
    never: Sequence[str] = ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement")
    off = dict.fromkeys((*never, "encipher_only", "decipher_only"), False)
    return x509.KeyUsage(digital_signature=True, key_cert_sign=signs, crl_sign=signs, **off)


def _name(common: str, organisation: str = "") -> x509.Name:
    parts = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, organisation)] if organisation else []
    return x509.Name([*parts, x509.NameAttribute(NameOID.COMMON_NAME, common)])
