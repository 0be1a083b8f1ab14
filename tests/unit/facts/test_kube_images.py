"""Archives of images as real tools write them, and the ugly ones."""

from __future__ import annotations

import pytest

from raceway.facts.kube_images import parse_config, parse_docker, parse_list, parse_oci

# Cut from `docker save` (layers shortened) and from `ctr images export`, which writes both forms into one archive.
DOCKER = """[{"Config":"blobs/sha256/4cb1","RepoTags":["busybox:1","team/a:2"],"Layers":["blobs/sha256/a3"]},
 {"Config":"9f2e.json","RepoTags":null,"Layers":["x/layer.tar"]}]"""
OCI = """{"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.index.v1+json","digest":"sha256:1",
 "size":2,"annotations":{"io.containerd.image.name":"registry.k8s.io/pause:3.10.1"}},{"digest":"sha256:2","size":3}]}"""
LIST = """REF                          TYPE                 DIGEST     SIZE    PLATFORMS   LABELS
registry.k8s.io/pause:3.10.1 application/x.docker sha256:ab1 1.2 MiB linux/amd64 -
sha256:77                    application/x.oci    sha256:ab2 1.2 MiB linux/amd64 -
"""


def test_names_of_docker_are_those_containerd_keeps() -> None:
    assert parse_docker(DOCKER).images == {"docker.io/library/busybox:1": "4cb1", "docker.io/team/a:2": "4cb1"}


def test_an_oci_layout_tells_names_and_leaves_contents_to_the_import() -> None:
    assert parse_oci(OCI).images == {"registry.k8s.io/pause:3.10.1": ""}


@pytest.mark.parametrize(
    ("text", "problem"),
    [("{}", "no list of images"), ("not json", "no list of images"), ('[{"Config": "a.json"}]', "has a name")],
)
def test_a_manifest_that_names_nothing_is_told(text: str, problem: str) -> None:
    assert problem in parse_docker(text).problem and parse_docker(text).images == {}


def test_an_index_without_names_is_told() -> None:
    assert "io.containerd.image.name" in parse_oci('{"manifests": [{"digest": "sha256:1"}]}').problem
    assert parse_oci("[").problem


def test_the_list_of_containerd_is_read_by_its_columns() -> None:
    assert parse_list(LIST) == {"registry.k8s.io/pause:3.10.1": "sha256:ab1", "sha256:77": "sha256:ab2"}
    assert parse_list("") == {}


def test_an_image_is_known_by_its_configuration_and_an_index_of_platforms_is_not() -> None:
    assert parse_config('{"config": {"digest": "sha256:c0ffee"}}') == "c0ffee"
    assert parse_config('{"manifests": []}') == "" and parse_config("") == ""
