"""The file of a collective library is a whole file like any other: the shared handlers write it and give it back.

It deliberately changes nothing else: packages are the ``package`` noun's, ports the fabric roles'.
"""

from __future__ import annotations

from .file import HANDLERS, prepare

__all__ = ["HANDLERS", "prepare"]
