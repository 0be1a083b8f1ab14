"""What the programs are started with: loopback only, the recorded ports, no port twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from raceway.lab import arguments, programs
from raceway.lab.programs import Program

from .builders import make_record

FOLDER = Path("/state/labs/lab")


def table() -> dict[str, Program]:
    return {program.name: program for program in arguments.all_programs(make_record(), FOLDER)}


def test_every_tool_is_a_program_and_starts_after_what_it_needs() -> None:
    assert sorted(table()) == sorted(programs.TOOLS)
    seen: set[str] = set()
    for program in table().values():
        assert set(program.needs) <= seen
        seen.add(program.name)


def test_nothing_listens_beyond_loopback() -> None:
    for program in table().values():
        for word in program.arguments:
            if re.match(r"--(.*listen.*|.*address|.*urls)=", word):
                assert "127.0.0.1" in word, f"{program.name} {word}"


def test_every_recorded_port_is_used_and_no_address_is_served_twice() -> None:
    record = make_record()
    text = " ".join(word for program in table().values() for word in (*program.arguments, program.health))
    assert {port for port in record.ports.values() if str(port) not in text} == set()
    health = [program.health for program in table().values()]
    assert len(set(health)) == len(health)


@pytest.mark.parametrize("name", ["vc-scheduler", "vc-controller-manager"])
def test_volcano_waits_for_crds_and_does_not_elect_a_leader(name: str) -> None:
    program = table()[name]
    assert program.crds
    assert "--leader-elect=false" in program.arguments
    assert "--enable-healthz=true" in program.arguments


def test_only_the_webhook_manager_waits_for_webhooks_and_gets_their_paths() -> None:
    assert [program.name for program in table().values() if program.webhooks] == ["vc-webhook-manager"]
    assert f"--enabled-admission={programs.ADMISSION}" in table()["vc-webhook-manager"].arguments


def test_kwok_plays_only_nodes_that_say_so_and_reads_stages_that_exist() -> None:
    words = table()["kwok"].arguments
    assert "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake" in words
    stages = [Path(word.removeprefix("--config=")) for word in words if word.startswith("--config=")]
    assert len(stages) == 2
    assert all(stage.is_file() for stage in stages)


def test_etcd_takes_only_clients_with_a_certificate_of_the_lab() -> None:
    words = table()["etcd"].arguments
    assert "--client-cert-auth=true" in words
    assert f"--trusted-ca-file={FOLDER}/pki/ca.crt" in words
