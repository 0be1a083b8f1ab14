"""When a certificate runs out, read from its DER form: one length at a time, down to the validity.

    -----BEGIN CERTIFICATE-----
    MIIDBTCCAe2gAwIBAgIIQ…
    -----END CERTIFICATE-----

It deliberately reads nothing else of it and calls no program: a node may have no openssl, and this is looked at in
every run.
"""

from __future__ import annotations

import base64
import binascii
import calendar
import re
from typing import Optional, Tuple

_PEM = re.compile(r"-----BEGIN CERTIFICATE-----\s(.*?)-----END CERTIFICATE-----", re.DOTALL)
_DATA = re.compile(r"^\s*client-certificate-data:\s*(\S+)\s*$", re.MULTILINE)
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z")
_SEQUENCE, _EXPLICIT, _UTC, _GENERALIZED = 0x30, 0xA0, 0x17, 0x18


def not_after(text: str) -> Optional[float]:
    """Return the end of the first certificate of a PEM text or kubeconfig in seconds since 1970; None for none."""
    data = _DATA.search(text)
    try:
        pem = base64.b64decode(data[1]).decode("ascii", "replace") if data else text
        found = _PEM.search(pem)
        return _end(base64.b64decode(found[1])) if found else None
    except (binascii.Error, IndexError, ValueError):
        return None


def _end(der: bytes) -> Optional[float]:
    _, at, _ = _part(der, 0)  # Certificate
    _, at, _ = _part(der, at)  # TBSCertificate
    kind, _, end = _part(der, at)
    if kind == _EXPLICIT:  # the version, which may be left out
        at = end
    for _ in range(3):  # serial number, algorithm, issuer
        _, _, at = _part(der, at)
    kind, at, _ = _part(der, at)
    if kind != _SEQUENCE:
        return None
    _, _, at = _part(der, at)  # not before
    kind, start, end = _part(der, at)
    return _time(kind, der[start:end].decode("ascii"))


def _part(der: bytes, at: int) -> Tuple[int, int, int]:
    """Return kind, first byte and end of the value at a place."""
    kind, size, start = der[at], der[at + 1], at + 2
    if size & 0x80:
        many = size & 0x7F
        size, start = int.from_bytes(der[start : start + many], "big"), start + many
    return kind, start, start + size


def _time(kind: int, text: str) -> Optional[float]:
    if kind == _UTC:  # two digits of the year: 50 and above are of the century before (RFC 5280)
        text = ("19" if int(text[:2]) >= 50 else "20") + text
    elif kind != _GENERALIZED:
        return None
    found = _TIME.fullmatch(text)
    return float(calendar.timegm((*(int(part) for part in found.groups()), 0, 0, 0))) if found else None
