"""One loaded inventory: hosts, groups, and each host's variables merged in Ansible's order, with origins.

Variables of groups are merged once per combination of groups and shared by all hosts that have it; a host adds only
its own. So 10,000 hosts in 600 racks cost 600 merges. Where Ansible's configuration changes precedence or adds vars
plugins, Ansible's own VariableManager is asked host by host instead: slower, and exactly as configured.
It deliberately fills in no templates: ``templates`` does.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError
from raceway.inventory import ansible_api, ansible_render
from raceway.inventory.findings import Finding
from raceway.inventory.origin import Origin, natural

NODES = "nodes"  # the group of all machines; an inventory without it is all machines


@dataclass(frozen=True)
class Layer:
    """Variables that stand together in one place. ``where``: ``group x``, ``host x``, or ``extra vars``."""

    where: str
    data: Mapping[str, Any]

    def origin(self, name: str) -> Origin:
        """Return where a variable of this layer is written (its name, not its value: bools carry no place)."""
        for key in self.data:
            if key == name:
                return ansible_api.origin_of(key) or ansible_api.origin_of(self.data[key]) or ansible_api.UNKNOWN
        return ansible_api.UNKNOWN


class Inventory:
    """What ``load`` returns. ``groups`` maps a group to its hosts, directly or through children."""

    def __init__(
        self,
        manager: ansible_api.InventoryManager,
        loader: ansible_api.DataLoader,
        sources: Sequence[str],
        extra_vars: Mapping[str, Any] | None = None,
        told: Sequence[Finding] = (),
    ) -> None:
        self.loader = loader
        self.sources = tuple(sources)
        self.told = tuple(told)  # what Ansible itself complained about while loading
        self.kept: dict[Any, Any] = {}  # what later stages work out once for the whole inventory
        self._manager = manager
        self._extra = Layer("extra vars", extra_vars) if extra_vars else None
        self._exact = None if ansible_api.plain_precedence() else ansible_render.variable_manager(loader, manager)
        self.hosts: tuple[str, ...] = tuple(sorted(map(str, manager.hosts), key=natural))
        self.groups: dict[str, tuple[str, ...]] = {
            str(name): tuple(str(host.name) for host in group.get_hosts()) for name, group in manager.groups.items()
        }
        self._hostvars: Any = None
        self._group_keys: dict[str, tuple[str, ...]] = {}
        self._layers_of_group: dict[tuple[str, ...], tuple[Layer, ...]] = {}
        self._merged: dict[tuple[str, ...], dict[str, Any]] = {}
        self._files_of_host = {name: self._host_files(name) for name in self._hosts_with_files()}

    @property
    def nodes(self) -> tuple[str, ...]:
        """The machines: members of the group ``nodes``, or every host where no such group exists."""
        if NODES not in self.groups:
            return self.hosts
        return tuple(sorted(self.groups[NODES], key=natural))

    @property
    def lasting(self) -> bool:
        """True when ``variables`` hands out the same value objects every time (they can be told apart by identity)."""
        return self._exact is None

    def host_variables(self) -> Any:
        """Return what Ansible calls ``hostvars``: other hosts' variables, for templates that look across."""
        if self._hostvars is None:
            merger = self._exact or ansible_render.variable_manager(self.loader, self._manager)
            self._hostvars = ansible_render.host_variables(merger, self._manager, self.loader)
        return self._hostvars

    def select(self, pattern: str) -> tuple[str, ...]:
        """Return the hosts that an Ansible host pattern (``--limit``) names."""
        try:
            chosen = {host.name for host in self._manager.get_hosts(pattern)} & set(self.hosts)
        except ansible_api.AnsibleError as error:
            raise RacewayError(f"--limit {pattern}", ansible_api.first_line(error)) from error
        return tuple(name for name in self.hosts if name in chosen)

    def group_key(self, host: str) -> tuple[str, ...]:
        """Return the host's groups in the order their variables apply, without ``all``."""
        if host not in self._group_keys:
            groups = [group for group in self._manager.hosts[host].get_groups() if group.name != "all"]
            ordered = sorted(groups, key=lambda group: (group.depth, group.priority, group.name))
            self._group_keys[host] = tuple(group.name for group in ordered)
        return self._group_keys[host]

    def split(self, host: str) -> tuple[tuple[str, ...], Mapping[str, Any], Mapping[str, Any]]:
        """Return (key of the shared part, the shared part, what this host adds or overrides)."""
        if self._exact is not None:
            return (), {}, {**ansible_render.exact_variables(self._exact, self._manager, host), **self._extra_data()}
        key = self.group_key(host)
        if key not in self._merged:
            merged: dict[str, Any] = {}
            for layer in self.group_layers(key):
                merged = _over(merged, layer.data)
            self._merged[key] = merged
        own: dict[str, Any] = {}
        for layer in self.host_layers(host):
            own = _over(own, layer.data)
        return key, self._merged[key], own

    def variables(self, host: str) -> dict[str, Any]:
        """Return all variables of a host as written, templates not filled in."""
        _, shared, own = self.split(host)
        return {**shared, **own}

    def group_layers(self, key: tuple[str, ...]) -> tuple[Layer, ...]:
        """Return the layers of a combination of groups, the weakest first: inventory sources, then group_vars."""
        if key not in self._layers_of_group:
            groups = self._manager.groups
            layers = [Layer(f"group {name}", groups[name].vars) for name in ("all", *key)]
            for names in (("all",), key):
                for folder in self._folders("group_vars"):
                    for name in names:
                        layers += [Layer(f"group {name}", data) for data in self._files(folder, name)]
            self._layers_of_group[key] = tuple(layer for layer in layers if layer.data)
        return self._layers_of_group[key]

    def host_layers(self, host: str) -> tuple[Layer, ...]:
        """Return the layers of one host, the weakest first: inventory sources, host_vars, extra vars."""
        files = self._files_of_host.get(host, ())
        last = (self._extra,) if self._extra else ()
        return (Layer(f"host {host}", self._manager.hosts[host].vars), *files, *last)

    def origins(self, host: str, name: str) -> list[tuple[str, Origin]]:
        """Return every (where, origin) that sets a variable for a host: the one that counts, then the overridden."""
        layers = (*self.group_layers(self.group_key(host)), *self.host_layers(host))
        return [(layer.where, layer.origin(name)) for layer in reversed(layers) if name in layer.data]

    def encrypted(self, host: str, name: str) -> bool:
        """True when the value that counts stands in a file that is vault-encrypted as a whole."""
        layers = (*self.group_layers(self.group_key(host)), *self.host_layers(host))
        top = next((layer for layer in reversed(layers) if name in layer.data), None)
        return top is not None and ansible_api.was_encrypted(top.data)

    def every_layer(self) -> Iterator[tuple[Layer, tuple[str, ...]]]:
        """Yield each place of variables once, with the hosts it reaches."""
        seen: set[int] = set()
        for name, hosts in self.groups.items():
            for layer in self.group_layers((name,) if name != "all" else ()):
                if layer.where == f"group {name}" and id(layer.data) not in seen:
                    seen.add(id(layer.data))
                    yield layer, hosts
        for host in self.hosts:
            for layer in self.host_layers(host):
                if layer is not self._extra:
                    yield layer, (host,)
        if self._extra:
            yield self._extra, self.hosts

    def _extra_data(self) -> Mapping[str, Any]:
        return self._extra.data if self._extra else {}

    @functools.lru_cache(maxsize=8)  # noqa: B019 - an inventory lives as long as the command
    def _folders(self, kind: str) -> tuple[tuple[str, frozenset[str]], ...]:
        """The group_vars or host_vars folder beside each source, with the names it has files for."""
        found: list[tuple[str, frozenset[str]]] = []
        for source in self.sources:
            path = Path(source)
            if "," in source and not path.exists():
                continue
            folder = (path if path.is_dir() else path.parent).resolve() / kind
            if folder.is_dir():
                names = {file.name for file in folder.iterdir()}
                found.append((str(folder), frozenset(names | {_stem(name) for name in names})))
        return tuple(found)

    def _files(self, folder: tuple[str, frozenset[str]], name: str) -> list[Mapping[str, Any]]:
        path, stems = folder
        if name not in stems:
            return []
        return [data for file in self.loader.find_vars_files(path, name) if (data := self._read(str(file)))]

    def _read(self, file: str) -> Mapping[str, Any]:
        data = self.loader.load_from_file(file, trusted_as_template=True)
        if data is not None and not isinstance(data, Mapping):
            raise RacewayError(file, f"not variables but {type(data).__name__}", "variable: value", "correct the file")
        return data or {}

    def _hosts_with_files(self) -> set[str]:
        stems = set().union(*(stems for _, stems in self._folders("host_vars")), ())
        return stems & set(self.hosts)

    def _host_files(self, host: str) -> tuple[Layer, ...]:
        rows = [data for folder in self._folders("host_vars") for data in self._files(folder, host)]
        return tuple(Layer(f"host {host}", data) for data in rows)


def _over(lower: dict[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    # Ansible replaces dicts as wholes (hash_behaviour=replace); `merge` takes the exact road above.
    return {**lower, **upper}


def _stem(name: str) -> str:
    stem, dot, extension = name.rpartition(".")
    return stem if dot and extension in ("yml", "yaml", "json") else name
