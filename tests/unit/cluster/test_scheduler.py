"""Scheduler configuration: what the scheduler would swallow silently is refused; the text is what it reads."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import yaml

from raceway.cluster.scheduler import Plugin, SchedulerConf, check_scheduler, render, topology_aware, training_conf

GOOD = training_conf(["nvidia.com/gpu"])


def with_plugins(*plugins: Plugin, actions: tuple[str, ...] = ("enqueue", "allocate", "reclaim")) -> SchedulerConf:
    return SchedulerConf(actions, (plugins,))


def messages(conf: SchedulerConf, **facts: bool) -> list[str]:
    return [problem.message() for problem in check_scheduler(conf, **facts)]


def test_the_shipped_configuration_is_sound_for_a_tree_with_shares() -> None:
    assert messages(GOOD, queue_tree=True, shares=True) == [] and topology_aware(GOOD)


def test_capacity_and_proportion_exclude_each_other() -> None:
    assert "capacity and proportion together" in messages(with_plugins(Plugin("capacity"), Plugin("proportion")))[0]


def test_capacity_needs_reclaim() -> None:
    conf = with_plugins(Plugin("capacity"), actions=("enqueue", "allocate"))
    assert messages(conf) == [
        "scheduler actions: capacity without reclaim; allowed: reclaim or gangreclaim; "
        "next: add reclaim: without it a queue never gets its deserved share back"
    ]


def test_gangreclaim_counts_as_reclaim() -> None:
    assert messages(with_plugins(Plugin("capacity"), actions=("allocate", "gangreclaim"))) == []


def test_a_queue_tree_needs_capacity_with_hierarchy() -> None:
    assert "queues have parents" in messages(with_plugins(Plugin("capacity")), queue_tree=True)[0]
    assert "queues have parents" in messages(with_plugins(Plugin("proportion")), queue_tree=True)[0]


def test_deserved_needs_the_plugin_that_reads_it() -> None:
    assert "queues have deserved or guarantee" in messages(with_plugins(Plugin("proportion")), shares=True)[0]


def test_hierarchy_on_another_plugin_is_refused() -> None:
    assert "enableHierarchy" in messages(with_plugins(Plugin("gang", {"enableHierarchy": True})))[0]


def test_hierarchical_drf_with_proportion_is_refused_as_the_scheduler_does() -> None:
    conf = with_plugins(Plugin("drf", {"enableHierarchy": True}), Plugin("proportion"))
    assert "proportion with hierarchical drf" in messages(conf)[0]


@pytest.mark.parametrize(
    ("conf", "what", "hint"),
    [
        (with_plugins(Plugin("bin-pack")), "plugin 'bin-pack'", "did you mean binpack?"),
        (
            with_plugins(Plugin("gang", {"enablePreemptible": False})),
            "enablePreemptible",
            "did you mean enablePreemptable?",
        ),
        (
            with_plugins(Plugin("binpack", arguments={"binpack.wieght": 1})),
            "unknown argument",
            "did you mean binpack.weight?",
        ),
        (with_plugins(Plugin("gang", arguments={"x": 1})), "unknown argument", "remove it"),
        (with_plugins(actions=("alocate", "allocate")), "'alocate'", "did you mean allocate?"),
    ],
)
def test_a_misspelt_word_is_answered_with_the_right_one(conf: SchedulerConf, what: str, hint: str) -> None:
    (message,) = messages(conf)
    assert what in message and hint in message


@pytest.mark.parametrize(
    ("plugin", "arguments", "wanted"),
    [
        ("binpack", {"binpack.weight": "ten"}, "a whole number"),
        ("binpack", {"binpack.weight": True}, "a whole number"),
        ("overcommit", {"overcommit-factor": "x"}, "a number"),
        ("deviceshare", {"deviceshare.VGPUEnable": "yes"}, "true or false"),
    ],
)
def test_an_argument_of_the_wrong_type_is_refused(plugin: str, arguments: dict[str, Any], wanted: str) -> None:
    assert f"allowed: {wanted}" in messages(with_plugins(Plugin(plugin, arguments=arguments)))[0]


def test_a_whole_number_does_for_a_fraction_and_stars_stand_for_names() -> None:
    plugins = (
        Plugin("overcommit", arguments={"overcommit-factor": 2}),
        Plugin("binpack", arguments={"binpack.resources": "a/b", "binpack.resources.a/b": 3}),
    )
    assert messages(with_plugins(*plugins)) == []


def test_missing_allocate_doubled_plugins_and_doubled_actions_are_refused() -> None:
    conf = SchedulerConf(("enqueue", "enqueue"), ((Plugin("gang"),), (Plugin("gang"),)))
    found = "\n".join(messages(conf))
    assert "no allocate" in found and "plugin gang twice" in found and "enqueue twice" in found


def test_action_arguments_are_checked_and_need_their_action() -> None:
    conf = dataclasses.replace(GOOD, action_arguments={"preempt": {"minCandidateNodesPercent": 1}, "shuffle": {}})
    found = messages(conf)
    assert "did you mean minCandidateNodesPercentage?" in found[0] and "not among the actions" in found[1]


def test_the_text_reads_back_as_what_was_declared() -> None:
    conf = dataclasses.replace(GOOD, action_arguments={"allocate": {"predicateErrorCacheEnable": False}})
    read = yaml.safe_load(render(conf))
    assert read["actions"] == "enqueue, allocate, preempt, reclaim, backfill"
    assert [plugin["name"] for plugin in read["tiers"][0]["plugins"]] == ["priority", "gang", "conformance", "capacity"]
    assert read["tiers"][0]["plugins"][1] == {"name": "gang", "enablePreemptable": False, "enableReclaimable": False}
    assert read["tiers"][1]["plugins"][3]["arguments"]["binpack.resources.nvidia.com/gpu"] == 10
    assert read["configurations"] == [{"name": "allocate", "arguments": {"predicateErrorCacheEnable": False}}]


def test_the_same_configuration_always_gives_the_same_bytes() -> None:
    assert render(training_conf(["b", "a"])) == render(training_conf(["b", "a"]))
