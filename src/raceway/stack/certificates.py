"""The certificate of Volcano's admission, made once with ``cryptography`` and kept in files.

The chart makes it in a hook job inside the cluster, which Pulumi does not run; a certificate made anew on every run
would never be a no-op. It deliberately overwrites nothing that is still good, and a folder with a company's own
``ca.crt tls.crt tls.key`` is used as it is.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from raceway.errors import RacewayError

VALID_DAYS = 3650
RENEW_DAYS = 30
_FILES = ("ca.crt", "tls.crt", "tls.key")


@dataclass(frozen=True)
class Certificate:
    """PEM texts of a server certificate, its key and the CA that signed it."""

    ca_pem: str
    certificate_pem: str
    key_pem: str = field(repr=False)


def ensure(folder: Path, names: tuple[str, ...], now: datetime.datetime | None = None) -> Certificate:
    """Return the certificate kept in ``folder``, made first when absent or within 30 days of its end."""
    moment = now or datetime.datetime.now(datetime.timezone.utc)
    present = [name for name in _FILES if (folder / name).exists()]
    if present and len(present) < len(_FILES):
        lacking = ", ".join(sorted(set(_FILES) - set(present)))
        raise RacewayError(str(folder), f"lacks {lacking}", ", ".join(_FILES), "complete the folder or empty it")
    if present:
        kept = Certificate(*((folder / name).read_text() for name in _FILES))
        if _good(kept, names, moment):
            return kept
    made = make(names, moment)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    texts = (made.ca_pem, made.certificate_pem, made.key_pem)
    for name, text in zip(_FILES, texts, strict=True):
        half = folder / f".{name}.new"
        half.touch(mode=0o600)
        half.write_text(text)
        half.replace(folder / name)
    return made


def _good(kept: Certificate, names: tuple[str, ...], now: datetime.datetime) -> bool:
    certificate = x509.load_pem_x509_certificate(kept.certificate_pem.encode())
    if certificate.not_valid_after_utc < now + datetime.timedelta(days=RENEW_DAYS):
        return False
    covered = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return set(names) <= set(covered.get_values_for_type(x509.DNSName))


def make(names: tuple[str, ...], now: datetime.datetime) -> Certificate:
    """Return a new CA and a server certificate for these DNS names."""
    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "raceway volcano admission CA")])
    server = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0][:64])])
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key())
    ca = (
        _builder(ca_name, ca_name, ca_key.public_key(), now)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(ca_key.public_key()), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    certificate = (
        _builder(server, ca_name, key.public_key(), now)
        .add_extension(issuer, critical=False)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return Certificate(ca.public_bytes(pem).decode(), certificate.public_bytes(pem).decode(), plain.decode())


def _usage(signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime.datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=VALID_DAYS))
    )
