"""Runs the two Pulumi projects: one call brings a stack up, previews it, or removes it, wherever it was interrupted.

It deliberately knows nothing of labs: a kubeconfig and an inventory are all it needs, a real cluster's as well.
"""

from raceway.stack.project import Project
from raceway.stack.run import Drift, destroy, drift, outputs, preview, up

__all__ = ["Drift", "Project", "destroy", "drift", "outputs", "preview", "up"]
