"""A root file system has the name of its recipe, and is there whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raceway.errors import RacewayError
from raceway.lab.kube import rootfs
from raceway.lab.progress import Steps

QUIET = Steps(show=False)


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The outputs asked of mmdebstrap; a stand-in writes them."""
    outputs: list[str] = []

    def build(call: Sequence[str], *_: Any) -> None:
        outputs.append(next(word for word in call if word.endswith("root.tar")))
        Path(outputs[-1]).write_bytes(b"rootfs")

    monkeypatch.setenv("RACEWAY_CACHE", str(tmp_path))
    monkeypatch.setattr(rootfs.debian, "build", build)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    return outputs


def test_it_is_made_once_and_then_found(built: list[str]) -> None:
    first = rootfs.ensure(rootfs.WORK, QUIET)
    assert rootfs.ensure(rootfs.WORK, QUIET) == first
    assert first.read_bytes() == b"rootfs"
    assert len(built) == 1
    assert built[0] != str(first)


def test_another_recipe_is_another_file() -> None:
    names = {rootfs.WORK.path, rootfs.TORCH.path, replace(rootfs.WORK, packages=("busybox",)).path}
    assert len(names) == 3


def test_another_mirror_is_another_file(monkeypatch: pytest.MonkeyPatch) -> None:
    before = rootfs.WORK.key
    monkeypatch.setenv("RACEWAY_LAB_MIRROR", "http://mirror.example/debian")
    assert rootfs.WORK.key != before


def test_a_build_that_fails_leaves_nothing_to_be_taken_for_a_root_file_system(
    built: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(call: Sequence[str], *_: Any) -> None:
        Path(next(word for word in call if word.endswith("root.tar"))).write_bytes(b"half")
        raise RacewayError("work image", "mmdebstrap ended with 1")

    monkeypatch.setattr(rootfs.debian, "build", fail)
    with pytest.raises(RacewayError):
        rootfs.ensure(rootfs.WORK, QUIET)
    assert list(tmp_path.rglob("*.tar")) == []


def test_making_one_needs_root_and_using_one_does_not(built: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(RacewayError, match="not root"):
        rootfs.ensure(rootfs.WORK, QUIET)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    rootfs.ensure(rootfs.WORK, QUIET)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert rootfs.ensure(rootfs.WORK, QUIET).exists()


def test_training_workers_have_a_pytorch_and_pods_of_kube_proxy_the_network_tools() -> None:
    assert "python3-torch" in rootfs.TORCH.packages
    assert {"iptables", "nftables", "conntrack", "openssl"} <= set(rootfs.WORK.packages)


def test_files_of_older_recipes_go_but_for_one_that_another_checkout_may_use(built: list[str]) -> None:
    for number in range(4):
        newest = rootfs.ensure(replace(rootfs.WORK, packages=(f"package-{number}",)), QUIET)
    other = rootfs.ensure(rootfs.TORCH, QUIET)
    left = list(rootfs.store().glob("*.tar"))
    assert {newest, other} <= set(left)
    assert len(left) == 2 + rootfs.KEPT
