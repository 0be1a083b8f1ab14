"""Pulumi components: they register what ``raceway.cluster`` has computed, and nothing else.

Each has frozen Args that validate themselves, pure ``names`` and ``manifests``, and a ComponentResource. They
deliberately hold no rule about queues, gangs or topology: a rule here could not be tested without an engine.
"""
