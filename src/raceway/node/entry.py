"""The door the module comes in by: the node program with cheap records in the place of ``dataclasses``.

It deliberately does nothing else, and only where ``dataclasses`` has not been imported yet: a process that has it
already (a test, a tool on the controller) keeps the real ones.
"""

from __future__ import annotations

import sys

from . import records

sys.modules.setdefault("dataclasses", records)

from .call import call  # noqa: E402  # after the line above, which is what this module is for

__all__ = ["call"]
