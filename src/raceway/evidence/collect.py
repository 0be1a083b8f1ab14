"""Gathers the evidence of one node and returns it as one packed bundle; nothing of the node changes.

Request::  {"mode": "evidence", "evidence": {"interval_s": 10, "captures": ["roce"], "about": {"host": "gpu01"}}}
Answer::   {"evidence": {"archive": base64 of a tar.gz, "bytes": 187265, "items": 93, "absent": 21, "moved": 40}}

Everything stays in memory, so there is no temporary folder that a kill could leave. Every program has a limit, and all
are ended when nobody waits for the answer any more. It deliberately stops at nothing: what fails is a row with its
reason.
"""

from __future__ import annotations

import os
import time
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from ..host import Host
from ..host.bounded import DENIED, DONE, LATE, MISSING, Job, Output, read_some, run_all
from ..host.ending import gone, leaving_on_signals
from ..model.evidence import Wanted, parse
from ..probe.infiniband import read_tree
from . import captures, counters, manifest, pcap
from .catalogue import Item, Ports, captured, counted, once
from .manifest import Row
from .survey import survey, unknown
from .texts import Texts

STATES = {MISSING: manifest.MISSING, LATE: manifest.LATE, DENIED: manifest.DENIED}
FILTERS = "captures/FILTERS.txt"
DELTAS = "deltas.json"


def collect(request: Mapping[str, Any], host: Optional[Host] = None) -> Dict[str, Any]:
    """Return the answer to a request."""
    import base64

    wanted = parse(request["evidence"])
    with leaving_on_signals():
        rows, about = Gathering(host or Host(), wanted).rows()
    when = int(time.time())
    data = manifest.manifest(rows, about)
    name = wanted.about.get("host") or "node"
    archive = manifest.pack(rows, data, name, when)
    absent = sum(row.status not in manifest.PRESENT for row in rows)
    summary = {"bytes": len(archive), "items": len(rows) - absent, "absent": absent, "moved": about["moved"]}
    return {"evidence": {"archive": base64.b64encode(archive).decode(), **summary}}


