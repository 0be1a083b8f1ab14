"""The catalogue only reads, has a limit for everything, and asks twice for exactly the counters."""

from __future__ import annotations

import re

from raceway.evidence.catalogue import Item, Ports, captured, counted, once
from raceway.model.evidence import Wanted

PORTS = Ports(("ens1", "ens2"), ("mlx5_0",), ("0000:5e:00.0",))
# Words by which these tools change something.
CHANGING = re.compile(
    r"(?<!\S)(set|add|del|delete|replace|flush|reset|change|up|down|-w|--write|-C|-G|-A|-K|-L|-y)(?!\S)"
)


def everything(wanted: Wanted | None = None) -> list[Item]:
    limits = wanted or Wanted()
    return [*once(PORTS, limits), *counted("before", PORTS, limits), *captured(PORTS, limits)]


def test_every_item_has_a_limit_of_bytes_and_of_time_and_one_way_to_be_read() -> None:
    for item in everything():
        assert item.limit > 0 and 0 < item.timeout_s <= 60
        assert bool(item.argv) != bool(item.files)


def test_no_command_changes_anything() -> None:
    words = [item for item in everything() if item.argv and item.form != "pcap"]
    assert len(words) > 40
    assert [item.argv for item in words if CHANGING.search(" ".join(item.argv))] == []


def test_the_check_above_would_see_a_command_that_changes() -> None:
    assert CHANGING.search("ethtool -A ens1 rx off") and CHANGING.search("dcb pfc set dev ens1")


def test_paths_in_the_bundle_are_unique_and_stay_below_its_folder() -> None:
    paths = [item.path for item in everything() if item.argv]
    assert len(set(paths)) == len(paths)
    assert not [path for path in paths if path.startswith("/") or ".." in path]


def test_both_readings_are_the_same_commands() -> None:
    before, after = ([item.argv for item in counted(when, PORTS, Wanted())] for when in ("before", "after"))
    assert before == after
    assert ("ethtool", "-S", "ens2") in before and ("ss", "-tin") in before


def test_each_interface_has_its_captures_and_the_sniffer_takes_the_rdma_device() -> None:
    paths = [item.path for item in captured(PORTS, Wanted(captures=("roce", "cnp")))]
    assert paths == [f"captures/{port}/{kind}.pcap" for port in ("ens1", "ens2") for kind in ("roce", "cnp")]
    (item,) = captured(PORTS, Wanted(captures=("cnp",), rdma_sniffer=True))
    assert "mlx5_0" in item.argv
