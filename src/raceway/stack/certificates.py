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

from raceway import certificates
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
    signer = certificates.authority("raceway volcano admission CA", now, VALID_DAYS)
    wanted = certificates.Leaf(names[0][:64], (certificates.SERVING,), names)
    certificate, key = certificates.leaf(wanted, signer, now, VALID_DAYS)
    return Certificate(*(certificates.pem(part).decode() for part in (signer.certificate, certificate, key)))
