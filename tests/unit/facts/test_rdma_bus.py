"""The bus: which bridges are above a card, which functions are accelerators, and what lspci said of both."""

from __future__ import annotations

from raceway.facts.lspci import parse
from raceway.facts.rdma_bus import above, accelerators, build

from ..builders import CASES

CARD, GPU, SWITCH, ROOT = "0000:43:00.0", "0000:44:00.0", "0000:41:00.0", "0000:40:01.1"
LINKS = {
    CARD: f"../../../devices/pci0000:40/{ROOT}/{SWITCH}/{CARD}",
    GPU: f"../../../devices/pci0000:40/{ROOT}/{SWITCH}/{GPU}",
}


def test_a_device_on_the_root_has_no_bridge_above() -> None:
    assert above("../../../devices/pci0000:00/0000:00:03.0") == () == above("")


def test_a_domain_of_five_digits_is_a_place_too() -> None:
    assert above("../../../devices/pci10000:00/10000:00:02.0/10000:01:00.0") == ("10000:00:02.0",)


def test_accelerators_are_told_by_vendor_and_class() -> None:
    kinds = {
        GPU: ("0x10de", "0x030200"),
        "0000:07:00.0": ("0x10de", "0x068000"),
        "0000:02:00.0": ("0x1a03", "0x030000"),
        "0000:81:00.0": ("0x1002", "0x120000"),
    }
    assert accelerators(kinds) == {GPU: "nvidia", "0000:81:00.0": "amd"}


def test_what_lspci_shows_of_bridges_above_is_kept_and_of_others_not() -> None:
    bus = parse((CASES / "lspci" / "normal.txt").read_text())
    facts = build(bus, LINKS, [CARD], [GPU])
    assert facts.above == {CARD: (ROOT, SWITCH), GPU: (ROOT, SWITCH)} and facts.accelerators == (GPU,)
    assert facts.functions[ROOT].acs == "redirect" and "0000:00:00.0" not in facts.functions
    assert "UpstreamFwd" in facts.functions[ROOT].acs_bits


def test_without_root_the_bridges_stay_unknown_and_the_problem_is_told() -> None:
    facts = build(parse((CASES / "lspci" / "without_root.txt").read_text()), LINKS, [CARD], [GPU])
    assert "access denied" in facts.problem
    assert {one.acs for one in facts.functions.values()} <= {"unknown"}
