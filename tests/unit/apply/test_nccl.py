"""A library's file through a whole run of the node program: written, read back, mended, given back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from raceway.node.program import run

from ..builders import FakeHost, make_tree
from ..requests import make_request

CONF = "/etc/nccl.conf"
SPEC = {"declaration": {"kind": "nvidia", "version": "2.27.5", "sockets": ["eth0"]}}


def call(host: FakeHost, mode: str, spec: dict[str, Any]) -> dict[str, Any]:
    return run(make_request(mode, nccl=spec), host)


def test_somebodys_file_is_replaced_and_comes_back_as_it_was(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, {CONF: "NCCL_GRAPH_FILE=/tmp/x\n"}))
    answer = call(host, "apply", SPEC)
    assert [row["target"] for row in answer["applied"]] == [CONF] and not answer["remaining"]
    assert "\nNCCL_SOCKET_IFNAME==eth0\n" in (host.read(CONF) or "")
    assert not call(host, "apply", SPEC)["applied"]
    call(host, "apply", {})
    assert host.read(CONF) == "NCCL_GRAPH_FILE=/tmp/x\n"
    assert not call(host, "apply", {})["applied"]


def test_a_file_that_was_not_there_goes_again(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, {"/etc/hostname": "a\n"}))
    call(host, "apply", SPEC)
    call(host, "apply", {})
    assert not host.exists(CONF)


def test_an_edit_and_a_removal_are_seen_by_verify_and_mended(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, {"/etc/hostname": "a\n"}))
    call(host, "apply", SPEC)
    right = host.read(CONF)
    for edit in ("NCCL_DEBUG=INFO\n", None):
        (tmp_path / "etc/nccl.conf").write_text(edit) if edit else (tmp_path / "etc/nccl.conf").unlink()
        assert call(host, "verify", SPEC)["roles"]["system"]["steps"]
        call(host, "apply", SPEC)
        assert host.read(CONF) == right and not call(host, "verify", SPEC)["roles"]["system"]["steps"]


def test_a_missing_rail_leaves_the_file_alone(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, {CONF: "NCCL_DEBUG=WARN\n"}))
    spec = {"declaration": {**SPEC["declaration"], "rails": [{"rail": 0, "pci": "0000:1a:00.0"}]}}
    answer = call(host, "apply", spec)
    assert not answer["applied"] and host.read(CONF) == "NCCL_DEBUG=WARN\n"
    assert answer["roles"]["system"]["refusals"][0]["target"] == "rail 0"
