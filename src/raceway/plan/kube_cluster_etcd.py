"""Copies of etcd: a program that takes one over etcd's own interface, and the timer that starts it.

The copy is what ``etcdctl snapshot save`` writes, checked by the sum etcd sends at its end before it gets its name, so
``etcdutl snapshot restore`` takes it. It deliberately needs no etcdctl on the node: a declared cluster of packages or
given programs has none.
"""

from __future__ import annotations

from typing import Dict, Tuple

from ..model.kube_cluster import PKI, KubeClusterDesired
from .dropin import HEADER

SCRIPT = "/etc/raceway/kube/etcd-snapshot"
SERVICE = "raceway-etcd-snapshot.service"
TIMER = "raceway-etcd-snapshot.timer"
FOLDER = "/etc/systemd/system/"
PROGRAM = '''\
"""Take one copy of etcd into FOLDER and keep the newest KEEP: etcd-snapshot FOLDER KEEP."""

import base64
import hashlib
import http.client
import json
import os
import ssl
import sys
import time

PKI = "@PKI@/etcd"
SUM = hashlib.sha256().digest_size


def pieces():
    context = ssl.create_default_context(cafile=f"{PKI}/ca.crt")
    context.load_cert_chain(f"{PKI}/healthcheck-client.crt", f"{PKI}/healthcheck-client.key")
    link = http.client.HTTPSConnection("127.0.0.1", 2379, timeout=60, context=context)
    link.request("POST", "/v3/maintenance/snapshot", "{}", {"Content-Type": "application/json"})
    answer = link.getresponse()
    if answer.status != 200:
        sys.exit(f"etcd answers {answer.status} {answer.reason}")
    for line in answer:
        row = json.loads(line)
        if "result" not in row:
            sys.exit(f"etcd broke off: {row.get('error')}")
        yield base64.b64decode(row["result"].get("blob", ""))


def copy(path):
    """Write all but the last bytes into the sum: those are the sum that etcd counted."""
    counted, tail = hashlib.sha256(), b""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        for piece in pieces():
            out.write(piece)
            tail += piece
            counted.update(tail[:-SUM])
            tail = tail[-SUM:]
        out.flush()
        os.fsync(out.fileno())
    if counted.digest() != tail:
        sys.exit("the copy is not what etcd sent: its sum differs")


def main(folder, keep):
    os.makedirs(folder, mode=0o700, exist_ok=True)
    unfinished = os.path.join(folder, ".unfinished")
    copy(unfinished)
    os.rename(unfinished, os.path.join(folder, time.strftime("etcd-%Y%m%dT%H%M%SZ.db", time.gmtime())))
    names = sorted(name for name in os.listdir(folder) if name.startswith("etcd-") and name.endswith(".db"))
    for name in names[:-keep]:
        os.unlink(os.path.join(folder, name))


main(sys.argv[1], int(sys.argv[2]))
'''


def files(desired: KubeClusterDesired) -> Dict[str, Tuple[str, int]]:
    """Return path → text and mode; nothing where no copies are declared or the node has no etcd."""
    if not (desired.control_plane and desired.snapshot.folder):
        return {}
    head, snapshot = HEADER.format(role="kubernetes"), desired.snapshot
    service = (
        head,
        "[Unit]",
        "Description=Copy of etcd (raceway)",
        f"ConditionPathExists={PKI}/etcd/healthcheck-client.key",
        "",
        "[Service]",
        "Type=oneshot",
        f"ExecStart={SCRIPT} {snapshot.folder} {snapshot.keep}",
        "TimeoutStartSec=600",
        "UMask=0077",
        "Nice=10",
        "IOSchedulingClass=idle",
    )
    timer = (
        head,
        "[Unit]",
        "Description=Copies of etcd, as declared (raceway)",
        "",
        "[Timer]",
        f"OnCalendar={snapshot.calendar}",
        "Persistent=true",
        "",
        "[Install]",
        "WantedBy=timers.target",
    )
    return {
        SCRIPT: ("\n".join(["#!/usr/bin/env python3", head, PROGRAM.replace("@PKI@", PKI)]), 0o755),
        FOLDER + SERVICE: ("\n".join([*service, ""]), 0o644),
        FOLDER + TIMER: ("\n".join([*timer, ""]), 0o644),
    }
