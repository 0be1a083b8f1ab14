"""The lab's podman settings fit the host's limits and name the parts the lab was tried with."""

from __future__ import annotations

import resource
import tomllib

import pytest

from raceway.lab import podman


def test_the_settings_are_readable_and_name_runtime_and_network() -> None:
    read = tomllib.loads(podman.containers_conf(20000, 32768))
    assert read["engine"]["runtime"] == "runc"
    assert read["network"]["network_backend"] == "netavark"
    assert read["containers"]["default_ulimits"] == ["nofile=20000:20000", "nproc=32768:32768"]


@pytest.mark.parametrize(
    ("hard", "expected"), [((20000, 96365), (20000, 32768)), ((-1, -1), (1048576, 32768)), ((512, 100), (512, 100))]
)
def test_no_limit_is_above_the_hosts_own(
    hard: tuple[int, int], expected: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = dict(zip((resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC), hard, strict=True))
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (0, table[kind]))
    assert podman.host_limits() == expected
