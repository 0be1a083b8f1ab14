"""GRUB's settings, generated boot entries, and boot loader entries."""

from __future__ import annotations

from raceway.facts.cmdline import parse_entry, parse_grub, parse_grub_cfg

from ..builders import MACHINES


def test_both_variables_are_read_with_quotes_comments_and_additions() -> None:
    text = (
        "GRUB_DEFAULT=0\nGRUB_CMDLINE_LINUX_DEFAULT='quiet splash' # why\n#GRUB_CMDLINE_LINUX=old\n"
        'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX iommu=pt"\nexport GRUB_CMDLINE_LINUX+=" a=1"\nGRUB_CMDLINE_LINUX=x\n'
    )
    rows = [(row.variable, row.arguments, row.keeps, row.line) for row in parse_grub(text, "f")]
    assert rows == [
        ("GRUB_CMDLINE_LINUX_DEFAULT", ("quiet", "splash"), False, 2),
        ("GRUB_CMDLINE_LINUX", ("iommu=pt",), True, 4),
        ("GRUB_CMDLINE_LINUX", ("a=1",), True, 5),
        ("GRUB_CMDLINE_LINUX", ("x",), False, 6),
    ]


def test_a_quote_that_ends_on_another_line_is_read_as_far_as_it_goes() -> None:
    assert parse_grub('GRUB_CMDLINE_LINUX="a=1\nb=2"\n', "f")[0].arguments == ("a=1",)


def test_generated_entries_are_those_of_this_system_only() -> None:
    text = (MACHINES / "debian12-vm/root/boot/grub/grub.cfg").read_text(encoding="utf-8")
    found = parse_grub_cfg(text + "\tlinux16\t/boot/memtest86+.bin\n", "f")
    assert [entry.arguments[1:] for entry in found] == [("ro", "quiet"), ("ro", "single")]
    assert "Another Linux" in text


def test_a_loader_entry_adds_up_its_options() -> None:
    text = "title x\nlinux /vmlinuz-5.14\noptions root=/dev/a ro\noptions $tuned_params iommu=pt\n"
    assert parse_entry(text, "f")[0].arguments == ("root=/dev/a", "ro", "$tuned_params", "iommu=pt")
    assert parse_entry("title shell\nefi /shell.efi\n", "f") == ()
