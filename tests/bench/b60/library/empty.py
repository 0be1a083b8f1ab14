#!/usr/bin/python
# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""Answers and does nothing: what it costs is the cost of the way to the node and back."""

import json

DOCUMENTATION = r"""
---
module: empty
short_description: Answer at once
description: Reads its arguments as JSON, as a pipelined module may, and returns.
author: The raceway authors (@raceway)
"""

ARGUMENTS = r"""<<INCLUDE_ANSIBLE_MODULE_JSON_ARGS>>"""

json.loads(ARGUMENTS)
print(json.dumps({"changed": False}))
