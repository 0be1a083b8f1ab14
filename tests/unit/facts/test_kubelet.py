"""Checkpoints and configuration as the kubelet and kubeadm write them."""

from __future__ import annotations

import pytest

from raceway.facts.kubelet import parse_driver, parse_policy

STATIC = '{"policyName":"static","defaultCpuSet":"0,4","entries":{"uid":{"c":"1-3"}},"checksum":2061127187}'


@pytest.mark.parametrize(
    ("text", "policy"),
    [(STATIC, "static"), ('{"policyName":"None","machineState":{},"checksum":4}', "None"), ("", "?"), ("[]", "?")],
)
def test_the_policy_of_a_checkpoint_is_read_and_what_no_kubelet_starts_on_is_told_apart(text: str, policy: str) -> None:
    assert parse_policy(text) == policy


def test_the_driver_of_kubeadms_configuration_is_read() -> None:
    assert parse_driver("apiVersion: kubelet.config.k8s.io/v1beta1\ncgroupDriver: systemd\n") == "systemd"
    assert parse_driver("  cgroupDriver: systemd\n") == "" and parse_driver("") == ""
