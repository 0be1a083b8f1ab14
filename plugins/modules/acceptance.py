#!/usr/bin/python
# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""Documentation of the acceptance action; what runs on nodes is the module node, with the requests of the action."""

DOCUMENTATION = r"""
---
module: acceptance
short_description: Measure every pair of ports of each rail, and name the odd node out
description:
  - After the last step a folder on the controller holds every figure as JSON and as a matrix, and the task has failed
    unless all pairs were measured and are as declared.
  - Steps are tasks of C(playbooks/acceptance.yml), in the order of the choices. V(begin), V(plan), V(report) and
    V(judge) run once, V(look) and V(measure) on every node.
  - It refuses to begin with fewer forks than nodes, since both ends of a pair must run at the same time.
  - Tools that it starts have a limit each, and end at once when the controller is ended.
  - What is measured and what passes is declared by C(acceptance_*); see the role C(acceptance).
version_added: "0.1.0"
author:
  - The raceway authors (@raceway)
options:
  step:
    description: What to do.
    type: str
    choices: [begin, look, plan, measure, report, judge]
    required: true
  folder:
    description: Folder of the sweep, as V(begin) returned it.
    type: path
    default: out/acceptance
  rounds:
    description: With V(measure) the first round and the one behind the last.
    type: list
    elements: int
    default: []
attributes:
  check_mode:
    support: full
    description: Looks and plans; nothing is measured.
  diff_mode:
    support: N/A
    details: Nothing of a node changes.
"""

EXAMPLES = r"""
- name: Begin
  raceway.raceway.acceptance:
    step: begin
  run_once: true
  register: sweep

- name: Look at the ports
  raceway.raceway.acceptance:
    step: look
    folder: "{{ sweep.folder }}"
"""

RETURN = r"""
folder:
  description: The folder of the sweep.
  returned: step begin
  type: str
  sample: out/acceptance/20260301T101500Z
blocks:
  description: Rounds that one call of each node measures, each as the first and the one behind the last.
  returned: step plan
  type: list
  sample: [[0, 4], [4, 7]]
verdict:
  description: One of passed, failed, incomplete.
  returned: steps report and judge
  type: str
  sample: failed
path:
  description: The file with verdict, findings and every figure.
  returned: steps report and judge
  type: str
  sample: out/acceptance/20260301T101500Z/fabric.json
"""
