"""``mlnx_qos`` of one port in memory: it prints as the real tool does and takes its options."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from raceway.host.machine import Result

HEAD = "DCBX mode: OS controlled\nPriority trust state: {}\n"


class FakeMlnxQos:
    """A port as the mlx5 driver sets it up; ``refused``: options the tool ends with an error for."""

    def __init__(self) -> None:
        self.trust = "pcp"
        self.dscp = {code: code >> 3 for code in range(64)}
        self.pfc = [0] * 8
        self.classes = [1, 0, 2, 3, 4, 5, 6, 7]
        self.tsa = ["vendor"] * 8
        self.share = [0] * 8
        self.buffers = [262016, *[0] * 7]
        self.priority_buffer = [0] * 8
        self.cable = 7
        self.refused: set[str] = set()

    def run(self, words: Sequence[str], ignored: Collection[str] = ()) -> Result:
        """Answer one call: settings, or what is set."""
        rest = list(words[1:])
        del rest[rest.index("-i") : rest.index("-i") + 2]
        if rest == ["-a"]:
            return Result(0, self.shown(), "")
        if "--trust" in rest and "--dscp2prio" in rest:
            return Result(1, "", "trust and dscp2prio cannot be set in one call\n")
        for option, value in zip(rest[::2], rest[1::2], strict=True):
            if option in self.refused:
                return Result(1, "", "Netlink error: Operation not supported\n")
            if option not in ignored:
                self._take(option, value)
        return Result(0, self.shown(), "")

    def _take(self, option: str, value: str) -> None:
        words = value.split(",")
        if option == "--trust":
            self.trust = value
        elif option == "--dscp2prio":
            assert words[0] == "set"
            self.dscp[int(words[1])] = int(words[2])
        elif option == "--cable_len":
            self.cable = int(value)
        elif option == "--tsa":
            self.tsa = words
        else:
            name = {"--pfc": "pfc", "--prio_tc": "classes", "--tcbw": "share", "--buffer_size": "buffers"}
            setattr(self, name.get(option, "priority_buffer"), [int(word) for word in words])

    def shown(self) -> str:
        """Return what the tool prints with ``-a``."""
        text = HEAD.format(self.trust)
        if self.trust == "dscp":
            text += "dscp2prio mapping:\n"
            for priority in range(8):
                codes = [f"{code:02d}," for code, found in self.dscp.items() if found == priority]
                # The tool cuts a row at 24 characters: eight code points.
                text += "".join(
                    f"\tprio:{priority} dscp:{''.join(codes[n : n + 8])}\n" for n in range(0, len(codes), 8)
                )
            text += "default priority:\n"
        sizes = ",".join(map(str, self.buffers))
        text += f"Receive buffer size (bytes): {sizes},max_buffer_size=262016\nCable len: {self.cable}\n"
        text += "PFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n"
        text += f"\tenabled     {'   '.join(map(str, self.pfc))}   \n"
        text += f"\tbuffer      {'   '.join(map(str, self.priority_buffer))}   \n"
        for number in range(8):
            share = f", bw: {self.share[number]}%" if self.tsa[number] == "ets" else ""
            text += f"tc: {number} ratelimit: unlimited, tsa: {self.tsa[number]}{share}\n"
            text += "".join(f"\t priority:  {p}\n" for p, found in enumerate(self.classes) if found == number)
        return text
