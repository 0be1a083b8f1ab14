"""What both Pulumi programs do before they register anything: find the inventory, the CRDs, the certificates.

It deliberately registers nothing; files are read here so that the components stay pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from raceway import inventory
from raceway.cluster.config import PLATFORM, WORKLOADS, JobConfig, jobs_config, platform_config
from raceway.cluster.jobs import devices
from raceway.cluster.jobs.fabric import KEY, needs_fabric, with_fabric
from raceway.cluster.model import ClusterModel
from raceway.cluster.volcano_install import NAMESPACE, InstallArgs
from raceway.cluster.webhooks import NAME_PREFIX
from raceway.components.versions import VOLCANO
from raceway.components.volcano import VolcanoArgs
from raceway.errors import RacewayError
from raceway.facts.nccl import RdmaPort
from raceway.inventory.desired import compile_all
from raceway.model.nccl import Declaration
from raceway.model.nccl import parse as parse_nccl
from raceway.paths import state_dir
from raceway.stack import certificates
from raceway.tools import module_dir

_CRD_FOLDERS = ("config/crd/volcano/bases", "config/crd/jobflow/bases")
_INSTALLER = "installer/volcano-development.yaml"


def inventory_path(settings: Mapping[str, Any], folder: Path, project: str = PLATFORM) -> Path:
    """Return the inventory a stack names; a relative path counts from the project's folder."""
    named = settings.get("inventory", "")
    if not named:
        act = "set it, e.g. ../../inventories/lab"
        raise RacewayError(f"{project}:inventory", "absent", "the path of an Ansible inventory", act)
    path = Path(named) if Path(named).is_absolute() else (folder / named).resolve()
    if not path.exists():
        raise RacewayError(f"{project}:inventory", f"{path} does not exist", "an inventory", "correct the path")
    return path


def layout(settings: Mapping[str, Any], folder: Path) -> ClusterModel:
    """Return the checked model of a platform stack; everything wrong is told here, before anything is registered."""
    config = platform_config(settings)
    machines = inventory.machines(inventory.load(inventory_path(settings, folder)))
    return ClusterModel.build(machines, config)


def workloads(settings: Mapping[str, Any], folder: Path) -> list[JobConfig]:
    """Return the checked jobs of a workloads stack.

    The platform's keys are read from its stack file, so that neither a cluster nor a state is needed to check.
    """
    path = folder / settings.get("platform", "")
    if not path.is_file():
        act = "set it, e.g. ../platform/Pulumi.lab.yaml"
        raise RacewayError(f"{WORKLOADS}:platform", repr(settings.get("platform", "")), "a stack file", act)
    platform = platform_config(stack_file_settings(path, PLATFORM))
    declared = inventory.load(inventory_path(settings, folder, WORKLOADS))
    machines = inventory.machines(declared)
    scripts = {path.parent.name: path.read_text() for path in (folder.parents[1] / "templates/jobs").glob("*/train.py")}
    jobs = list(jobs_config({"jobs": settings.get("jobs", [])}, scripts))
    if needs_fabric(jobs):
        jobs = with_fabric(jobs, machines, _declarations(declared), _ports(settings, folder))
    return ClusterModel.build(machines, platform).jobs(jobs)


def _declarations(declared: inventory.Inventory) -> dict[str, Declaration]:
    """Return host → what it declares for the collective library, for the hosts that do."""
    found: dict[str, Declaration] = {}
    for host, roles in compile_all(declared).items():
        one = parse_nccl(roles["nccl"]["nouns"]["nccl"]).declaration if "nccl" in roles else None
        if one is not None:
            found[host] = one
    return found


def _ports(settings: Mapping[str, Any], folder: Path) -> tuple[RdmaPort, ...] | None:
    """Return the RDMA ports every node has, from the file a stack names; None where it names none."""
    named = str(settings.get("ncclDevices", ""))
    if not named:
        return None
    try:
        return devices.parse(named, (folder / named).read_text(encoding="utf-8"))
    except OSError as error:
        act = "correct the path; it counts from the project's folder"
        raise RacewayError(KEY, f"{named}: {error.strerror}", devices.SHAPE, act) from error


def stack_file_settings(path: Path, project: str) -> dict[str, Any]:
    """Return key → value of the project's own keys in a stack file."""
    try:
        config = (yaml.safe_load(path.read_text()) or {}).get("config") or {}
    except (OSError, yaml.YAMLError) as error:
        raise RacewayError(str(path), str(error).splitlines()[0], "a Pulumi stack file", "correct it") from error
    return {key.removeprefix(f"{project}:"): value for key, value in config.items() if key.startswith(f"{project}:")}


def volcano_args(model: ClusterModel, stack: str) -> VolcanoArgs:
    """Return the Volcano component's arguments: files read, certificates made where they are ours to make."""
    config = model.config.volcano
    module = module_dir("volcano.sh/volcano") if config.crds or config.mode == "install" else Path()
    crds = tuple(str(path) for folder in _CRD_FOLDERS for path in sorted((module / folder).glob("*.yaml")))
    if config.crds and not crds:
        raise RacewayError(str(module), "holds no CRDs", act="run raceway tools")
    crds = crds if config.crds else ()
    if config.mode == "install":
        install = _install(model, module, stack)
        return VolcanoArgs("install", model.scheduler_text(), crds, install=install)
    return VolcanoArgs("external", model.scheduler_text(), crds, config.webhook_url, _ca(config.webhook_ca_file))


def _ca(path: str) -> str:
    try:
        return Path(path).read_text() if path else ""
    except OSError as error:
        act = "correct the path"
        raise RacewayError(
            f"{PLATFORM}:volcano.webhookCaFile", f"{path}: {error.strerror}", "a PEM file", act
        ) from error


def _install(model: ClusterModel, module: Path, stack: str) -> InstallArgs:
    config = model.config.volcano
    own = state_dir() / "certificates" / stack / "volcano-admission"
    service = f"{NAME_PREFIX}.{NAMESPACE}.svc"
    folder = Path(config.certificate_dir) if config.certificate_dir else own
    made = certificates.ensure(folder, (service, f"{service}.cluster.local"))
    return InstallArgs(
        installer=(module / _INSTALLER).read_text(),
        version=VOLCANO,
        ca_pem=made.ca_pem,
        certificate_pem=made.certificate_pem,
        key_pem=made.key_pem,
        replicas=config.replicas,
        registry=config.registry,
    )
