"""site.yml on two lab nodes: what check mode predicts is what happens, and only that; reports, verify, drift, removal.

It cannot see: kernel-wide settings and the boot, which belong to the vm rung.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from .compare import differences

pytestmark = pytest.mark.molecule


def test_check_mode_changes_nothing_and_predicts_exactly_what_is_then_done(site: Any) -> None:
    node = site.nodes[0]
    before = site.snapshot(node)

    checked = site.playbook("site.yml", "--check", "--diff")
    after_check = site.snapshot(node)
    applied = site.playbook("site.yml")
    second = site.playbook("site.yml")

    assert checked.rc == applied.rc == second.rc == 0
    assert differences(before, after_check) == []
    assert checked.nodes[node]["planned"], "check mode predicted nothing on a pristine node"
    assert checked.nodes[node]["planned"] == applied.nodes[node]["applied"]
    assert second.nodes[node]["applied"] == second.nodes[node]["planned"] == []
    assert "changed=0" in second.text


def test_removal_gives_back_every_file_setting_mount_and_unit(site: Any) -> None:
    node = site.nodes[1]
    site.forget()
    before = site.snapshot(node)

    assert site.playbook("site.yml").rc == 0
    changed = site.snapshot(node)
    removed = site.playbook("site.yml", "-e", "kernel_state=absent", "-e", "system_state=absent")
    site.ssh(node, "rm -rf /var/lib/raceway")

    assert removed.rc == 0
    assert before["files"] != changed["files"] and before["settings"] != changed["settings"]
    assert differences(before, site.snapshot(node)) == []


def test_verify_is_red_for_drift_on_one_node_names_it_and_changes_nothing(site: Any) -> None:
    good, bad = site.nodes
    assert site.playbook("site.yml").rc == 0
    assert site.playbook("playbooks/verify.yml").rc == 0
    site.ssh(bad, "sysctl -qw net.ipv4.tcp_keepalive_time=7200 && echo drift >> /etc/motd")
    broken = site.snapshot(bad)

    verdict = site.playbook("playbooks/verify.yml")

    assert verdict.rc != 0
    assert verdict.nodes[good]["verdict"] == "as declared"
    assert "net.ipv4.tcp_keepalive_time: is '7200', declared '600'" in verdict.text
    assert "/etc/motd" in " ".join(verdict.nodes[bad]["failures"])
    assert site.snapshot(bad) == broken
    assert site.playbook("site.yml").nodes[bad]["applied"] != []
    assert site.playbook("playbooks/verify.yml").rc == 0


def test_plan_writes_one_json_report_with_every_node_and_reason(site: Any) -> None:
    site.forget()
    path = site.scratch / "plan.json"

    run = site.playbook("playbooks/plan.yml", "-e", f"raceway_report={path}")

    assert run.rc == 0
    report = json.loads(path.read_text())["nodes"]
    assert sorted(report) == sorted(site.nodes)
    for plan in report.values():
        steps = [step for role in plan["roles"].values() for step in role["steps"]]
        noops = [noop for role in plan["roles"].values() for noop in role["noops"]]
        assert steps and all(step["why"] and step["undo"] for step in steps)
        assert noops and all(noop["reason"] for noop in noops)


def test_settings_of_the_whole_kernel_are_explained_noops_on_a_container(site: Any) -> None:
    path = site.scratch / "plan.json"
    assert site.playbook("playbooks/plan.yml", "-e", f"raceway_report={path}").rc == 0

    noops = json.loads(path.read_text())["nodes"][site.nodes[0]]["roles"]["kernel"]["noops"]

    told = {noop["target"]: noop["reason"] for noop in noops}
    assert "container" in told["net.core.default_qdisc"]
    assert "container" in told["net.core.netdev_max_backlog"]


def test_a_key_that_is_no_longer_declared_gets_its_old_value_back(site: Any) -> None:
    node = site.nodes[0]
    more = {"kernel_sysctl": {"net.ipv4.tcp_fin_timeout": 30}}
    found = site.ssh(node, "cat /proc/sys/net/ipv4/tcp_fin_timeout").strip()

    assert site.playbook("site.yml", "-e", json.dumps(more)).rc == 0
    assert site.ssh(node, "cat /proc/sys/net/ipv4/tcp_fin_timeout").strip() == "30" != found
    assert site.playbook("site.yml").rc == 0

    assert site.ssh(node, "cat /proc/sys/net/ipv4/tcp_fin_timeout").strip() == found


def test_a_setting_the_kernel_refuses_is_told_and_the_rest_is_done(site: Any) -> None:
    node = site.nodes[0]
    # Another network namespace may only choose an unrestricted algorithm: the kernel answers EPERM for cubic.
    wish = {"kernel_tcp_congestion_control": "cubic", "kernel_sysctl": {"net.ipv4.tcp_fin_timeout": 31}}

    run = site.playbook("site.yml", "-e", json.dumps(wish))

    assert run.rc != 0
    assert "the kernel refused 'cubic'" in run.nodes[node]["refusals"]["net.ipv4.tcp_congestion_control"]
    assert site.ssh(node, "cat /proc/sys/net/ipv4/tcp_fin_timeout").strip() == "31"
    assert site.playbook("site.yml").rc == 0
