"""Output of ibv_devinfo: the form is that of rdma-core, the values are made up."""

from __future__ import annotations

from raceway.facts.ibv_devinfo import IbvDevinfoFacts, parse
from raceway.facts.reading import SILENT

from ..builders import CASES


def read(name: str) -> IbvDevinfoFacts:
    return parse((CASES / "ibv_devinfo" / name).read_text(encoding="utf-8"))


def test_a_verbose_roce_port_shows_mtu_rate_and_gids_and_the_link_layer_tells_it_from_infiniband() -> None:
    facts = read("verbose_roce.txt")
    infiniband, roce = (device.ports[0] for device in facts.devices)
    assert [device.name for device in facts.devices] == ["mlx5_2", "mlx5_10"] and not facts.problem
    assert {device.transport for device in facts.devices} == {"InfiniBand"}
    assert (infiniband.link_layer, infiniband.lid) == ("InfiniBand", 13399)
    assert (roce.link_layer, roce.state, roce.phys_state) == ("Ethernet", "ACTIVE", "LINK_UP")
    assert (roce.active_mtu, roce.max_mtu, roce.rate_gbps) == (4096, 4096, 400)
    assert [(gid.index, gid.kind, gid.ipv4) for gid in roce.gids][2:] == [
        (2, "v1", "192.168.1.1"),
        (3, "v2", "192.168.1.1"),
    ]


def test_identity_of_a_device_is_read_in_the_form_of_other_tools() -> None:
    device = read("verbose_roce.txt").devices[1]
    assert (device.node_guid, device.vendor_id, device.part_id) == ("946dae0300731800", 0x02C9, 4129)
    assert (device.firmware, device.board_id, device.port_count) == ("28.39.1002", "MT_0000000838", 1)


def test_an_mtu_of_1024_is_seen_as_such_beside_what_the_port_could_do() -> None:
    port = read("one_device_fails.txt").devices[0].ports[0]
    assert (port.active_mtu, port.max_mtu) == (1024, 4096)


def test_a_device_that_cannot_be_opened_does_not_hide_the_others() -> None:
    facts = read("one_device_fails.txt")
    assert len(facts.devices) == 1 and facts.problem == "Failed to open device"


def test_a_text_that_is_cut_off_is_told_with_the_port() -> None:
    facts = read("truncated.txt")
    assert len(facts.devices) == 2 and facts.problem == "mlx5_1: the block of port 2 is cut off"


def test_no_devices_is_told_by_the_tool_and_silence_is_not() -> None:
    assert parse("No IB devices found\n") == IbvDevinfoFacts() == parse("0 HCAs found:\n")
    assert parse("").problem == SILENT


def test_a_failure_with_exit_status_0_is_a_problem_and_not_an_absence_of_devices() -> None:
    facts = read("failed_and_exit_0.txt")
    assert facts.devices == () and "Function not implemented" in facts.problem
    assert "introuvable" in parse("ibv_devinfo : commande introuvable\n").problem


def test_an_old_tool_on_a_new_card_knows_neither_speed_nor_mtu_of_a_port_that_is_down() -> None:
    facts = read("old_tool_new_card.txt")
    port = facts.devices[0].ports[0]
    assert (port.state, port.active_mtu, port.max_mtu, port.rate_gbps) == ("DOWN", None, 4096, None)
    assert port.gids[0].kind == "" and not facts.problem
