"""What is wrong with the variables of a node's programs, runtime and images, before a node is touched.

It deliberately tries nothing: a mirror that does not answer and a file that is not there are seen on the node.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from ..model.containerd import RUNC
from ..model.kube_binaries import CONTAINERD_NAMES, KUBE_NAMES, Pin, version_of
from ..model.kube_images import REGISTRY, REPOSITORY, bad_name
from ..model.mount import SYSTEM
from . import kubernetes_kubelet
from .problem import Problem

# Minor versions whose companions we know and whose settings this role writes; one older than what is tested.
MINORS = ((1, 34), (1, 35))
_SUM = re.compile(r"[0-9a-fA-F]{64}")
_ADDRESS = re.compile(r"https?://[^\s/?#]+(/[^\s?#]*)?")
_HANDLER = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_PACKAGE_VERSION = re.compile(r"[0-9][A-Za-z0-9.+:~-]*")


def rules(values: Mapping[str, Any]) -> list[Problem]:
    """Return everything that is wrong."""
    return [
        *_version(values),
        *_source(values),
        *_containerd_source(values),
        *_folders(values),
        *_image_names(values),
        *_archives(values),
        *_mirrors(values),
        *_runtimes(values["kubernetes_containerd_runtimes"]),
        *_mounts(values),
        *kubernetes_kubelet.rules(values),
    ]


def _version(values: Mapping[str, Any]) -> list[Problem]:
    text = str(values["kubernetes_version"])
    found = version_of(text)
    if found is None or text.startswith("v") or text != ".".join(map(str, found)):
        act = f"write {text[1:]}" if text.startswith("v") and found else "give major, minor and patch"
        return [Problem("kubernetes_version", f"{text!r}", "a version such as 1.35.4", act)]
    if found[:2] not in MINORS:
        known = ", ".join(f"{major}.{minor}" for major, minor in MINORS)
        act = "declare one of these: settings and images of other versions are not known here"
        return [Problem("kubernetes_version", text, known, act)]
    return []


def _source(values: Mapping[str, Any]) -> list[Problem]:
    if values["kubernetes_source"] == "binaries":
        return _binaries(values, "kubernetes_binaries", KUBE_NAMES, ("kubeadm", "kubelet", "kubectl"))
    rows = []
    for name, version in values["kubernetes_packages"].items():
        text = str(version or "")
        if text and not _PACKAGE_VERSION.fullmatch(text):
            rows.append(Problem("kubernetes_packages", f"{name}: {version!r}", "a version, or empty", "correct it"))
        elif text and name in KUBE_NAMES[:3] and not Pin(name, str(values["kubernetes_version"])).met(text):
            found = f"{name} {text}, kubernetes_version is {values['kubernetes_version']}"
            rows.append(
                Problem("kubernetes_packages", found, "one version on a node", "leave it empty, or make them agree")
            )
    address, key = values["kubernetes_repository"], values["kubernetes_repository_key"]
    if address and not _ADDRESS.fullmatch(address):
        act = "give the folder of the minor version, as in https://pkgs.k8s.io/core:/stable:/v1.35/deb/"
        rows.append(Problem("kubernetes_repository", address, "an http(s) address", act))
    if address and "BEGIN PGP PUBLIC KEY BLOCK" not in key:
        act = "put the repository's armoured key there: programs of a cluster are not taken unsigned"
        rows.append(
            Problem("kubernetes_repository_key", "no armoured key", "-----BEGIN PGP PUBLIC KEY BLOCK-----", act)
        )
    if key and not address:
        rows.append(Problem("kubernetes_repository", "empty, with a key", "an http(s) address", "give the address too"))
    return rows


def _containerd_source(values: Mapping[str, Any]) -> list[Problem]:
    if values["kubernetes_containerd_source"] == "binaries":
        return _binaries(values, "kubernetes_containerd_binaries", CONTAINERD_NAMES, CONTAINERD_NAMES)
    rows, variable = [], "kubernetes_containerd_packages"
    if values["kubernetes_containerd_source"] == "packages" and not values[variable]:
        act = "name the package (containerd or containerd.io), or set kubernetes_containerd_source"
        rows.append(Problem(variable, "empty", "a package", act))
    for name, version in values[variable].items():
        if version and not _PACKAGE_VERSION.fullmatch(str(version)):
            rows.append(Problem(variable, f"{name}: {version!r}", "a version, or empty", "correct it"))
    return rows


def _binaries(values: Mapping[str, Any], variable: str, known: tuple[str, ...], must: tuple[str, ...]) -> list[Problem]:
    rows, sums, origin = [], values[variable], values[f"{variable}_from"]
    if not (
        _ADDRESS.fullmatch(origin) or (origin.startswith("/") and posixpath.normpath(origin) == origin.rstrip("/"))
    ):
        act = "give the folder on the node, or the address below which the programs lie"
        rows.append(Problem(f"{variable}_from", f"{origin!r}", "an absolute folder or an http(s) address", act))
    missing = [name for name in must if name not in sums]
    if missing:
        act = "give each program's SHA-256, from the release's checksum files"
        rows.append(Problem(variable, f"no {', '.join(missing)}", ", ".join(must), act))
    for name, text in sums.items():
        if name not in known:
            rows.append(Problem(variable, f"{name!r}", ", ".join(known), "correct the program's name"))
        elif not _SUM.fullmatch(str(text)):
            rows.append(Problem(variable, f"{name}: {text!r}", "64 hexadecimal digits", "copy the SHA-256 whole"))
    return rows


def _folders(values: Mapping[str, Any]) -> list[Problem]:
    rows = []
    for name in ("binaries_folder", "containerd_root", "containerd_cni_folder"):
        path = str(values[f"kubernetes_{name}"])
        if not path.startswith("/") or posixpath.normpath(path) != path or path in SYSTEM:
            allowed = "an absolute, plain folder of its own"
            rows.append(Problem(f"kubernetes_{name}", path, allowed, "give a folder that nothing else uses"))
    return rows


def _image_names(values: Mapping[str, Any]) -> list[Problem]:
    rows = []
    repository = values["kubernetes_image_repository"]
    if not REPOSITORY.fullmatch(repository):
        act = "without scheme and closing slash, for instance mirror.example.com/k8s"
        rows.append(Problem("kubernetes_image_repository", f"{repository!r}", "a registry and a path", act))
    sandbox = values["kubernetes_containerd_sandbox_image"]
    for variable, name in [("kubernetes_containerd_sandbox_image", sandbox)] + [
        ("kubernetes_images", name) for name in values["kubernetes_images"]
    ]:
        if bad_name(name):
            allowed = "registry, path, and a tag or digest"
            rows.append(Problem(variable, f"{name!r}", allowed, "write it whole, as in registry.k8s.io/pause:3.10.1"))
        elif name.endswith(":latest"):
            act = "name a version: every node gets what latest is when it pulls"
            rows.append(Problem(variable, name, "a tag that keeps its content", act))
    return rows


def _archives(values: Mapping[str, Any]) -> list[Problem]:
    rows, variable, paths = [], "kubernetes_image_archives", values["kubernetes_image_archives"]
    source = values["kubernetes_images_source"]
    if source == "archives" and not paths:
        act = "name the archives: nothing is pulled with this source"
        rows.append(Problem(variable, "empty, with images_source archives", "at least one archive", act))
    for path in paths:
        if not path.startswith("/") or posixpath.normpath(path) != path:
            rows.append(Problem(variable, path, "an absolute, plain path on the node", "write it from / on"))
        elif path.endswith((".gz", ".tgz", ".zst", ".xz", ".bz2")):
            act = "unpack it once (gunzip, zstd -d): its list of images is read at each converge"
            rows.append(Problem(variable, path, "an uncompressed .tar", act))
        elif paths.count(path) > 1:
            rows.append(Problem(variable, f"{path} twice", "each once", "remove one of the two"))
            break
    if source == "mirror" and not values["kubernetes_containerd_registry_mirrors"]:
        act = "declare the mirror of registry.k8s.io there, or set kubernetes_images_source: registry"
        rows.append(Problem("kubernetes_images_source", "mirror, and none is declared", "a registry mirror", act))
    return rows


def _mirrors(values: Mapping[str, Any]) -> list[Problem]:
    rows, variable = [], "kubernetes_containerd_registry_mirrors"
    for registry, mirrors in values[variable].items():
        if registry != "_default" and not REGISTRY.fullmatch(registry):
            act = "name the registry as images do, for instance docker.io; _default is all others"
            rows.append(Problem(variable, f"{registry!r}", "a registry without scheme and path", act))
        if not isinstance(mirrors, list) or not mirrors or not all(isinstance(row, Mapping) for row in mirrors):
            act = f"write {registry}: [{{address: https://mirror.example.com}}]"
            rows.append(Problem(variable, f"{registry}: {mirrors!r}", "a list of mirrors with an address each", act))
            continue
        for row in mirrors:
            rows += _mirror(variable, registry, row)
    return rows


def _mirror(variable: str, registry: str, row: Mapping[str, Any]) -> list[Problem]:
    rows, address = [], str(row.get("address", ""))
    unknown = sorted(set(row) - {"address", "ca", "skip_verify"})
    if unknown:
        rows.append(
            Problem(variable, f"{registry}: {', '.join(unknown)}", "address, ca, skip_verify", "correct the name")
        )
    if not _ADDRESS.fullmatch(address):
        act = "write scheme and host, for instance https://mirror.example.com"
        rows.append(Problem(variable, f"{registry}: {address!r}", "an http(s) address", act))
    if row.get("ca") and not str(row["ca"]).startswith("/"):
        rows.append(
            Problem(variable, f"{registry}: ca {row['ca']}", "an absolute path on the node", "write it from / on")
        )
    if row.get("skip_verify") and row.get("ca"):
        act = "keep the ca: with skip_verify anybody between may answer"
        rows.append(Problem(variable, f"{registry}: ca and skip_verify", "one of the two", act))
    return rows


def _runtimes(runtimes: list[dict[str, Any]]) -> list[Problem]:
    rows, variable = [], "kubernetes_containerd_runtimes"
    seen: set[str] = set()
    for row in runtimes:
        name = row["name"]
        if not _HANDLER.fullmatch(name):
            allowed = "lower-case letters, digits and -"
            rows.append(Problem(variable, f"name {name!r}", allowed, "a RuntimeClass's handler has no other letters"))
        if name == RUNC or name in seen:
            found = f"{name} twice" if name in seen else name
            rows.append(Problem(variable, found, "names beside runc, each once", "rename it, or take it out"))
        if not row["binary"].startswith("/"):
            rows.append(
                Problem(variable, f"{name}: {row['binary']}", "an absolute path on the node", "write it from / on")
            )
        if "BinaryName" in (row.get("options") or {}):
            rows.append(Problem(variable, f"{name}: options.BinaryName", "options besides it", "give it as binary"))
        seen.add(name)
    if sum(bool(row.get("default")) for row in runtimes) > 1:
        names = ", ".join(row["name"] for row in runtimes if row.get("default"))
        rows.append(Problem(variable, f"default: {names}", "one default", "pods without a class get one runtime"))
    return rows


def _mounts(values: Mapping[str, Any]) -> list[Problem]:
    rows, variable = [], "kubernetes_required_mounts"
    data = (values["kubernetes_containerd_root"], "/var/lib/kubelet")
    for path in values[variable]:
        if not path.startswith("/") or posixpath.normpath(path) != path or path == "/":
            rows.append(Problem(variable, path, "an absolute mount point", "write it from / on"))
        elif not any(folder == path or folder.startswith(f"{path}/") for folder in data):
            act = "put kubernetes_containerd_root below it, or take the mount out"
            allowed = f"a mount point above {' or '.join(data)}"
            rows.append(Problem(variable, f"{path}: no data of this role lies below", allowed, act))
    return rows
