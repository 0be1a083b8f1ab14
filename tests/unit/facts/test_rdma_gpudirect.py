"""The ways to GPU memory, as the driver, the kernel's configuration and its symbols tell them."""

from __future__ import annotations

import pytest

from raceway.facts.rdma_gpudirect import at_least, parse_config, parse_driver, parse_symbols

OPEN = (
    "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.65.06  Release Build  (dvs@U22)\nGCC version: 12\n"
)
CLOSED = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (OPEN, ("580.65.06", True)),
        (CLOSED, ("535.183.01", False)),
        (OPEN[:60], ("", None)),
        ("cat: No such file\n", ("", None)),
    ],
    ids=["open", "closed", "cut off", "error text"],
)
def test_the_driver_tells_its_version_and_its_kind(text: str, found: tuple[str, bool | None]) -> None:
    assert parse_driver(text) == found


def test_a_configuration_that_is_not_there_says_nothing() -> None:
    assert parse_config(None) is None and parse_config("") is None
    assert parse_config("CONFIG_PCI=y\nCONFIG_PCI_P2PDMA=y\n") is True
    assert parse_config("CONFIG_PCI=y\n") is False


def test_symbols_tell_whether_ib_core_has_peer_memory_clients() -> None:
    assert parse_symbols("0000000000000000 T ib_register_peer_memory_client\t[ib_core]\n") is True
    assert parse_symbols("0000000000000000 T ib_register_peer_memory_client_v2x\t[other]\n") is False
    assert parse_symbols("") is None


@pytest.mark.parametrize(("release", "found"), [("5.12.0", True), ("5.11.22-gentoo", False), ("rolling", None)])
def test_a_kernel_is_compared_by_its_two_numbers(release: str, found: bool | None) -> None:
    assert at_least(release, (5, 12)) is found
