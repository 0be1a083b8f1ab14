"""Starts the host from its folder in the tool cache, without loading the whole Pulumi SDK.

The host speaks the protocol only, so it loads the SDK's generated protocol modules and not the SDK: 0.4 s instead
of 1.4 s that each ``pulumi`` command would wait for (measured, SDK 3.272). It deliberately does not touch the
processes that run programs: those load the real SDK.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from pathlib import Path


def protocol_only() -> None:
    """Put bare packages in the place of the SDK's, so that importing a protocol module does not run their code."""
    found = importlib.util.find_spec("pulumi")
    if found is None or not found.submodule_search_locations:
        sys.exit(f"{sys.executable} has no Pulumi SDK; next: install raceway's requirements into that environment")
    base = Path(found.submodule_search_locations[0])
    for name in ("pulumi", "pulumi.runtime", "pulumi.runtime.proto"):
        bare = types.ModuleType(name)
        bare.__path__ = [str(base.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = bare


def main() -> int:
    """Serve the engine."""
    here = Path(__file__).resolve().parent
    sys.path[0] = str(here.parent)
    protocol_only()
    return int(importlib.import_module(f"{here.name}.host").main(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
