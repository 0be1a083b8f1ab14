"""From a host's variables to its ports and the sweep's settings."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.acceptance.declared import declared, from_given, together, variables
from raceway.errors import RacewayError
from raceway.inventory.specs import load_specs

PORT = {"rail": 0, "address": "10.0.0.1"}
GIVEN: dict[str, Any] = {"acceptance_ports": [PORT], "acceptance_line_rate_gbps": 400}


def make(host: str = "a", **changed: Any) -> Any:
    return from_given({**GIVEN, **changed}, host)


def test_a_port_has_its_own_line_rate_or_the_one_of_all() -> None:
    own = make(acceptance_ports=[PORT, {"rail": 1, "address": "10.0.1.1", "gbps": 200}])
    assert [(port.name, port.gbps) for port in own.ports] == [("a rail 0", 400.0), ("a rail 1", 200.0)]


def test_a_port_without_an_address_is_left_out_by_name_and_the_others_are_not() -> None:
    own = make(acceptance_ports=[PORT, {"rail": 1}])
    assert len(own.ports) == 1
    assert [(one.name, one.reason) for one in own.left_out] == [("a rail 1", "it is declared without address")]


def test_everything_that_is_wrong_is_told_in_one_message() -> None:
    with pytest.raises(RacewayError) as caught:
        make(acceptance_fraction=2, acceptance_seconds=0, acceptance_transport="udp")
    assert "acceptance_transport" in str(caught.value)
    with pytest.raises(RacewayError) as caught:
        make(acceptance_fraction=2, acceptance_seconds=0)
    assert "acceptance_fraction: 2" in str(caught.value) and "acceptance_seconds: 0" in str(caught.value)


def test_two_hosts_with_different_settings_are_an_error_that_names_both() -> None:
    with pytest.raises(RacewayError) as caught:
        together([make("a"), make("b", acceptance_seconds=9)])
    assert "acceptance_seconds: a has 5, b has 9" in str(caught.value)
    assert together([make("a"), make("b")]).seconds == 5


def test_hosts_without_ports_do_not_count_and_no_port_at_all_is_an_error() -> None:
    without = from_given({"acceptance_seconds": 9}, "service")
    assert together([without, make()]).seconds == 5
    with pytest.raises(RacewayError, match="no host of this run declares a port"):
        together([without])


def test_the_traffic_class_is_the_fabrics_where_the_host_has_roce() -> None:
    assert make().settings.traffic_class == -1
    assert make(raceway_roles=["node", "roce"]).settings.traffic_class == 106
    assert make(raceway_roles=["roce"], roce_dscp=24, roce_ect="none").settings.traffic_class == 96
    assert make(raceway_roles=["roce"], roce_state="absent").settings.traffic_class == -1
    tcp = make(raceway_roles=["roce"], acceptance_transport="tcp", acceptance_measures=["bandwidth"])
    assert tcp.settings.traffic_class == -1


def test_a_host_that_declares_rails_need_not_declare_its_ports_again() -> None:
    roles: dict[str, Any] = {"acceptance": dict(load_specs(None)["acceptance"].defaults)}
    roles["acceptance"]["acceptance_line_rate_gbps"] = 200
    ports = [{"rail": 2, "addresses": ["10.2.0.7/24", "fd00::7/64"]}, {"rail": 3, "addresses": []}]
    roles["rails"] = {"rails_state": "present", "rails_ports": ports, "rails_bonds": []}
    own = declared("a", roles, ["rails"])
    assert [(port.name, port.address, port.gbps) for port in own.ports] == [("a rail 2", "10.2.0.7", 200.0)]
    assert [one.name for one in own.left_out] == ["a rail 3"]
    assert declared("a", roles, ["node"]).ports == ()


def test_the_variables_are_those_of_the_role_and_of_the_roles_it_reads() -> None:
    assert {"raceway_roles", "acceptance_ports", "roce_dscp"} <= set(variables())
