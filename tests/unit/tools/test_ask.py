"""Real answers of the pinned programs are read; an unreadable one is no version, never an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.tools import ask, pins

TABLE = pins.load()
VOLCANO = """\
API Version: v1alpha1
Version: v1.15.1
Git SHA: Not provided
Built At: Not provided
Go Version: go1.26.8
Go OS/Arch: linux/amd64
"""
ANSWERS = {
    "kubectl": "Client Version: v1.35.4\nKustomize Version: v5.7.1\n",
    "etcd": "etcd Version: 3.6.16\nGit SHA: Not provided\nGo Version: go1.26.8\nGo OS/Arch: linux/amd64\n",
    "kube-apiserver": "Kubernetes v1.35.4\n",
    "kube-controller-manager": "Kubernetes v1.35.4\n",
    "kube-scheduler": "Kubernetes v1.35.4\n",
    "kubelet": "Kubernetes v1.35.4\n",
    "kubeadm": "v1.35.4\n",
    "kube-proxy": "Kubernetes v1.35.4\n",
    "etcdutl": "etcdutl version: 3.6.16\nAPI version: 3.6\n",
    "coredns": "CoreDNS-1.13.1\nlinux/amd64, go1.26.8, \n",
    "pause": "pause 3.10.1\n",
    "device-plugin": "device-plugin 1.0.0\n",
    "kwok": "kwok version 0.8.0 go1.26.8 (linux/amd64)\n",
    "vc-scheduler": VOLCANO,
    "vc-controller-manager": VOLCANO,
    "vc-webhook-manager": VOLCANO,
    "vcctl": VOLCANO,
    "pulumi": "v3.274.1\n",
    "pulumi-language-python": "v3.274.1 (raceway's Python language host, /opt/venv/bin/python)\n",
}


def test_an_answer_is_recorded_for_every_tool_that_answers_in_words() -> None:
    assert set(ANSWERS) == {name for name, tool in TABLE.tools.items() if tool.answer}


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_the_version_is_read_out_of_the_real_answer(name: str) -> None:
    tool = TABLE.tool(name)
    asked = []

    def runner(argv: object) -> str:
        asked.append(argv)
        return ANSWERS[name]

    assert ask.version(tool, Path("/bin") / name, runner) == tool.version
    assert asked == [[f"/bin/{name}", *tool.ask]]


@pytest.mark.parametrize("text", ["", "usage: …", "\x00\xff", "Version: devel"])
def test_an_unreadable_answer_is_no_version(text: str) -> None:
    for name in ANSWERS:
        assert ask.version(TABLE.tool(name), Path(name), lambda argv, text=text: text) is None
