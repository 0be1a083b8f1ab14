"""The platform stack: reads the inventory and the stack's configuration, checks both, registers the layout."""

from pathlib import Path

import pulumi

from raceway.cluster.config import PLATFORM
from raceway.cluster.model import ClusterModel
from raceway.cluster.nodes import cluster_amounts, offered_resources
from raceway.components import program
from raceway.components.nodes import Nodes, NodesArgs
from raceway.components.objects import provider
from raceway.components.queues import Queues, QueuesArgs
from raceway.components.settings import lighten, stack_settings, stop
from raceway.components.tenancy import Tenancy, TenancyArgs
from raceway.components.topology import Topology, TopologyArgs
from raceway.components.volcano import Volcano
from raceway.errors import RacewayError


def lay_out(model: ClusterModel, settings: dict) -> None:
    """Register the components in the order in which they need each other."""
    cluster = provider("cluster", pulumi.get_stack(), settings.get("kubeconfig", ""))
    opts = pulumi.ResourceOptions(provider=cluster)
    volcano = Volcano("volcano", program.volcano_args(model, pulumi.get_stack()), opts)
    after = pulumi.ResourceOptions(provider=cluster, depends_on=volcano.ready)

    around = pulumi.ResourceOptions(provider=cluster, depends_on=volcano.crds)
    tenancy = Tenancy("tenancy", TenancyArgs(model.config.namespaces, model.config.priorities), around)
    offered = tuple(sorted(offered_resources(model.machines)))
    queues = Queues("queues", QueuesArgs(model.config.queues, offered, cluster_amounts(model.machines)), after)
    nodes = Nodes("nodes", NodesArgs(model.machines, model.config.node_labels, model.config.node_taints), opts)
    named = tuple(machine.name for machine in model.machines)
    topology = Topology("topology", TopologyArgs(model.hypernodes, named), after)

    pulumi.export("namespaces", tenancy.namespaces)
    pulumi.export("priorities", tenancy.priorities)
    pulumi.export("queues", queues.queues)
    pulumi.export("nodes", nodes.nodes)
    pulumi.export("hypernodes", topology.hypernodes)
    pulumi.export("schedulerConf", model.scheduler_text())


lighten()
settings = stack_settings(PLATFORM)
try:
    lay_out(program.layout(settings, Path(__file__).parent), settings)
except RacewayError as error:
    stop(error)