class Gathering:
    """One gathering on one host."""

    def __init__(self, host: Host, wanted: Wanted) -> None:
        self.host, self.wanted = host, wanted
        self.began = time.monotonic()
        self.deadline = self.began + wanted.limit_s
        self.ports = survey(host, wanted.interfaces)
        self.texts = Texts(wanted.hide_addresses)
        self.raw: Dict[str, str] = {}  # counters as they were read, before addresses are hidden

    def rows(self) -> Tuple[List[Row], Dict[str, Any]]:
        """Return everything in the order of its worth, and what the manifest says about the whole."""
        before = self._counted("before")
        first = time.monotonic()
        frames = self._captured()
        still = self._take(list(once(self.ports, self.wanted)))
        self._wait(first)
        apart = time.monotonic() - first
        after = self._counted("after")
        moved, problems = self._moved()
        deltas = {"seconds": round(apart, 3), "problems": problems, "changes": moved}
        compared = Row(DELTAS, "the two readings", data=self._hidden(deltas))
        rows = manifest.fit([compared, *frames, *before, *after, *still, *self._odd()], self.wanted.size_bytes)
        return rows, self._about(apart, len(moved))

    def _counted(self, when: str) -> List[Row]:
        rows = self._take(list(counted(when, self.ports, self.wanted)))
        path = f"counters/{when}/{counters.INFINIBAND}"
        lines = [_line(place, text) for place, text in read_tree(self.host, counters=True).items()]
        if not lines:
            return [*rows, Row(path, "/sys/class/infiniband", manifest.MISSING, "this node has no RDMA device")]
        return [*rows, self._row(path, "/sys/class/infiniband", "\n".join(lines).encode() + b"\n", False, "text")]

    def _captured(self) -> List[Row]:
        if self.wanted.hide_addresses:
            reason = "captures hold addresses, and diagnose_hide_addresses is set"
            return [Row("captures", "tcpdump", manifest.NOT_ASKED, reason)]
        items = list(captured(self.ports, self.wanted))
        if not items:
            what = "no capture was asked for" if not self.wanted.captures else "there is no interface to capture on"
            return [Row("captures", "tcpdump", manifest.NOT_ASKED, what)]
        return [Row(FILTERS, "raceway", data=captures.WORDS.encode()), *self._take(items, width=len(items))]

    def _take(self, items: Sequence[Item], width: int = 8) -> List[Row]:
        """Return the rows of files and programs, in the order of the items."""
        programs = [item for item in items if item.argv]
        jobs = [Job(item.argv, item.limit, item.timeout_s, item.tail) for item in programs]
        outputs = dict(zip((item.path for item in programs), run_all(self.host, jobs, self.deadline, gone, width)))
        rows: List[Row] = []
        for item in items:
            rows += [self._output(item, outputs[item.path])] if item.argv else self._files(item)
        return rows

    def _output(self, item: Item, output: Output) -> Row:
        source, notes = " ".join(item.argv), {"seconds": round(output.seconds, 2)}
        said = " ".join(self.texts.text(output.err).split())[:300]
        if item.form == "pcap":
            return _capture(item, source, output, said)
        if output.state in STATES and not output.out:
            reason = said if output.state != LATE else f"no answer within {item.timeout_s:.0f} s"
            return Row(item.path, source, STATES[output.state], reason, notes=notes)
        row = self._row(item.path, source, output.out, output.state != DONE, item.form)
        if output.state == DONE and output.rc:
            return Row(item.path, source, manifest.FAILED, f"exit {output.rc}: {said}", row.data, notes)
        return Row(row.path, source, row.status, row.reason, row.data, notes)

    def _files(self, item: Item) -> List[Row]:
        found = {path: pattern for pattern in item.files for path in self.host.glob(pattern)}
        rows = [self._file(item, path) for path in found if not self.host.is_folder(path)]
        absent = [pattern for pattern in item.files if pattern not in found.values()]
        return rows + [Row(item.path + one, one, manifest.MISSING, "nothing is there") for one in absent]

    def _file(self, item: Item, path: str) -> Row:
        read = read_some(self.host, path, item.limit)
        if read is None:
            return Row(item.path + path, path, manifest.DENIED, "it is no ordinary file, or cannot be read")
        return self._row(item.path + path, path, read[0], read[1], item.form)

    def _row(self, path: str, source: str, data: bytes, cut: bool, form: str) -> Row:
        text = data.decode("utf-8", "replace")
        if path.startswith("counters/") and text.strip():
            self.raw[path] = text
        status = manifest.CUT if cut else manifest.OK
        reason = "longer than the limit, or ended by time" if cut else "" if data else "it printed nothing"
        return Row(path, source, status, reason, self.texts.of_form(form, text).encode())

    def _moved(self) -> Tuple[List[Dict[str, Any]], List[str]]:
        readings: List[counters.Counters] = []
        problems: List[str] = []
        for when in ("before", "after"):
            base = f"counters/{when}/"
            texts = {path[len(base) :]: text for path, text in self.raw.items() if path.startswith(base)}
            found, said = counters.flat(texts)
            readings.append(found)
            problems += [f"{when}: {one}" for one in said]
        rows = counters.deltas(*readings)
        return [
            {"counter": r.counter, "before": r.before, "after": r.after, "change": r.change} for r in rows
        ], problems

    def _hidden(self, data: Any) -> bytes:
        return self.texts.text(manifest.as_json(data).decode()).encode()

    def _odd(self) -> Iterable[Row]:
        for name in unknown(self.host, self.wanted.interfaces):
            yield Row(f"interfaces/{name}", f"/sys/class/net/{name}", manifest.MISSING, "there is no such interface")

    def _wait(self, first: float) -> None:
        """Let the declared time pass between two readings."""
        while time.monotonic() < min(first + self.wanted.interval_s, self.deadline):
            if gone():
                raise BrokenPipeError("nobody waits for the answer any more")
            time.sleep(0.1)

    def _about(self, apart: float, moved: int) -> Dict[str, Any]:
        kernel = os.uname()
        return {
            **self.wanted.about,
            "node": self.texts.text(kernel.nodename),
            "kernel": kernel.release,
            "collected_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "seconds": round(time.monotonic() - self.began, 2),
            "interval_s": round(apart, 2),
            "interfaces": list(self.ports.interfaces),
            "rdma": list(self.ports.rdma),
            "moved": moved,
            "removed": dict(sorted(self.texts.counts.items())),
        }


def _capture(item: Item, source: str, output: Output, said: str) -> Row:
    """Return the row of a capture; that time ended it is how it should end."""
    if output.state in (MISSING, LATE, DENIED) and not output.out:
        return Row(item.path, source, STATES[output.state], said or "it did not end")
    found = pcap.read(output.out)
    notes = {"packets": found.packets, "roce": found.roce, "cnps": found.cnps, "pauses": found.pauses}
    if found.problem and not found.packets:
        return Row(item.path, source, manifest.FAILED, f"exit {output.rc}: {said or found.problem}")
    return Row(item.path, source, manifest.CUT if found.problem else manifest.OK, found.problem, output.out, notes)


def _line(path: str, text: Optional[str]) -> str:
    """Return one file as ``grep -R .`` prints it, the form `raceway facts parse infiniband-sysfs` reads."""
    if text is None:
        return f"grep: {path}: cannot be read"
    return "\n".join(f"{path}:{line}" for line in text.splitlines() if line) or f"{path}:"


__all__ = ["Gathering", "Ports", "collect"]
