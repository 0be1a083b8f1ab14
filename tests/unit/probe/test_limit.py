"""Limits files, the manager's files and units as they lie on a node."""

from __future__ import annotations

from pathlib import Path

from raceway.host import Ledger, Result
from raceway.model.limit import parse
from raceway.probe.limit import effective, probe

from ..builders import FakeHost, make_tree, recorded_host

MEMLOCK = parse({"limits": [{"item": "memlock", "value": "unlimited"}]})
SHAPES = ("h100-node", "lab-container")
SHOW = "systemctl show --property DefaultLimitMEMLOCK,DefaultLimitMEMLOCKSoft"


def test_case_x05_the_manager_is_asked_for_both_limits_of_what_is_declared() -> None:
    host = recorded_host("h100-node")
    facts = probe(host, MEMLOCK, Ledger(host))
    assert host.calls == [SHOW]
    assert facts.manager is not None and facts.manager["DefaultLimitMEMLOCKSoft"] == "8388608"
    assert facts.nr_open == 1073741816


def test_case_x05_a_drop_in_of_a_unit_outranks_the_unit_itself(tmp_path: Path) -> None:
    files = {
        "/usr/lib/systemd/system/slurmd.service": "[Service]\nLimitMEMLOCK=infinity\n",
        "/etc/systemd/system/slurmd.service.d/10-x.conf": "[Service]\nLimitMEMLOCK=8M\n",
        "/lib/systemd/system/kubelet.service": "[Service]\nLimitMEMLOCK=64K\n",
        "/etc/systemd/system/kubelet.service": "[Service]\nLimitNOFILE=1\n",
    }
    host = FakeHost(make_tree(tmp_path, files))
    rows = {(row.unit, row.key): row.value for row in probe(host, MEMLOCK, Ledger(host)).unit_lines}
    assert rows == {("slurmd.service", "LimitMEMLOCK"): "8M", ("kubelet.service", "LimitNOFILE"): "1"}


def test_a_manager_that_does_not_answer_is_not_one_that_shows_nothing(tmp_path: Path) -> None:
    make_tree(tmp_path, {"/run/systemd/system/.keep": ""})
    host = FakeHost(tmp_path, {"systemctl": Result(1, "", "Failed to connect to bus")})
    assert effective(host, ("DefaultLimitMEMLOCK",)) is None
    assert effective(FakeHost(tmp_path / "none"), ("DefaultLimitMEMLOCK",)) is None


def test_nothing_is_asked_where_nothing_is_declared() -> None:
    host = recorded_host("debian12-vm")
    assert probe(host, parse({}), Ledger(host)).manager == {} and host.calls == []


def test_lines_come_in_the_order_pam_and_systemd_read_them(tmp_path: Path) -> None:
    files = {
        "/etc/security/limits.d/20-b.conf": "* - nproc 2\n",
        "/etc/security/limits.conf": "* - nproc 1\n",
        "/etc/systemd/system.conf": "[Manager]\nDefaultLimitNPROC=1\n",
        "/usr/lib/systemd/system.conf.d/10-a.conf": "[Manager]\nDefaultLimitNPROC=2\n",
    }
    host = FakeHost(make_tree(tmp_path, files))
    facts = probe(host, MEMLOCK, Ledger(host))
    assert [row.value for row in facts.lines] == ["1", "2"]
    assert [row.value for row in facts.manager_lines] == ["1", "2"]


def test_an_item_that_is_no_limit_does_not_stop_the_probe() -> None:
    host = recorded_host("debian12-vm")
    assert probe(host, parse({"limits": [{"item": "rtprio", "value": "0"}]}), Ledger(host)).manager == {}


def test_case_x05_only_an_init_without_the_capability_has_bounds() -> None:
    bounds = {shape: probe(recorded_host(shape), MEMLOCK, Ledger(recorded_host(shape))).bounds for shape in SHAPES}
    assert bounds["h100-node"] == {} and bounds["lab-container"]["memlock"] == "8388608"


def test_a_debian_logs_what_it_cannot_set_and_others_deny_the_session(tmp_path: Path) -> None:
    assert not probe(recorded_host("lab-container"), MEMLOCK, Ledger(recorded_host("lab-container"))).strict_pam
    assert probe(FakeHost(tmp_path), MEMLOCK, Ledger(FakeHost(tmp_path))).strict_pam
