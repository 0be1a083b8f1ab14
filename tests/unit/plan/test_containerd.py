"""Planning the container runtime: what of it needs a restart, what runs under pods, and what its process may lock."""

from __future__ import annotations

import dataclasses
from typing import Any

from raceway.facts.containerd import ContainerdFacts
from raceway.facts.kube_service import ServiceFacts
from raceway.facts.unit import UnitState
from raceway.model.containerd import CONFIG, CRICTL, DROP_IN, UNIT, ContainerdDesired, Mirror, Runtime, hosts_file
from raceway.model.plan import DISRUPTIVE, SAFE, Plan
from raceway.plan.containerd import plan
from raceway.plan.containerd_config import texts

RUNNING = UnitState(UNIT, "loaded", "active", "running", "enabled", invocation="r1")
DESIRED = ContainerdDesired(True, sandbox_image="registry.k8s.io/pause:3.10.1")
NVIDIA = Runtime("nvidia", "/usr/bin/nvidia-container-runtime", default=True)


def make_facts(was: ContainerdDesired = DESIRED, **more: Any) -> ContainerdFacts:
    files = texts(was, was.runtimes)
    facts = ContainerdFacts(ServiceFacts(RUNNING), files, tuple(files), ("c1",), (2, 1), "ext4", memlock="unlimited")
    return dataclasses.replace(facts, **more)


def make_plan(facts: ContainerdFacts | None = None, **change: Any) -> Plan:
    return plan(dataclasses.replace(DESIRED, **change), facts or make_facts())


def test_a_node_as_declared_needs_nothing() -> None:
    made = make_plan()
    assert made.empty and len(made.noops) == 5


def test_mirrors_are_read_at_each_pull_and_restart_nothing() -> None:
    made = make_plan(mirrors={"docker.io": (Mirror("https://m.example", "/etc/ca.pem"), Mirror("http://n", "", True))})
    (step,) = made.steps
    assert (step.target, step.risk) == (hosts_file("docker.io"), SAFE)
    assert step.after.splitlines()[1:] == [
        'server = "https://registry-1.docker.io"',
        "",
        '[host."https://m.example"]',
        'capabilities = ["pull", "resolve"]',
        'ca = "/etc/ca.pem"',
        "",
        '[host."http://n"]',
        'capabilities = ["pull", "resolve"]',
        "skip_verify = true",
    ]


def test_a_mirror_that_is_given_up_goes_without_a_restart() -> None:
    was = dataclasses.replace(DESIRED, mirrors={"quay.io": (Mirror("https://m.example"),)})
    (step,) = make_plan(make_facts(was)).steps
    assert (step.type, step.target) == ("file_restore", hosts_file("quay.io"))


def test_another_sandbox_image_restarts_the_runtime_and_needs_consent_under_pods() -> None:
    made = make_plan(sandbox_image="mirror.example/pause:3.10.1")
    assert [(step.target, step.risk) for step in made.steps] == [(CONFIG, DISRUPTIVE), (UNIT, DISRUPTIVE)]
    made = make_plan(make_facts(containers=()), sandbox_image="mirror.example/pause:3.10.1")
    assert {step.risk for step in made.steps} == {SAFE}


def test_the_file_of_crictl_alone_restarts_nothing() -> None:
    facts = make_facts()
    files = {path: text for path, text in facts.files.items() if path != CRICTL}
    assert [step.target for step in make_plan(dataclasses.replace(facts, files=files)).steps] == [CRICTL]


def test_a_declared_runtime_is_the_default_and_has_the_cgroups_of_the_others() -> None:
    facts = make_facts(programs=(NVIDIA.binary,))
    text = next(step.after for step in make_plan(facts, runtimes=(NVIDIA,)).steps if step.target == CONFIG)
    assert 'default_runtime_name = "nvidia"' in text
    assert text.count("SystemdCgroup = true") == 2 and 'BinaryName = "/usr/bin/nvidia-container-runtime"' in text


def test_a_runtime_whose_program_is_not_there_is_refused_and_the_others_go_on() -> None:
    made = make_plan(runtimes=(NVIDIA,), restrict_oom_score_adj=True)
    (refusal,) = made.refusals
    assert refusal.target == "runtime nvidia" and "is not there" in refusal.reason
    text = next(step.after for step in made.steps if step.target == CONFIG)
    assert "nvidia" not in text and "restrict_oom_score_adj = true" in text


def test_cgroups_are_owned_by_whom_the_declaration_names() -> None:
    assert "SystemdCgroup = false" in texts(dataclasses.replace(DESIRED, cgroup_driver="cgroupfs"), ())[CONFIG]


def test_a_stopped_runtime_is_started_and_a_disabled_one_enabled() -> None:
    state = dataclasses.replace(RUNNING, active="inactive", sub="dead", file_state="disabled", invocation="")
    made = make_plan(make_facts(service=ServiceFacts(state), memlock=""))
    assert [step.what for step in made.steps] == [f"enable {UNIT} at boot", f"start {UNIT}"]


def test_case_x05_a_process_with_a_limit_is_started_anew_and_a_containers_host_decides() -> None:
    (step,) = make_plan(make_facts(memlock="8388608")).steps
    assert step.type == "kube_up" and "its process may lock 8388608 bytes, and so may every container" in step.why
    made = make_plan(make_facts(memlock="8388608"), platform="container")
    assert made.empty and "a container's host decides" in made.noops[-1].reason
    assert make_plan(make_facts(memlock="8388608"), memlock=False).steps[0].target == DROP_IN


def test_case_x10_the_runtime_waits_for_its_disk_and_no_data_lands_on_the_root_file_system() -> None:
    desired = dataclasses.replace(DESIRED, root="/mnt/nvme/containerd", mounts=("/mnt/nvme",))
    lines = texts(desired, ())[DROP_IN].splitlines()
    assert "RequiresMountsFor=/mnt/nvme/containerd" in lines and "AssertPathIsMountPoint=/mnt/nvme" in lines
    assert lines.index("AssertPathIsMountPoint=/mnt/nvme") < lines.index("[Service]")


def test_an_old_runtime_is_told_to_have_no_device_interface() -> None:
    made = make_plan(make_facts(version=(1, 6)))
    assert made.empty and made.noops[-1].target == "cdi"
