"""One declaration, four platforms: ``render(switch)`` refuses what the platform cannot do, then writes the whole file.

Every file is complete: a threshold is never left to what the switch happens to have stored.
It deliberately pushes nothing; the head of each file says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from raceway.switch import limits
from raceway.switch.model import Switch
from raceway.switch.render import cumulus, eos, nxos, sonic

RENDERERS: Mapping[str, Callable[[Switch], str]] = {
    "cumulus": cumulus.render,
    "sonic": sonic.render,
    "eos": eos.render,
    "nxos": nxos.render,
}
COMMENT = {"cumulus": "#", "eos": "!", "nxos": "!"}  # JSON has no comments: SONiC's origin is told beside the file


def render(switch: Switch) -> str:
    """Return the configuration of one switch, its origin on top where the format has comments."""
    limits.require(switch)
    body = RENDERERS[switch.platform](switch)
    mark = COMMENT.get(switch.platform)
    return body if mark is None else "".join(f"{mark} {line}\n" for line in origin(switch)) + body


def origin(switch: Switch) -> list[str]:
    """Return, in a few lines, what the file was made from and that nobody has pushed it."""
    qos = switch.qos
    return [
        f"{switch.name} ({switch.platform}), made by raceway from what {_who(switch.hosts)} declare:",
        f"data DSCP {qos.dscp}, priority {qos.priority}, lossless, {qos.share} % of a link, ECN {_word(qos.ecn)};",
        f"CNP DSCP {qos.cnp_dscp}, priority {qos.cnp_priority}, strict; host MTU {qos.mtu}.",
        "raceway has not pushed this and never does. Read it, apply it, fetch the running configuration, then:",
        f"raceway switch check FILE --platform {switch.platform} --switch {switch.name}",
    ]


def _who(hosts: tuple[str, ...]) -> str:
    if len(hosts) <= 4:
        return ", ".join(hosts) or "no hosts"
    return f"{', '.join(hosts[:3])} and {len(hosts) - 3} more hosts"


def _word(on: bool) -> str:
    return "on" if on else "off"
