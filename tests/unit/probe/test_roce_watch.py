"""Two looks at the counters of RoCE ports: all ports in one wait, and none where nothing is to be watched."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.host import Ledger
from raceway.model.roce import Port
from raceway.model.roce_watch import RoceWatchDesired
from raceway.probe import roce_watch

from ..fake_dcb import FakeDcb

ONE, TWO = Port("pci", "0000:3b:00.0"), Port("pci", "0000:5e:00.0", 1)


@pytest.fixture
def host(tmp_path: Path) -> FakeDcb:
    made = FakeDcb(tmp_path)
    made.add("ens1f0np0", ONE.value, "b8:3f:d2:00:00:01")
    made.add("ens2f0np0", TWO.value, "b8:3f:d2:00:00:02")
    return made


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch, host: FakeDcb) -> list[float]:
    """The waits there were; during each of them the first port drops packets and its RDMA device sends CNPs."""
    found: list[float] = []
    counter = host.folder / "sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent"
    host.add_rdma("ens1f0np0", "mlx5_0")
    counter.parent.mkdir(parents=True)
    counter.write_text("10\n")

    def wait(seconds: float) -> None:
        found.append(seconds)
        host.counters["ens1f0np0"] = {"rx_discards_phy": 9}
        counter.write_text("14\n")

    monkeypatch.setattr(roce_watch.time, "sleep", wait)
    host.counters = {"ens1f0np0": {"rx_discards_phy": 2}, "ens2f0np0": {"rx_discards_phy": 0}}
    return found


def test_what_grew_in_between_is_told_a_port_with_one_wait_for_all(host: FakeDcb, waits: list[float]) -> None:
    found = roce_watch.probe(host, RoceWatchDesired((ONE, TWO), seconds=2), Ledger(host))
    assert waits == [2] and set(found) == {ONE.label, TWO.label}
    assert (found[ONE.label].of("discards"), found[ONE.label].of("cnp_sent")) == (7, 4)
    assert found[TWO.label].of("discards") == 0 and found[TWO.label].of("cnp_sent") is None


@pytest.mark.parametrize(
    "desired",
    [
        RoceWatchDesired((ONE,), seconds=0),
        RoceWatchDesired(seconds=1),
        RoceWatchDesired((Port("pci", "0"),), seconds=1),
    ],
    ids=["no time", "no port", "none there"],
)
def test_nobody_waits_where_there_is_nothing_to_watch(
    host: FakeDcb, waits: list[float], desired: RoceWatchDesired
) -> None:
    assert roce_watch.probe(host, desired, Ledger(host)) == {} and waits == []
    assert host.calls == []
