"""What sets RoCE ports at boot: the same request as the role's, without what was not consented to."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from raceway.facts.roce import PortFacts, RoceFacts
from raceway.model.plan import Plan
from raceway.model.qos import Qos
from raceway.model.roce import Port, RoceDesired, parse
from raceway.plan.roce import plan
from raceway.plan.roce_boot import FILES, LAUNCHER, REQUEST, RULE, UNIT, boot_files

from .roce_ports import FRESH, OTHER, PORT, make_set

ROW = {"pci": PORT.value, "rail": 0}


def make_plan(desired: RoceDesired, found: PortFacts, other: PortFacts | None = None, **more: Any) -> Plan:
    there = {PORT.label: found}
    if other is not None:
        there[OTHER.label] = dataclasses.replace(other, device="ens2f0np0")
    return plan(desired, RoceFacts(ports=there, **more))


def written(made: Plan) -> dict[str, str]:
    return {step.target: step.args["content"] for step in made.steps if step.type == "file"}


def stored(files: dict[str, str]) -> dict[str, RoceDesired]:
    """What a boot would ask for: role → spec."""
    roles = json.loads(files[REQUEST])["roles"]
    return {name: parse(role["nouns"]["roce"]) for name, role in roles.items()}


def files_of(*ports: Port, qos: Qos | None = None) -> dict[str, str]:
    """The files as an earlier run with consent has left them."""
    facts = RoceFacts(ports={port.label: make_set(qos=qos) for port in ports})
    return written(plan(RoceDesired(ports, qos or Qos(), consent=True), facts))


def test_the_boot_unit_runs_the_same_request_when_a_port_appears() -> None:
    desired = RoceDesired((PORT, OTHER), Qos(share=80), consent=True)
    files = written(make_plan(desired, make_set(qos=desired.qos), make_set(qos=desired.qos)))
    assert set(files) == {RULE, UNIT, REQUEST, LAUNCHER}
    assert 'KERNELS=="0000:3b:00.0"' in files[RULE] and 'ATTR{address}=="b8:3f:d2:00:00:02"' in files[RULE]
    assert 'ACTION!="remove"' in files[RULE], "a renamed port is announced as moved, not added"
    assert stored(files) == {"roce": dataclasses.replace(desired, boot=True)}
    assert json.loads(files[REQUEST])["mode"] == "apply" and f"{LAUNCHER} {REQUEST} %f" in files[UNIT]


def test_each_device_starts_an_instance_of_its_own_and_rdma_devices_do_too() -> None:
    files = files_of(PORT, OTHER)
    assert UNIT.endswith("@.service") and files[RULE].count('"raceway-roce@.service"') == 3
    assert 'SUBSYSTEM=="net|infiniband", KERNELS' in files[RULE] and 'SUBSYSTEM=="infiniband", TAG' in files[RULE]


def test_a_refused_port_is_not_set_at_boot_either() -> None:
    made = make_plan(RoceDesired((PORT, OTHER)), make_set(), dataclasses.replace(FRESH, classes=1))
    files = written(made)
    assert PORT.value in files[RULE] and OTHER.value not in files[RULE] + files[REQUEST]


def test_a_port_whose_steps_wait_for_consent_is_set_by_no_boot_and_told_so() -> None:
    made = make_plan(RoceDesired((PORT, OTHER)), make_set(), FRESH)
    files = written(made)
    assert PORT.value in files[RULE] and OTHER.value not in files[RULE] + files[REQUEST]
    (told,) = [noop.reason for noop in made.noops if noop.target == OTHER.label and "boot" in noop.reason]
    assert told == "no boot sets ens2f0np0 either until its steps have consent (roce_allow_disruptive)"


def test_without_consent_for_any_port_no_boot_file_is_written() -> None:
    assert written(make_plan(RoceDesired((PORT,)), FRESH)) == {}


def test_with_consent_and_for_a_link_that_is_down_the_port_is_set_at_boot() -> None:
    assert PORT.value in written(make_plan(RoceDesired((PORT,), consent=True), FRESH))[REQUEST]
    down = dataclasses.replace(FRESH, up=False)
    assert PORT.value in written(make_plan(RoceDesired((PORT,)), down))[REQUEST]


def test_a_port_that_drifted_stays_in_the_files_an_earlier_consent_wrote() -> None:
    drifted = dataclasses.replace(make_set(), pause=(True, True))
    made = make_plan(RoceDesired((PORT,)), drifted, files=files_of(PORT))
    assert [step.type for step in made.steps] == ["roce"]
    assert "a boot sets ens1f0np0 as it was declared" in " ".join(noop.reason for noop in made.noops)


def test_a_held_port_keeps_the_declaration_that_was_consented_to_beside_the_new_one_of_the_others() -> None:
    old, new = Qos(mtu=4200), Qos(mtu=9000)
    down = dataclasses.replace(make_set(qos=old), up=False)
    files = written(make_plan(RoceDesired((PORT, OTHER), new), make_set(qos=old), down, files=files_of(PORT, qos=old)))
    asked = stored(files)
    assert {name: (spec.ports, spec.qos.mtu) for name, spec in asked.items()} == {
        "roce": ((OTHER,), 9000),
        "roce_earlier_1": ((PORT,), 4200),
    }
    assert PORT.value in files[RULE] and OTHER.value in files[RULE]


def test_a_stored_request_that_cannot_be_read_holds_no_port() -> None:
    for text in ("{", "[]", '{"roles": {"roce": {}}}', '{"roles": {"roce": {"nouns": {"roce": {"ports": [{}]}}}}}'):
        made = make_plan(RoceDesired((PORT,)), FRESH, files={REQUEST: text})
        assert {step.target for step in made.steps if step.type == "file_restore"} == {REQUEST}


def test_the_request_of_a_boot_leaves_ports_that_are_not_there_yet_and_gives_nothing_back() -> None:
    made = make_plan(RoceDesired((PORT, OTHER), boot=True, consent=True), make_set(), owned={"pci 0000:99:00.0": {}})
    assert made.empty and {noop.target for noop in made.noops} == {PORT.label, OTHER.label}
    assert "when it appears" in next(noop.reason for noop in made.noops if noop.target == OTHER.label)


def test_the_request_of_a_boot_writes_no_boot_file_anew_while_a_port_is_missing() -> None:
    made = make_plan(RoceDesired((PORT, OTHER), boot=True, consent=True), FRESH, files=files_of(PORT, OTHER))
    assert {step.type for step in made.steps} == {"roce"}


def test_a_link_that_has_no_speed_yet_is_sized_by_the_one_it_had() -> None:
    desired = RoceDesired((PORT,), buffer="headroom", consent=True)
    asked = stored(written(make_plan(desired, FRESH)))["roce"]
    assert asked.ports[0].speed_mbps == 400000
    made = make_plan(asked, dataclasses.replace(FRESH, speed_mbps=None))
    assert "buffer" in [step.args["part"] for step in made.steps]


def test_a_link_that_went_down_is_still_sized_by_the_speed_it_had() -> None:
    desired = RoceDesired((PORT,), buffer="headroom", consent=True)
    files = written(make_plan(desired, FRESH))
    down = dataclasses.replace(FRESH, speed_mbps=None, up=False)
    made = make_plan(desired, down, files=files)
    assert made.refusals == () and {step.type for step in made.steps} == {"roce"}
    assert make_plan(desired, down).refusals[0].reason.startswith("the link speed of ens1f0np0 is not known")


def test_boot_files_go_with_the_last_port() -> None:
    files = files_of(PORT)
    made = plan(RoceDesired(), RoceFacts(files=files))
    assert {(step.type, step.target) for step in made.steps} == {("file_restore", path) for path in files}
    assert plan(RoceDesired(), RoceFacts(files=dict.fromkeys(files))).empty
    assert boot_files([]) == dict.fromkeys(FILES, "")
