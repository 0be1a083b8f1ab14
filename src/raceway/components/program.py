"""What both Pulumi programs do before they register anything: find the inventory, the CRDs, the certificates.

It deliberately registers nothing; files are read here so that the components stay pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pulumi

from raceway.cluster.config import PLATFORM
from raceway.cluster.model import ClusterModel
from raceway.cluster.volcano_install import NAMESPACE, InstallArgs
from raceway.cluster.webhooks import NAME_PREFIX
from raceway.components.versions import VOLCANO
from raceway.components.volcano import VolcanoArgs
from raceway.errors import RacewayError
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


def volcano_args(model: ClusterModel) -> VolcanoArgs:
    """Return the Volcano component's arguments: files read, certificates made where they are ours to make."""
    config = model.config.volcano
    module = module_dir("volcano.sh/volcano") if config.crds or config.mode == "install" else Path()
    crds = tuple(str(path) for folder in _CRD_FOLDERS for path in sorted((module / folder).glob("*.yaml")))
    if config.crds and not crds:
        raise RacewayError(str(module), "holds no CRDs", act="run raceway tools")
    crds = crds if config.crds else ()
    if config.mode == "install":
        install = _install(model, module)
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


def _install(model: ClusterModel, module: Path) -> InstallArgs:
    config = model.config.volcano
    own = state_dir() / "certificates" / pulumi.get_stack() / "volcano-admission"
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
