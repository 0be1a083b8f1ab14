#!/usr/bin/python
# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""The node's end of a raceway call: unpack the bundle where it is missing, run it, print the answer.

It imports nothing of Ansible, so that it is sent as it stands (no AnsiballZ payload) and costs one Python start.
"""

DOCUMENTATION = r"""
---
module: node
short_description: Make a node what the inventory declares, or tell what that would take
description:
  - After a call with O(mode=apply) everything that the enabled roles declare for the node is so, and was read back.
  - With O(mode=plan), or in check mode, nothing is changed; the steps that apply would carry out are returned.
  - Steps of a risk the role does not consent to, settings that do not exist and writes that the kernel refuses come
    back as refusals with a reason and the next act, and the task fails after everything else was done.
  - The desired state is compiled on the controller from the roles' variables; see the action plugin of this name.
version_added: "0.1.0"
author:
  - The raceway authors (@raceway)
options:
  mode:
    description: What to do. V(verify) is V(plan) that fails where anything is left to do.
    type: str
    choices: [plan, apply, verify]
    default: apply
  roles:
    description: Roles to look at; all enabled ones (C(raceway_roles)) where it is not given.
    type: list
    elements: str
  nouns:
    description: Limit the call to these nouns, for instance V(package) in an image build.
    type: list
    elements: str
  explain:
    description: Return every noop with its reason instead of their number.
    type: bool
    default: false
attributes:
  check_mode:
    support: full
    description: Plans and changes nothing, on a node that has never been contacted too.
  diff_mode:
    support: full
    description: Shows each step with the value before and after.
"""

EXAMPLES = r"""
- name: Make the node right
  raceway.raceway.node:

- name: Tell what would change, with the reason of every noop
  raceway.raceway.node:
    mode: plan
    explain: true

- name: Replace the qdisc of a live port (disruptive, so the role must consent)
  raceway.raceway.node:
    roles: [kernel]
  vars:
    kernel_allow_disruptive: true
"""

RETURN = r"""
roles:
  description: The plan of each role, steps with what, why, risk and undo, noops, refusals, reboot reasons.
  returned: always
  type: dict
  sample: {"kernel": {"steps": [], "noops": 42, "refusals": [], "reboots": []}}
pending:
  description: Roles whose plan is not empty, in the order they are carried out.
  returned: always
  type: list
  sample: ["kernel"]
applied:
  description: Steps that were carried out.
  returned: always
  type: list
  sample: [{"role": "kernel", "type": "sysctl", "target": "net.core.somaxconn", "what": "set net.core.somaxconn to 4096"}]
refused:
  description: Steps that the kernel or a tool refused while they were carried out.
  returned: always
  type: list
  sample: []
remaining:
  description: Steps still planned by the second reading after an apply; anything here is a failure.
  returned: always
  type: list
  sample: []
reboots:
  description: Declared states that only a reboot brings into force.
  returned: always
  type: list
  sample: [{"role": "kernel", "target": "iommu=pt", "reason": "the running kernel was started without it"}]
"""

import base64
import io
import json
import os
import shutil
import sys
import tempfile
import zipfile

# Ansible puts the arguments here as JSON. A raw string of three double quotes is safe: JSON escapes every inner quote.
ARGUMENTS = r"""<<INCLUDE_ANSIBLE_MODULE_JSON_ARGS>>"""
HOME = "/var/lib/raceway/bundles"
KEEP = 2  # the running bundle and the one before it: a run of an older checkout need not send its bundle again


def main():
    arguments = json.loads(ARGUMENTS)
    if sys.version_info < (3, 9):
        return fail("Python %d.%d; allowed: 3.9 or newer; next: set ansible_python_interpreter" % sys.version_info[:2])
    installed = os.path.join(HOME, arguments["bundle"])
    if not os.path.isdir(installed):
        archive = arguments.get("archive")
        if not archive:
            return answer({"bundle_missing": True})
        if arguments["request"]["mode"] != "apply":
            return from_a_temporary_place(archive, arguments["request"])
        try:
            install(archive, installed)
        except OSError as error:
            return fail("%s: cannot install the node program: %s; nothing was changed" % (HOME, error.strerror))
    return run(installed, arguments["request"])


def run(folder, request):
    sys.path.insert(0, folder)
    from raceway.errors import RacewayError
    from raceway.node.program import run as carry_out

    try:
        return answer(carry_out(request))
    except RacewayError as error:
        return fail(error.message())
    except PermissionError as error:
        return fail("%s: permission denied; next: become root (become: true)" % error.filename)


def from_a_temporary_place(archive, request):
    """A plan on a node without the bundle must leave no trace: unpack, run, remove."""
    sys.dont_write_bytecode = True
    folder = tempfile.mkdtemp(prefix="raceway-plan-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    try:
        unpack(archive, folder)
        return run(folder, request)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def install(archive, installed):
    """Unpack beside the final place, compile, rename: a bundle is there whole or not at all."""
    import compileall

    os.makedirs(HOME, mode=0o755, exist_ok=True)
    folder = tempfile.mkdtemp(prefix=".new-", dir=HOME)
    try:
        unpack(archive, folder)
        compileall.compile_dir(folder, quiet=2)
        os.chmod(folder, 0o755)
        os.sync()
        os.rename(folder, installed)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.isdir(installed):  # another run may have put the same bundle there meanwhile
            raise
    sweep(installed)


def sweep(installed):
    rows = [os.path.join(HOME, name) for name in os.listdir(HOME)]
    rows = sorted((row for row in rows if row != installed), key=os.path.getmtime, reverse=True)
    for row in rows[KEEP - 1 :]:
        shutil.rmtree(row, ignore_errors=True)


def unpack(archive, folder):
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(archive))) as bundle:
        bundle.extractall(folder)


def answer(data):
    print(json.dumps(dict(data, changed=bool(data.get("applied")))))
    return 0


def fail(message):
    print(json.dumps({"failed": True, "changed": False, "msg": message}))
    return 1


if __name__ == "__main__":
    sys.exit(main())
