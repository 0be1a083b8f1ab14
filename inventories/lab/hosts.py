#!/usr/bin/env python3
"""Prints the inventory of the lab named by RACEWAY_LAB (default ``lab``), as `raceway lab up` wrote it.

inventories/vmlab prints with it too, with another default. It deliberately starts nothing: without a lab it fails and
says what to run.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def state_dir() -> Path:
    """The same rule as raceway.paths.state_dir; written again, because this file runs without the package."""
    own = os.environ.get("RACEWAY_STATE")
    if own:
        return Path(own).absolute()
    base = os.environ.get("XDG_STATE_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".local/state") / "raceway"


def main(default: str = "lab", command: str = "raceway lab up") -> int:
    """Print the inventory for ``--list``, nothing for ``--host`` (the list carries all variables).

    ``default``: the lab when RACEWAY_LAB names none. ``command``: what makes a lab of this kind.
    """
    if "--host" in sys.argv[1:]:
        print("{}")
        return 0
    name = os.environ.get("RACEWAY_LAB", default)
    path = state_dir() / "labs" / name / "inventory.json"
    try:
        inventory = json.loads(path.read_text())
    except FileNotFoundError:
        print(f"no lab {name} is up ({path} is not there): run `{command} --name {name}`", file=sys.stderr)
        return 1
    except ValueError as error:
        print(f"{path}: not JSON ({error}): run `{command} --name {name}` again", file=sys.stderr)
        return 1
    print(json.dumps(inventory, indent=2))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
