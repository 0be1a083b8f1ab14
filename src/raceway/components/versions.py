"""The versions the components are written for; one place to raise them.

It deliberately does not say how the programs are built: that is ``raceway.tools``.
"""

from __future__ import annotations

PROVIDER_KUBERNETES = "4.25.0"  # the SDK's and the provider binary's version, see pyproject.toml
VOLCANO = "v1.15.1"  # the CRDs, the installer manifests and the scheduler's vocabulary in raceway.cluster.catalogue
KUBERNETES_MINOR = "1.35"  # newest in Volcano 1.15's table of tested versions
