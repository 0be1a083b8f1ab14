"""States of modules as /sys and the lists on disk show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.facts.module import ABSENT, AVAILABLE, BUILTIN, INSIDE, LOADED
from raceway.host import Host, Ledger
from raceway.model.module import parse
from raceway.probe.module import lib_folder, probe, states

from ..builders import make_tree, recorded_host

KERNELS = {"debian12-vm": "6.1.0-38-amd64", "h100-node": "5.15.0-1063-nvidia", "lab-container": "6.18.44"}


@pytest.mark.parametrize(
    ("shape", "name", "state"),
    [
        ("debian12-vm", "virtio_net", LOADED),
        ("debian12-vm", "tcp_cubic", BUILTIN),
        ("debian12-vm", "tcp_bbr", AVAILABLE),
        ("debian12-vm", "nvme_fabrics", AVAILABLE),
        ("debian12-vm", "tcp_vegas", ABSENT),
        ("h100-node", "nvidia_peermem", LOADED),
        ("h100-node", "nvme", BUILTIN),
        ("lab-container", "tcp_bbr", INSIDE),
        ("lab-container", "overlay", LOADED),
        ("lab-container", "sch_fq", ABSENT),
    ],
)
def test_case_b38_the_state_of_a_module_needs_no_lsmod(shape: str, name: str, state: str) -> None:
    host = recorded_host(shape)
    assert states(host, [name], KERNELS[shape])[name].state == state
    assert host.calls == []


def test_a_loaded_module_shows_parameters_count_and_holders() -> None:
    host = recorded_host("h100-node")
    found = states(host, ["nvidia", "nvidia_peermem"], KERNELS["h100-node"])
    assert (found["nvidia"].refcount, found["nvidia"].holders) == (412, ("nvidia_uvm",))
    assert found["nvidia_peermem"].parameters == {"peerdirect_support": "0"}


def test_a_kernel_that_cannot_unload_counts_one_user(tmp_path: Path) -> None:
    host = Host(str(make_tree(tmp_path, {"/sys/module/x/initstate": "live\n"})))
    assert states(host, ["x"], "6.1")["x"].refcount == 1


def test_default_qdisc_shows_that_its_kind_is_there(tmp_path: Path) -> None:
    host = Host(str(make_tree(tmp_path, {"/proc/sys/net/core/default_qdisc": "fq\n"})))
    assert states(host, ["sch_fq", "sch_cake"], "6.1")["sch_fq"].state == INSIDE
    assert states(host, ["sch_fq", "sch_cake"], "6.1")["sch_cake"].state == ABSENT


def test_a_modprobe_file_in_etc_hides_the_same_name_below_usr(tmp_path: Path) -> None:
    files = {
        "/etc/modprobe.d/a.conf": "# nothing\n",
        "/usr/lib/modprobe.d/a.conf": "blacklist x\n",
        "/usr/lib/modprobe.d/b.conf": "blacklist y\n",
        "/proc/cmdline": "modprobe.blacklist=z\n",
    }
    host = Host(str(make_tree(tmp_path, files)))
    held = probe(host, parse({"modules": [{"name": "x"}]}), Ledger(host)).held_back
    assert [row.module for row in held] == ["y", "z"]


def test_the_folder_of_another_kernel_is_not_the_running_ones(tmp_path: Path) -> None:
    host = Host(str(make_tree(tmp_path, {"/lib/modules/6.1.0-38/modules.dep": ""})))
    assert lib_folder(host, "6.1.0-38") == "/lib/modules/6.1.0-38"
    assert lib_folder(host, "6.1.0-37") is None and lib_folder(host, "") is None


def test_options_come_in_the_order_of_file_names_and_one_in_etc_hides_its_name_below_usr(tmp_path: Path) -> None:
    files = {
        "/usr/lib/modprobe.d/systemd.conf": "# a comment\noptions dummy numdummies=0\n",
        "/usr/lib/modprobe.d/a.conf": "options dummy numdummies=5\n",
        "/etc/modprobe.d/a.conf": "options dummy numdummies=1  # one\n",
    }
    host = Host(str(make_tree(tmp_path, files)))
    facts = probe(host, parse({"modules": [{"name": "dummy"}]}), Ledger(host))
    shown = [(row.options, row.file, row.line) for row in facts.options]
    assert shown == [
        ("numdummies=1", "/etc/modprobe.d/a.conf", 1),
        ("numdummies=0", "/usr/lib/modprobe.d/systemd.conf", 2),
    ]
