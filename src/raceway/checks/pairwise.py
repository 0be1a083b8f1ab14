"""Carries out a node's part of a block of a sweep: meets each partner of each port, runs one end of each tool.

Request::  {"mode": "pairwise", "pairwise": {"step": "look", "ports": […]}}   what is there, see ``probe.pairwise``
           {"mode": "pairwise", "pairwise": {"step": "measure", …}}           see ``model.pairwise``
Answer::   {"pairwise": [{"rail": 0, "round": 3, "measure": "bandwidth", "sends": true, "value": 387.5, …}]}

Ports work side by side, each with one partner at a time. Every tool has a limit of its own, one before it should this
process be killed, and all are ended when nobody waits for the answer any more. It deliberately stops at nothing: a pair
that cannot be measured is a row with its reason.
"""

from __future__ import annotations

import threading
import time
from typing import Any, Dict, List, Mapping, Optional

from ..host import Host
from ..host.bounded import LATE, MISSING, Job, Output, run_all
from ..host.ending import gone, leaving_on_signals
from ..model.pairwise import Block, Lane, Match, Slot, parse
from ..probe.pairwise import look
from .meeting import STEP_S, Gone, Line, Meeting
from .tools import command, figure, too_early

SETTLE_S = 0.5  # from the start of a serving tool until it listens; a client that is earlier tries again
START_S = 15.0  # how long a client tries: emulated machines need seconds to open a device
SLACK_S = 20.0  # what a tool needs besides the seconds it measures, connecting and closing
GRACE_S = 2.0  # how long a serving tool may still run after its client is done
OUTPUT_BYTES = 1 << 20
Row = Dict[str, Any]


def answer(request: Mapping[str, Any], host: Optional[Host] = None) -> Dict[str, Any]:
    """Return the answer to a request."""
    wanted = request["pairwise"]
    machine = host or Host()
    if wanted["step"] == "look":
        return {"pairwise": look(machine, wanted["ports"])}
    return {"pairwise": measure(machine, parse(wanted))}


def measure(host: Host, block: Block) -> List[Row]:
    """Return the rows of all ports; every started program has ended when it returns, however it does."""
    over = threading.Event()
    found: Dict[int, List[Row]] = {}
    broken: List[BaseException] = []

    def work(number: int, port: _Port) -> None:
        try:
            found[number] = port.rows()
        except BaseException as error:  # a thread must not take its reason along
            broken.append(error)

    ports = [_Port(host, block, lane, over.is_set) for lane in block.lanes]
    threads = [threading.Thread(target=work, args=(n, one)) for n, one in enumerate(ports)]
    with leaving_on_signals():
        try:
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                if broken:
                    raise broken[0]
                if gone():
                    raise BrokenPipeError("nobody waits for the answer any more")
                time.sleep(STEP_S)
        finally:
            over.set()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
    if broken:
        raise broken[0]
    return [row for number in sorted(found) for row in found[number]]


class _Port:
    """One port of this node on its way through the rounds."""

    def __init__(self, host: Host, block: Block, lane: Lane, over: Any) -> None:
        self.host, self.block, self.lane, self.over = host, block, lane, over
        self.deadline = time.monotonic() + block.limit_s

    def rows(self) -> List[Row]:
        """Return one row for each slot of each match."""
        lane = self.lane
        try:
            meeting = Meeting(self.block.run, lane.address, lane.listen, self.block.patience_s, self.over)
        except OSError as error:
            reason = f"{lane.address} port {lane.listen} cannot be listened at: {error.strerror}"
            return [self._row(match, slot, None, reason) for match in lane.matches for slot in match.slots]
        try:
            return [row for match in lane.matches for row in self._match(meeting, match)]
        finally:
            meeting.close()

    def _match(self, meeting: Meeting, match: Match) -> List[Row]:
        try:
            meet = meeting.call if match.call else meeting.receive
            line = meet(match.peer, match.round, self.deadline)
        except Gone as reason:
            return [self._row(match, slot, None, str(reason)) for slot in match.slots]
        try:
            return [self._slot(line, match, number, slot) for number, slot in enumerate(match.slots)]
        finally:
            line.close()

    def _slot(self, line: Line, match: Match, number: int, slot: Slot) -> Row:
        """Run one end of one tool; the serving end begins, and says so."""
        limit = slot.seconds + SLACK_S
        if not slot.sends:
            return self._serve(line, match, number, slot, limit + START_S)
        word = line.wait((f"ready {number}",), min(self.deadline, time.monotonic() + limit + START_S), self.over)
        if not word:
            return self._row(match, slot, None, f"{match.peer}: it left, or did not get ready to serve {slot.tool}")
        time.sleep(SETTLE_S)
        value, problem = self._client(line, match, slot, limit)
        line.say(f"done {number}")
        return self._row(match, slot, value, problem)

    def _client(self, line: Line, match: Match, slot: Slot, limit: float) -> Any:
        until = time.monotonic() + START_S
        while True:
            output = self._run(Job(command(slot, match, self.lane.address), OUTPUT_BYTES, limit), self.over)
            text = _text(output)
            value, problem = (None, _why(output, limit)) if output.state in (LATE, MISSING) else figure(slot, text)
            line.listen()
            if value is not None or not too_early(text) or line.closed or time.monotonic() > until or self.over():
                return value, problem
            time.sleep(SETTLE_S)

    def _serve(self, line: Line, match: Match, number: int, slot: Slot, limit: float) -> Row:
        """Serve until the tool ends by itself, or its client is done with it, or gone."""

        def left() -> bool:
            line.listen()
            heard = line.heard.get(f"done {number}")
            return self.over() or line.closed or (heard is not None and time.monotonic() - heard > GRACE_S)

        line.say(f"ready {number}")
        output = self._run(Job(command(slot, match, self.lane.address), OUTPUT_BYTES, limit), left)
        failed = output.state in (LATE, MISSING) or (output.state != "ended" and output.rc != 0)
        problem = _why(output, limit) if failed else ""
        # The client may be a step behind: the next slot begins when it is done with this one.
        line.wait((f"done {number}",), min(self.deadline, time.monotonic() + limit), self.over)
        return self._row(match, slot, None, problem)

    def _run(self, job: Job, left: Any) -> Output:
        try:
            return run_all(self.host, [job], self.deadline, left)[0]
        except BrokenPipeError:
            return Output("ended")

    def _row(self, match: Match, slot: Slot, value: Optional[float], problem: str) -> Row:
        return {
            "rail": self.lane.rail,
            "round": match.round,
            "measure": slot.measure,
            "tool": slot.tool,
            "sends": slot.sends,
            "value": value,
            "problem": problem,
        }


def _text(output: Output) -> str:
    out = output.out.decode("utf-8", "replace")
    return out + ("\n" if out and not out.endswith("\n") else "") + output.err


def _why(output: Output, limit: float) -> str:
    said = " ".join(output.err.split())[-200:]
    if output.state == LATE:
        return f"no result within {limit:.0f} s"
    if output.state == MISSING:
        return said
    return f"exit {output.rc}: {said or ' '.join(_text(output).split())[-200:] or 'it said nothing'}"
