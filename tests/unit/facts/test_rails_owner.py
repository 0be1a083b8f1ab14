"""Who sets an interface up, by the files that networkd, NetworkManager and ifupdown leave."""

from __future__ import annotations

import pytest

from raceway.facts.rails_owner import catches_all, managed_by_network_manager, networkd_link, stanzas


def test_networkd_s_file_of_a_link_is_read() -> None:
    text = (
        "# This is private data. Do not parse.\nADMIN_STATE=configured\nNETWORK_FILE=/etc/systemd/network/a.network\n"
    )
    assert networkd_link(text) == {"ADMIN_STATE": "configured", "NETWORK_FILE": "/etc/systemd/network/a.network"}
    assert networkd_link("") == {}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[device]\nmanaged=true\n", True),
        ("[device]\nmanaged=false\n", False),
        ("[device]\nnm-owned=1\n", False),
        ("", False),
    ],
)
def test_network_manager_manages_what_it_says(text: str, wanted: bool) -> None:
    assert managed_by_network_manager(text) is wanted


def test_ifupdown_s_stanzas_count_and_its_comments_do_not() -> None:
    assert stanzas(["iface eno1 inet dhcp\n#iface eno2 inet dhcp\n", "  iface eno3 inet6 static\n"]) == ["eno1", "eno3"]


@pytest.mark.parametrize(
    ("match", "wanted"),
    [
        ("Name=en*", True),
        ("Type=ether\nKind=!*", True),
        ("Name=en* ens1f0np0", False),
        ("PermanentMACAddress=b8:3f:d2:00:00:01\nName=ens1f0np0", False),
        ("Path=pci-0000:3b:00.0", False),
    ],
)
def test_a_file_that_names_a_port_is_told_from_one_for_all(match: str, wanted: bool) -> None:
    assert catches_all(f"[Match]\n{match}\n[Network]\nDHCP=yes\n") is wanted
