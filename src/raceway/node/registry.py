"""Which nouns there are, in which order they are carried out, and where their four stages live.

A noun ``x`` is ``model/x.py`` (``parse(spec)``), ``probe/x.py`` (``probe(host, desired, ledger)``), ``plan/x.py``
(``plan(desired, facts)``) and ``apply/x.py`` (``HANDLERS``, optionally ``prepare``). Modules are imported when a
request names the noun, so that a node pays for what it uses.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Sequence

from ..errors import RacewayError
from ..model.plan import Plan, Step

# Order of work: repositories before programs, programs before what needs them, modules before the settings they
# bring, files before units.
ORDER = (
    "rdma_stack",
    "package",
    "module",
    "file",
    "nccl",
    "limit",
    "sysctl",
    "qdisc",
    "thp",
    "governor",
    "rdma",
    "rails",
    "roce",
    "roce_watch",
    "cmdline",
    "mount",
    "unit",
    "kube_binaries",
    "containerd",
    "kube_images",
    "kubelet",
    "kube_host",
    "kube_cluster",
    "machine",
)
# Nouns that take time to look and plan no step: what runs on a node is judged when somebody asks for it.
VERIFY_ONLY = ("roce_watch",)
# Step types that several nouns use are handled by one module.
SHARED_HANDLERS = ("file",)


@dataclass(frozen=True)
class Noun:
    """The four stages of one noun as functions; ``prepare``, if there is one, records originals before any step."""

    name: str
    parse: Callable[[Mapping[str, Any]], Any]
    probe: Callable[..., Any]
    plan: Callable[[Any, Any], Plan]
    handlers: Mapping[str, Callable[..., None]]
    prepare: Optional[Callable[[Any, Sequence[Step]], None]]


def noun(name: str) -> Noun:
    """Return a noun's stages; RacewayError for a name that is none (a request from a newer controller, say)."""
    if name not in ORDER:
        raise RacewayError("node request", f"unknown noun {name!r}", ", ".join(ORDER), "send the bundle that knows it")
    apply = _stage("apply", name)
    return Noun(
        name=name,
        parse=_stage("model", name).parse,
        probe=_stage("probe", name).probe,
        plan=_stage("plan", name).plan,
        handlers=apply.HANDLERS,
        prepare=getattr(apply, "prepare", None),
    )


def shared_handlers() -> Mapping[str, Callable[..., None]]:
    """Return the handlers of step types that any noun may plan: whole files."""
    handlers: Dict[str, Callable[..., None]] = {}
    for name in SHARED_HANDLERS:
        handlers.update(_stage("apply", name).HANDLERS)
    return handlers


def _stage(room: str, name: str) -> Any:
    return importlib.import_module(f"..{room}.{name}", __package__)
