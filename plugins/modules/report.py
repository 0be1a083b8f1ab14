#!/usr/bin/python
# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""Documentation of the report action; the work is done on the controller by the action plugin of the same name."""

DOCUMENTATION = r"""
---
module: report
short_description: Write the plans of all nodes of the play as one JSON file
description:
  - After a run there is one file on the controller with the steps, refusals and reboot reasons of every node.
  - A node that did not answer is in the file with an error, never left out.
version_added: "0.1.0"
author:
  - The raceway authors (@raceway)
options:
  path:
    description: Where the report is written, on the controller.
    type: path
    required: true
attributes:
  check_mode:
    support: full
    description: The report is about the nodes, so it is written in check mode too.
  diff_mode:
    support: N/A
    details: Nothing of a node changes.
"""

EXAMPLES = r"""
- name: Write the report
  raceway.raceway.report:
    path: out/plan.json
"""

RETURN = r"""
path:
  description: The file that was written.
  returned: always
  type: str
  sample: out/plan.json
"""
