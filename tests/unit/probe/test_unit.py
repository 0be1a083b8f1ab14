"""Reading units: one question to systemd for all of them, own files and vendors' units from the tree."""

from __future__ import annotations

from pathlib import Path

from raceway.facts.unit import OwnFile
from raceway.host import Ledger, Result
from raceway.model.unit import parse
from raceway.probe.unit import probe

from ..builders import FakeHost, make_tree

ETC = "/etc/systemd/system/"
SHOWN = "Id=a.service\nNames=a.service\nLoadState=loaded\nActiveState=active\n\nId=b.service\nNames=b.service\n"


def make_host(root: Path, files: dict[str, str] | None = None, shown: str | Result = SHOWN) -> FakeHost:
    return FakeHost(make_tree(root, files or {}), {"systemctl": shown})


def test_all_units_are_one_question_whoever_named_them(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    book = Ledger(host)
    book.remember("unit_enabled", "old1.service", "disabled")
    book.remember("unit_active", "old2.service", "inactive")
    book.remember("unit_file", ETC + "old3.service", {"content": None})
    desired = parse({"units": [{"name": "a.service"}, {"name": "t@.service"}, {"name": "bad"}]})
    facts = probe(host, desired, Ledger(host))
    (call,) = host.calls
    assert call.endswith("-- a.service old1.service old2.service old3.service")
    assert facts.state("a.service").active == "active"
    assert set(facts.files) >= {"t@.service", "old3.service"}


def test_without_units_systemd_is_not_asked(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    assert probe(host, parse({}), Ledger(host)).problem == ""
    assert host.calls == []


def test_own_files_links_and_vendors_units_are_told_apart(tmp_path: Path) -> None:
    tree = {ETC + "a.service": "ours", "/usr/lib/systemd/system/a.service": "theirs", ETC + "b.service": "-> /dev/null"}
    desired = parse({"units": [{"name": "a.service"}, {"name": "b.service"}]})
    host = make_host(tmp_path, tree)
    files = probe(host, desired, Ledger(host)).files
    assert files["a.service"] == OwnFile("ours", None, vendor=True)
    assert files["b.service"] == OwnFile(None, "/dev/null", vendor=False)


def test_a_systemd_that_does_not_answer_is_a_problem_in_its_own_words(tmp_path: Path) -> None:
    host = make_host(tmp_path, shown=Result(1, "", "System has not been booted with systemd as init system\n"))
    facts = probe(host, parse({"units": [{"name": "a.service"}]}), Ledger(host))
    assert facts.problem == "System has not been booted with systemd as init system"
    host = make_host(tmp_path, shown=Result(0, "", ""))
    assert "said nothing" in probe(host, parse({"units": [{"name": "a.service"}]}), Ledger(host)).problem


def test_packages_are_looked_up_only_where_a_unit_is_not_there(tmp_path: Path) -> None:
    tree = {"/var/lib/dpkg/status": "Package: here\nStatus: install ok installed\n\n"}
    host = make_host(tmp_path, tree)
    packages = ["here", "coming"]
    there = parse({"units": [{"name": "a.service"}], "packages": packages})
    absent = parse({"units": [{"name": "b2.service"}], "packages": packages})
    assert probe(host, there, Ledger(host)).missing_packages == ()
    assert probe(host, absent, Ledger(host)).missing_packages == ("coming",)
