"""What stands on the machines, as data: queues, topology, labels, scheduler configuration, jobs.

Everything here is a pure function from declarations to dicts in the exact shape of the Kubernetes API. It
deliberately does not import Pulumi or open a file, so lint, render and the unit tests need neither engine nor cluster.
"""
