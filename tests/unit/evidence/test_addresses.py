"""Stand-ins for addresses: the same address the same name everywhere, and numbers that are no address stay."""

from __future__ import annotations

import pytest

from raceway.evidence.redact import Redactor, redact

KEPT = (
    "127.0.0.1",
    "::1",
    "0.0.0.0",
    "255.255.255.0",
    "ff:ff:ff:ff:ff:ff",
    "01:80:c2:00:00:01",
    "0000:5e:00.0",
    "b83f:d203:0000:0001",
    "12:34:56",
    "fw 28.39.1002",
    "2026-12-01T13:17:38Z",
    "1.2.3.4.5",
)


def test_an_address_has_one_name_in_all_texts_of_a_bundle() -> None:
    redactor = Redactor(hide_addresses=True)
    first = redactor.text("10.20.1.11 via b8:ce:f6:12:34:56, then 10.20.1.12")
    second = redactor.text("B8:CE:F6:12:34:56 is ::ffff:10.20.1.11, fe80::bace:f6ff:fe12:3456")
    assert first == "ip-1 via mac-1, then ip-2"
    assert second == "mac-1 is ip-1, ip-3"
    assert redactor.counts == {"mac address": 2, "ip address": 4}


def test_one_address_in_two_spellings_is_one() -> None:
    text = redact("fe80:0000:0000:0000:bace:f6ff:fe12:3456 fe80::bace:f6ff:fe12:3456", hide_addresses=True)
    assert text == "ip-1 ip-1"


def test_an_infiniband_hardware_address_is_one_address() -> None:
    long = ":".join(
        ["80", "00", "10", "46", "fe", "80", *["00"] * 6, *["94", "6d", "ae", "03", "00", "73", "18", "00"]]
    )
    assert redact(f"link/infiniband {long} brd", hide_addresses=True) == "link/infiniband mac-1 brd"


def test_a_network_keeps_its_length_and_a_port_its_number() -> None:
    assert redact("10.20.0.0/16 10.20.1.11:22", hide_addresses=True) == "ip-1/16 ip-2:22"


@pytest.mark.parametrize("text", KEPT)
def test_what_names_nobody_stays(text: str) -> None:
    assert redact(text, hide_addresses=True) == text


def test_addresses_stay_where_nobody_asked() -> None:
    assert redact("10.20.1.11 b8:ce:f6:12:34:56") == "10.20.1.11 b8:ce:f6:12:34:56"
