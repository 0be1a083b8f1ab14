"""What NCCL tells of its network: the forms are those of NCCL 2.8 to 2.30, the values are made up."""

from __future__ import annotations

from raceway.facts.nccl_log import NcclLogFacts, parse
from raceway.facts.reading import SILENT

from ..builders import CASES


def read(name: str) -> NcclLogFacts:
    return parse((CASES / "nccl_log" / name).read_text(encoding="utf-8"))


def test_two_ranks_on_roce_with_gpudirect_show_adapters_and_channels() -> None:
    facts = read("roce_gdr.txt")
    assert [(one.device, one.port, one.link) for one in facts.adapters] == [
        ("mlx5_2", 1, "RoCE"),
        ("mlx5_10", 1, "RoCE"),
    ]
    assert facts.channels and (facts.channels.net_gdr, facts.channels.net_plain) == (4, 0)
    assert (facts.channels.socket, facts.channels.local) == (0, 2)
    assert facts.gpudirect == {"mlx5_10": True, "mlx5_2": True} and facts.relaxed_ordering is True
    assert (facts.version, facts.networks, facts.oob_interfaces) == ("2.27.3+cuda12.9", ("IB",), ("eth0",))
    assert facts.on_sockets is False and not facts.events and not facts.problem


def test_a_fall_back_to_sockets_is_seen_by_network_and_channel_and_its_reason_is_an_event() -> None:
    facts = read("falls_back_to_sockets.txt")
    assert facts.on_sockets is True and facts.channels and facts.channels.socket == 2
    assert [event.kind for event in facts.events] == ["no-adapter"] and facts.relaxed_ordering is None


def test_one_rank_without_gpudirect_is_enough() -> None:
    facts = read("without_gdr_and_events.txt")
    assert facts.gpudirect == {"mlx5_0": False}
    assert facts.channels and (facts.channels.net_gdr, facts.channels.net_plain) == (0, 1)
    assert facts.oob_interfaces == ("ib0",) and facts.relaxed_ordering is False


def test_events_are_counted_with_their_adapter() -> None:
    events = read("without_gdr_and_events.txt").events
    assert [(event.kind, event.device, event.port, event.count) for event in events] == [
        ("gid-table-changed", "mlx5_0", 1, 3),
        ("fatal", "mlx5_1", 1, 1),
        ("non-fatal", "mlx5_1", 1, 1),
        ("other", "", None, 1),
    ]


def test_a_log_without_info_lines_proves_nothing() -> None:
    facts = read("debug_not_set.txt")
    assert facts.channels is None and facts.on_sockets is None and facts.relaxed_ordering is None
    assert "NCCL_DEBUG=INFO" in facts.problem and facts.version == "2.27.3+cuda12.9"


def test_a_log_that_is_cut_off_before_the_network_is_told() -> None:
    facts = read("truncated.txt")
    assert facts.channels is None and facts.on_sockets is None and "cut off" in facts.problem


def test_channel_lines_alone_tell_of_sockets_too() -> None:
    line = "n:1:2 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/Socket/0\n"
    assert parse(line).on_sockets is True
    assert (
        parse(line.replace("Socket", "AWS Libfabric").replace("/0\n", "/0/GDRDMA\n")).channels
        == parse(line.replace("NET/Socket/0", "NET/IB/0/GDRDMA")).channels
    )


def test_the_form_of_nccl_2_8_is_read() -> None:
    facts = read("old_2_8.txt")
    assert facts.channels and facts.channels.net_gdr == 1
    assert [one.device for one in facts.adapters] == ["mlx5_0"] and not facts.problem


def test_silence_is_no_proof_and_an_error_text_is_none_either() -> None:
    assert parse("") == NcclLogFacts(problem=SILENT)
    facts = parse("mpirun was unable to launch the specified application\n")
    assert facts.channels is None and facts.problem
