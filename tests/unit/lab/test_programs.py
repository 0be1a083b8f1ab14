"""What the supervisor is told to run is recognised again, and stages end no pod unasked."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from raceway.lab import arguments, programs

from .builders import make_record

FOLDER = Path("/state/labs/lab")


def fingerprint(**more: object) -> str:
    record = make_record(**more)
    return programs.fingerprint(record, arguments.all_programs(record, FOLDER))


def test_another_port_or_another_binary_is_another_fingerprint() -> None:
    same = fingerprint()
    ports = {name: 27000 + index for index, name in enumerate(programs.PORTS)}
    assert fingerprint() == same
    assert fingerprint(ports=ports) != same
    assert fingerprint(tools={**make_record().tools, "etcd": "/other/etcd"}) != same
    assert fingerprint(nodes=()) == same


@pytest.mark.parametrize(
    ("names", "paths"),
    [
        ([], ""),
        (["of-others"], ""),
        (["volcano-admission-service-jobs-mutate"], "/jobs/mutate"),
        (["volcano-admission-service-queues-validate", "x", "volcano-admission-service-jobs-mutate"],
         "/jobs/mutate,/queues/validate"),
    ],
)  # fmt: skip
def test_admission_paths_come_from_the_names_of_the_configurations(names: list[str], paths: str) -> None:
    assert programs.admission_paths(names) == paths


def test_a_pod_ends_only_where_its_annotation_asks_for_it() -> None:
    stages = [stage for path in programs.STAGES for stage in yaml.safe_load_all(path.read_text())]
    assert {stage["metadata"]["name"] for stage in stages} >= {"node-initialize", "pod-ready", "pod-delete"}
    for stage in stages:
        template = stage["spec"]["next"].get("statusTemplate", "")
        if "phase: Succeeded" in template or "phase: Failed" in template:
            keys = [(one["key"], one["operator"]) for one in stage["spec"]["selector"]["matchExpressions"]]
            assert ('.metadata.annotations["raceway.dev/run-seconds"]', "Exists") in keys
            assert not any("ownerReferences" in key for key, _ in keys)
