"""The 60 settings as a pyinfra deploy: an operation a setting, whole files where one file holds many settings."""

import json
from io import StringIO
from pathlib import Path

from pyinfra.operations import files, server, systemd

B60 = json.loads(Path("b60.json").read_text())


def lines(rows):
    return StringIO("".join(f"{row}\n" for row in rows))


for key, value in B60["sysctls"].items():
    server.sysctl(name=key, key=key, value=value)
files.put(
    name="/etc/sysctl.d/61-b60.conf",
    src=lines(f"{key} = {value}" for key, value in B60["sysctls"].items()),
    dest="/etc/sysctl.d/61-b60.conf",
    mode="644",
)
for path, row in B60["files"].items():
    files.put(name=path, src=StringIO(row["content"]), dest=path, mode=row["mode"].lstrip("0"))
files.put(
    name="/etc/security/limits.d/61-b60.conf",
    src=lines(f"* - {item} {values[0]}" for item, values in B60["limits"].items()),
    dest="/etc/security/limits.d/61-b60.conf",
    mode="644",
)
services = files.put(
    name="/etc/systemd/system.conf.d/61-b60.conf",
    src=lines(["[Manager]", *(f"DefaultLimit{item.upper()}={values[1]}" for item, values in B60["limits"].items())]),
    dest="/etc/systemd/system.conf.d/61-b60.conf",
    mode="644",
)
systemd.daemon_reload(name="reload", _if=services.did_change)
files.put(
    name="/etc/modules-load.d/61-b60.conf",
    src=lines(B60["modules"]),
    dest="/etc/modules-load.d/61-b60.conf",
    mode="644",
)
for path, options in B60["mounts"].items():
    # The table first and no device below: pyinfra takes any mounted tmpfs for one whose device is "tmpfs".
    files.line(
        name=f"fstab {path}",
        path="/etc/fstab",
        line=f"tmpfs {path} .*",
        replace=f"tmpfs {path} tmpfs {options} 0 0",
    )
    server.mount(name=path, path=path, fs_type="tmpfs", options=options.split(","))
for name in B60["units"]:
    systemd.service(name=name, service=name, running=True, enabled=True)
