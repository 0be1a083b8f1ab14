#!/usr/bin/python
# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""Documentation of the evidence action; what runs on the node is the module node, with the request of the action."""

DOCUMENTATION = r"""
---
module: evidence
short_description: Gather the evidence of a node into one file on the controller
description:
  - Afterwards there is one tar.gz below C(diagnose_folder) with configurations, two readings of all counters and their
    differences, packet captures, the kernel log and versions; its manifest names what is not in it, and why.
  - Secrets are taken out on the node. Nothing changes there, no temporary file is made, and all that was started ends
    after C(diagnose_limit_s) at the latest, also where the controller was killed.
  - The variables C(diagnose_*) are the limits; see the role C(diagnose).
version_added: "0.1.0"
author:
  - The raceway authors (@raceway)
attributes:
  check_mode:
    support: full
    description: Gathering changes nothing, so it is done in check mode too.
  diff_mode:
    support: N/A
    details: Nothing of a node changes.
"""

EXAMPLES = r"""
- name: Gather evidence
  raceway.raceway.evidence:

- name: Gather evidence that may leave the house, from one interface
  raceway.raceway.evidence:
  vars:
    diagnose_hide_addresses: true
    diagnose_interfaces: [ens1f0np0]
"""

RETURN = r"""
path:
  description: The bundle that was written, on the controller.
  returned: always
  type: str
  sample: out/diagnose/gpu01-20260301T101500Z.tar.gz
items:
  description: How many files are in it.
  returned: always
  type: int
  sample: 118
absent:
  description: How many things were asked for and are not there; the manifest has the reason of each.
  returned: always
  type: int
  sample: 31
moved:
  description: How many counters differ between the two readings.
  returned: always
  type: int
  sample: 57
"""
