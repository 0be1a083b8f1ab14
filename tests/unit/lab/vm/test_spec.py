"""A VM's identity follows from its name, its kernel parameters from its spec."""

from __future__ import annotations

import dataclasses

import pytest

from raceway.lab.vm.spec import DEFAULT, Spec, fingerprint, identity, kernel_parameters


def test_the_same_name_has_the_same_macs_and_serials_and_another_name_others() -> None:
    first, other = identity("vmlab-1"), identity("vmlab-2")
    assert first == identity("vmlab-1")
    assert not {first.mac, first.serial, first.machine_id} & {other.mac, other.serial, other.machine_id}


def test_an_address_is_a_local_unicast_one_and_a_serial_fits_the_nvme_field() -> None:
    one = identity("vmlab-1")
    assert int(one.nic(0).split(":")[0], 16) & 0b11 == 0b10
    assert [one.nic(number)[-3:] for number in range(4)] == [":01", ":02", ":03", ":04"]
    assert len(one.drive(12)) <= 20
    assert one.drive(3).endswith("03")


def test_a_lab_vm_has_four_drives_and_two_rails_on_two_numa_nodes() -> None:
    assert DEFAULT.nvme >= 4
    assert DEFAULT.nics == 2
    assert DEFAULT.memory_mib % 1024 == 0


@pytest.mark.parametrize(
    ("dcb", "words"),
    [
        ("lower", "modules_load=dcbtest dcbtest.lower=data0,data1"),
        ("attach", "modules_load=dcbtest dcbtest.attach=data0,data1"),
        ("own", "modules_load=dcbtest"),
    ],
)
def test_the_test_module_is_loaded_over_the_data_nics(dcb: str, words: str) -> None:
    text = kernel_parameters("vmlab-1", Spec(dcb=dcb))
    assert text.endswith(words)
    assert "systemd.hostname=vmlab-1" in text.split()


def test_without_the_module_nothing_of_it_stands_on_the_command_line() -> None:
    text = kernel_parameters("vmlab-1", Spec(dcb="none", append="hugepages=8"))
    assert "dcbtest" not in text
    assert text.endswith(" hugepages=8")


def test_another_image_or_another_drive_makes_the_disks_anew() -> None:
    assert fingerprint(DEFAULT, "a") == fingerprint(Spec(), "a")
    assert fingerprint(DEFAULT, "a") != fingerprint(DEFAULT, "b")
    assert fingerprint(DEFAULT, "a") != fingerprint(dataclasses.replace(DEFAULT, nvme=5), "a")
