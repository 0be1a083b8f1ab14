"""Each host's variables per role, filled in and checked: the input of rules, fleet checks and the desired state.

What hosts share through their groups is evaluated once per combination of groups; a host without variables of its own
for a role gets the very same dict, so that later stages can tell by identity that nothing differs.
It deliberately collects findings instead of raising: one wrong value never hides the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from raceway.inventory import ansible_api
from raceway.inventory.findings import WARNING, Finding
from raceway.inventory.origin import Origin
from raceway.inventory.source import Inventory
from raceway.inventory.specs import Option, Specs
from raceway.inventory.templates import Resolved, resolver_of
from raceway.inventory.validate import Problem, check_value
from raceway.inventory.values import SECRET, VAULT, native, show

ROLES = "raceway_roles"
FOREIGN = "raceway_foreign_variables"
DEFAULT_ROLES = ("node", "kernel", "system")
# Variables of raceway itself, which belong to no role.
GLOBALS: Mapping[str, Option] = {
    ROLES: Option(ROLES, "list", elements="str"),
    FOREIGN: Option(FOREIGN, "list", elements="str"),
    "raceway_report": Option("raceway_report", "path"),  # where playbooks/plan.yml writes its report
}


@dataclass
class HostValues:
    """What one host declares. ``roles``: values per role, defaults included; ``broken``: variables with a problem."""

    host: str
    roles: dict[str, dict[str, Any]]
    enabled: tuple[str, ...]
    given: frozenset[str]
    broken: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    findings: tuple[Finding, ...] = ()
    own: frozenset[str] = frozenset()  # roles whose values are this host's alone; the others' dicts are shared

    def sound(self, role: str) -> bool:
        """True when every variable of the role has a usable value."""
        return not any(name.startswith(f"{role}_") for name in self.broken)


@dataclass
class _Shared:
    roles: dict[str, dict[str, Any]]
    own_globals: dict[str, Any] = field(default_factory=dict)
    moving: tuple[str, ...] = ()  # variables with templates or vault values: evaluated host by host
    problems: dict[str, list[Finding]] = field(default_factory=dict)
    given: frozenset[str] = frozenset()


class Evaluator:
    """Evaluates the hosts of one inventory against the specs; each host's result is kept, with what is wrong in it."""

    def __init__(self, inventory: Inventory, specs: Specs) -> None:
        self.inventory = inventory
        self.specs = specs
        self.resolver = resolver_of(inventory)
        self._options: dict[str, tuple[str, Option]] = {name: ("", option) for name, option in GLOBALS.items()}
        for role, spec in specs.items():
            self._options.update({name: (role, option) for name, option in spec.options.items()})
        self._defaults = {name: value for spec in specs.values() for name, value in spec.defaults.items()}
        self._moving_defaults = {
            name: value for name, value in self._defaults.items() if not self.resolver.is_plain(value)
        }
        self._shared: dict[tuple[str, ...], _Shared] = {}
        self._hosts: dict[str, HostValues] = {}

    def host(self, host: str) -> HostValues:
        """Return the checked values of one host."""
        if host not in self._hosts:
            self._hosts[host] = self._evaluate(host)
        return self._hosts[host]

    def _evaluate(self, host: str) -> HostValues:
        key, common, own = self.inventory.split(host)
        if key not in self._shared:
            self._shared[key] = self._evaluate_shared(host, common)
        shared = self._shared[key]
        known = [name for name in own if name in self._options]
        todo = dict.fromkeys([*known, *shared.moving])
        state = HostValues(host, dict(shared.roles), (), shared.given)
        if known:
            state.given |= frozenset(known)
        for name in shared.problems.keys() - own.keys():
            state.findings += tuple(shared.problems[name])
            state.broken |= {name}
        loose = dict(shared.own_globals)
        if todo:
            self._evaluate_own(state, loose, {**common, **own}, todo)
        state.enabled = self._enabled(host, loose)
        return state

    def look_up(self, host: str, name: str, variables: Mapping[str, Any]) -> Any:
        """Return one variable of a host as it will be used, or None where it has no value."""
        if name not in variables:
            return None
        got = self.resolver.resolve(host, variables, variables[name])
        return None if got.error or got.sealed else got.value

    def _evaluate_shared(self, host: str, common: Mapping[str, Any]) -> _Shared:
        roles = {
            role: {name: native(value) for name, value in spec.defaults.items() if name not in self._moving_defaults}
            for role, spec in self.specs.items()
        }
        shared = _Shared(roles)
        moving = dict.fromkeys(name for name in self._moving_defaults if name not in common)
        for name, value in common.items():
            if name not in self._options:
                continue
            if not self.resolver.is_plain(value):
                moving[name] = None
                continue
            role, option = self._options[name]
            got, findings = self._judge(host, name, option, Resolved(value))
            (roles[role] if role else shared.own_globals)[name] = got
            if findings:
                shared.problems[name] = findings
        shared.moving = tuple(moving)
        shared.given = frozenset(name for name in common if name in self._options)
        return shared

    def _evaluate_own(
        self, state: HostValues, loose: dict[str, Any], variables: Mapping[str, Any], todo: Iterable[str]
    ) -> None:
        copied: set[str] = set()
        broken, hidden = set(state.broken), set[str]()
        below = {**self._defaults, **variables} if self._moving_defaults else variables
        for name in todo:
            role, option = self._options.get(name, ("", Option(name, "raw")))
            if role and role not in copied:
                copied.add(role)
                state.roles[role] = dict(state.roles[role])
            # A default may be made of other defaults; a value of the inventory may not, because outside of the role
            # (where all roles are planned at once) Ansible knows none of them.
            scope = variables if name in variables else below
            result = self.resolver.resolve(state.host, scope, scope[name])
            if result.omitted:
                continue
            got, findings = self._judge(state.host, name, option, result)
            (state.roles[role] if role else loose)[name] = got
            hidden.update({name} if result.hidden else ())
            if findings:
                state.findings += tuple(findings)
                broken.add(name)
        state.broken, state.hidden, state.own = frozenset(broken), frozenset(hidden), frozenset(copied)

    def _judge(self, host: str, name: str, option: Option, result: Resolved) -> tuple[Any, list[Finding]]:
        mask = VAULT if result.hidden else SECRET if option.secret else ""
        if result.error:
            written = show(self.inventory.variables(host).get(name, self._moving_defaults.get(name)), mask)
            act = "declare the variable in the inventory; facts of the node are not available to declarations"
            return None, [Finding(name, f"{written}: {result.error}", "", act, origin=self._origin(host, name))]
        if result.sealed:
            act = "set ANSIBLE_VAULT_PASSWORD_FILE to have it checked"
            origin = self._origin(host, name)
            return result.value, [Finding(name, VAULT, "a value some known password opens", act, (), origin, WARNING)]
        got, problems = check_value(option, result.value, untyped=result.hidden, mask=mask)
        if not problems:
            return got, []
        where, origin = self._place(host, name)
        if where == "extra vars" or (origin.line and not origin.column):
            got, problems = check_value(option, result.value, untyped=True, mask=mask)
        if not mask and self.inventory.encrypted(host, name):
            got, problems = check_value(option, result.value, mask=VAULT)
        return got, [_finding(problem, origin, result.templated) for problem in problems]

    def _enabled(self, host: str, loose: Mapping[str, Any]) -> tuple[str, ...]:
        chosen = loose.get(ROLES)
        if not isinstance(chosen, list):
            return tuple(role for role in DEFAULT_ROLES if role in self.specs)
        return tuple(str(role) for role in chosen)

    def _origin(self, host: str, name: str) -> Origin:
        return self._place(host, name)[1]

    def _place(self, host: str, name: str) -> tuple[str, Origin]:
        places = self.inventory.origins(host, name)
        if places:
            return places[0]
        for spec in self.specs.values():
            if name in spec.origins:
                return f"default of role {spec.role}", spec.origins[name]
        return "", Origin()


def evaluator_of(inventory: Inventory, specs: Specs) -> Evaluator:
    """Return the one evaluator of an inventory and specs: what check has evaluated, the desired state goes on with."""
    key = ("evaluator", id(specs))
    if key not in inventory.kept:
        inventory.kept[key] = Evaluator(inventory, specs)
    return inventory.kept[key]  # type: ignore[no-any-return]


def _finding(problem: Problem, origin: Origin, templated: bool) -> Finding:
    # A templated result was never written anywhere: the variable's own line is the place to look at.
    nearest = None if templated else ansible_api.origin_of(problem.at)
    found = f"{problem.found} (result of its template)" if templated else problem.found
    place = nearest if nearest and nearest.line else origin
    return Finding(problem.path, found, problem.allowed, problem.act, origin=place)
