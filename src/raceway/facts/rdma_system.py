"""What ``rdma -j system show`` says, and its text form: whether network namespaces share RDMA devices.

Text of iproute2 7, of 5.x, and JSON::

    netns shared privileged-qkey off monitor on copy-on-fork on
    netns exclusive copy-on-fork on
    [{"netns":"shared","copy-on-fork":true}]

Pods with a shared device plugin need ``shared``, isolation by SR-IOV needs ``exclusive``.
It deliberately has no default: a key that an older tool does not print is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional

from .reading import is_json, joined, json_rows, keyed, lines, not_output_of, switch

NETNS_MODES = ("shared", "exclusive")
_KEYS = ("netns", "privileged-qkey", "monitor", "copy-on-fork")


@dataclass(frozen=True)
class RdmaSystemFacts:
    """``netns``: shared, exclusive or empty. The rest: on, off, or None where it was not printed."""

    netns: str = ""
    copy_on_fork: Optional[bool] = None
    privileged_qkey: Optional[bool] = None
    monitor: Optional[bool] = None
    problem: str = ""


def parse(text: str) -> RdmaSystemFacts:
    """Return the settings of either form."""
    problem = ""
    row: Mapping[str, Any] = {}
    if is_json(text):
        rows, problem = json_rows(text)
        row = {key: value for one in rows for key, value in one.items()}
    else:
        fields: Dict[str, str] = {}
        for line in lines(text):
            if line.split()[0] in _KEYS:
                fields = {**keyed(line.split(), _KEYS), **fields}
        row = fields
        problem = "" if fields else not_output_of("rdma system show", text)
    netns = str(row.get("netns", ""))
    if not problem and netns not in NETNS_MODES:
        problem = f"netns is {netns or 'not printed'}, expected shared or exclusive"
    return RdmaSystemFacts(
        netns if netns in NETNS_MODES else "",
        switch(row.get("copy-on-fork")),
        switch(row.get("privileged-qkey")),
        switch(row.get("monitor")),
        joined(problem),
    )
