"""Reading the stack: dpkg's record, the loaded driver, Secure Boot."""

from __future__ import annotations

from pathlib import Path

from raceway.host import Ledger
from raceway.model.rdma_stack import parse
from raceway.probe.rdma_stack import DRIVER, SECURE_BOOT, probe

from ..builders import FakeHost, make_tree

STATUS = "".join(
    f"Package: {name}\nStatus: {status}\nVersion: {version}\n\n"
    for name, status, version in (
        ("rdma-core", "install ok installed", "56.1-1"),
        ("libibverbs1", "install ok installed", "56.1-1"),
        ("doca-ofed", "deinstall ok config-files", "3.2.1"),
        ("bash", "install ok installed", "5.2"),
    )
)


def test_versions_driver_and_secure_boot_are_read(tmp_path: Path) -> None:
    files = {"/var/lib/dpkg/status": STATUS, "/etc/os-release": "ID=ubuntu\n", f"{DRIVER}/initstate": "live\n"}
    files[SECURE_BOOT] = "\x06\x00\x00\x00\x01"
    host = FakeHost(make_tree(tmp_path, files))
    facts = probe(host, parse({"stack": "inbox"}), Ledger(host))
    assert facts.versions == {"rdma-core": "56.1-1", "libibverbs1": "56.1-1"}
    assert (facts.manager, facts.distribution, facts.driver, facts.secure_boot) == ("apt", "ubuntu", "", True)


def test_a_driver_that_is_not_loaded_is_not_the_kernels_own(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, {"/etc/os-release": "ID=debian\n"}))
    facts = probe(host, parse({"stack": "inbox"}), Ledger(host))
    assert facts.driver is None and facts.secure_boot is None and facts.versions == {}


def test_rpm_is_asked_where_there_is_no_dpkg(tmp_path: Path) -> None:
    out = "rdma-core 61.0-1.el9\npackage libibverbs is not installed\nlibrdmacm 61.0-1.el9\n"
    host = FakeHost(make_tree(tmp_path, {"/usr/bin/dnf": ""}), {"rpm": out})
    facts = probe(host, parse({"stack": "inbox"}), Ledger(host))
    assert facts.versions == {"rdma-core": "61.0-1.el9", "librdmacm": "61.0-1.el9"}
