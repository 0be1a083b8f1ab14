"""Output of ibstat: the form is that of infiniband-diags, the panic line of a public report, the values are made up."""

from __future__ import annotations

import pytest

from raceway.facts.ibstat import IbstatFacts, parse
from raceway.facts.reading import SILENT

from ..builders import CASES


def read(name: str) -> IbstatFacts:
    return parse((CASES / "ibstat" / name).read_text(encoding="utf-8"))


def test_eight_good_adapters_come_in_natural_order() -> None:
    facts = read("eight_400g.txt")
    assert [device.name for device in facts.devices] == [f"mlx5_{n}" for n in (0, 1, 2, 3, 4, 5, 10, 11)]
    port = facts.devices[-1].ports[0]
    assert (port.state, port.phys_state, port.rate_gbps, port.base_lid, port.sm_lid) == (
        "Active",
        "LinkUp",
        400,
        111,
        1,
    )
    assert (port.link_layer, port.guid) == ("InfiniBand", "946dae030073180b")
    assert facts.healthy and not facts.problem


def test_case_b01_all_blocks_before_the_panic_are_kept_and_one_error_names_the_device() -> None:
    facts = read("panic_at_mlx5_8.txt")
    assert [device.name for device in facts.devices] == [f"mlx5_{n}" for n in range(8)]
    assert all(port.healthy and port.rate_gbps == 200 for port in facts.ports)
    (error,) = facts.errors
    assert error.device == "mlx5_8" and "No such file or directory" in error.text
    assert not facts.healthy and "mlx5_8" in facts.problem


def test_case_b01_a_polling_port_is_down_and_its_message_shows_all_three_values() -> None:
    facts = read("polling.txt")
    (port,) = facts.ports
    assert (port.state, port.phys_state, port.rate_gbps) == ("Down", "Polling", 10)
    assert not port.healthy and not facts.healthy and not facts.problem
    assert port.summary == "mlx5_0 port 1: state Down, physical state Polling, rate 10 Gb/s"


def test_a_block_that_is_cut_off_keeps_what_was_printed_and_is_told() -> None:
    facts = read("truncated.txt")
    assert facts.devices[1].ports[0].state == "Active" and facts.devices[1].ports[0].sm_lid is None
    assert facts.problem == "not understood: SM lid; mlx5_1: the block of port 1 is cut off"
    assert facts.errors == () and not facts.healthy


def test_a_device_whose_ports_were_not_printed_is_told() -> None:
    assert parse("CA 'mlx5_0'\n\tNumber of ports: 2\n\tPort 1:\n\t\tState: Active\n").problem.startswith(
        "mlx5_0: 1 of 2 ports"
    )
    assert "0 of unknown ports" in parse("CA 'mlx5_0'\n\tCA type: MT4129\n").problem


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_silence_is_a_problem_and_not_a_healthy_host_without_adapters(text: str) -> None:
    facts = parse(text)
    assert facts.devices == () and facts.problem == SILENT and not facts.healthy


def test_a_panic_with_exit_status_0_is_an_error_and_not_an_absence_of_adapters() -> None:
    facts = read("panic_and_exit_0.txt")
    assert facts.devices == () and facts.errors[0].device == "" and "can't list IB device names" in facts.problem


def test_the_format_before_link_layers_is_whole_with_crlf_and_a_rate_in_words() -> None:
    facts = read("before_link_layer.txt")
    assert [(port.port, port.rate_gbps, port.link_layer) for port in facts.ports] == [(1, 40, ""), (2, 40, "")]
    assert facts.healthy and not facts.problem


def test_what_a_localised_shell_says_of_a_missing_program_is_no_output() -> None:
    assert "Kommando nicht gefunden" in parse("bash: ibstat: Kommando nicht gefunden.\n").problem


def test_an_unknown_rate_is_told_as_unknown() -> None:
    port = parse("CA 'a0'\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: Down\n\t\tRate: ?\n").ports[0]
    assert port.rate_gbps is None and port.summary.endswith("physical state unknown, rate unknown")
