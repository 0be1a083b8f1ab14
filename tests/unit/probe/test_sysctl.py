"""What the sysctl probe reads off a tree."""

from __future__ import annotations

from pathlib import Path

from raceway.host import Host, Ledger
from raceway.model.sysctl import parse
from raceway.probe.sysctl import probe

from ..builders import make_tree, recorded_host

FOLDED = {"settings": [{"key": "net.ipv4.tcp_rmem", "value": "1"}, {"key": "vm.none", "value": "1"}]}


def test_case_x08_live_values_are_folded_and_absent_keys_are_none() -> None:
    host = recorded_host("debian12-vm")
    live = probe(host, parse(FOLDED), Ledger(host)).live
    assert live["net/ipv4/tcp_rmem"].value == "4096 131072 6291456"
    assert live["vm/none"].value is None


def test_case_b36_the_live_value_of_a_dotted_interface_is_read_from_its_own_folder() -> None:
    host = recorded_host("h100-node")
    desired = parse({"settings": [{"key": "net.ipv4.conf.eth0.100.200.rp_filter", "value": "0"}]})
    assert probe(host, desired, Ledger(host)).live["net/ipv4/conf/eth0.100.200/rp_filter"].value == "2"


def test_case_b38_the_offered_congestion_controls_are_facts() -> None:
    host = recorded_host("lab-container")
    assert probe(host, parse({}), Ledger(host)).congestion_controls == ("reno", "bbr", "cubic")


def test_a_key_that_cannot_be_read_is_a_trigger(tmp_path: Path) -> None:
    (tmp_path / "proc/sys/vm/compact_memory").mkdir(parents=True)  # there, and no text comes from it
    desired = parse({"settings": [{"key": "vm.compact_memory", "value": "1"}]})
    live = probe(Host(str(tmp_path)), desired, Ledger(Host(str(tmp_path)))).live["vm/compact_memory"]
    assert (live.value, live.readable) == (None, False)


def test_sysctl_conf_is_read_last_unless_a_link_reads_it_earlier(tmp_path: Path) -> None:
    files = {
        "/etc/sysctl.conf": "a = 1\n",
        "/etc/sysctl.d/99-z.conf": "b = 2\n",
        "/usr/lib/sysctl.d/10-a.conf": "c = 3\n",
    }
    host = Host(str(make_tree(tmp_path, files)))
    assert [row.path for row in probe(host, parse({}), Ledger(host)).assignments] == ["c", "b", "a"]
    make_tree(tmp_path, {"/etc/sysctl.d/50-x.conf": "-> ../sysctl.conf"})
    assert [row.path for row in probe(host, parse({}), Ledger(host)).assignments] == ["c", "a", "b"]


def test_tuned_counts_only_where_it_reapplies_over_sysctl_files(tmp_path: Path) -> None:
    files = {
        "/etc/tuned/active_profile": "mine\n",
        "/etc/tuned/mine/tuned.conf": "[main]\ninclude=base\n[sysctl]\nvm.swappiness=1\n",
        "/usr/lib/tuned/base/tuned.conf": "[sysctl]\nvm.swappiness=10\nvm.dirty_ratio=40\n",
    }
    host = Host(str(make_tree(tmp_path, files)))
    assert probe(host, parse({}), Ledger(host)).tuned == ()
    for words in ("reapply_sysctl=0", "reapply_sysctl = False"):
        make_tree(tmp_path, {"/etc/tuned/tuned-main.conf": f"# reapply_sysctl = 1\n{words}\n"})
        rows = {row.path: row.value for row in probe(host, parse({}), Ledger(host)).tuned}
        assert rows == {"vm/swappiness": "1", "vm/dirty_ratio": "40"}


def test_keys_that_raceway_owns_are_read_though_no_longer_declared(tmp_path: Path) -> None:
    host = Host(str(make_tree(tmp_path, {"/proc/sys/vm/swappiness": "1\n"})))
    ledger = Ledger(host)
    ledger.remember("sysctl", "vm/swappiness", "60")
    facts = probe(host, parse({}), ledger)
    assert facts.live["vm/swappiness"].value == "1" and facts.owned == {"vm/swappiness": "60"}
