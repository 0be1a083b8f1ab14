"""Replacing queueing disciplines on ports with one queue and with many, and giving them back."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.apply.outcome import Applying, Refused
from raceway.apply.qdisc import HANDLERS, prepare
from raceway.facts.qdisc import Qdisc
from raceway.host import Ledger
from raceway.probe.qdisc import read_qdiscs

from ..builders import make_step
from ..fake_kernel import FakeKernel

MQ = {"kind": "mq", "child": "fq_codel"}


def make_run(host: FakeKernel) -> Applying:
    return Applying(host, Ledger(host))


def shown(host: FakeKernel, dev: str) -> Qdisc:
    return read_qdiscs(host)[0][dev]


@pytest.mark.parametrize("default", ["fq", "fq_codel", "pfifo_fast"])
def test_case_b38_every_queue_of_a_live_port_is_replaced_whatever_the_default_is(default: str, tmp_path: Path) -> None:
    host = FakeKernel("h100-node", tmp_path)
    host.poke("/proc/sys/net/core/default_qdisc", f"{default}\n")
    step = make_step("qdisc", dev="eth0", kind="fq", original=MQ)
    prepare(make_run(host), [step])
    HANDLERS["qdisc"](make_run(host), step)
    assert shown(host, "eth0").summary == "mq of fq" and len(shown(host, "eth0").children) == 12
    assert Ledger(host).owned("qdisc") == {"eth0": MQ}


def test_a_root_with_a_handle_keeps_it_and_only_other_children_are_touched(tmp_path: Path) -> None:
    host = FakeKernel("h100-node", tmp_path)
    host.run(["tc", "qdisc", "replace", "dev", "eno1", "root", "mq"])
    handle = shown(host, "eno1").handle
    host.run(["tc", "qdisc", "replace", "dev", "eno1", "parent", f"{handle[:-1]}:1", "fq"])
    host.calls.clear()
    HANDLERS["qdisc"](make_run(host), make_step("qdisc", dev="eno1", kind="fq", original=MQ))
    assert shown(host, "eno1").handle == handle
    assert len([line for line in host.calls if "replace" in line]) == 3


@pytest.mark.parametrize("default", ["fq", "fq_codel"])
def test_a_port_gets_its_original_back_whatever_the_default_is_by_then(default: str, tmp_path: Path) -> None:
    host = FakeKernel("h100-node", tmp_path)
    run = make_run(host)
    run.ledger.remember("qdisc", "eth0", MQ)
    HANDLERS["qdisc"](run, make_step("qdisc", dev="eth0", kind="fq", original=MQ))
    host.poke("/proc/sys/net/core/default_qdisc", f"{default}\n")
    HANDLERS["qdisc_restore"](run, make_step("qdisc_restore", dev="eth0", original=MQ))
    assert shown(host, "eth0").summary == "mq of fq_codel" and run.ledger.owned("qdisc") == {}


def test_a_port_with_one_queue_goes_there_and_back(tmp_path: Path) -> None:
    host = FakeKernel("debian12-vm", tmp_path)
    run, was = make_run(host), {"kind": "pfifo_fast", "child": ""}
    HANDLERS["qdisc"](run, make_step("qdisc", dev="ens3", kind="fq", original=was))
    assert shown(host, "ens3").summary == "fq"
    host.poke("/proc/sys/net/core/default_qdisc", "fq_codel\n")
    HANDLERS["qdisc_restore"](run, make_step("qdisc_restore", dev="ens3", original=was))
    assert shown(host, "ens3").summary == "pfifo_fast"


def test_a_tc_that_does_nothing_and_a_port_that_left_are_refused(tmp_path: Path) -> None:
    run = make_run(FakeKernel("debian12-vm", tmp_path, broken=["tc"]))
    with pytest.raises(Refused, match="shows pfifo_fast afterwards, not fq"):
        HANDLERS["qdisc"](run, make_step("qdisc", dev="ens3", kind="fq", original={}))
    with pytest.raises(Refused, match="no longer there"):
        HANDLERS["qdisc"](run, make_step("qdisc", dev="ens9", kind="fq", original={}))


def test_a_port_that_is_gone_is_forgotten(tmp_path: Path) -> None:
    run = make_run(FakeKernel("debian12-vm", tmp_path))
    run.ledger.remember("qdisc", "ens9", MQ)
    HANDLERS["qdisc_forget"](run, make_step("qdisc_forget", dev="ens9", original=MQ))
    assert run.ledger.owned("qdisc") == {}
