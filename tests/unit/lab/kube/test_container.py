"""A Kubernetes node has the rights a kubelet needs, volumes of its own, and sees nothing else of the host."""

from __future__ import annotations

from pathlib import Path

from raceway.lab.kube import container

from ..builders import make_node, make_record

FOLDER = Path("/state/labs/lab")


def words(**more: object) -> list[str]:
    return container.arguments(make_record(control_planes=1, **more), make_node(), FOLDER, 0)


def test_data_lies_in_volumes_that_go_with_the_container_and_the_host_shows_folders_of_the_lab_alone() -> None:
    volumes = [word.partition("=")[2] for word in words() if word.startswith("--volume")]
    assert volumes == [
        "/var/lib/containerd",
        "/var/lib/kubelet",
        "/var/lib/etcd",
        "/state/labs/lab/kube:/opt/raceway:ro",
        "/state/labs/lab/shared:/srv/shared",
        "/state/labs/lab/ssh/nodes/lab-1:/etc/ssh/lab:ro",
    ]


def test_a_node_has_control_groups_of_its_own_by_a_name_no_other_container_has() -> None:
    assert {"--privileged", "--cgroupns=private", "--systemd=false"} <= set(words())
    assert "--env=RACEWAY_NODE=raceway-lab-lab-1" in words()


def test_the_container_carries_the_labs_id_and_another_image_is_another_container() -> None:
    def mark(arguments: list[str]) -> str:
        return next(word for word in arguments if "raceway.lab.spec=" in word)

    assert {"raceway.lab.id=0123abcd", "raceway.lab.folder=/state/labs/lab"} <= set(words())
    assert mark(words()) == mark(words())
    assert mark(words(image="localhost/raceway-lab-kube-node:other")) != mark(words())


def test_a_node_keeps_its_hardware_address_and_has_it_alone() -> None:
    first, second = (container.mac(make_node(number)) for number in (1, 2))
    assert f"--mac-address={first}" in words()
    assert first == container.mac(make_node(1)) != second
    assert first.startswith("02:") and len(first) == 17
