#!/usr/bin/python
# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""Documentation of the inventory_check action; the work is done on the controller by the action plugin of that name."""

DOCUMENTATION = r"""
---
module: inventory_check
short_description: Fail before the first change when the inventory has errors
description:
  - After this task every variable of every host is known to be of the right type, within its choices and in keeping
    with the rules between variables and between hosts; the same check as C(raceway inventory check).
  - All errors are told at once, each with its file and line. No node is contacted.
  - It looks at the whole inventory of the run, with the extra variables of the command line, whatever C(--limit) says,
    so run it once with C(run_once).
version_added: "0.1.0"
author:
  - The raceway authors (@raceway)
options:
  sources:
    description:
      - Inventory sources to check.
      - By default those that this run was started with.
    type: list
    elements: path
  limit:
    description: An Ansible host pattern; only findings that touch these hosts count.
    type: str
    default: ""
attributes:
  check_mode:
    support: full
    description: It only reads, on the controller.
  diff_mode:
    support: N/A
    details: Nothing changes.
"""

EXAMPLES = r"""
- name: Check the whole inventory before the first change
  raceway.raceway.inventory_check:
  run_once: true

- name: Check another inventory
  raceway.raceway.inventory_check:
    sources: [inventories/example-roce]
  run_once: true
"""

RETURN = r"""
findings:
  description: Every error and warning.
  returned: always
  type: list
  elements: dict
  sample:
    - severity: error
      file: inventories/lab/group_vars/nodes.yml
      line: 7
      column: 1
      variable: kernel_default_qdisk
      found: unknown variable (no role reads it; looks like one of kernel)
      allowed: ""
      act: did you mean kernel_default_qdisc?
      hosts: [node1, node2]
hosts:
  description: Number of hosts that were checked.
  returned: always
  type: int
  sample: 3
"""
