"""What the example inventories come to, as files people read: desired state, the first plan of a machine, switch files.

``python -m tests.unit.inventory.golden`` writes tests/golden anew (`make golden`); then read the difference: whatever
stands there is what an example's user would get. It deliberately grants all consents in plans, so that disruptive steps
are seen as steps, with the consent they need beside them.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from raceway.inventory import Inventory, load
from raceway.inventory.desired import compile_all
from raceway.node.program import run
from raceway.switch.inventory import GROUP, Values, declared
from raceway.switch.render import COMMENT, origin, render

from .fresh import CONSENT, FreshMachine

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden"
# Inventory → one host of each kind, and the recorded machine it is put on.
HOSTS = {
    "example-roce": {"gpu01": "h100-node", "svc01": "debian12-vm"},
    "example-infiniband": {
        "ndr01": "h100-node",
        "hdr01": "h100-node",
        "nvme01": "debian12-vm",
        "sm01": "debian12-vm",
    },
}
LONGEST = 60  # lines of a file that a plan shows
SUFFIX = {"sonic": "json", "cumulus": "txt", "eos": "cfg", "nxos": "cfg"}


def loaded(name: str) -> Inventory:
    """Return an example inventory."""
    return load([str(ROOT / "inventories" / name)])


def files(name: str, scratch: Path) -> Iterator[tuple[str, str]]:
    """Yield (path below tests/golden, text) of everything an example comes to."""
    inventory = loaded(name)
    states = compile_all(inventory)
    for host, shape in HOSTS[name].items():
        yield f"{name}/desired/{host}.json", json.dumps(states[host], indent=1, ensure_ascii=False) + "\n"
        yield f"{name}/plan/{host}.txt", plan(host, states[host], shape, scratch / host)
    for switch in sorted(inventory.groups[GROUP]):
        platform = str(Values(inventory, switch).get("switch_platform", ""))
        made = declared(inventory, switch, platform)
        yield f"{name}/switch/{switch}.{SUFFIX[platform]}", render(made)
        if platform not in COMMENT:
            yield f"{name}/switch/{switch}.{SUFFIX[platform]}.origin.txt", "".join(f"{one}\n" for one in origin(made))


def answer(state: Mapping[str, Any], shape: str, folder: Path) -> Mapping[str, Any]:
    """Return the node program's plan of a fresh machine, with every consent given."""
    consenting = {role: {**body, "allow": CONSENT} for role, body in state.items()}
    machine = FreshMachine(folder, shape, consenting)
    return run({"mode": "plan", "explain": True, "roles": consenting}, machine)


def plan(host: str, state: Mapping[str, Any], shape: str, folder: Path) -> str:
    """Return the plan as text: each step with its reason and undo, refusals, reboots, and how much is so already."""
    rows = [f"{host}: first plan of a fresh machine ({shape} with the declared cards), all consents given"]
    for role, made in answer(state, shape, folder)["roles"].items():
        rows += ["", f"{role}: {len(made['steps'])} steps, {len(made['noops'])} as declared"]
        rows += [line for step in made["steps"] for line in _step(step)]
        rows += _told("refused", made["refusals"]) + _told("reboot", made["reboots"]) + _told("noop", made["noops"])
    return "\n".join(rows) + "\n"


def _step(step: Mapping[str, Any]) -> list[str]:
    risk = "" if step["risk"] == "safe" else f"  [{step['risk']}]"
    rows = [f"  {step['what']}{risk}", f"    why:  {step['why']}", f"    undo: {step['undo']}"]
    lines = step["after"].splitlines() if step["type"] == "file" else []
    shown = [f"    | {line}".rstrip() for line in lines[:LONGEST]]
    return [*rows, *shown, *([f"    | … {len(lines) - LONGEST} more lines"] if len(lines) > LONGEST else [])]


def _told(word: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    acts = (f"; next: {row['act']}" if row.get("act") else "" for row in rows)
    return [f"  {word}: {row['target']}: {row['reason']}{act}" for row, act in zip(rows, acts, strict=True)]


def main() -> int:
    """Write every golden file anew, remove what is no longer made, and say what changed."""
    changed = 0
    for name in HOSTS:
        with tempfile.TemporaryDirectory() as scratch:
            made = {GOLDEN / path: text for path, text in files(name, Path(scratch))}
        for path in sorted({*made, *(one for one in (GOLDEN / name).rglob("*") if one.is_file())}):
            before = path.read_text(encoding="utf-8") if path.exists() else None
            if made.get(path) == before:
                continue
            changed += 1
            print(f"{'removed' if path not in made else 'written'}: {path.relative_to(ROOT)}")
            if path in made:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(made[path], encoding="utf-8")
            else:
                path.unlink()
    print(f"{changed} files changed; read them with: git diff tests/golden")
    return 0


if __name__ == "__main__":
    sys.exit(main())
