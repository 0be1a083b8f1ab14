"""What the kernel role's BBR and fq bring over a long lossy path: 100 Mb/s, 100 ms, loss of 0, 0.1, 1 and 5 %.

Run with ``python -m tests.bench.bench_tcp [--losses P …] [--seconds N] [--rounds N] [--add] [--json FILE]``. One VM of
the lab, three network namespaces: sender, router, receiver. Towards the receiver the router's netem drops, queues one
bandwidth-delay product and holds the rate; what comes back it delays. Before a loss is measured, the emulator is, by
ping (round trip) and UDP (rate and loss): outside of the tolerances there is no report. Ways take turns in rounds. It
deliberately measures no peer tool: what is compared is the kernel before and after the role.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError
from raceway.lab.vm import VmLab

from . import table

LINK_MBPS, RTT_MS = 100, 100
# One bandwidth-delay product in frames of 1514 bytes: the buffer a router is usually given.
QUEUE_FRAMES = LINK_MBPS * 1000 * RTT_MS // 8 // 1514
LOSSES = (0.0, 0.1, 1.0, 5.0)
# Name → congestion control and the sender's queueing discipline: the distribution's own, the role's, BBR without fq.
WAYS = {"cubic": ("cubic", "fq_codel"), "bbr": ("bbr", "fq"), "bbr, fifo": ("bbr", "pfifo limit 10000")}
FIFO_AT = (0.0,)  # where nothing but pacing keeps the queue short; at every loss it would be half as long again
# Offered loads of the proof. An iperf3 datagram of 1448 bytes is a frame of 1490.
PROOFS, PROOF_S, OVERLOAD_MBPS, UNDERLOAD_MBPS, DATAGRAM, FRAME = 3, 8, 120, 60, 1448, 1490
RTT_TOLERANCE_MS, RATE_TOLERANCE = 3.0, 0.03
SETUP = f"""
modprobe -a sch_netem sch_fq tcp_bbr
for n in snd rtr dst; do ip netns add $n; ip -n $n link set lo up; done
ip link add s0 netns snd type veth peer name r0 netns rtr
ip link add r1 netns rtr type veth peer name d0 netns dst
ip -n snd addr add 10.9.0.1/24 dev s0; ip -n rtr addr add 10.9.0.2/24 dev r0
ip -n rtr addr add 10.9.1.1/24 dev r1; ip -n dst addr add 10.9.1.2/24 dev d0
for end in snd:s0 rtr:r0 rtr:r1 dst:d0; do
  # netem drops whole buffers: with segments put together, one draw of its dice would count for 40 frames.
  ip netns exec ${{end%:*}} ethtool -K ${{end#*:}} tso off gso off gro off
  ip -n ${{end%:*}} link set ${{end#*:}} up
done
ip -n snd route add default via 10.9.0.2; ip -n dst route add default via 10.9.1.1
ip netns exec rtr sysctl -qw net.ipv4.ip_forward=1
for n in snd dst; do
  ip netns exec $n sysctl -qw net.ipv4.tcp_no_metrics_save=1 \\
    net.ipv4.tcp_rmem='4096 131072 268435456' net.ipv4.tcp_wmem='4096 16384 268435456'
done
sysctl -qw net.core.rmem_max=268435456 net.core.wmem_max=268435456
ip -n rtr link set r0 txqueuelen 20000
ip netns exec rtr tc qdisc replace dev r0 root netem delay {RTT_MS}ms limit 20000
ip netns exec dst iperf3 -s -D
"""


class Path3:
    """The three namespaces on one VM."""

    def __init__(self, lab: VmLab) -> None:
        self.lab, self.node = lab, f"{lab.name}-1"

    def run(self, script: str, timeout: float = 120) -> str:
        """Run a script on the VM that must succeed; return what it printed."""
        command = ["ssh", "-F", str(self.lab.ssh_config), "-o", "BatchMode=yes", self.node, f"set -e\n{script}"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
        if done.returncode:
            raise RacewayError(self.node, (done.stderr or done.stdout).strip()[-500:], act="run it there by hand")
        return done.stdout

    def lose(self, percent: float) -> None:
        """Set the loss; the rate and the queue stay."""
        words = f"rate {LINK_MBPS}mbit limit {QUEUE_FRAMES}" + (f" loss {percent}%" if percent else "")
        self.run(f"ip netns exec rtr tc qdisc replace dev r1 root netem {words}")

    def iperf(self, words: str, seconds: int) -> dict[str, Any]:
        """Run iperf3 from sender to receiver; return its JSON."""
        text = self.run(f"ip netns exec snd iperf3 -J -c 10.9.1.2 -t {seconds} {words}", seconds + 60)
        found: dict[str, Any] = json.loads(text)["end"]
        return found

    def prove(self, percent: float) -> dict[str, float]:
        """Measure the emulator until it is what it claims to be; fail where it is not, three times in a row."""
        for _ in range(PROOFS):
            found = self.look(percent)
            wrong = unproved(found)
            if not wrong:
                return found
            print(f"loss {percent} %: not proved: {wrong}", flush=True)
        raise RacewayError("the emulated path", wrong, act="measure on a quieter machine; nothing was reported")

    def look(self, percent: float) -> dict[str, float]:
        """Measure the emulator as it is set now, with no TCP: round trip, rate, loss."""
        ping = self.run("ip netns exec snd ping -q -c 20 -i 0.1 10.9.1.2 || true").splitlines()[-1]
        round_trip = float(ping.split("=")[1].split("/")[1])
        udp = f"-u -l {DATAGRAM} -w 8M -b"
        full = self.iperf(f"{udp} {OVERLOAD_MBPS}M", PROOF_S)["sum_received"]
        rate = full["bits_per_second"] / 1e6 * FRAME / DATAGRAM
        light = self.iperf(f"{udp} {UNDERLOAD_MBPS}M", PROOF_S)["sum"]
        lost = light["lost_packets"] / light["packets"] * 100
        return {"loss": percent, "rtt_ms": round_trip, "rate_mbps": rate, "lost": lost, "packets": light["packets"]}

    def measure(self, way: str, seconds: int) -> dict[str, Any]:
        """One TCP flow; what arrived, what was sent again, and how busy the VM's CPUs were."""
        control, qdisc = WAYS[way]
        self.run(f"ip netns exec snd tc qdisc replace dev s0 root {qdisc}")
        before = cpu(self.run("head -n 1 /proc/stat"))
        end = self.iperf(f"-C {control}", seconds)
        after = cpu(self.run("head -n 1 /proc/stat"))
        if end["sender_tcp_congestion"] != control:
            raise RacewayError("iperf3", f"sent with {end['sender_tcp_congestion']}", control, "load its module")
        idle, total = (late - early for early, late in zip(before, after, strict=True))
        return {
            "way": way,
            "mbps": end["sum_received"]["bits_per_second"] / 1e6,
            "again": end["sum_sent"]["retransmits"],
            "busy": 1 - idle / total,
        }


def unproved(found: dict[str, float]) -> str:
    """Return in which way a measured emulator is not the declared one; empty when it is.

    The loss may differ by four standard deviations of a fair dice, and by 0.02 % for a datagram that the VM dropped.
    """
    share, count = found["loss"] / 100, found["packets"]
    spread = 4 * math.sqrt(share * (1 - share) / count) * 100 + 0.02
    wrong = []
    if abs(found["rtt_ms"] - RTT_MS) > RTT_TOLERANCE_MS:
        wrong.append(f"round trip {found['rtt_ms']:.1f} ms instead of {RTT_MS}")
    if abs(found["lost"] - found["loss"]) > spread:
        wrong.append(f"loss {found['lost']:.3f} % instead of {found['loss']} ± {spread:.3f}")
    if abs(found["rate_mbps"] / LINK_MBPS - 1) > RATE_TOLERANCE:
        wrong.append(f"rate {found['rate_mbps']:.1f} Mb/s instead of {LINK_MBPS}")
    return ", ".join(wrong)


def cpu(line: str) -> tuple[int, int]:
    """Return idle and all jiffies of the first line of /proc/stat.

    >>> cpu("cpu  10 0 5 80 5 0 0 0 0 0")
    (85, 100)
    """
    numbers = [int(word) for word in line.split()[1:9]]
    return numbers[3] + numbers[4], sum(numbers)


def bench(path: Path3, loss: float, seconds: int, rounds: int) -> dict[str, list[dict[str, Any]]]:
    """Prove and measure one loss."""
    path.lose(loss)
    proof = path.prove(loss)
    print(f"loss {loss} %: the path is proved: {proof}", flush=True)
    rows = []
    for _ in range(rounds):
        for way in WAYS if loss in FIFO_AT else ("cubic", "bbr"):
            rows.append({"loss": loss, **path.measure(way, seconds)})
            print(f"  {way}: {rows[-1]['mbps']:.2f} Mb/s, CPU {rows[-1]['busy']:.0%}", flush=True)
    return {"emulator": [proof], "rows": rows}


def save(target: Path, result: dict[str, Any], loss: float, found: dict[str, list[dict[str, Any]]]) -> None:
    """Put one loss into the result in the place of what was there, and write it."""
    for name, rows in found.items():
        result[name] = [row for row in result.get(name, []) if row["loss"] != loss] + rows
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(result, indent=1) + "\n")


def main() -> int:
    """Measure, write the JSON, print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.bench_tcp", description=__doc__)
    parser.add_argument("--losses", type=float, nargs="+", default=list(LOSSES), choices=LOSSES)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--add", action="store_true", help="keep the other losses that the JSON file has")
    parser.add_argument("--json", type=Path, metavar="FILE", required=True)
    args = parser.parse_args()
    result: dict[str, Any] = json.loads(args.json.read_text()) if args.add and args.json.exists() else {}
    result |= {"seconds": args.seconds, "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    lab = VmLab(f"bench-{os.getpid()}", show=True)
    try:
        lab.up(1)
        path = Path3(lab)
        path.run(SETUP)
        tools = path.run("uname -r; iperf3 --version | head -n 1 | cut -d' ' -f2").split()
        result["versions"] = {"guest kernel": tools[0], "iperf3": tools[1]}
        for loss in args.losses:
            save(args.json, result, loss, bench(path, loss, args.seconds, args.rounds))
    except RacewayError as error:
        print(error.message(), file=sys.stderr)
        return 2
    finally:
        lab.down()
    print(table.tcp(result))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
