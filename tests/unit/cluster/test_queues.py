"""Queue trees: every rule of the webhook and the capacity plugin, and those neither of them has."""

from __future__ import annotations

from fractions import Fraction

import pytest

from raceway.cluster.queues import Queue, check_queues, draw, leafs, limit, ordered

GPU = "nvidia.com/gpu"
TOTAL = {GPU: Fraction(16), "cpu": Fraction(128)}


def gpus(**shares: int) -> dict[str, dict[str, str]]:
    return {share: {GPU: str(count)} for share, count in shares.items()}


def messages(*queues: Queue) -> list[str]:
    return [problem.message() for problem in check_queues(queues, [GPU], TOTAL)]


def a_good_tree() -> tuple[Queue, ...]:
    return (
        Queue("train", **gpus(capability=16, deserved=12, guarantee=8)),
        Queue("train-a", parent="train", **gpus(capability=12, deserved=8, guarantee=8)),
        Queue("train-b", parent="train", **gpus(deserved=4)),
        Queue("open"),
    )


def test_a_sound_tree_has_no_problems() -> None:
    assert messages(*a_good_tree()) == []


@pytest.mark.parametrize("name", ["root", "default"])
def test_volcanos_own_queues_are_never_created(name: str) -> None:
    assert "Volcano's own queue" in messages(Queue(name))[0]


def test_deserved_above_capability_is_refused_with_both_numbers() -> None:
    (message,) = messages(Queue("a", **gpus(capability=4, deserved=8)))
    assert message.startswith("queue a nvidia.com/gpu: deserved 8 above capability 4")


def test_guarantee_above_deserved_and_guarantee_without_deserved_are_refused() -> None:
    assert "guarantee 4 above deserved 2" in messages(Queue("a", **gpus(deserved=2, guarantee=4)))[0]
    assert "guarantee 4 above no deserved" in messages(Queue("a", **gpus(guarantee=4)))[0]


def test_an_unknown_resource_key_is_refused_with_the_right_one() -> None:
    (message,) = messages(Queue("a", capability={"mem": "64Gi"}))
    assert message.startswith("queue a capability.mem: unknown resource") and "did you mean memory?" in message


@pytest.mark.parametrize("value", ["64 GB", "-1"])
def test_a_bad_quantity_is_refused_where_it_stands(value: str) -> None:
    assert messages(Queue("a", capability={"cpu": value}))[0].startswith("queue a capability.cpu: ")


def test_children_may_not_deserve_more_than_their_parent() -> None:
    parent = Queue("p", **gpus(capability=16, deserved=8))
    found = messages(parent, *(Queue(name, parent="p", **gpus(deserved=6)) for name in ("x", "y")))
    assert found == [
        "queue p nvidia.com/gpu: deserved of x, y adds up to 12; allowed: at most 8 (queue p); "
        "next: lower the children or raise the parent"
    ]


def test_a_parent_without_a_guarantee_promises_nothing_to_its_children() -> None:
    found = messages(Queue("p", **gpus(deserved=8)), Queue("x", parent="p", **gpus(deserved=8, guarantee=8)))
    assert "guarantee of x adds up to 8; allowed: at most 0 (queue p)" in found[0]


def test_top_queues_may_not_be_promised_more_than_the_machines_have() -> None:
    found = messages(*(Queue(name, **gpus(deserved=10, guarantee=10)) for name in ("x", "y")))
    assert ["at most 16 (cluster)" in message for message in found] == [True, True]


def test_a_resource_the_inventory_does_not_size_is_not_summed() -> None:
    assert messages(Queue("a", deserved={"memory": "99Ti"})) == []


def test_a_childs_capability_stays_below_its_nearest_limited_ancestor() -> None:
    tree = (Queue("p", **gpus(capability=8)), Queue("q", parent="p"), Queue("r", parent="q", **gpus(capability=9)))
    assert "queue r nvidia.com/gpu: capability 9 above 8 of p" in messages(*tree)[0]


def test_a_missing_parent_is_answered_with_the_nearest_name() -> None:
    assert "did you mean train?" in messages(Queue("train"), Queue("a", parent="trian"))[0]


def test_a_circle_of_parents_is_refused() -> None:
    assert "a → b → a" in messages(Queue("a", parent="b"), Queue("b", parent="a"))[0]


def test_the_webhooks_depth_of_five_is_kept() -> None:
    chain = [Queue(f"q{level}", parent=f"q{level - 1}" if level else "root") for level in range(6)]
    assert "6 levels; allowed: at most 5 below root" in messages(*chain)[0]
    assert messages(*chain[:5]) == []


@pytest.mark.parametrize(
    ("queue", "what"),
    [
        (Queue("a", weight=0), "weight: 0"),
        (Queue("a", priority=-1), "priority: -1"),
        (Queue("a", dequeue_strategy="lifo"), "dequeue_strategy: 'lifo'"),
        (Queue("A"), "queue A: 'A'"),
    ],
)
def test_fields_out_of_range_are_refused(queue: Queue, what: str) -> None:
    assert what in messages(queue)[0]


def test_a_name_used_twice_is_refused() -> None:
    assert "declared twice" in messages(Queue("a"), Queue("a"))[0]


def test_every_problem_is_told_at_once() -> None:
    assert len(messages(Queue("A"), Queue("b", weight=0), Queue("c", parent="nowhere"))) == 3


def test_parents_come_before_children_whatever_the_order_of_the_declaration() -> None:
    assert [queue.name for queue in ordered(a_good_tree()[::-1])] == ["open", "train", "train-b", "train-a"]


def test_only_leafs_take_jobs() -> None:
    assert [queue.name for queue in leafs(a_good_tree())] == ["train-a", "train-b", "open"]


def test_the_smallest_capability_up_the_tree_is_the_limit_and_names_its_queue() -> None:
    tree = a_good_tree()
    assert limit(tree[1], tree) == {GPU: (12, "train-a")}
    assert limit(tree[2], tree) == {GPU: (16, "train")}


def test_the_manifest_writes_every_field_so_that_drift_in_any_is_seen() -> None:
    assert a_good_tree()[1].manifest() == {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": "train-a"},
        "spec": {
            "parent": "train",
            "weight": 1,
            "priority": 0,
            "reclaimable": True,
            "dequeueStrategy": "traverse",
            "capability": {GPU: "12"},
            "deserved": {GPU: "8"},
            "guarantee": {"resource": {GPU: "8"}},
        },
    }


def test_the_drawing_shows_the_tree_and_its_shares() -> None:
    lines = draw(a_good_tree())
    assert lines[0] == "root" and lines[1].startswith("├─ train  weight 1")
    assert lines[2].startswith("│  ├─ train-a  weight 1  capability nvidia.com/gpu=12  deserved nvidia.com/gpu=8")
    assert lines[-1] == "└─ open  weight 1"
