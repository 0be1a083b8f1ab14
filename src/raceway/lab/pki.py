"""The lab's certificates: one CA, serving certificates for loopback, and the admin's client certificate.

Valid for ten years: a lab is thrown away, not rotated. It deliberately makes a CA of its own for each lab, so that a
kubeconfig of one lab is worth nothing in another.
"""

from __future__ import annotations

import datetime
from pathlib import Path

from raceway import certificates
from raceway.certificates import CLIENT, SERVING, Authority, Leaf

from . import files

DAYS = 3650
LOOPBACK = ("127.0.0.1", "localhost", "kubernetes")
LEAVES: dict[str, Leaf] = {
    "api": Leaf("kube-apiserver", (SERVING,), LOOPBACK),
    "webhook": Leaf("volcano-admission-service", (SERVING,), LOOPBACK),
    # etcd answers as a server and dials itself as a client.
    "etcd": Leaf("etcd", (SERVING, CLIENT), LOOPBACK),
    "admin": Leaf("admin", (CLIENT,), organisation="system:masters"),
}


def ensure(folder: Path) -> None:
    """Make what is missing. A new CA makes everything below it anew; files of a half-made set are replaced."""
    files.folder(folder)
    now = datetime.datetime.now(datetime.timezone.utc)
    authority, fresh = _authority(folder, now)
    for name, wanted in LEAVES.items():
        if fresh or not ((folder / f"{name}.crt").exists() and (folder / f"{name}.key").exists()):
            certificate, key = certificates.leaf(wanted, authority, now, DAYS)
            files.write(folder / f"{name}.key", certificates.pem(key), 0o600)
            files.write(folder / f"{name}.crt", certificates.pem(certificate))
    if not (folder / "sa.key").exists():
        # kube-apiserver reads the public half from this file too, which it only does in the older form of an EC key.
        files.write(folder / "sa.key", certificates.pem(certificates.new_key(), traditional=True), 0o600)


def _authority(folder: Path, now: datetime.datetime) -> tuple[Authority, bool]:
    certificate, private = folder / "ca.crt", folder / "ca.key"
    # The key is written first: a certificate on disk means that its key is there.
    if certificate.exists() and private.exists():
        kept = certificates.load(certificate.read_bytes(), private.read_bytes())
        if kept is not None:
            return kept, False
    made = certificates.authority("raceway-lab-ca", now, DAYS)
    files.write(private, certificates.pem(made.key), 0o600)
    files.write(certificate, certificates.pem(made.certificate))
    return made, True
