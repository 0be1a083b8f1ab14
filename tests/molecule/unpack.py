#!/usr/bin/env python3
"""Fetches Debian packages and puts their programs into a folder, without installing them; prints name → SHA-256.

Arguments: the folder, then package/program pairs such as ``containerd/containerd``. Standard library only; it runs on
the node.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile


def main():
    folder, wanted = sys.argv[1], [pair.split("/") for pair in sys.argv[2:]]
    sums = {}
    with tempfile.TemporaryDirectory() as scratch:
        names = sorted({package for package, _ in wanted})
        # Fetched as root, whose folder this is: apt would tell that on the stream that carries the answer.
        apt = ["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", *names]
        subprocess.run(apt, cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        for name in sorted(os.listdir(scratch)):
            subprocess.run(["dpkg-deb", "-x", name, "root"], cwd=scratch, check=True)
        os.makedirs(folder)
        for _, program in wanted:
            found = next(p for p in ("usr/bin", "usr/sbin") if os.path.exists(f"{scratch}/root/{p}/{program}"))
            shutil.copy(f"{scratch}/root/{found}/{program}", f"{folder}/{program}")
            with open(f"{folder}/{program}", "rb") as stream:
                sums[program] = hashlib.sha256(stream.read()).hexdigest()
    print(json.dumps(sums))


if __name__ == "__main__":
    main()
