"""Installed or not, from what dpkg and rpm record: removed with settings left is not installed, virtual names count."""

from __future__ import annotations

import pytest

from raceway.facts.package import candidates, parse_dpkg, parse_rpm

STATUS = """\
Package: iproute2
Status: install ok installed
Priority: important
Architecture: amd64
Description: networking tools
 Package: not-a-package in a description

Package: chrony
Status: deinstall ok config-files
Architecture: amd64

Package: exim4-daemon-light
Status: install ok installed
Provides: mail-transport-agent, exim4-localscanapi-4.2 (= 4.96)
Architecture: amd64

Package: libc6
Status: hold ok installed
Architecture: i386

Package: kernel-half
Status: install ok half-configured
Architecture: amd64

Package: removed-mta
Status: deinstall ok config-files
Provides: web-server
Architecture: amd64
"""


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("iproute2", "iproute2"),
        ("mail-transport-agent", "exim4-daemon-light"),
        ("exim4-localscanapi-4.2", "exim4-daemon-light"),
        ("libc6", "libc6"),
        ("libc6:i386", "libc6"),
    ],
)
def test_a_package_or_what_provides_it_is_installed(name: str, by: str) -> None:
    assert parse_dpkg(STATUS, [name]) == {name: by}


@pytest.mark.parametrize("name", ["chrony", "kernel-half", "web-server", "libc6:amd64", "not-a-package", "iproute", ""])
def test_what_is_removed_half_done_or_of_another_architecture_is_not_installed(name: str) -> None:
    assert parse_dpkg(STATUS, [name]) == {}


def test_an_empty_record_installs_nothing() -> None:
    assert parse_dpkg("", ["iproute2"]) == {}


def test_a_real_package_outranks_what_provides_its_name() -> None:
    text = "Package: b\nStatus: install ok installed\nProvides: a\n\nPackage: a\nStatus: install ok installed\n"
    assert parse_dpkg(text, ["a"]) == {"a": "a"}


def test_rpm_lines_about_absent_packages_are_not_names() -> None:
    text = "iproute\npackage chrony is not installed\nkernel\nkernel\n"
    assert parse_rpm(text, ["iproute", "chrony", "kernel"]) == {"iproute": "iproute", "kernel": "kernel"}


def test_only_a_package_with_a_version_to_be_had_is_a_candidate() -> None:
    policy = (
        "chrony:\n  Installed: (none)\n  Candidate: 4.3-2\n  Version table:\n     4.3-2 500\n"
        "mail-transport-agent:\n  Installed: (none)\n  Candidate: (none)\n  Version table:\n"
    )
    assert candidates(policy) == ("chrony",)
    assert candidates("N: Unable to locate package nope\n") == ()
