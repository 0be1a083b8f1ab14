"""Kernel modules as declared, and their one spelling: the kernel reads ``-`` and ``_`` in a module's name as the same.

It deliberately does not know which modules a kernel has: that is a fact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Tuple

LOAD_FILE = "/etc/modules-load.d/raceway.conf"
OPTIONS_FILE = "/etc/modprobe.d/raceway.conf"

# Modules that no kernel package carries, with what brings them.
OUT_OF_TREE: Dict[str, str] = {
    "nvidia": "the NVIDIA driver",
    "nvidia_peermem": "the NVIDIA driver",
    "nvidia_fs": "GPUDirect Storage (nvidia-fs)",
    "gdrdrv": "GDRCopy (gdrdrv)",
    "knem": "the knem package of DOCA or MLNX_OFED",
}


@dataclass(frozen=True)
class WantedModule:
    """One declared module: name in underscores, ``key=value`` options as modprobe.d takes them, askers and reason."""

    name: str
    options: str = ""
    asked_by: Tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class ModuleDesired:
    """What the ``module`` noun is given."""

    modules: Tuple[WantedModule, ...] = ()
    platform: str = "bare_metal"
    load_file: str = LOAD_FILE
    options_file: str = OPTIONS_FILE


def parse(spec: Mapping[str, Any]) -> ModuleDesired:
    """Read the JSON form: ``{"modules": [{"name", "options", "asked_by", "why"}], "platform"}``."""
    rows = tuple(
        WantedModule(
            normal(row["name"]), row.get("options", "").strip(), tuple(row.get("asked_by", ())), row.get("why", "")
        )
        for row in spec.get("modules", ())
    )
    default = ModuleDesired()
    return ModuleDesired(
        rows,
        spec.get("platform", default.platform),
        spec.get("load_file", default.load_file),
        spec.get("options_file", default.options_file),
    )


def normal(name: str) -> str:
    """Return the spelling the kernel uses in /sys/module.

    >>> normal("nvme-fabrics")
    'nvme_fabrics'
    """
    return name.strip().replace("-", "_")


def option_values(options: str) -> Dict[str, str]:
    """Return ``key=value`` options as a mapping; a bare key is a switched-on flag, as the kernel reads it.

    >>> option_values("num_vfs=4 debug")
    {'num_vfs': '4', 'debug': 'Y'}
    """
    rows: Dict[str, str] = {}
    for word in options.split():
        key, _, value = word.partition("=")
        rows[normal(key)] = value if "=" in word else "Y"
    return rows


def same_value(declared: str, shown: str) -> bool:
    """Tell whether /sys shows the declared parameter: numbers in any base, Y/N for 1/0.

    >>> same_value("1", "Y"), same_value("0x10", "16"), same_value("a", "b")
    (True, True, False)
    """
    return _folded(declared) == _folded(shown)


def _folded(value: str) -> str:
    text = value.strip()
    switch = {"y": "1", "n": "0", "yes": "1", "no": "0", "true": "1", "false": "0", "on": "1", "off": "0"}
    text = switch.get(text.lower(), text)
    try:
        return str(int(text, 0))
    except ValueError:
        return text
