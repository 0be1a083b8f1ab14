"""The tree of /sys/class/infiniband, from a mapping and from pasted lines; the values are made up."""

from __future__ import annotations

from raceway.facts.infiniband_sysfs import CLASS, InfinibandFacts, build, parse
from raceway.facts.reading import SILENT

from ..builders import CASES

LOCAL = "fe80:0000:0000:0000:966d:aeff:fe73:1800"
ZERO = "0000:0000:0000:0000:0000:0000:0000:0000"
PORT = f"{CLASS}/mlx5_0/ports/1"


def read(name: str) -> InfinibandFacts:
    return parse((CASES / "infiniband_sysfs" / name).read_text(encoding="utf-8"))


def make_port(**files: str | None) -> dict[str, str | None]:
    usual = {"link_layer": "Ethernet\n", "state": "4: ACTIVE\n", "phys_state": "5: LinkUp\n"}
    return {f"{PORT}/{name.replace('__', '/')}": text for name, text in {**usual, **files}.items()}


def test_a_pasted_tree_gives_devices_ports_gids_and_counters() -> None:
    facts = read("pasted.txt")
    infiniband, roce = facts.devices
    assert (infiniband.name, roce.name) == ("mlx5_2", "mlx5_10") and not facts.problem
    assert (roce.pci, roce.numa_node, roce.kind, roce.firmware) == ("0000:86:00.0", 1, "MT4129", "28.39.1002")
    port = roce.ports[0]
    assert (port.link_layer, port.state, port.phys_state, port.rate_gbps) == ("Ethernet", "ACTIVE", "LinkUp", 400)
    assert port.counters == {"np_cnp_sent": 42, "port_xmit_data": 123456789012, "symbol_error": None}
    assert port.up and not infiniband.ports[0].up


def test_an_infiniband_port_has_a_lid_and_no_interface_and_an_unknown_numa_node_is_none() -> None:
    device = read("pasted.txt").devices[0]
    port = device.ports[0]
    assert (port.lid, port.sm_lid, port.netdev, port.gids[0].kind) == (13399, 1, "", "ib")
    assert (port.state, port.phys_state, port.rate_gbps) == ("DOWN", "Polling", 10)
    assert device.numa_node is None and device.pci == ""


def test_the_best_gid_is_version_two_with_ipv4_and_the_interface_of_the_port_is_not_its_vlan() -> None:
    port = read("pasted.txt").devices[1].ports[0]
    assert [(gid.index, gid.kind) for gid in port.gids] == [(0, "v1"), (1, "v2"), (2, "v1"), (3, "v2")]
    chosen = port.best_gid
    assert chosen and (chosen.index, chosen.netdev, chosen.score) == (3, "ens2f0np0.100", 1197)
    assert port.netdev == "ens2f0np0"


def test_a_gid_whose_type_the_kernel_refuses_to_read_has_no_version() -> None:
    files = make_port(gids__0=f"{LOCAL}\n", gid_attrs__types__0=None, gids__1=ZERO, gid_attrs__types__1=None)
    port = build(files).ports[0]
    assert [(gid.index, gid.kind, gid.routable) for gid in port.gids] == [(0, "", False)]


def test_a_port_without_gids_gets_the_only_interface_of_its_card_and_none_of_two() -> None:
    one = build({**make_port(), f"{CLASS}/mlx5_0/device/net": "ens1f0np0\n"})
    two = build({**make_port(), f"{CLASS}/mlx5_0/device/net": "ens1f1np1\nens1f0np0\n"})
    assert one.ports[0].netdev == "ens1f0np0" and two.ports[0].netdev == ""
    assert two.devices[0].netdevs == ("ens1f0np0", "ens1f1np1")


def test_links_tell_the_pci_address_and_a_virtual_function() -> None:
    tree = {**make_port(), f"{CLASS}/mlx5_0/device": "../../../0000:5E:00.1", f"{CLASS}/mlx5_0/device/physfn": ""}
    device = build(tree).devices[0]
    assert (device.pci, device.virtual_function) == ("0000:5e:00.1", True)
    software = build({**make_port(), f"{CLASS}/mlx5_0/device": None}).devices[0]
    assert (software.pci, software.virtual_function) == ("", False)


def test_an_empty_tree_is_no_device_and_an_empty_paste_is_no_answer() -> None:
    assert build({}) == InfinibandFacts()
    assert parse("\n") == InfinibandFacts(problem=SILENT)


def test_an_error_with_exit_status_0_is_a_problem_and_not_an_absence_of_devices() -> None:
    facts = read("no_class_and_exit_0.txt")
    assert facts.devices == () and "No such file or directory" in facts.problem


def test_a_paste_that_is_cut_off_is_told_and_its_port_is_not_up() -> None:
    facts = read("truncated.txt")
    assert facts.ports[0].state == "ACTIVE" and not facts.ports[0].up
    assert "not understood: /sys/c" in facts.problem


def test_a_port_or_a_device_that_cannot_be_read_is_told() -> None:
    assert "mlx5_0/1: state cannot be read" in build(make_port(state=None)).problem
    assert "mlx5_0: no port is shown" in build({f"{CLASS}/mlx5_0/fw_ver": "1\n"}).problem


def test_a_gid_that_was_cut_off_is_told_and_not_taken_for_another_address() -> None:
    facts = build(make_port(gids__0="0000:0000:0000:0000:0000:ffff:c0a8:02"))
    assert facts.ports[0].gids == ()
    assert facts.problem == "mlx5_0/ports/1/gids/0: 0000:0000:0000:0000:0000:ffff:c0a8:02 is cut off or no GID"


def test_an_old_kernel_without_link_layer_and_gid_types_is_read() -> None:
    facts = read("old_kernel.txt")
    (port,) = facts.ports
    assert (port.link_layer, port.rate_gbps, port.lid, port.sm_lid) == ("", 2.5, 6, None)
    assert port.up and port.gids[0].kind == "" and not facts.problem
