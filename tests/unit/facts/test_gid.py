"""Which GID to send from."""

from __future__ import annotations

from raceway.facts.gid import Gid, address_of, best, kind_of

MAPPED = "0000:0000:0000:0000:0000:ffff:c0a8:0101"
LOCAL = "fe80:0000:0000:0000:966d:aeff:fe73:1800"
GLOBAL = "2001:0db8:0000:0000:966d:aeff:fe73:1800"


def test_one_address_is_the_same_however_it_is_printed() -> None:
    assert {address_of(text) for text in ("::ffff:192.168.1.1", f"{MAPPED}\n", "::ffff:c0a8:101")} == {MAPPED}


def test_zeroes_and_words_are_no_address() -> None:
    assert [address_of(text) for text in ("::", "0000:0000:0000:0000:0000:0000:0000:0000", "", "fe80:00")] == [""] * 4


def test_the_score_prefers_version_two_then_ipv4_then_a_low_index() -> None:
    assert Gid(3, MAPPED, "v2").score == 1000 + 200 - 3
    assert Gid(5, GLOBAL, "v2").score == 1000 + 100 - 5
    assert Gid(1, LOCAL, "v2").score == 1000 - 1
    assert Gid(2, MAPPED, "v1").score == 200 - 2
    assert Gid(0, LOCAL, "v1").score == 0


def test_the_best_of_a_usual_table_is_version_two_with_an_ipv4_address() -> None:
    table = [Gid(0, LOCAL, "v1"), Gid(1, LOCAL, "v2"), Gid(2, MAPPED, "v1"), Gid(3, MAPPED, "v2")]
    assert best(table) == table[3]
    assert best(table[:3]) == table[1]
    assert best([]) is None


def test_routable_needs_version_two_and_an_address_beyond_the_cable() -> None:
    auto = address_of("::ffff:169.254.7.7")
    found = [
        gid.routable for gid in (Gid(3, MAPPED, "v2"), Gid(3, MAPPED, "v1"), Gid(1, LOCAL, "v2"), Gid(3, auto, "v2"))
    ]
    assert found == [True, False, False, False]
    assert Gid(3, MAPPED).ipv4 == "192.168.1.1" and Gid(3, GLOBAL).ipv4 == ""


def test_a_type_the_kernel_refuses_to_read_is_no_version() -> None:
    assert [kind_of(text) for text in ("RoCE v2\n", "IB/RoCE v1", "v2", "", None)] == ["v2", "v1", "v2", "", ""]
    assert kind_of("IB/RoCE v1", "InfiniBand") == "ib"
