"""Where the stack comes from: one repository at one version, no two stacks mixed, nothing loaded anew."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.facts.rdma_stack import RdmaStackFacts
from raceway.model.plan import Plan
from raceway.model.rdma_stack import parse
from raceway.plan.rdma_stack import APT_PIN, APT_SOURCE, DNF_KEY, DNF_REPO, plan

KEY = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQENBF\n-----END PGP PUBLIC KEY BLOCK-----\n"
DOCA: dict[str, Any] = {
    "stack": "doca",
    "repository": "https://mirror.example/doca/3.2.1/ubuntu24.04/x86_64/",
    "key": KEY,
    "version": "3.2.1",
    "packages": ["doca-ofed"],
}
UBUNTU = {"manager": "apt", "distribution": "ubuntu"}
LIBRARIES = {"rdma-core": "50.0-2", "libibverbs1": "50.0-2", "librdmacm1": "50.0-2"}


def make_plan(spec: dict[str, Any], **facts: Any) -> Plan:
    return plan(parse(spec), RdmaStackFacts(**facts))


def test_doca_gets_its_repository_with_key_and_pin_and_a_new_index() -> None:
    steps = {step.target: step for step in make_plan(DOCA, **UBUNTU).steps}
    assert list(steps) == [APT_SOURCE, APT_PIN, "rdma stack"]
    source, pin = steps[APT_SOURCE].after, steps[APT_PIN].after
    assert "\nURIs: https://mirror.example/doca/3.2.1/ubuntu24.04/x86_64/\n" in source
    assert "\nSigned-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mQENBF\n" in source
    assert "\nPackage: doca-ofed\nPin: version 3.2.1*\nPin-Priority: 1001\n" in pin
    assert '\nPackage: dkms\nPin: origin "mirror.example"\nPin-Priority: -1\n' in pin


def test_files_that_stand_need_no_new_index() -> None:
    files = {step.target: step.after for step in make_plan(DOCA, **UBUNTU).steps if step.type == "file"}
    made = make_plan(DOCA, **UBUNTU, files=files, versions={"doca-ofed": "3.2.1-1"}, driver="25.10-1")
    assert made.empty and not made.reboots


def test_rpm_distributions_get_a_repo_file_and_the_key_beside_it() -> None:
    steps = {step.target: step.after for step in make_plan(DOCA, manager="dnf", distribution="rocky").steps}
    assert set(steps) == {DNF_REPO, DNF_KEY} and steps[DNF_KEY] == KEY
    assert "\ngpgcheck=1\n" in steps[DNF_REPO] and f"gpgkey=file://{DNF_KEY}" in steps[DNF_REPO]


@pytest.mark.parametrize(
    ("spec", "facts", "target", "told"),
    [
        (DOCA, {"manager": "apt", "distribution": "debian"}, "rdma stack", "this is debian"),
        (DOCA, {**UBUNTU, "versions": {"doca-ofed": "2.9.1-1"}}, "doca-ofed", "2.9.1-1 is installed, 3.2.1 is pinned"),
        (
            {"stack": "inbox"},
            {**UBUNTU, "versions": {"mlnx-ofed-kernel-dkms": "24.10"}},
            "rdma stack",
            "vendor's stack is installed: mlnx-ofed-kernel-dkms 24.10",
        ),
        (
            {"stack": "inbox"},
            {**UBUNTU, "versions": {**LIBRARIES, "libibverbs1": "2510.0.11"}},
            "rdma stack",
            "mixed: rdma-core 50.0-2, libibverbs1 2510.0.11",
        ),
    ],
    ids=["debian", "another version", "vendor under inbox", "two stacks"],
)
def test_what_does_not_fit_is_refused_by_name(
    spec: dict[str, Any], facts: dict[str, Any], target: str, told: str
) -> None:
    (refusal,) = make_plan(spec, **facts).refusals
    assert refusal.target == target and told in refusal.reason and refusal.act


def test_an_inbox_stack_of_one_version_is_right() -> None:
    made = make_plan({"stack": "inbox"}, **UBUNTU, versions=LIBRARIES)
    assert made.empty and made.noops[0].reason == "the distribution's own"


def test_the_kernels_own_driver_under_doca_waits_for_a_boot() -> None:
    (reboot,) = make_plan(DOCA, **UBUNTU, versions={"doca-ofed": "3.2.1-1"}, driver="").reboots
    assert reboot.target == "mlx5_core"
    assert not make_plan(DOCA, **UBUNTU, driver="").reboots


def test_secure_boot_is_told_before_the_boot_that_would_lack_the_driver() -> None:
    reasons = [
        noop.reason for noop in make_plan(DOCA, **UBUNTU, secure_boot=True).noops if noop.target == "secure boot"
    ]
    assert "mokutil --import" in reasons[0]


def test_a_repository_that_is_no_longer_declared_goes_and_a_foreign_one_stays() -> None:
    files = {APT_SOURCE: "Types: deb\n", APT_PIN: "Package: x\n"}
    made = make_plan({"stack": "inbox"}, **UBUNTU, files=files, owned_files={APT_SOURCE: {"content": None}})
    assert [(step.type, step.target) for step in made.steps] == [("file_restore", APT_SOURCE)]
