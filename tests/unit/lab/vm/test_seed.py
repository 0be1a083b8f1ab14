"""The archive behind the initrd is one that an independent reader of the format understands."""

from __future__ import annotations

from raceway.lab.vm import seed


def read(archive: bytes) -> dict[str, tuple[int, bytes]]:
    """Read a "newc" archive as the kernel's documentation tells it: name → mode and data."""
    found, at = {}, 0
    while True:
        assert archive[at : at + 6] == b"070701"
        mode, size, length = (int(archive[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in (1, 6, 11))
        name = archive[at + 110 : at + 110 + length - 1].decode()
        start = (at + 110 + length + 3) // 4 * 4
        if name == "TRAILER!!!":
            return found
        found[name] = (mode, archive[start : start + size])
        at = (start + size + 3) // 4 * 4


def test_the_keys_follow_the_images_own_archive_at_a_block_of_their_own() -> None:
    made = seed.initrd(b"base archive", {"b": b"two", "a": b"one\n"})
    assert made.startswith(b"base archive\0")
    assert len(made) % 512 == 0
    assert read(made[512:]) == {"seed": (0o40700, b""), "seed/a": (0o100600, b"one\n"), "seed/b": (0o100600, b"two")}


def test_the_same_keys_make_the_same_bytes_in_any_order() -> None:
    assert seed.initrd(b"", {"a": b"1", "b": b"2"}) == seed.initrd(b"", {"b": b"2", "a": b"1"})
