"""The initrd of one VM: the image's own with the node's ssh keys behind it, as a second cpio archive.

The kernel unpacks archives that follow each other. That way a node has its host key before its first sshd starts, with
no disk, network or agent involved. Pure; it deliberately writes only what the kernel's reader needs of the format.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping

FOLDER = "seed"
_BLOCK = 512


def initrd(base: bytes, keys: Mapping[str, bytes]) -> bytes:
    """Return ``base`` followed by an archive with each key as ``/seed/NAME``, readable by root alone."""
    entries = [_entry(1, FOLDER, b"", stat.S_IFDIR | 0o700)]
    entries += [
        _entry(number, f"{FOLDER}/{name}", data, stat.S_IFREG | 0o600)
        for number, (name, data) in enumerate(sorted(keys.items()), start=2)
    ]
    archive = b"".join([*entries, _entry(0, "TRAILER!!!", b"", 0)])
    return _padded(base, _BLOCK) + _padded(archive, _BLOCK)


def _entry(inode: int, name: str, data: bytes, mode: int) -> bytes:
    """One file in the "newc" form: magic 070701, then 13 fields of eight hex digits, name and data.

    The fields: inode, mode, uid, gid, links, mtime, size, two of the device, two of a special file's, length of the
    name with its NUL, check sum (unused). Name and data are padded to four bytes, counted from the entry's start.
    """
    raw = name.encode() + b"\0"
    fields = (inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(raw), 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + raw
    return _padded(head, 4) + _padded(data, 4)


def _padded(data: bytes, step: int) -> bytes:
    return data + b"\0" * (-len(data) % step)
