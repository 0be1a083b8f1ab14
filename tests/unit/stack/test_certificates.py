"""The admission's certificate: made once, kept, renewed in time."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from cryptography import x509

from raceway.errors import RacewayError
from raceway.stack.certificates import RENEW_DAYS, VALID_DAYS, ensure

NAMES = ("volcano-admission-service.volcano-system.svc", "other.svc")
NOW = datetime.datetime(2026, 12, 1, tzinfo=datetime.timezone.utc)


def test_the_certificate_names_the_service_and_is_signed_by_its_ca(tmp_path: Path) -> None:
    made = ensure(tmp_path / "c", NAMES, NOW)
    certificate = x509.load_pem_x509_certificate(made.certificate_pem.encode())
    certificate.verify_directly_issued_by(x509.load_pem_x509_certificate(made.ca_pem.encode()))
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert tuple(names.get_values_for_type(x509.DNSName)) == NAMES


def test_a_good_certificate_is_kept_and_its_key_is_private(tmp_path: Path) -> None:
    first = ensure(tmp_path, NAMES, NOW)
    assert ensure(tmp_path, NAMES, NOW + datetime.timedelta(days=VALID_DAYS - RENEW_DAYS - 1)) == first
    assert (tmp_path / "tls.key").stat().st_mode & 0o777 == 0o600
    assert "PRIVATE" not in repr(first)


def test_it_is_made_anew_near_its_end_and_for_other_names(tmp_path: Path) -> None:
    first = ensure(tmp_path, NAMES, NOW)
    later = ensure(tmp_path, NAMES, NOW + datetime.timedelta(days=VALID_DAYS - RENEW_DAYS + 1))
    assert later != first and ensure(tmp_path, ("third.svc",), NOW) != later


def test_a_folder_with_one_file_missing_is_refused_and_left_alone(tmp_path: Path) -> None:
    ensure(tmp_path, NAMES, NOW)
    (tmp_path / "tls.key").unlink()
    with pytest.raises(RacewayError, match=r"lacks tls\.key"):
        ensure(tmp_path, NAMES, NOW)
    assert not (tmp_path / "tls.key").exists()
