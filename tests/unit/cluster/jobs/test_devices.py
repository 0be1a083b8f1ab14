"""Ports handed over as JSON: known keys alone, addresses in one spelling, every mistake with its entry."""

from __future__ import annotations

import pytest

from raceway.cluster.jobs.devices import parse
from raceway.errors import RacewayError
from raceway.facts.nccl import RdmaPort


def test_addresses_have_one_spelling_and_the_rest_its_default() -> None:
    found = parse("f", '[{"device": "mlx5_0", "pci": "0000:1A:00.0"}, {"device": "mlx5_1", "port": 2}]')
    assert found == (RdmaPort("mlx5_0", "0000:1a:00.0"), RdmaPort("mlx5_1", port=2))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nonsense", "f: no JSON"),
        ("{}", "f: a dict"),
        ('[{"pci": "x"}]', "f: entry 1: no device"),
        ('[{"device": "a"}, {"device": "b", "slot": 1}]', "f: entry 2: slot: 1"),
        ('[{"device": "a", "port": "1"}]', "f: entry 1: port: '1'"),
        ('[{"device": "a", "gids": [{"index": 3}]}]', "f: entry 1: gids: KeyError"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(RacewayError) as caught:
        parse("f", text)
    assert told in str(caught.value)
