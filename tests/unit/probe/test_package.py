"""Reading installed packages: dpkg's file without starting a program, rpm with one question, nothing for nothing."""

from __future__ import annotations

from pathlib import Path

from raceway.host import Ledger
from raceway.model.package import parse
from raceway.probe.package import find_manager, probe

from ..builders import FakeHost, make_tree

INSTALLED = "Package: chrony\nStatus: install ok installed\nArchitecture: amd64\n\n"
DESIRED = parse({"packages": [{"name": "chrony"}, {"name": "ethtool"}, {"name": "-bad"}]})


def test_a_debian_machine_is_read_without_starting_a_program(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, {"/var/lib/dpkg/status": INSTALLED}))
    facts = probe(host, DESIRED, Ledger(host))
    assert (facts.manager, facts.installed, host.calls) == ("apt", {"chrony": "chrony"}, [])


def test_an_rpm_machine_is_asked_once_about_all(tmp_path: Path) -> None:
    tree = make_tree(tmp_path, {"/usr/bin/dnf": "", "/usr/bin/zypper": ""})
    host = FakeHost(tree, {"rpm": "chrony\npackage ethtool is not installed\n"})
    facts = probe(host, DESIRED, Ledger(host))
    assert (facts.manager, facts.installed) == ("dnf", {"chrony": "chrony"})
    assert host.calls == ["rpm -q --qf %{NAME}\\n chrony ethtool"]


def test_where_nothing_is_declared_or_owned_nothing_is_read(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, {"/var/lib/dpkg/status": INSTALLED}))
    assert probe(host, parse({}), Ledger(host)).manager == ""


def test_what_raceway_installed_is_looked_up_after_it_was_given_up(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, {"/var/lib/dpkg/status": INSTALLED}))
    Ledger(host).remember("package", "chrony", "not installed")
    facts = probe(host, parse({}), Ledger(host))
    assert (facts.installed, facts.owned) == ({"chrony": "chrony"}, {"chrony": "not installed"})


def test_a_machine_with_none_of_the_managers_has_none(tmp_path: Path) -> None:
    assert find_manager(FakeHost(tmp_path)) == ""
