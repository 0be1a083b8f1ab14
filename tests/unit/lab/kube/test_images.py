"""The archives hold what a cluster asks for, under the names it asks by, and are made once for each set of inputs."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from raceway.lab.kube import images, rootfs
from raceway.lab.progress import Steps
from raceway.tools import pins

QUIET = Steps(show=False)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A stand-in for every program, and for the root file systems and Volcano's folder."""
    monkeypatch.setenv("RACEWAY_CACHE", str(tmp_path / "cache"))
    made = {}
    for name in images.tools():
        made[name] = tmp_path / "tools" / f"{name}-1-abc" / name
        made[name].parent.mkdir(parents=True)
        made[name].write_text(f"I am {name}\n")
        made[name].chmod(0o755)
    script = tmp_path / "volcano" / images.SECRET_SCRIPT
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\n[[ -z $1 ]]\n")
    monkeypatch.setattr(images, "module_dir", lambda _: tmp_path / "volcano")

    def base(recipe: rootfs.Rootfs, *_: Any) -> Path:
        path = tmp_path / f"{recipe.name}.tar"
        if not path.exists():
            with tarfile.open(path, "w") as tar:
                tar.addfile(tarfile.TarInfo(recipe.name))
        return path

    monkeypatch.setattr(images.rootfs, "ensure", base)
    return made


def tags(path: Path) -> list[str]:
    with tarfile.open(path) as tar:
        manifest = tar.extractfile("manifest.json")
        assert manifest
        return [tag for entry in json.loads(manifest.read()) for tag in entry["RepoTags"]]


def test_every_image_kubeadm_asks_for_is_there_under_its_name(programs: dict[str, Path]) -> None:
    made = images.ensure(programs, QUIET)
    assert set(tags(made["control-plane"])) == {
        "registry.k8s.io/kube-apiserver:v1.35.4",
        "registry.k8s.io/kube-controller-manager:v1.35.4",
        "registry.k8s.io/kube-scheduler:v1.35.4",
        "registry.k8s.io/etcd:3.6.6-0",
    }
    assert {
        "registry.k8s.io/pause:3.10.1",
        "registry.k8s.io/kube-proxy:v1.35.4",
        "registry.k8s.io/coredns/coredns:v1.13.1",
        images.WORK_IMAGE,
        images.DEVICES_IMAGE,
    } == set(tags(made["node"]))
    assert images.TORCH_IMAGE in tags(made["torch"])
    assert all(tag.startswith("docker.io/volcanosh/vc-") for tag in tags(made["volcano"]))


def test_the_tags_are_the_pinned_versions() -> None:
    table = pins.load()
    assert f"v{table.tool('kubelet').version}" == images.KUBERNETES
    assert f"v{table.tool('coredns').version}" == images.COREDNS
    assert f"v{table.tool('vc-scheduler').version}" == images.VOLCANO
    assert table.tool("pause").version == images.PAUSE
    assert table.tool("etcd").version == table.tool("etcdutl").version
    assert table.tool("etcd").version.rpartition(".")[0] == images.ETCD_TAG.rpartition(".")[0]


def test_the_programs_are_all_of_the_set_that_is_built_for_them() -> None:
    assert set(images.tools()) < {tool.name for tool in pins.load().of_set(pins.KUBERNETES)}


def test_archives_are_made_once_and_a_changed_program_is_another_file(programs: dict[str, Path]) -> None:
    first = images.ensure(programs, QUIET)
    dates = {name: path.stat().st_mtime_ns for name, path in first.items()}
    assert images.ensure(programs, QUIET) == first
    assert {name: path.stat().st_mtime_ns for name, path in first.items()} == dates
    other = programs["etcd"].parent.with_name("etcd-1-def") / "etcd"
    other.parent.mkdir()
    other.write_text("another\n")
    second = images.ensure({**programs, "etcd": other}, QUIET)
    assert second["control-plane"] != first["control-plane"]
    assert {name for name in first if first[name] == second[name]} == {"node", "volcano", "torch"}


def test_archives_of_older_recipes_go_but_for_those_another_checkout_may_use(programs: dict[str, Path]) -> None:
    for number in range(6):
        other = programs["etcd"].parent.with_name(f"etcd-1-{number}") / "etcd"
        other.parent.mkdir()
        other.write_text("another\n")
        newest = images.ensure({**programs, "etcd": other}, QUIET)["control-plane"]
    left = list(images.store().glob("control-plane-*.tar"))
    assert newest in left
    assert len(left) == 1 + images.KEPT


def test_a_kill_in_the_middle_leaves_no_archive_and_the_next_run_starts_anew(
    programs: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(images.archive, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            images.ensure(programs, QUIET)
    assert list(images.store().glob("*.tar")) == []
    (images.store() / "build").mkdir()
    (images.store() / "build" / "half.tar").write_bytes(b"half")
    images.sweep()
    assert not (images.store() / "build").exists()
    assert set(images.ensure(programs, QUIET)) == {"control-plane", "node", "volcano", "torch"}


def test_volcanos_script_gets_the_shell_it_is_written_for(programs: dict[str, Path], tmp_path: Path) -> None:
    script = images._script(images.SECRET_SCRIPT, tmp_path)
    assert script.read_text() == "#!/bin/bash\n[[ -z $1 ]]\n"
    assert script.stat().st_mode & 0o111
