"""Plans mounts: a mount unit of our own, enabled, mounted now with the options that were declared.

It deliberately never mounts over something (another mount, a folder with content), never edits /etc/fstab, and never
unmounts to change a source: each of these is a refusal that says what is in the way.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Set, Union

from ..facts.mount import Mounted, MountFacts, Point
from ..model.mount import NO_DEVICE, TAGS, UNIT_FOLDER, Mount, MountDesired, bad_path, device_link, unstable
from ..model.mount_options import compare, for_remount
from ..model.plan import DESTRUCTIVE, DISRUPTIVE, SAFE, Noop, Plan, Refusal, Step, sort
from .dropin import render

FILE_BOOK = "mount_file"
LASTING = "UUID=, LABEL= or a name below /dev/disk/by-id"
_Outcome = Union[Step, Noop, Refusal]


def plan(desired: MountDesired, facts: MountFacts) -> Plan:
    """Return what makes every declared mount so, now and at boot, and takes back those no longer declared."""
    rows: List[_Outcome] = []
    seen: Set[str] = set()
    for mount in desired.mounts:
        point = facts.points.get(mount.path, Point())
        refusal = _impossible(mount, facts) or _in_the_way(mount, point)
        if mount.path in seen:
            rows.append(Refusal(mount.path, "it is declared twice", "keep one of the two declarations"))
        elif refusal:
            rows.append(refusal)
        elif mount.local_disk and desired.platform == "container":
            rows.append(Noop(mount.path, "disks belong to the machine this container runs on"))
        else:
            rows.extend(_missing_device(mount, point) or _mount(mount, point))
        seen.add(mount.path)
    rows += [_give_up(path, facts) for path in sorted(facts.owned) if path not in seen]
    return sort(_in_order(rows))


def _in_order(rows: List[_Outcome]) -> List[_Outcome]:
    """Put files before links before mounts, over all mounts: the manager then reads its files once."""
    order = ("mount_remove", "file", "mount_enable", "mount_start", "mount_remount")
    return sorted(rows, key=lambda row: order.index(row.type) if isinstance(row, Step) else 0)


def _impossible(mount: Mount, facts: MountFacts) -> Optional[Refusal]:
    """Return why a declaration is wrong by itself, or contradicts /etc/fstab."""
    path = mount.path
    problem = bad_path(path)
    if problem:
        return Refusal(path, problem, "declare an absolute, plain path below a data folder")
    if "=" in mount.source and mount.source.split("=", 1)[0].upper() in TAGS and not mount.local_disk:
        return Refusal(path, f"{mount.source} is no source", f"write the tag in capitals: {', '.join(TAGS)}")
    lasting = unstable(mount.source) if mount.local_disk else None
    if lasting:
        return Refusal(path, lasting, f"name the disk by {LASTING}")
    if mount.local_disk and "nofail" not in mount.options:
        reason = "without nofail a missing disk keeps the whole node from booting"
        return Refusal(path, reason, "add nofail to its options, and RequiresMountsFor= to the units that use it")
    if "noauto" in mount.options:
        return Refusal(path, "noauto contradicts a mount that raceway keeps in place", "drop noauto, or the mount")
    line = next((row for row in facts.fstab if row.path == path), None)
    if line:
        reason = f"/etc/fstab:{line.line} mounts {line.source} there at boot"
        return Refusal(path, reason, "remove that line, raceway writes a mount unit in its place")
    return None


def _in_the_way(mount: Mount, point: Point) -> Optional[Refusal]:
    """Return what stands where the mount or its unit should be."""
    path, now = mount.path, point.mounted
    if point.unit_link is not None:
        act = f"remove the link {UNIT_FOLDER}{mount.unit}, or declare another path"
        return Refusal(path, f"{mount.unit} is a link to {point.unit_link}, so it is masked or another's", act)
    if now:
        other = _other(mount, point, now)
        return Refusal(path, other, "unmount it by hand, or declare what is there") if other else None
    if point.link:
        reason = f"{point.link} is a symbolic link, systemd mounts on real paths only"
        return Refusal(path, reason, "declare the path it leads to")
    if point.kind not in ("", "dir"):
        return Refusal(path, "what is there is no folder", "move it away, or declare another path")
    if point.entries:
        reason = f"the folder holds {point.entries} entries, which the mount would hide"
        return Refusal(path, reason, "move them away, or declare another path")
    return None


def _other(mount: Mount, point: Point, now: Mounted) -> str:
    """Return how what is mounted differs in kind or source from what is declared, or the empty string."""
    if mount.bind:
        return "" if _same_folder(mount, point, now) else f"{now.source} ({now.root}) is mounted there"
    if now.root != "/" and now.fstype != "btrfs":
        return f"the folder {now.root} of {now.source} is mounted there"
    if _family(now.fstype) != _family(mount.fstype):
        return f"a {now.fstype} file system ({now.source}) is mounted there, declared is {mount.fstype}"
    if mount.fstype in NO_DEVICE:
        return ""
    device = point.device
    names = {mount.source.rstrip("/"), device_link(mount.source), device.path if device else ""}
    same = now.source.rstrip("/") in names or bool(device and device.dev and device.dev == now.dev)
    return "" if same else f"{now.source} is mounted there, declared is {mount.source}"


def _same_folder(mount: Mount, point: Point, now: Mounted) -> bool:
    within = point.bind_source
    if within is None:
        return False
    rest = mount.source[len(within.path.rstrip("/")) :]
    return now.dev == within.dev and now.root == ((within.root.rstrip("/") + rest).rstrip("/") or "/")


def _family(fstype: str) -> str:
    return "nfs" if fstype in ("nfs", "nfs4") else fstype


def _missing_device(mount: Mount, point: Point) -> List[_Outcome]:
    if not mount.local_disk or point.device or point.mounted:
        return []
    reason = f"no disk of this node is {mount.source}"
    return [Refusal(mount.path, reason, "compare with lsblk -f, or drop the mount")]


def _mount(mount: Mount, point: Point) -> List[_Outcome]:
    rows: List[_Outcome] = []
    why = mount.why or "declared for this node"
    text = unit_text(mount)
    if point.unit != text:
        file, former = UNIT_FOLDER + mount.unit, "the former one comes back" if point.unit else "it goes away"
        args = {"path": file, "content": text, "mode": 0o644, "owner": "root", "group": "root", "book": FILE_BOOK}
        args.update(mount=mount.path, original=_original(point))
        at_boot = f"{why}; it must come back at boot"
        rows.append(Step("file", mount.path, f"write {file}", at_boot, SAFE, former, point.unit or "", text, args))
    args = {"mount": mount.path, "unit": mount.unit, "original": _original(point)}
    if not point.enabled:
        undo, what = f"disable {mount.unit}", f"enable {mount.unit} at boot"
        rows.append(Step("mount_enable", mount.path, what, why, SAFE, undo, "disabled", "enabled", args))
    if point.mounted is None:
        after = f"{mount.fstype} {mount.source} {','.join(mount.options)}".strip()
        undo = f"unmount {mount.path}"
        rows.append(Step("mount_start", mount.path, f"mount {mount.path}", why, SAFE, undo, "", after, args))
        return rows
    found = compare(mount.fstype, mount.options, point.mounted.options)
    if found.differences:
        rows.append(_remount(mount, point.mounted, found.differences, {**args, "fstype": mount.fstype}))
    return rows or [Noop(mount.path, "is mounted as declared" + _unseen(found.unseen))]


def _remount(mount: Mount, now: Mounted, differences: Any, args: Dict[str, Any]) -> Step:
    wanted, found = (", ".join(row[side] for row in differences) for side in (0, 1))
    what = f"remount {mount.path} with {wanted}"
    options = ["bind", *mount.options] if mount.bind and "bind" not in mount.options else mount.options
    args.update(declared=list(mount.options), options=for_remount(options, now.options))
    why, undo = mount.why or "declared for this node", f"remount with {found}"
    return Step("mount_remount", mount.path, what, why, SAFE, undo, found, wanted, args)


def _unseen(options: Any) -> str:
    return f"; the kernel does not show {', '.join(options)}, so that is not compared" if options else ""


def unit_text(mount: Mount) -> str:
    """Return the mount unit. Wanted, never required: no data mount may keep a node from booting."""
    options = list(mount.options)
    if mount.bind and not {"bind", "rbind"} & set(options):
        options.insert(0, "bind")
    what = device_link(mount.source) if mount.local_disk else mount.source
    lines = [
        "[Unit]",
        f"Description={_plain(mount.why) or 'Declared mount'} ({_percent(mount.path)})",
        "[Mount]",
        f"What={_percent(what)}",
        f"Where={_percent(mount.path)}",
        f"Type={'none' if mount.bind else mount.fstype}",
        *([f"Options={_percent(','.join(options))}"] if options else []),
        "[Install]",
        f"WantedBy={mount.target}",
    ]
    return render("system", lines)


def _percent(text: str) -> str:
    return text.replace("%", "%%")  # a percent sign starts a specifier in a unit file


def _plain(text: str) -> str:
    return _percent(" ".join(text.split()))


def _original(point: Point) -> Dict[str, Any]:
    """Return what the ledger keeps: whether and how it was mounted, and the folders that will be made."""
    now = point.mounted
    return {
        "options": None if now is None else ",".join(now.options),
        "enabled": point.enabled,
        "folders": list(point.missing),
    }


def _give_up(path: str, facts: MountFacts) -> Step:
    """Return the one step that takes a mount back whole: if it is busy, its unit stays as well."""
    original, point = facts.owned[path], facts.points.get(path, Point())
    unmount = point.mounted is not None and original.get("options") is None
    risk, loss = SAFE, ""
    if unmount and point.entries and point.mounted is not None:
        volatile = point.mounted.fstype in ("tmpfs", "ramfs")
        risk, loss = (DESTRUCTIVE, "; what is in it is lost") if volatile else (DISRUPTIVE, "")
    what = f"unmount {path} and remove its unit" if unmount else f"remove the unit of {path}"
    args = {"mount": path, "original": original, "unmount": unmount}
    before = f"{point.mounted.fstype} {point.mounted.source}" if point.mounted else ""
    why = f"it is no longer declared{loss}"
    return Step("mount_remove", path, what, why, risk, "declare it again", before, "" if unmount else before, args)
