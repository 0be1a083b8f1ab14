"""Two labs never get the same subnet, address or port."""

from __future__ import annotations

import pytest

from raceway.errors import RacewayError
from raceway.lab import allocate


def test_the_first_lab_gets_the_first_subnet_and_the_next_the_next() -> None:
    assert allocate.subnet([]) == "10.213.0.0/24"
    assert allocate.subnet(["10.213.0.0/24", "10.213.1.0/24"]) == "10.213.2.0/24"


@pytest.mark.parametrize("taken", ["10.213.0.7/32", "10.213.0.1/24", "10.213.0.0/25", "10.213.0.9"])
def test_a_subnet_that_overlaps_anything_is_passed_over(taken: str) -> None:
    assert allocate.subnet([taken]) == "10.213.1.0/24"


def test_default_routes_and_words_that_are_no_network_take_nothing() -> None:
    assert allocate.subnet(["default", "0.0.0.0/0", "", "broadcast"]) == "10.213.0.0/24"


def test_a_host_that_uses_the_whole_pool_is_told_so() -> None:
    with pytest.raises(RacewayError, match=r"10\.213\.0\.0/16 is taken"):
        allocate.subnet(["10.0.0.0/8"])


def test_node_addresses_start_at_eleven_and_keep_their_place_when_nodes_are_added() -> None:
    assert allocate.addresses("10.213.4.0/24", 2) == ["10.213.4.11", "10.213.4.12"]
    assert allocate.addresses("10.213.4.0/24", 240)[:2] == ["10.213.4.11", "10.213.4.12"]


@pytest.mark.parametrize("count", [-1, 241])
def test_a_number_of_nodes_that_does_not_fit_is_refused(count: int) -> None:
    with pytest.raises(RacewayError, match="0 to 240"):
        allocate.addresses("10.213.4.0/24", count)


def test_ports_stand_in_one_block_that_is_free_and_not_reserved() -> None:
    got = allocate.ports(["a", "b"], {26001}, lambda port: port != 26020)
    assert got == {"a": 26040, "b": 26041}


def test_ports_stay_below_the_range_of_outgoing_connections() -> None:
    with pytest.raises(RacewayError, match="26000-31999"):
        allocate.ports(["a"], set(), lambda port: port > allocate.LAST_PORT)
