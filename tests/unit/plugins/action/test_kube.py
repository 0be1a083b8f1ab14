"""The action that asks one node for another, and the one that hands secrets on: what is sent, and what is not told."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from ansible import constants
from ansible.errors import AnsibleActionFail
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

PLUGINS = Path(__file__).parents[4] / "plugins" / "action"
MEANS = {"token": "abcdef.0123456789abcdef", "ca_hash": "sha256:0", "certificate_key": "", "kubeconfig": "x"}
PLAN = {"steps": [], "noops": 1, "refusals": [], "reboots": []}
ANSWER = {"roles": {"kubernetes": PLAN}, "applied": [], "refused": [], "remaining": [], "reboots": []}
VARIABLES = {
    "inventory_hostname": "n2",
    "groups": {"kubernetes_control_planes": ["n1"]},
    "raceway_roles": ["node", "kubernetes"],
    "kubernetes_endpoint": "10.0.0.1:6443",
}


def plugin(name: str) -> ModuleType:
    """Load a plugin from its file, as Ansible does."""
    spec = importlib.util.spec_from_file_location(f"{name}_action", PLUGINS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(
    name: str, args: dict[str, Any], answer: dict[str, Any], check: bool = False, **variables: Any
) -> tuple[dict[str, Any], list[Any]]:
    """Run an action with a node that gives this answer; return the result and the requests it was sent."""
    task = SimpleNamespace(args=args, async_val=0, check_mode=check, diff=False, action=name)
    connection = SimpleNamespace(_shell=SimpleNamespace(tmpdir=None))
    loader = DataLoader()
    action = plugin(name).ActionModule(task, connection, None, loader, Templar(loader=loader), None)
    sent: list[Any] = []

    def execute(_name: str, arguments: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        sent.append(arguments["request"])
        return answer

    action._execute_module = execute
    return action.run(task_vars={**VARIABLES, **variables}), sent


def test_means_are_asked_for_with_their_life_and_handed_back() -> None:
    result, (request,) = run("kube", {"act": "means", "ttl_min": 5, "control_plane": True}, {"means": MEANS})
    assert request["act"] == "means" and request["ttl_min"] == 5 and request["control_plane"] is True
    assert result["means"] == MEANS and result["changed"] is False


def test_in_check_mode_no_node_is_asked_for_anything() -> None:
    for act in ("means", "stop", "reset"):
        result, sent = run("kube", {"act": act}, {}, check=True)
        assert sent == [] and result["means"] == {}


def test_an_act_for_a_node_needs_its_name() -> None:
    with pytest.raises(AnsibleActionFail, match="act drain needs node"):
        run("kube", {"act": "drain"}, {})


def test_a_nodes_place_is_read_from_the_inventory_alone() -> None:
    for given, place in (
        ({}, "worker"),
        ({"kubernetes_node_role": "control_plane"}, "control_plane"),
        ({"kubernetes_node_role": "control_plane", "inventory_hostname": "n1"}, "first"),
        ({"raceway_roles": ["node"]}, "none"),
        ({"kubernetes_node_role": "none"}, "none"),
    ):
        result, sent = run("kube", {"act": "place"}, {}, **given)
        assert (result["place"], result["first"], sent) == (place, "n1", [])
        assert result["drain_timeout_s"] == 300 and result["node_name"] == {**VARIABLES, **given}["inventory_hostname"]


def test_secrets_go_beside_the_desired_state_of_an_apply() -> None:
    args = {"roles": ["kubernetes"], "nouns": ["kube_cluster"], "secrets": {"kube_cluster": MEANS}}
    result, (request,) = run("node", args, ANSWER)
    assert request["secrets"] == {"kube_cluster": MEANS}
    assert MEANS["token"] not in json.dumps(request["roles"]) and MEANS["token"] not in json.dumps(result, default=str)


@pytest.mark.parametrize(("mode", "check"), [("plan", False), ("verify", False), ("apply", True)])
def test_secrets_are_sent_for_nothing_but_an_apply(mode: str, check: bool) -> None:
    args = {"mode": mode, "roles": ["kubernetes"], "secrets": {"kube_cluster": MEANS}}
    _, (request,) = run("node", args, ANSWER, check=check)
    assert "secrets" not in request


def test_secrets_are_not_sent_where_ansible_would_keep_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "DEFAULT_KEEP_REMOTE_FILES", True)
    with pytest.raises(AnsibleActionFail, match="would leave secrets in a file"):
        run("node", {"roles": ["kubernetes"], "secrets": {"kube_cluster": MEANS}}, ANSWER)


def test_the_first_control_plane_node_is_the_groups_first_where_nothing_else_is_said() -> None:
    _, (request,) = run(
        "node", {"roles": ["kubernetes"]}, ANSWER, inventory_hostname="n1", kubernetes_node_role="control_plane"
    )
    spec = request["roles"]["kubernetes"]["nouns"]["kube_cluster"]
    assert spec["first"] is True and spec["name"] == "n1"
