#!/usr/bin/env python3
"""Writes an archive as docker save does: one image that holds one line of text, under the given names.

Arguments: the file, then names. No container can be started from it; what is shown is that an archive is read, imported
and removed. Standard library only; it runs on the node.
"""

import hashlib
import io
import json
import os
import sys
import tarfile


def pack(members):
    """Return a tar archive of name → bytes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(content), 0o644
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def main():
    path, names = sys.argv[1], sys.argv[2:]
    layer = pack({"README": b"An image of a test: it holds this line and no program.\n"})
    digest = hashlib.sha256(layer).hexdigest()
    config = {
        "architecture": "amd64",
        "os": "linux",
        "config": {},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + digest]},
    }
    text = json.dumps(config, sort_keys=True).encode()
    name = hashlib.sha256(text).hexdigest() + ".json"
    manifest = [{"Config": name, "RepoTags": names, "Layers": ["layer.tar"]}]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as stream:
        stream.write(pack({"layer.tar": layer, name: text, "manifest.json": json.dumps(manifest).encode()}))


if __name__ == "__main__":
    main()
