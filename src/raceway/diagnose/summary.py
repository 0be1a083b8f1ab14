"""A bundle in a page: whose it is, what moved and what that means, what the captures hold, what is not there.

It deliberately ends with what is missing: an absent proof must not be read as a good sign.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from raceway.diagnose.bundle import Bundle
from raceway.diagnose.meaning import BAD, Finding, findings, unexplained
from raceway.evidence import pcap
from raceway.evidence.manifest import CUT, FAILED, PRESENT

MOVERS = 10
SHOWN = 12
LINE = 160  # characters of a line in a shortened list
# Text → what its first line that begins with one of these words says about the node.
VERSIONS = {
    "versions/kernel.txt": ("",),
    "versions/ofed.txt": ("",),
    "system/proc/driver/nvidia/version": ("NVRM",),
    "versions/cuda.txt": ("Cuda compilation",),
}
PACKAGES = ("rdma-core", "libibverbs1", "libnccl2", "libnccl", "rccl", "doca-ofed", "perftest", "ethtool", "iproute2")


def data(bundle: Bundle) -> dict[str, Any]:
    """Return everything the page says as data."""
    deltas = bundle.deltas
    found = findings(deltas["changes"], float(deltas["seconds"]))
    return {
        "host": bundle.manifest.get("host", ""),
        "collected_at": bundle.manifest.get("collected_at", ""),
        "interval_s": deltas["seconds"],
        "interfaces": bundle.manifest.get("interfaces", []),
        "rdma": bundle.manifest.get("rdma", []),
        "versions": versions(bundle),
        "findings": [vars(one) for one in found],
        "movers": [dict(row) for row in unexplained(deltas["changes"])[:MOVERS]],
        "captures": captures(bundle),
        "unread": list(deltas["problems"]),
        "not_whole": _by_reason(row for row in bundle.items if row["status"] in (CUT, FAILED)),
        "absent": _by_reason(row for row in bundle.items if row["status"] not in PRESENT),
        "removed": bundle.manifest.get("removed", {}),
        "damaged": list(bundle.damaged),
    }


def bad(page: dict[str, Any]) -> bool:
    """Tell whether something in a page wants a person."""
    return bool(page["damaged"]) or any(row["word"] == BAD for row in page["findings"])


def versions(bundle: Bundle) -> dict[str, str]:
    """Return what is installed, by name."""
    found: dict[str, str] = {}
    for path, beginnings in VERSIONS.items():
        line = next((line for line in bundle.text(path).splitlines() if line.strip().startswith(beginnings)), "")
        if line:
            found[path.rpartition("/")[2].removesuffix(".txt")] = " ".join(line.split())
    for line in bundle.text("versions/packages-deb.txt").splitlines():
        name, _, version = line.partition("\t")
        if name.partition(":")[0] in PACKAGES:
            found[name.partition(":")[0]] = version
    return found


def captures(bundle: Bundle) -> list[dict[str, Any]]:
    """Return what each capture holds."""
    rows = []
    for path in sorted(path for path in bundle.files if path.endswith(".pcap")):
        held = pcap.read(bundle.files[path])
        rows.append({"path": path, **{key: value for key, value in vars(held).items() if value or key == "packets"}})
    return rows


def lines(page: dict[str, Any], everything: bool = False) -> list[str]:
    """Return the page as text. ``everything``: no list is shortened."""
    most = 10**6 if everything else SHOWN
    rows = [f"{page['host']}, {page['collected_at']}, counters {page['interval_s']} s apart"]
    rows += [f"  {name:<12} {text}" for name, text in page["versions"].items()]
    rows += ["", "What moved"]
    rows += [line for one in page["findings"][:most] for line in _finding(Finding(**one))]
    rows += _more(page["findings"], most, "--all shows them")
    rows += [] if page["findings"] else ["  nothing that has a meaning here"]
    rows += [f"  also   {row['counter']} +{row['change']}" for row in page["movers"]]
    rows += ["", "Captures"]
    rows += [f"  {_held(row)}" for row in page["captures"]] or ["  none"]
    rows += _listed("Not whole, or with an error", page["not_whole"], most)
    rows += _listed("Not in the bundle", page["absent"], most)
    rows += _listed("Counters that could not be read", page["unread"], most)
    rows += _listed("DAMAGED: the bundle is not what the node sent", page["damaged"], 10**6)
    removed = ", ".join(f"{count} {kind}" for kind, count in page["removed"].items())
    return [*rows, "", f"Removed on the node: {removed or 'nothing'}"]


def _finding(one: Finding) -> list[str]:
    rate = f" ({one.rate:.3g}/s)" if one.rate else ""
    rows = [f"  {one.word:<6} {one.counter} {one.change:+d}{rate}", f"         {one.meaning}"]
    return [*rows, f"         next: {one.act}"] if one.act else rows


def _held(row: dict[str, Any]) -> str:
    words = [f"{row['packets']} packets"]
    words += [f"{row[key]} {text}" for key, text in (("cnps", "CNPs"), ("marked", "with ECN CE")) if key in row]
    if "dscps" in row:
        words.append("DSCP " + ", ".join(f"{dscp}: {count}" for dscp, count in row["dscps"]))
    if "pauses" in row:
        words.append(f"{row['pauses']} pause frames")
    if "problem" in row:
        words.append(row["problem"])
    return f"{row['path']}: {', '.join(words)}"


def _by_reason(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return one line for all that is missing for one reason."""
    paths: dict[str, list[str]] = {}
    for row in rows:
        paths.setdefault(f"{row['status']}: {row.get('reason', '')}".rstrip(": "), []).append(row["path"])
    return [f"{reason}: {', '.join(sorted(names))}" for reason, names in paths.items()]


def _listed(title: str, rows: Sequence[str], most: int) -> list[str]:
    if not rows:
        return []
    shown = [row if most > SHOWN or len(row) <= LINE else f"{row[:LINE]}…" for row in rows[:most]]
    return ["", title, *(f"  {row}" for row in shown), *_more(rows, most, "--all shows them")]


def _more(rows: Sequence[Any], most: int, act: str) -> list[str]:
    return [f"  … and {len(rows) - most} more; {act}"] if len(rows) > most else []
