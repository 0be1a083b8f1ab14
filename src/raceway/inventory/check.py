"""Everything wrong with an inventory, at once: values, rules of each role, conflicts between roles, names, the fleet.

Work that hosts share (a role's rules over the same values) is done once. It deliberately changes nothing and contacts
no node; what only a node can tell is the plan's business.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from raceway import roles as registry
from raceway.errors import RacewayError
from raceway.inventory import fleet, names
from raceway.inventory.compiler import Compiler, role_module
from raceway.inventory.constraints import problems_between
from raceway.inventory.evaluate import HostValues, evaluator_of
from raceway.inventory.findings import Collector, Finding
from raceway.inventory.load import no_garbage_collection
from raceway.inventory.origin import Origin
from raceway.inventory.source import Inventory
from raceway.inventory.specs import NO_CONSTRAINTS, Specs, load_specs
from raceway.inventory.values import SECRET, VAULT

Row = tuple[str, str, str, str, str]  # variable, found, allowed, act, severity


def check(
    inventory: Inventory,
    roles_dir: Path | None = None,
    limit: str = "",
    progress: Callable[[int], None] | None = None,
) -> list[Finding]:
    """Return every finding, by file and line. ``limit``: an Ansible host pattern; rules between hosts still see all.

    ``progress`` is called with the number of hosts done, now and then.
    """
    with no_garbage_collection():
        return _Check(inventory, load_specs(roles_dir), limit).run(progress or (lambda _: None))


def check_host(inventory: Inventory, host: str, roles_dir: Path | None = None) -> list[Finding]:
    """Return what is wrong with one host's own declaration; names and rules between hosts are left to ``check``."""
    one = _Check(inventory, load_specs(roles_dir), "")
    one.host(host, is_node=True)
    return one.findings.sorted()


class _Check:
    def __init__(self, inventory: Inventory, specs: Specs, limit: str) -> None:
        self.inventory = inventory
        self.specs = specs
        self.findings = Collector()
        self.evaluator = evaluator_of(inventory, specs)
        self.only = frozenset(inventory.select(limit)) if limit else None
        if limit and not self.only:
            raise RacewayError(f"--limit {limit}", "matches no host", "a pattern that matches", "correct the pattern")
        self._verdicts: dict[tuple[str, int], list[Row]] = {}
        self._compiler = Compiler()

    def run(self, progress: Callable[[int], None]) -> list[Finding]:
        for finding in (*self.inventory.told, *fleet.no_hosts(self.inventory)):
            self.findings.add(finding)
        names.unknown_variables(self.inventory, self.specs, self.findings, self.only)
        nodes, seen = frozenset(self.inventory.nodes), fleet.Fleet(self.evaluator)
        for number, host in enumerate(self.inventory.hosts):
            seen.see(self.evaluator.host(host), self.inventory.variables(host))
            if self.only is None or host in self.only:
                self.host(host, host in nodes)
            if number % 250 == 0:
                progress(number)
        seen.report(self.findings, self.only)
        progress(len(self.inventory.hosts))
        return self.findings.sorted()

    def host(self, host: str, is_node: bool) -> None:
        state = self.evaluator.host(host)
        for finding in state.findings:
            self.findings.add(finding, (host,))
        if not is_node:
            return
        names.unknown_roles(state, self.specs, self.inventory, self.findings)
        roles = [role for role in state.enabled if role in self.specs]
        for role in roles:
            for row in self._verdict(state, role):
                self._tell(state, row)
        if all(role in registry.ROLES and state.sound(role) for role in state.enabled):
            for row in self._conflicts(state):
                self._tell(state, row)

    def _verdict(self, state: HostValues, role: str) -> list[Row]:
        """Rules over one role's values, kept for all hosts that share them."""
        if role in state.own:
            return [*self._required(state, role), *self._rules(state, role)]
        key = (role, id(state.roles[role]))
        if key not in self._verdicts:
            self._verdicts[key] = [*self._required(state, role), *self._rules(state, role)]
        return self._verdicts[key]

    def _required(self, state: HostValues, role: str) -> list[Row]:
        spec, values = self.specs[role], state.roles[role]
        rows: list[Row] = []
        for name, option in spec.options.items():
            if option.required and name not in values:
                rows.append((name, "missing", f"a value ({option.type})", f"declare {name}", "error"))
        if spec.constraints != NO_CONSTRAINTS:
            for name, found, act in problems_between(spec.constraints, values, state.given):
                rows.append((name, found, "", act, "error"))
        return rows

    def _rules(self, state: HostValues, role: str) -> list[Row]:
        if role not in registry.ROLES or not state.sound(role):
            return []
        problems = role_module(role).rules(state.roles[role])
        return [(one.variable, one.found, one.allowed, one.act, one.severity) for one in problems]

    def _conflicts(self, state: HostValues) -> list[Row]:
        """What roles ask of the kernel must agree."""
        try:
            self._compiler.merged(state)
        except RacewayError as error:
            return [(error.place, error.found, error.allowed, error.act, "error")]
        return []

    def _tell(self, state: HostValues, row: Row) -> None:
        name, found, allowed, act, severity = row
        origin = next((place for _, place in self.inventory.origins(state.host, name)), None)
        if origin is None:
            default = any(name in spec.origins for spec in self.specs.values())
            note = "not set here; the role's default counts" if default else "not set"
            origin = Origin(self.inventory.sources[0], note=note)
        mask = self._mask(state, name)
        self.findings.add(Finding(name, mask or found, allowed, act, (state.host,), origin, severity))

    def _mask(self, state: HostValues, name: str) -> str:
        options = [spec.options[name] for spec in self.specs.values() if name in spec.options]
        if name in state.hidden or (options and self.inventory.encrypted(state.host, name)):
            return f"{VAULT} breaks a rule"
        return f"{SECRET} breaks a rule" if any(option.secret for option in options) else ""
