"""Running configurations of four platforms → what they say of each port: ``parse(platform, text, file)``.

A file that holds no port is an error, never a configuration without mismatches: a capture that failed looks like that.
It deliberately fills in no default it has no source for; what a configuration does not say stays unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from raceway.errors import RacewayError
from raceway.switch.model import Running
from raceway.switch.parse import cumulus, eos, nxos, sonic

PARSERS: Mapping[str, Callable[[str, str], Running]] = {
    "cumulus": cumulus.parse,
    "sonic": sonic.parse,
    "eos": eos.parse,
    "nxos": nxos.parse,
}
FETCH = {
    "cumulus": "nv config show -o commands",
    "sonic": "sonic-cfggen -d --print-data",
    "eos": "show running-config all",
    "nxos": "show running-config all",
}


def parse(platform: str, text: str, file: str) -> Running:
    """Return what a running configuration says of each port; raises RacewayError where it says nothing of any."""
    fetch = f"fetch the running configuration with: {FETCH[platform]}"
    if not text.strip():
        raise RacewayError(file, "empty", f"a running configuration of {platform}", fetch)
    if "\0" in text:
        raise RacewayError(file, "binary", f"a running configuration of {platform} as text", fetch)
    try:
        running = PARSERS[platform](text, file)
    except RecursionError as error:
        raise RacewayError(file, "nested far too deeply", f"a running configuration of {platform}", fetch) from error
    if not running:
        raise RacewayError(file, "no port in it", f"a running configuration of {platform}", fetch)
    return running
