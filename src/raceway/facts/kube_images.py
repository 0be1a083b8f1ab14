"""What an archive of images holds, and what containerd has: names, and the digest of each image's configuration.

``docker save`` writes a manifest.json; an OCI layout has an index.json whose manifests name configurations::

    [{"Config": "4cb1….json", "RepoTags": ["registry.k8s.io/pause:3.10.1"], "Layers": ["a3f0….tar"]}]

The configuration's digest is what an image *is*: containerd makes manifests of its own for what it imports, and a tag
says nothing about content. It deliberately reads no layer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple

NAME_ANNOTATION = "io.containerd.image.name"


@dataclass(frozen=True)
class Archive:
    """``images``: name → digest of its configuration as hex (empty: only its name is known). ``problem``: why none."""

    images: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True)
class KubeImagesFacts:
    """``archives`` by path; ``images``: name → digest of the configuration containerd has. ``running``: it answers.

    ``owned``: names that raceway brought.
    """

    archives: Mapping[str, Archive] = field(default_factory=dict)
    images: Mapping[str, str] = field(default_factory=dict)
    running: bool = False
    owned: Tuple[str, ...] = ()


def parse_docker(manifest: str) -> Archive:
    """Return the images of a manifest.json of docker save.

    >>> parse_docker('[{"Config": "ab12.json", "RepoTags": ["docker.io/library/a:1"]}]').images
    {'docker.io/library/a:1': 'ab12'}
    """
    rows = _json(manifest)
    if not isinstance(rows, list):
        return Archive(problem="its manifest.json is no list of images")
    images: Dict[str, str] = {}
    for row in rows:
        config = str(row.get("Config", "")).rpartition("/")[2]
        for name in row.get("RepoTags") or ():
            images[full_name(name)] = config[: -len(".json")] if config.endswith(".json") else config
    return Archive(images) if images else Archive(problem="none of its images has a name")


def parse_oci(index: str) -> Archive:
    """Return the images of an index.json of an OCI layout: their names; contents are compared when imported."""
    document = _json(index)
    rows = document.get("manifests", ()) if isinstance(document, dict) else ()
    names = [str((row.get("annotations") or {}).get(NAME_ANNOTATION, "")) for row in rows]
    images = {full_name(name): "" for name in names if name}
    return Archive(images) if images else Archive(problem=f"no manifest of its index.json has {NAME_ANNOTATION}")


def parse_list(text: str) -> Dict[str, str]:
    """Return name → digest of its target from ``ctr images ls`` (columns REF TYPE DIGEST SIZE PLATFORMS LABELS)."""
    rows = (line.split() for line in text.splitlines()[1:])
    return {words[0]: words[2] for words in rows if len(words) > 2 and words[2].startswith("sha256:")}


def parse_config(manifest: str) -> str:
    """Return the digest of the configuration that an image manifest names, as hex; empty for an index or none."""
    document = _json(manifest)
    config = document.get("config") if isinstance(document, dict) else None
    return str((config or {}).get("digest", "")).rpartition(":")[2]


def full_name(name: str) -> str:
    """Return a name as containerd keeps it: docker's short ones get their registry and path.

    >>> full_name("busybox:1"), full_name("volcanosh/vc-scheduler:v1"), full_name("registry.k8s.io/pause:3.10.1")
    ('docker.io/library/busybox:1', 'docker.io/volcanosh/vc-scheduler:v1', 'registry.k8s.io/pause:3.10.1')
    """
    head, slash, _ = name.partition("/")
    if slash and (head == "localhost" or "." in head or ":" in head):
        return name
    return f"docker.io/{name}" if slash else f"docker.io/library/{name}"


def _json(text: str) -> Optional[Any]:
    try:
        return json.loads(text)
    except ValueError:
        return None
