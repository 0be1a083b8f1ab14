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
  refusals:
    description: V(fail) ends the task as failed where anything was refused, after all else; V(report) only tells.
    type: str
    choices: [fail, report]
    default: fail
  explain:
    description: Return every noop with its reason instead of their number.
    type: bool
    default: false
  secrets:
    description:
      - What handlers need and nobody may see, noun to its own, for instance C(kube_cluster) and what
        M(raceway.raceway.kube) returned as C(means).
      - It goes into the request of V(apply) alone; no plan, diff, record, log or file that stays holds any of it.
    type: dict
    default: {}
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
  description: Roles whose plan holds steps, in the order they are carried out.
  returned: always
  type: list
  sample: ["kernel"]
applied:
  description: Steps that were carried out.
  returned: always
  type: list
  sample:
    - role: kernel
      type: sysctl
      target: net.core.somaxconn
      what: set net.core.somaxconn to 4096
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

import json
import os
import sys

# Ansible puts the arguments here as JSON. A raw string of three double quotes is safe: JSON escapes every inner quote.
ARGUMENTS = r"""<<INCLUDE_ANSIBLE_MODULE_JSON_ARGS>>"""


def main():
    if sys.version_info < (3, 9):
        found = "%d.%d" % sys.version_info[:2]
        message = "Python %s on this node; allowed: 3.9 or newer; next: set ansible_python_interpreter" % found
        print(json.dumps({"failed": True, "msg": message}))
        return
    arguments = json.loads(ARGUMENTS)
    installed = os.path.join(arguments["home"], arguments["bundle"])
    if os.path.isdir(installed):
        carry_out(installed, arguments)
    elif "archive" in arguments:
        from_memory(arguments)
    else:
        print(json.dumps({"bundle_missing": True}))


def from_memory(arguments):
    """Run from the archive itself: it installs itself when something is applied, and a plan leaves no trace.

    The archive lies in memory without a name, so that not even a kill leaves it behind.
    """
    import base64  # costs more than a no-op run and is needed once a node

    archive = os.memfd_create("raceway.zip")
    os.write(archive, base64.b64decode(arguments["archive"]))
    carry_out("/proc/self/fd/%d" % archive, arguments)


def carry_out(place, arguments):
    sys.path.insert(0, place)
    from raceway.node.entry import call

    print(json.dumps(call(arguments)))


if __name__ == "__main__":
    main()
