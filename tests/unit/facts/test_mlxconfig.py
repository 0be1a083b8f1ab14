"""Output of mlxconfig with and without -e."""

from __future__ import annotations

from raceway.facts.mlxconfig import Card, FirmwareConfig, Setting, parse

from ..builders import CASES


def _read(name: str) -> FirmwareConfig:
    return parse((CASES / "mlxconfig" / f"{name}.txt").read_text(encoding="utf-8"))


def _setting(card: Card, name: str) -> Setting:
    found = card.setting(name)
    assert found is not None, f"{name} is not among {[one.name for one in card.settings]}"
    return found


def test_what_differs_between_now_and_the_next_boot_is_pending() -> None:
    (card,) = _read("normal").cards
    assert (card.device, card.kind, card.part) == ("0000:5e:00.0", "ConnectX7", "MCX75310AAS-NEA_Ax")
    assert card.pending == ("LINK_TYPE_P1", "CNP_DSCP_P1")
    assert _setting(card, "LINK_TYPE_P1") == Setting("LINK_TYPE_P1", "IB(1)", "IB(1)", "ETH(2)", 2, True)


def test_an_asterisk_of_what_differs_from_the_default_alone_is_not_pending() -> None:
    (card,) = _read("normal").cards
    assert _setting(card, "NUM_OF_VFS").pending is False and _setting(card, "SRIOV_EN").number == 1


def test_without_the_column_of_now_nothing_is_known_to_be_pending() -> None:
    (card,) = _read("without_e").cards
    assert card.pending is None and {one.pending for one in card.settings} == {None}
    assert _setting(card, "CNP_DSCP_P1") == Setting("CNP_DSCP_P1", next="48", number=48)
    assert _setting(card, "A_PARAMETER_WITH_A_NAME_LONGER_THAN_ITS_COLUMN_P1").number == 3


def test_an_older_tool_shows_what_runs_and_not_what_comes() -> None:
    (card,) = _read("older").cards
    assert _setting(card, "LINK_TYPE_P1").current == "ETH(2)" and _setting(card, "LINK_TYPE_P1").next is None
    assert card.pending is None and card.device.endswith("mt4115_pciconf0")


def test_two_devices_are_two_cards() -> None:
    first, second = _read("two_devices").cards
    assert (first.device, second.device) == ("0000:5e:00.0", "0000:af:00.0")
    assert first.pending and second.pending == ()


def test_a_word_in_place_of_a_number_has_none() -> None:
    (card,) = _read("normal").cards
    assert _setting(card, "HOST_CHAINING_DESCRIPTORS").number is None
    assert card.setting("NOT_OF_THIS_FIRMWARE") is None


def test_a_row_that_is_cut_off_is_no_setting() -> None:
    found = _read("truncated")
    assert found.cards[0].setting("CNP_DSCP_P1") is None and found.problem == "cut off: in '* CNP_DSCP_P1 48'"
    assert found.cards[0].pending is None
    one = parse("Configurations:   Default   Current   Next Boot\n  CNP_DSCP_P1   48   48\n")
    assert one.problem == "cut off: values of CNP_DSCP_P1; cut off: settings of the device"


def test_errors_and_silence_are_told() -> None:
    assert _read("error").problem == "-E- Failed to query device current configuration"
    assert _read("error").cards[0].settings == () and _read("error").cards[0].pending is None
    assert _read("empty").problem == "printed nothing"
    assert parse("hello").problem == "this is no output of mlxconfig q: hello"
