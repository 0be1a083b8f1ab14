"""Apply, verify, give back: after removal the machine is what it was, in files and in what is in force.

The twin of each verify breaks the state that apply made and must see it. This rung cannot see a real kernel: what
writes do there is tests/vm's.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from raceway.node.program import run

from ..builders import FakeHost, snapshot
from ..fake_kernel import FakeKernel

ALLOW = ["safe", "disruptive"]
SPECS: dict[str, dict[str, Any]] = {
    "module": {"modules": [{"name": "tcp_bbr", "asked_by": ["kernel: bbr"]}, {"name": "sch-fq", "options": ""}]},
    "limit": {"limits": [{"item": "memlock", "value": "unlimited"}, {"item": "nofile", "value": "1048576"}]},
    "sysctl": {
        "settings": [
            {"key": "net.core.default_qdisc", "value": "fq"},
            {"key": "net.core.rmem_max", "value": "536870912"},
        ]
    },
    "qdisc": {"kind": "fq", "default_route": True},
    "thp": {"enabled": "madvise", "defrag": "defer+madvise"},
    "governor": {"governor": "performance"},
    "cmdline": {"arguments": [{"argument": "iommu=pt", "asked_by": ["gpu: peer to peer"]}]},
}
SHAPES = {"debian12-vm": "vm", "h100-node": "bare_metal"}
# What a person, a package or a crash does to the state that apply made.
BREAKS: dict[str, dict[str, str | None]] = {
    "module": {"/etc/modules-load.d/raceway.conf": None},
    "limit": {"/etc/security/limits.d/90-raceway.conf": "* - memlock 64\n"},
    "sysctl": {"/proc/sys/net/core/rmem_max": "212992\n"},
    "qdisc": {},
    "thp": {"/sys/kernel/mm/transparent_hugepage/defrag": "[always] defer defer+madvise madvise never\n"},
    "governor": {"/sys/devices/system/cpu/cpufreq/policy2/scaling_governor": "powersave\n"},
    "cmdline": {"/etc/default/grub.d/90-raceway.cfg": None},
}
CASES = [(shape, noun) for shape in SHAPES for noun in SPECS if (shape, noun) != ("debian12-vm", "governor")]


def request(mode: str, nouns: dict[str, Any], platform: str = "bare_metal") -> dict[str, Any]:
    """Return one request of the kernel role with every risk consented to."""
    bodies = {noun: {**spec, "platform": platform} for noun, spec in nouns.items()}
    return {"mode": mode, "explain": True, "roles": {"kernel": {"allow": ALLOW, "nouns": bodies}}}


def check_whole(answer: dict[str, Any]) -> None:
    """Assert that an apply did everything it planned and left nothing."""
    assert answer["refused"] == [] and answer["remaining"] == [], answer
    assert answer["roles"]["kernel"]["refusals"] == []
    assert answer["applied"]


def open_steps(host: FakeHost, nouns: dict[str, Any], platform: str) -> list[Any]:
    """Return what verify finds: steps and refusals."""
    plan = run(request("verify", nouns, platform), host)["roles"]["kernel"]
    return [*plan["steps"], *plan["refusals"]]


@pytest.mark.parametrize(("shape", "noun"), CASES)
def test_a_noun_applied_and_given_back_leaves_the_machine_as_it_was(shape: str, noun: str, tmp_path: Path) -> None:
    host, platform = FakeKernel(shape, tmp_path), SHAPES[shape]
    before = (snapshot(host.tree), host.state())
    check_whole(run(request("apply", {noun: SPECS[noun]}, platform), host))
    assert (snapshot(host.tree), host.state()) != before
    assert open_steps(host, {noun: SPECS[noun]}, platform) == []
    check_whole(run(request("apply", {noun: {}}, platform), host))
    assert (snapshot(host.tree), host.state()) == before


@pytest.mark.parametrize("shape", SHAPES)
def test_all_nouns_together_apply_in_one_run_and_are_given_back_in_one(shape: str, tmp_path: Path) -> None:
    host, platform = FakeKernel(shape, tmp_path), SHAPES[shape]
    nouns = {noun: SPECS[noun] for one, noun in CASES if one == shape}
    before = (snapshot(host.tree), host.state())
    check_whole(run(request("apply", nouns, platform), host))
    assert open_steps(host, nouns, platform) == []
    check_whole(run(request("apply", {noun: {} for noun in nouns}, platform), host))
    assert (snapshot(host.tree), host.state()) == before


@pytest.mark.parametrize(("shape", "noun"), CASES)
def test_a_second_apply_changes_nothing(shape: str, noun: str, tmp_path: Path) -> None:
    host, platform = FakeKernel(shape, tmp_path), SHAPES[shape]
    run(request("apply", {noun: SPECS[noun]}, platform), host)
    first = (snapshot(host.tree), host.state())
    assert run(request("apply", {noun: SPECS[noun]}, platform), host)["applied"] == []
    assert (snapshot(host.tree), host.state()) == first


@pytest.mark.parametrize(("shape", "noun"), [case for case in CASES if BREAKS[case[1]]])
def test_verify_sees_a_state_that_someone_broke(shape: str, noun: str, tmp_path: Path) -> None:
    host, platform = FakeKernel(shape, tmp_path), SHAPES[shape]
    run(request("apply", {noun: SPECS[noun]}, platform), host)
    for path, text in BREAKS[noun].items():
        place = host.tree / path.lstrip("/")
        place.unlink() if text is None else place.write_text(text, encoding="utf-8")
    assert open_steps(host, {noun: SPECS[noun]}, platform)


def test_verify_sees_a_qdisc_that_someone_replaced(tmp_path: Path) -> None:
    host = FakeKernel("h100-node", tmp_path)
    run(request("apply", {"qdisc": SPECS["qdisc"]}), host)
    next(q for q in host.qdiscs if q["dev"] == "eno1" and "parent" in q)["kind"] = "pfifo_fast"
    assert open_steps(host, {"qdisc": SPECS["qdisc"]}, "bare_metal")[0]["target"] == "eno1"


def test_verify_sees_limits_that_the_manager_lost(tmp_path: Path) -> None:
    host = FakeKernel("h100-node", tmp_path)
    run(request("apply", {"limit": SPECS["limit"]}), host)
    host.effective["DefaultLimitMEMLOCK"] = "65536"
    assert "DefaultLimitMEMLOCK" in open_steps(host, {"limit": SPECS["limit"]}, "bare_metal")[0]["what"]


def test_verify_sees_a_module_that_was_unloaded(tmp_path: Path) -> None:
    host = FakeKernel("h100-node", tmp_path)
    run(request("apply", {"module": SPECS["module"]}), host)
    shutil.rmtree(host.tree / "sys/module/tcp_bbr")
    assert open_steps(host, {"module": SPECS["module"]}, "bare_metal")[0]["what"] == "load tcp_bbr"


@pytest.mark.parametrize(
    ("noun", "tool"), [("module", "modprobe"), ("limit", "systemctl"), ("qdisc", "tc"), ("cmdline", "update-grub")]
)
def test_a_tool_that_claims_success_and_does_nothing_is_a_refusal(noun: str, tool: str, tmp_path: Path) -> None:
    host = FakeKernel("h100-node", tmp_path, broken=[tool])
    answer = run(request("apply", {noun: SPECS[noun]}), host)
    assert answer["refused"] and answer["refused"][0]["act"]


@pytest.mark.parametrize("mode", ["plan", "verify"])
def test_looking_changes_no_file_and_nothing_in_force(mode: str, tmp_path: Path) -> None:
    host = FakeKernel("h100-node", tmp_path)
    before = (snapshot(host.tree), host.state())
    answer = run(request(mode, SPECS), host)
    assert answer["roles"]["kernel"]["steps"] and answer["applied"] == []
    assert (snapshot(host.tree), host.state()) == before


def test_disruptive_steps_need_consent_and_their_interface_stays_untouched(tmp_path: Path) -> None:
    host = FakeKernel("h100-node", tmp_path)
    asked = request("apply", {"qdisc": SPECS["qdisc"]})
    asked["roles"]["kernel"]["allow"] = ["safe"]
    before = host.state()
    answer = run(asked, host)
    assert "kernel_allow_disruptive" in answer["roles"]["kernel"]["refusals"][0]["act"]
    assert host.state() == before


def test_a_reboot_asked_for_before_removal_is_still_asked_for_after_it(tmp_path: Path) -> None:
    host = FakeKernel("h100-node", tmp_path)
    run(request("apply", {"cmdline": SPECS["cmdline"]}), host)
    cmdline = host.tree / "proc/cmdline"
    cmdline.write_text(cmdline.read_text(encoding="utf-8").rstrip() + " iommu=pt\n", encoding="utf-8")
    answer = run(request("apply", {"cmdline": {}}), host)
    assert [row["target"] for row in answer["reboots"]] == ["iommu=pt"]
