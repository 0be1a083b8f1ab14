"""Limits and times of the components, the unit in each name.

It deliberately holds no versions (``versions.py``) and nothing a user would set (the stack files).
"""

from __future__ import annotations

# The API server throttles by itself (priority and fairness); the client's default of 50 a second only adds waiting.
CLIENT_QPS = 400
CLIENT_BURST = 800
WEBHOOK_WAIT_S = 90
JOB_WAIT_S = 600
VOLCANO_NAMESPACE = "volcano-system"
SCHEDULER_CONFIGMAP = "volcano-scheduler-configmap"
SCHEDULER_CONF_KEY = "volcano-scheduler.conf"
