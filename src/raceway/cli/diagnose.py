"""``raceway diagnose read BUNDLE.tar.gz`` says what a bundle of playbooks/diagnose.yml shows, without any node.

It deliberately unpacks nothing: ``tar xzf`` does that for whoever wants the files. Exit codes: 0 nothing bad moved, 1
something did or the bundle is damaged, 2 it cannot be read.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from raceway.diagnose import summary
from raceway.diagnose.bundle import read

HELP = "say what a bundle of evidence shows"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the action and its options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    reading = actions.add_parser("read", help="what moved and what it means, what the captures hold, what is missing")
    reading.add_argument("bundle", type=Path, metavar="BUNDLE", help="HOST-TIME.tar.gz, or several", nargs="+")
    reading.add_argument("--all", action="store_true", help="shorten no list")
    reading.add_argument("--json", action="store_true", help="machine-readable output, one object a bundle")


def run(args: argparse.Namespace) -> int:
    """Print each bundle's page; 1 where one of them wants a person."""
    pages = [summary.data(read(path)) for path in args.bundle]
    for number, page in enumerate(pages):
        if args.json:
            print(json.dumps(page, ensure_ascii=False))
        else:
            print("\n".join([*([""] if number else []), *summary.lines(page, args.all)]))
    return 1 if any(summary.bad(page) for page in pages) else 0
