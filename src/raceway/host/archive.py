"""Reads one small member of a tar archive without reading the rest: headers are skipped from one to the next.

It deliberately opens uncompressed archives only: in a compressed one, each look would unpack gigabytes.
"""

from __future__ import annotations

from typing import Optional, Sequence, Tuple

from .machine import Host

MOST_BYTES = 4 << 20


def member(host: Host, path: str, names: Sequence[str]) -> Tuple[str, Optional[str], str]:
    """Return the first of ``names`` that is in the archive, its text, and what is wrong with the archive.

    The order of ``names`` decides, not that of the archive.
    """
    import tarfile  # dear to import, and most nodes have no archive

    try:
        with tarfile.open(host.path(path), "r:") as archive:
            there = {one.name.lstrip("./"): one for one in archive if one.isfile() and one.name.lstrip("./") in names}
            name = next((name for name in names if name in there), "")
            if not name:
                return "", None, f"holds none of {', '.join(names)}: no archive of images"
            stream = archive.extractfile(there[name])
            return name, (stream.read(MOST_BYTES).decode("utf-8", "replace") if stream else ""), ""
    except FileNotFoundError:
        return "", None, "is not there"
    except tarfile.TarError:
        return "", None, "is no uncompressed tar archive"
    except OSError as error:
        return "", None, f"cannot be read: {error.strerror}"
