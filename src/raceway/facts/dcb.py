"""What ``dcb show`` says of a port: PFC, ETS, the APP table, receive buffers, the DCBX mode, the trust order.

Both forms are read: ``dcb -j pfc show dev X`` and what people paste, ``dcb pfc show dev X``::

    {"pfc_cap":8,"macsec_bypass":false,"delay":0,"prio_pfc":[false,false,false,true,false,false,false,false]}
    pfc-cap 8 macsec-bypass off delay 0
    prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off

It deliberately fills no gaps: a row that is missing or shorter than eight is None, never eight zeros, because
"PFC off" and "PFC unknown" lead to opposite acts. A port without DCB gives a ``problem``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

from .dcb_text import show

Pairs = Tuple[Tuple[int, int], ...]


@dataclass(frozen=True)
class Pfc:
    """Priority flow control. ``capable``: how many priorities may be paused at once; ``enabled``: by priority.

    ``delay``: bit times; ``requests``/``indications``: pause frames sent and received by priority, with ``-s`` only.
    """

    capable: Optional[int] = None
    macsec_bypass: Optional[bool] = None
    delay: Optional[int] = None
    enabled: Optional[Tuple[bool, ...]] = None
    requests: Optional[Tuple[int, ...]] = None
    indications: Optional[Tuple[int, ...]] = None
    problem: str = ""


@dataclass(frozen=True)
class Ets:
    """Bandwidth sharing. Rows have eight values: by traffic class, ``priority_class`` by priority.

    ``bandwidth``: percent; ``scheduling``: ``strict``, ``ets``, ``cbs`` or ``vendor``; ``recommended_*``: what is
    sent to the neighbour.
    """

    willing: Optional[bool] = None
    capable: Optional[int] = None
    cbs: Optional[bool] = None
    bandwidth: Optional[Tuple[int, ...]] = None
    group_bandwidth: Optional[Tuple[int, ...]] = None
    scheduling: Optional[Tuple[str, ...]] = None
    priority_class: Optional[Tuple[int, ...]] = None
    recommended_bandwidth: Optional[Tuple[int, ...]] = None
    recommended_scheduling: Optional[Tuple[str, ...]] = None
    recommended_priority_class: Optional[Tuple[int, ...]] = None
    problem: str = ""


@dataclass(frozen=True)
class App:
    """The APP table: (key, priority) by selector, sorted. One key may stand in it twice: ``dcb app add`` accumulates.

    ``pcp``: keys are names as ``3nd``, drop eligibility included.
    """

    default_priority: Tuple[int, ...] = ()
    dscp: Pairs = ()
    ethertype: Pairs = ()
    stream_port: Pairs = ()
    dgram_port: Pairs = ()
    port: Pairs = ()
    pcp: Tuple[Tuple[str, int], ...] = ()
    problem: str = ""

    def priorities(self, dscp: int) -> Tuple[int, ...]:
        """Return every priority the table gives a DSCP; more than one is a leftover of ``add``."""
        return tuple(priority for key, priority in self.dscp if key == dscp)


@dataclass(frozen=True)
class Buffer:
    """Receive buffers in bytes. The text form rounds to Kb and Mb, so only JSON is exact."""

    priority_buffer: Optional[Tuple[int, ...]] = None
    sizes: Optional[Tuple[int, ...]] = None
    total: Optional[int] = None
    problem: str = ""


@dataclass(frozen=True)
class Dcbx:
    """Who owns DCBX: the flags that are set, of ``host lld_managed cee ieee static``. None: not known, not none."""

    flags: Optional[Tuple[str, ...]] = None
    problem: str = ""


@dataclass(frozen=True)
class AppTrust:
    """The selectors a port trusts, first wins: ``dscp``, ``pcp``. iproute2 6.3 or newer. None: not known."""

    order: Optional[Tuple[str, ...]] = None
    problem: str = ""


def parse_pfc(text: str) -> Pfc:
    """Read ``dcb pfc show dev X``, with or without ``-j`` and ``-s``."""
    shown = show("dcb pfc show", text, {"pfc_cap", "prio_pfc", "delay", "macsec_bypass", "requests", "indications"})
    return Pfc(
        capable=shown.number("pfc_cap"),
        macsec_bypass=shown.flag("macsec_bypass"),
        delay=shown.number("delay"),
        enabled=shown.flags("prio_pfc"),
        requests=shown.numbers("requests"),
        indications=shown.numbers("indications"),
        problem=shown.problem(["prio_pfc"]),
    )


def parse_ets(text: str) -> Ets:
    """Read ``dcb ets show dev X``, with or without ``-j``."""
    rows = {"tc_bw", "pg_bw", "tc_tsa", "prio_tc", "reco_tc_bw", "reco_tc_tsa", "reco_prio_tc"}
    shown = show("dcb ets show", text, {"willing", "ets_cap", "cbs", *rows})
    return Ets(
        willing=shown.flag("willing"),
        capable=shown.number("ets_cap"),
        cbs=shown.flag("cbs"),
        bandwidth=shown.numbers("tc_bw"),
        group_bandwidth=shown.numbers("pg_bw"),
        scheduling=shown.words("tc_tsa"),
        priority_class=shown.numbers("prio_tc"),
        recommended_bandwidth=shown.numbers("reco_tc_bw"),
        recommended_scheduling=shown.words("reco_tc_tsa"),
        recommended_priority_class=shown.numbers("reco_prio_tc"),
        problem=shown.problem(["tc_bw", "tc_tsa", "prio_tc"]),
    )


def parse_app(text: str) -> App:
    """Read ``dcb app show dev X``, with or without ``-j`` and ``-N``.

    An empty table prints ``{}`` with ``-j`` and nothing at all without, which is a ``problem``: ask with ``-j``.
    """
    keys = {"default_prio", "dscp_prio", "ethtype_prio", "stream_port_prio", "dgram_port_prio", "port_prio", "pcp_prio"}
    shown = show("dcb app show", text, keys)
    return App(
        default_priority=shown.listed("default_prio"),
        dscp=shown.dscps("dscp_prio"),
        ethertype=shown.pairs("ethtype_prio", base=16),
        stream_port=shown.pairs("stream_port_prio"),
        dgram_port=shown.pairs("dgram_port_prio"),
        port=shown.pairs("port_prio"),
        pcp=shown.named("pcp_prio"),
        problem=shown.problem([]),
    )


def parse_buffer(text: str) -> Buffer:
    """Read ``dcb buffer show dev X``, with or without ``-j``."""
    shown = show("dcb buffer show", text, {"prio_buffer", "buffer_size", "total_size"})
    return Buffer(
        priority_buffer=shown.numbers("prio_buffer"),
        sizes=shown.sizes("buffer_size"),
        total=shown.size("total_size"),
        problem=shown.problem(["prio_buffer", "buffer_size", "total_size"]),
    )


def parse_dcbx(text: str) -> Dcbx:
    """Read ``dcb dcbx show dev X``, with or without ``-j``: only flags that are set are printed."""
    flags = {"host", "lld_managed", "cee", "ieee", "static"}
    shown = show("dcb dcbx show", text, flags)
    found = tuple(sorted(flag for flag in flags if shown.has(flag) and shown.flag(flag) is not False))
    problem = shown.problem([])
    return Dcbx(flags=found if found or not problem else None, problem=problem)


def parse_apptrust(text: str) -> AppTrust:
    """Read ``dcb apptrust show dev X``, with or without ``-j``."""
    shown = show("dcb apptrust show", text, {"order"})
    return AppTrust(order=shown.plain("order"), problem=shown.problem(["order"]))
