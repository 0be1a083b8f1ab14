#!/usr/bin/env python3
"""Prints the inventory of the lab of VM nodes named by RACEWAY_LAB (default ``vmlab``).

The work is that of inventories/lab/hosts.py; it deliberately holds nothing but the other default.
"""

from __future__ import annotations

import runpy
from pathlib import Path

OTHER = Path(__file__).resolve().parents[1] / "lab" / "hosts.py"


def main() -> int:
    """Print what the lab wrote, or say what to run."""
    return int(runpy.run_path(str(OTHER))["main"]("vmlab", "raceway lab up --vm"))


if __name__ == "__main__":
    raise SystemExit(main())
