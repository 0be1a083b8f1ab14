"""A lab node gets few rights, and a container made otherwise is recognised."""

from __future__ import annotations

from pathlib import Path

from raceway.lab import container

from .builders import make_node, make_record

FOLDER = Path("/state/labs/lab")
ALL = 0x1FFFFFFFFFF


def words(**more: object) -> list[str]:
    return container.arguments(make_record(**more), make_node(), FOLDER, ALL)


def test_a_node_is_not_privileged_and_sees_only_its_own_keys_of_the_host() -> None:
    text = " ".join(words())
    assert "--privileged" not in text
    assert "seccomp=unconfined" not in text
    assert "--device" not in text
    assert [word for word in words() if word.startswith("--volume")] == [
        "--volume=/state/labs/lab/ssh/nodes/lab-1:/etc/ssh/lab:ro"
    ]


def test_a_node_has_a_control_group_tree_of_its_own() -> None:
    assert {"--cgroupns=private", "--systemd=false"} <= set(words())


def test_only_a_host_that_has_the_right_to_raise_limits_gives_it() -> None:
    assert "SYS_RESOURCE" in container.capabilities(ALL)
    assert "SYS_RESOURCE" not in container.capabilities(ALL & ~(1 << 24))
    assert "SYS_MODULE" not in container.capabilities(ALL)


def test_the_bounding_set_is_read_from_proc() -> None:
    status = "Name:\tx\nCapEff:\t0000000000000000\nCapBnd:\t000001fffeffffff\nSeccomp:\t0\n"
    assert container.bounding_set(status) == 0x1FFFEFFFFFF


def test_the_container_carries_the_labs_id_and_where_the_lab_lives() -> None:
    assert {"raceway.lab.id=0123abcd", "raceway.lab.name=lab", "raceway.lab.folder=/state/labs/lab"} <= set(words())


def test_another_image_or_address_is_another_container() -> None:
    def mark(arguments: list[str]) -> str:
        return next(word for word in arguments if "raceway.lab.spec=" in word)

    assert mark(words()) == mark(words())
    assert mark(words(image="localhost/raceway-lab-node:other")) != mark(words())
    assert mark(words(network="raceway-other")) != mark(words())
