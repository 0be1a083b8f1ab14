"""The supervisor's rules, each on a made-up table of processes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from raceway.lab import decide
from raceway.lab.decide import Decision, Memory, Seen
from raceway.lab.programs import CRDS, Program

ETCD = Program("etcd", (), 1, "http://etcd")
API = Program("kube-apiserver", (), 2, "https://api", needs=("etcd",))
SCHEDULER = Program("vc-scheduler", (), 3, "http://s", needs=("kube-apiserver",), crds=True)
WEBHOOK = Program("vc-webhook-manager", (), 4, "https://w", needs=("kube-apiserver",), crds=True, webhooks=True)
HOOKS = frozenset({"volcano-admission-service-jobs-mutate", "volcano-admission-service-jobs-validate", "of-others"})


def make_seen(**more: Any) -> Seen:
    values: dict[str, Any] = {
        "now": 100.0,
        "running": frozenset({"etcd", "kube-apiserver"}),
        "healthy": frozenset({"etcd", "kube-apiserver"}),
        "crds": frozenset(CRDS),
        "webhooks": HOOKS,
    }
    return Seen(**{**values, **more})


def act(program: Program, memory: Memory, seen: Seen) -> str:
    return decide.decide(program, memory, seen)[0].act


def test_the_first_program_starts_at_once_and_the_next_waits_until_it_is_healthy() -> None:
    nothing = make_seen(running=frozenset(), healthy=frozenset())
    assert act(ETCD, Memory(), nothing) == "start"
    assert decide.decide(API, Memory(), nothing)[0] == Decision("wait", "waiting for etcd")
    running = make_seen(running=frozenset({"etcd"}), healthy=frozenset())
    assert act(API, Memory(), running) == "wait"
    assert act(API, Memory(), make_seen(running=frozenset({"etcd"}))) == "start"


def test_a_running_program_is_kept_also_while_what_it_needs_is_down() -> None:
    seen = make_seen(running=frozenset({"kube-apiserver"}), healthy=frozenset())
    assert act(API, Memory(started_at=1.0), seen) == "keep"


def test_a_crashed_program_starts_again_later_each_time_up_to_a_bound() -> None:
    memory, now, waits = Memory(), 0.0, []
    for _ in range(9):
        memory = decide.started(memory, now)
        down = make_seen(now=now + 1, running=frozenset())
        decision, memory = decide.decide(ETCD, memory, down)
        assert decision.act == "wait"
        assert "crashed" in decision.reason
        waits.append(memory.not_before - down.now)
        now = memory.not_before
        assert act(ETCD, memory, replace(down, now=now)) == "start"
    assert waits == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]
    assert memory.restarts == 9


def test_a_crash_after_a_calm_run_starts_again_soon() -> None:
    memory = Memory(started_at=0.0, restarts=9, backoff=30.0)
    after = decide.crashed(memory, decide.CALM_SECONDS)
    assert (after.backoff, after.restarts) == (decide.FIRST_BACKOFF, 10)


def test_a_program_stopped_on_purpose_has_not_crashed() -> None:
    memory = decide.stopped(Memory(started_at=1.0, restarts=2, backoff=8.0, not_before=500.0))
    assert decide.decide(ETCD, memory, make_seen(running=frozenset()))[0] == Decision("start")
    assert memory.restarts == 2


@pytest.mark.parametrize(("missing", "words"), [(CRDS[:1], CRDS[0]), (CRDS, f"{len(CRDS)} of {len(CRDS)}")])
def test_volcano_waits_for_its_crds_and_names_them(missing: tuple[str, ...], words: str) -> None:
    decision, _ = decide.decide(SCHEDULER, Memory(), make_seen(crds=frozenset(CRDS) - set(missing)))
    assert decision.act == "wait"
    assert decision.reason.startswith("waiting for CRDs (")
    assert words in decision.reason


def test_crds_taken_away_stop_volcano() -> None:
    seen = make_seen(running=frozenset({"vc-scheduler"}), crds=frozenset())
    assert act(SCHEDULER, Memory(started_at=1.0), seen) == "stop"


def test_an_api_that_cannot_be_asked_stops_nothing_and_starts_nothing() -> None:
    unknown = make_seen(crds=None, webhooks=None)
    running = replace(unknown, running=frozenset({"vc-scheduler", "vc-webhook-manager"}))
    for program in (SCHEDULER, WEBHOOK):
        assert act(program, Memory(started_at=1.0), running) == "keep"
        assert decide.decide(program, Memory(), unknown)[0] == Decision("wait", "waiting for an answer of the API")


def test_the_webhook_manager_waits_for_configurations_of_its_own() -> None:
    decision, _ = decide.decide(WEBHOOK, Memory(), make_seen(webhooks=frozenset({"of-others"})))
    assert (decision.act, "webhook configurations" in decision.reason) == ("wait", True)


def test_the_webhook_manager_starts_when_no_new_configuration_has_come_for_a_while() -> None:
    decision, memory = decide.decide(WEBHOOK, Memory(), make_seen(now=100.0))
    assert decision.act == "wait"
    more = HOOKS | {"volcano-admission-service-queues-mutate"}
    decision, memory = decide.decide(WEBHOOK, memory, make_seen(now=100.9, webhooks=more))
    assert decision.act == "wait"
    assert act(WEBHOOK, memory, make_seen(now=101.5, webhooks=more)) == "wait"
    decision, memory = decide.decide(WEBHOOK, memory, make_seen(now=101.9, webhooks=more))
    assert decision.act == "start"
    assert memory.wanted == "/jobs/mutate,/jobs/validate,/queues/mutate"


def test_a_new_configuration_restarts_it_and_one_that_went_away_does_not() -> None:
    memory = Memory(started_at=1.0, admission="/jobs/mutate,/jobs/validate", wanted="/jobs/mutate,/jobs/validate")
    running = frozenset({"vc-webhook-manager", "kube-apiserver", "etcd"})
    fewer = make_seen(running=running, webhooks=frozenset({"volcano-admission-service-jobs-mutate"}))
    _, after = decide.decide(WEBHOOK, memory, fewer)
    assert act(WEBHOOK, after, replace(fewer, now=200.0)) == "keep"
    more = make_seen(running=running, webhooks=HOOKS | {"volcano-admission-service-queues-mutate"})
    decision, after = decide.decide(WEBHOOK, memory, more)
    assert decision.act == "keep"
    decision, after = decide.decide(WEBHOOK, after, replace(more, now=102.0))
    assert (decision.act, "/queues/mutate" in decision.reason) == ("restart", True)
    assert act(WEBHOOK, decide.started(after, 102.0), replace(more, now=103.0)) == "keep"


def test_whoever_needs_another_stops_before_it() -> None:
    table = {program.name: program for program in (ETCD, API, SCHEDULER, WEBHOOK)}
    groups = decide.order_of_stopping(list(table), table)
    assert groups == [["vc-scheduler", "vc-webhook-manager"], ["kube-apiserver"], ["etcd"]]
    assert decide.order_of_stopping(["etcd"], table) == [["etcd"]]
