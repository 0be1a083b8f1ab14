"""Installing packages: no question, one call for all, an index refreshed only where it must be, a record read back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from raceway.apply.outcome import Applying, Refused
from raceway.apply.package import install, prepare
from raceway.host import Ledger, Result

from ..builders import FakeHost, make_step, make_tree

STATUS = "/var/lib/dpkg/status"


class AptHost(FakeHost):
    """``index``: what apt knows now. ``mirror``: what an update brings. ``broken``: output of the first install."""

    def __init__(self, root: Path, index: Sequence[str], mirror: Sequence[str] = (), broken: str = "") -> None:
        super().__init__(make_tree(root, {STATUS: ""}))
        self.index, self.mirror, self.broken = set(index), set(mirror), broken
        self.installs: list[list[str]] = []

    def run(self, argv: Sequence[str], timeout: float = 60.0, stdin: str = "") -> Result:
        words = [word for word in argv if "=" not in word and not word.startswith("-")]
        self.calls.append(" ".join(argv))
        if words[:2] == ["apt-cache", "policy"]:
            return Result(0, "".join(f"{n}:\n  Candidate: 1\n" for n in words[2:] if n in self.index), "")
        if "update" in words:
            self.index |= self.mirror
            return Result(0, "", "")
        return self._install(words[words.index("install") + 1 :])

    def _install(self, names: list[str]) -> Result:
        self.installs.append(names)
        if self.broken:
            said, self.broken = self.broken, ""
            return Result(100, "", said)
        for name in names:
            if name not in self.index:
                return Result(100, "Reading package lists...\n", f"E: Unable to locate package {name}\n")
        rows = "".join(f"Package: {name}\nStatus: install ok installed\nArchitecture: amd64\n\n" for name in names)
        self.write(STATUS, (self.read(STATUS) or "") + rows)
        return Result(0, "Setting up …\n", "")

    def updates(self) -> int:
        return len([call for call in self.calls if call.endswith(" update")])


def apply(host: FakeHost, *names: str, manager: str = "apt") -> Applying:
    run = Applying(host, Ledger(host))
    install(run, make_step("package", manager=manager, names=list(names)))
    return run


def test_all_missing_packages_are_one_call_without_questions_and_without_an_update(tmp_path: Path) -> None:
    host = AptHost(tmp_path, ["ethtool", "rdma-core"])
    apply(host, "ethtool", "rdma-core")
    assert host.installs == [["ethtool", "rdma-core"]]
    assert host.updates() == 0
    call = host.calls[-1]
    for part in ("DEBIAN_FRONTEND=noninteractive", "DPkg::Lock::Timeout=120", "-y --no-install-recommends --"):
        assert part in call


def test_the_index_is_refreshed_once_where_a_package_is_not_known(tmp_path: Path) -> None:
    host = AptHost(tmp_path, ["ethtool"], mirror=["chrony"])
    apply(host, "ethtool", "chrony")
    assert (host.installs, host.updates()) == ([["ethtool", "chrony"]], 1)


def test_an_unknown_package_is_refused_in_the_tools_own_words_and_the_others_are_installed(tmp_path: Path) -> None:
    host = AptHost(tmp_path, ["ethtool"])
    with pytest.raises(Refused, match=r"^nope not installed: E: Unable to locate package nope$"):
        apply(host, "ethtool", "nope")
    assert "Package: ethtool" in (host.read(STATUS) or "")
    assert Ledger(host).owned("package") == {"ethtool": "not installed"}


def test_a_version_that_has_gone_from_the_mirror_is_fetched_anew_once(tmp_path: Path) -> None:
    host = AptHost(tmp_path, ["ethtool"], broken="E: Failed to fetch http://m/ethtool.deb  404  Not Found\n")
    apply(host, "ethtool")
    assert (len(host.installs), host.updates()) == (2, 1)


def test_a_failure_that_an_update_cannot_mend_is_told_without_one(tmp_path: Path) -> None:
    host = AptHost(tmp_path, ["ethtool"], broken="E: Could not get lock /var/lib/dpkg/lock-frontend\n")
    with pytest.raises(Refused, match="Could not get lock"):
        apply(host, "ethtool")
    assert (len(host.installs), host.updates()) == (1, 0)


def test_a_tool_that_claims_success_without_installing_is_not_believed(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, {STATUS: ""}), {"apt-cache": "a:\n  Candidate: 1\n", "env": "done\n"})
    with pytest.raises(Refused, match="a not installed: done"):
        apply(host, "a")


def test_an_unknown_name_with_a_dot_is_only_simulated_since_apt_takes_it_for_a_pattern(tmp_path: Path) -> None:
    host = AptHost(tmp_path, [])
    with pytest.raises(Refused, match="Unable to locate"):
        apply(host, "python3.99")
    assert "APT::Get::Simulate=1" in host.calls[-1]


@pytest.mark.parametrize(("manager", "program"), [("dnf", "dnf -y"), ("zypper", "zypper --non-interactive install")])
def test_other_managers_are_called_without_questions_and_rpm_is_read_back(
    tmp_path: Path, manager: str, program: str
) -> None:
    host = FakeHost(tmp_path, {manager: "Complete!\n", "rpm": "ethtool\n"})
    apply(host, "ethtool", manager=manager)
    assert host.calls[0].startswith(program)
    assert host.calls[0].endswith("-- ethtool")


def test_what_will_be_installed_is_recorded_before(tmp_path: Path) -> None:
    host = AptHost(tmp_path, [])
    prepare(Applying(host, Ledger(host)), [make_step("package", manager="apt", names=["a", "b"])])
    assert Ledger(host).owned("package") == {"a": "not installed", "b": "not installed"}
    assert host.calls == []
