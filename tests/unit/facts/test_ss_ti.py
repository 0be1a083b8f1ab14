"""Output of ``ss -ti``."""

from __future__ import annotations

from raceway.facts.ss_ti import Sockets, parse

from ..builders import CASES


def _read(name: str) -> Sockets:
    return parse((CASES / "ss_ti" / f"{name}.txt").read_text(encoding="utf-8"))


def test_the_algorithm_in_use_is_read_past_the_flags_before_it() -> None:
    first, second, _ = _read("normal").sockets
    assert (first.algorithm, second.algorithm) == ("bbr", "cubic")
    assert (first.rtt_ms, first.rtt_deviation_ms, first.min_rtt_ms) == (8.98, 10.832, 0.008)
    assert (first.cwnd, first.retrans, first.retrans_total, second.lost) == (459, 0, 4, 2)
    assert (second.local, second.peer) == ("[fd00::1]:22", "[fd00::15]:41822")


def test_rates_are_bits_a_second_with_and_without_a_prefix() -> None:
    first, second, _ = _read("normal").sockets
    assert first.pacing_bps == 62.5e9 and second.pacing_bps == 271498664
    assert _read("older").sockets[0].pacing_bps == 463.3e6


def test_what_a_whole_line_leaves_out_is_zero() -> None:
    assert _read("normal").sockets[1].retrans_total == 0


def test_a_listening_socket_has_no_numbers() -> None:
    listening = _read("normal").sockets[2]
    assert (listening.state, listening.algorithm, listening.retrans_total) == ("LISTEN", None, None)


def test_one_line_without_a_column_of_states_is_read() -> None:
    (one,) = _read("one_line_without_states").sockets
    assert (one.state, one.algorithm, one.retrans, one.retrans_total, one.mss) == ("", "bbr", 1, 17, 8948)


def test_an_older_tool_is_read() -> None:
    (one,) = _read("older").sockets
    assert (one.algorithm, one.cwnd, one.min_rtt_ms, one.retrans_total) == ("cubic", 10, None, 2)


def test_what_a_cut_line_does_not_say_is_unknown_and_not_zero() -> None:
    found = _read("truncated")
    last = found.sockets[-1]
    assert (last.local, last.algorithm, last.retrans_total, last.lost) == ("[fd00::1]:22", None, None, None)
    assert found.sockets[0].retrans_total == 4 and found.problem.startswith("cut off: in 'ts sack ecn")


def test_a_socket_whose_second_line_is_cut_has_no_zeros() -> None:
    text = "ESTAB 0 0 10.0.0.1:1 10.0.0.2:2 bbr rto:204 rtt:0.2/0.1 cwnd:120\n\t retr"
    last = parse(text).sockets[-1]
    assert (last.algorithm, last.cwnd, last.retrans_total, last.lost) == ("bbr", 120, None, None)
    assert parse(text.rpartition("\n")[0] + "\n").sockets[-1].retrans_total == 0


def test_an_error_silence_and_a_bare_heading_are_told_apart() -> None:
    assert _read("error").problem == "ss: netlink error: Operation not permitted"
    assert _read("empty").problem == "printed nothing"
    assert parse("State Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n") == Sockets()
    assert parse("hello").problem == "this is no output of ss -ti: hello"
