"""Images through whole runs of the node program, with a containerd that keeps what it is given."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

from raceway.host import Result
from raceway.node.program import run

from ..builders import FakeHost
from ..requests import make_request

NAME = "registry.k8s.io/pause:3.10.1"
SPEC: dict[str, Any] = {"present": True, "archives": ["/srv/a.tar"], "needed": [NAME]}
BLOBS = "var/lib/containerd/io.containerd.content.v1.content/blobs/sha256"


def make_archive(root: Path, config: str, *names: str) -> None:
    """Write an archive as docker save does; ``config``: digest of the configuration."""
    manifest = json.dumps([{"Config": f"{config}.json", "RepoTags": list(names), "Layers": []}]).encode()
    (root / "srv").mkdir(exist_ok=True)
    with tarfile.open(root / "srv/a.tar", "w") as archive:
        info = tarfile.TarInfo("manifest.json")
        info.size = len(manifest)
        archive.addfile(info, io.BytesIO(manifest))


class CtrHost(FakeHost):
    """A containerd: names to digests, and manifests as files of its content store."""

    def __init__(self, root: Path) -> None:
        (root / "run/containerd").mkdir(parents=True)
        (root / "run/containerd/containerd.sock").touch()
        super().__init__(root, {"ctr": ""})
        self.images: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        self.broken = False

    def keep(self, name: str, config: str) -> None:
        """Have an image under a name, with a manifest that names its configuration."""
        text = json.dumps({"config": {"digest": f"sha256:{config}"}})
        digest = hashlib.sha256(text.encode()).hexdigest()
        place = Path(self.root) / BLOBS
        place.mkdir(parents=True, exist_ok=True)
        (place / digest).write_text(text)
        self.images[name] = digest

    def run(self, argv: Any, timeout: float = 60.0, stdin: str = "") -> Result:
        """Answer ``ctr images``."""
        words = list(argv)[4:]
        if argv[0] != "ctr":
            return super().run(argv, timeout, stdin)
        if words[0] == "ls":
            rows = [f"{name} application/x sha256:{digest} 1 MiB linux/amd64 -" for name, digest in self.images.items()]
            return Result(0, "\n".join(["REF TYPE DIGEST SIZE PLATFORMS LABELS", *rows]), "")
        if words[0] == "import" and not self.broken:
            with tarfile.open(self.path(words[-1])) as archive:
                (row,) = json.load(archive.extractfile("manifest.json"))  # type: ignore[arg-type]
            for name in row["RepoTags"]:
                full = name if "." in name.split("/")[0] else f"docker.io/{name}"  # as containerd keeps it
                self.keep(full, row["Config"][: -len(".json")])
        elif words[0] == "label":
            self.labels[words[1]] = words[2]
        elif words[0] == "pull" and "mirror" in words[-1]:
            self.keep(words[-1], "pulled")
        elif words[0] == "rm":
            for name in words[1:]:
                self.images.pop(name, None)
        return Result(1 if self.broken else 0, "", "ctr: unexpected EOF" if self.broken else "")


def call(host: FakeHost, mode: str, spec: dict[str, Any]) -> dict[str, Any]:
    return run(make_request(mode, kube_images=spec), host)


def test_an_archive_is_imported_once_and_its_images_are_kept_from_clean_up(tmp_path: Path) -> None:
    host = CtrHost(tmp_path)
    make_archive(tmp_path, "c1", NAME, "volcanosh/vc-scheduler:v1")
    assert call(host, "plan", SPEC)["roles"]["system"]["steps"] and not host.images
    answer = call(host, "apply", SPEC)
    assert [row["type"] for row in answer["applied"]] == ["kube_image_import"]
    assert host.labels[NAME] == "io.cri-containerd.pinned=pinned"
    assert not call(host, "apply", SPEC)["applied"]


def test_an_archive_with_other_content_under_the_same_name_is_imported_again(tmp_path: Path) -> None:
    host = CtrHost(tmp_path)
    make_archive(tmp_path, "c1", NAME)
    call(host, "apply", SPEC)
    make_archive(tmp_path, "c2", NAME)
    (row,) = call(host, "verify", SPEC)["roles"]["system"]["steps"]
    assert row["why"] == f"another content: {NAME}"
    assert call(host, "apply", SPEC)["applied"] and not call(host, "verify", SPEC)["roles"]["system"]["steps"]


def test_an_import_that_fails_is_told_with_what_containerd_said(tmp_path: Path) -> None:
    host = CtrHost(tmp_path)
    make_archive(tmp_path, "c1", NAME)
    host.broken = True
    (refusal,) = call(host, "apply", SPEC)["refused"]
    assert f"{NAME} not there after the import of /srv/a.tar: ctr: unexpected EOF" in refusal["reason"]


def test_a_name_is_pulled_and_one_that_cannot_be_is_refused_alone(tmp_path: Path) -> None:
    host = CtrHost(tmp_path)
    answer = call(host, "apply", {"present": True, "pulls": ["docker.io/a/b:1", "mirror.example/a/b:1"]})
    assert list(host.images) == ["mirror.example/a/b:1"]
    (refusal,) = answer["refused"]
    assert refusal["target"] == "docker.io/a/b:1" and "cannot be pulled" in refusal["reason"]


def test_a_containerd_that_is_not_there_yet_is_planned_for(tmp_path: Path) -> None:
    host = CtrHost(tmp_path)
    make_archive(tmp_path, "c1", NAME)
    (tmp_path / "run/containerd/containerd.sock").unlink()
    assert [row["type"] for row in call(host, "plan", SPEC)["roles"]["system"]["steps"]] == ["kube_image_import"]


def test_images_go_with_the_runtime(tmp_path: Path) -> None:
    host = CtrHost(tmp_path)
    make_archive(tmp_path, "c1", NAME)
    host.keep("docker.io/somebody/else:1", "c9")
    call(host, "apply", SPEC)
    assert not call(host, "apply", {})["applied"] and NAME in host.images
