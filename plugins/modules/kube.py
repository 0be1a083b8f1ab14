#!/usr/bin/python
# Copyright: the raceway authors
# SPDX-License-Identifier: Apache-2.0
"""Documentation of the kube action; what runs on the node is the module node, with the request of the action."""

DOCUMENTATION = r"""
---
module: kube
short_description: Let one node of a cluster do something for another
description:
  - After V(means) there is a token, the sum of the authority's certificate, the key of stored certificates and a
    kubeconfig that may label and taint nodes, all good for C(ttl_min) minutes. Set C(no_log) on that task.
  - After V(drain) no pod is on the node but those of daemon sets, and it is cordoned; disruption budgets are respected,
    and it is refused where pods have not left in time. V(uncordon) waits until the node is ready.
  - V(delete) takes a node from the list of nodes; take it out of the cluster (C(kubernetes_state=absent)) before.
  - V(place) tells what the inventory says of the node's part, V(look) whether there is a snapshot to restore.
  - V(stop) and V(restore) put etcd's data back from a snapshot; V(reset) takes the other control-plane nodes out.
version_added: "0.1.0"
author:
  - The raceway authors (@raceway)
options:
  act:
    description: What to do.
    type: str
    choices: [place, means, drain, uncordon, delete, look, stop, restore, reset]
    required: true
  node:
    description: Name of the Node it is for.
    type: str
    default: ""
  timeout_s:
    description: Seconds that V(drain) and V(uncordon) may take.
    type: int
    default: 300
  ttl_min:
    description: Minutes that V(means) are good for.
    type: int
    default: 15
  control_plane:
    description: Whether a control-plane node is among those who join.
    type: bool
    default: false
  snapshot:
    description: Path on the node of the snapshot that V(look) and V(restore) are for.
    type: str
    default: ""
  address:
    description: Address of the node for V(restore); the one in etcd's manifest where it is not given.
    type: str
    default: ""
attributes:
  check_mode:
    support: full
    description: Nothing is asked and nothing changes.
  diff_mode:
    support: N/A
    details: It shows no file.
"""

EXAMPLES = r"""
- name: Ask for what lets a worker in
  raceway.raceway.kube:
    act: means
  delegate_to: node1
  register: found
  no_log: true

- name: Empty the node
  raceway.raceway.kube:
    act: drain
    node: node3
    timeout_s: 600
  delegate_to: node1
"""

RETURN = r"""
means:
  description: What lets a node in; secret.
  returned: act means
  type: dict
  sample: {}
place:
  description: One of first, control_plane, worker, none.
  returned: act place
  type: str
  sample: worker
kept:
  description: Where the former data of etcd are kept.
  returned: act restore
  type: str
  sample: /var/lib/etcd/member.before-20260301T101500Z
"""
