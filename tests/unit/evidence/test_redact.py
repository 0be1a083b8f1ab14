"""Redaction: many shapes of secrets are gone, near misses stay, and what was taken out is named and counted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from raceway.evidence.redact import Redactor, redact

CASES = Path(__file__).parents[2] / "cases" / "evidence" / "redact"
ALPHABETS = {"": "Zq7Kd0Xw3Rb9", "U": "ZQ7KD0XW3RB9", "L": "zq7kd0xw3rb9", "H": "b7e09d3fa516"}
PLAIN = "hunter2"


def load(name: str) -> list[str]:
    rows: list[str] = yaml.safe_load((CASES / name).read_text(encoding="utf-8"))
    return rows


def filled(text: str) -> tuple[str, list[str]]:
    """Return a case with made-up secrets in place of {N}, and these secrets."""
    secrets = [PLAIN] if PLAIN in text else []

    def made(match: re.Match[str]) -> str:
        alphabet, length = ALPHABETS[match[1]], int(match[2])
        secrets.append((alphabet * length)[:length])
        return secrets[-1]

    return re.sub(r"\{([ULH]?)(\d+)\}", made, text), secrets


REMOVED, KEPT = load("removed.yaml"), load("kept.yaml")


@pytest.mark.parametrize("case", REMOVED)
def test_a_secret_of_this_shape_is_removed_and_named(case: str) -> None:
    text, secrets = filled(case)
    assert secrets, "the case holds no secret, so it proves nothing"
    result = redact(text)
    assert not [secret for secret in secrets if secret in result]
    assert "<removed: " in result
    assert redact(result) == result


@pytest.mark.parametrize("text", KEPT)
def test_a_near_miss_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


def test_there_are_enough_cases_to_mean_something() -> None:
    assert len(REMOVED) >= 60 and len(KEPT) >= 45


def test_what_stands_around_a_secret_stays() -> None:
    assert redact("a: 1\npassword: hunter2\nb: 2") == "a: 1\npassword: <removed: password>\nb: 2"
    assert redact('{"password": "hunter2", "user": "ops"}') == '{"password": "<removed: password>", "user": "ops"}'
    assert redact("https://ops:hunter2@mirror/x") == "https://ops:<removed: password>@mirror/x"
    assert redact("x=1 token=abcdefgh quiet") == "x=1 token=<removed: token> quiet"


def test_two_keys_in_one_text_are_two_and_what_lies_between_stays() -> None:
    key = "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n"
    redactor = Redactor()
    assert redactor.text(f"{key}between\n{key}") == "<removed: private key>\nbetween\n<removed: private key>\n"
    assert redactor.counts == {"private key": 2}


def test_a_long_text_without_secrets_comes_back_the_same_and_soon() -> None:
    text = "".join(f"     rx{ring}_xdp_tx_cqes: {ring * 7919}\n" for ring in range(5000))
    redactor = Redactor()
    assert redactor.text(text) == text and redactor.counts == {}
