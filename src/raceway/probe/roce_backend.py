"""Asks a port's DCB settings of the program that can: the one capability probe of the roce role.

It deliberately starts ``mlnx_qos``, which is a Python program and takes a tenth of a second, only where ``dcb`` failed.
"""

from __future__ import annotations

from ..facts.dcb import parse_app, parse_buffer, parse_dcbx, parse_ets, parse_pfc
from ..facts.mlnx_qos import parse as parse_mlnx_qos
from ..facts.roce_backend import MLNX_QOS, Half, Readings, by_dcb, by_mlnx_qos, choose
from ..host import Host

NOT_FOUND = 127


def read_half(host: Host, device: str) -> Half:
    """Return the DCB half of a port, by the program that reads and sets it from now on."""
    dcb = by_dcb(
        Readings(
            pfc=parse_pfc(_dcb(host, "pfc", device)),
            ets=parse_ets(_dcb(host, "ets", device)),
            app=parse_app(_dcb(host, "app", device)),
            dcbx=parse_dcbx(_dcb(host, "dcbx", device)),
            buffer=parse_buffer(_dcb(host, "buffer", device)),
        )
    )
    if not dcb.problem:
        return dcb
    done = host.run([MLNX_QOS, "-a", "-i", device])
    said = done.out if done.rc == 0 else f"{done.out}\n{done.err}"
    return choose(dcb, None if done.rc == NOT_FOUND else by_mlnx_qos(parse_mlnx_qos(said)))


def _dcb(host: Host, what: str, device: str) -> str:
    """Return what dcb printed; where it failed, its own words, which no parser takes for settings."""
    done = host.run(["dcb", "-j", what, "show", "dev", device])
    return done.out if done.rc == 0 else done.err or done.out or f"dcb ended with status {done.rc}"
