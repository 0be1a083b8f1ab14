"""Read an inventory with Ansible's own code, and turn whatever it cannot read into one message with a place.

What Ansible merely warns about and then goes on without (a file of a folder that cannot be parsed, a misspelt section)
is an error here: hosts would be missing silently. It deliberately validates no variable: ``check`` does.
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError
from raceway.inventory import ansible_api
from raceway.inventory.findings import WARNING, Finding
from raceway.inventory.origin import Origin, shorten
from raceway.inventory.source import Inventory

# Told better elsewhere (fleet rules, the errors below), or not about the inventory's meaning.
_SILENT = ("Found both group and host", "No inventory was parsed", "Unable to parse", "Invalid characters")


@contextlib.contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Pause the cycle collector: a large inventory is millions of lasting objects; scanning them doubles the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def load(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    extra_vars: Mapping[str, Any] | None = None,
    loader: ansible_api.DataLoader | None = None,
) -> Inventory:
    """Return the inventory of one or more sources (files, folders, executables, ``a,b,`` host lists).

    ``extra_vars`` outrank everything, as with ``ansible-playbook -e``. ``loader``: an Ansible loader that already
    knows the vault passwords. Raises RacewayError for whatever cannot be read.
    """
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    sources = [_source(os.fspath(path)) for path in given]
    if not sources:
        raise RacewayError("inventory", "no source given", "a file, folder or executable", "name one with -i PATH")
    reading = (no_garbage_collection(), ansible_api.quick_origins(), _readable(sources))
    with contextlib.ExitStack() as stack:
        for one in reading:
            stack.enter_context(one)
        messages = stack.enter_context(ansible_api.capture())
        own = ansible_api.new_loader(loader)
        manager = ansible_api.parse(own, sources)
        _refuse_unparsed(messages, sources)
        inventory = Inventory(manager, own, sources, extra_vars)
        for name in inventory.groups:
            inventory.group_layers((name,) if name != "all" else ())  # unreadable group_vars show now, not at first use
        inventory.told = tuple(dict.fromkeys(_findings(messages, sources)))  # a file may be read by two parsers
        return inventory


def _source(path: str) -> str:
    if "," in path and not Path(path).exists():
        return path
    full = Path(path).expanduser().absolute()
    if not full.exists():
        raise RacewayError(
            f"inventory {path}",
            "no such file or folder",
            "an inventory file, folder or executable",
            "correct the path after -i",
        )
    return str(full)


@contextlib.contextmanager
def _readable(sources: Sequence[str]) -> Iterator[None]:
    try:
        yield
    except ansible_api.AnsibleError as error:
        raise _told(error, sources[0]) from error


def _refuse_unparsed(messages: ansible_api.Messages, sources: Sequence[str]) -> None:
    if messages.failures:
        raise _told(_likeliest(messages.failures), sources[0])
    unparsed = [text for text, _ in messages.warnings if text.startswith("Unable to parse")]
    if unparsed:
        raise RacewayError(
            f"inventory {shorten(sources[0])}",
            unparsed[0],
            "YAML, INI, TOML, a plugin's configuration, or an executable",
            "correct the source; a script must be executable",
        )


def _likeliest(failures: Sequence[tuple[str, BaseException]]) -> BaseException:
    """Each of Ansible's parsers failed on the file: return the error of the one the file was meant for."""
    for wanted in ("script", "yaml", "toml"):
        for text, error in failures:
            meant = wanted in text and (wanted == "script" or _meant_for(wanted, error))
            if meant:
                return error
    return failures[-1][1]


def _meant_for(plugin: str, error: BaseException) -> bool:
    origin = ansible_api.error_origin(error)
    endings = {"yaml": (".yml", ".yaml", ".json"), "toml": (".toml",)}[plugin]
    return origin is not None and origin.file.endswith(endings)


def _told(error: BaseException, source: str) -> RacewayError:
    origin = ansible_api.error_origin(error) or Origin(source)
    if isinstance(ansible_api.root(error), ansible_api.AnsibleVaultError):
        return RacewayError(
            str(origin),
            "vault-encrypted, and no known password opens it",
            "a file that a vault password of Ansible's settings fits",
            "set ANSIBLE_VAULT_PASSWORD_FILE or vault_password_file in ansible.cfg",
        )
    return RacewayError(
        str(origin), ansible_api.first_line(error), act=ansible_api.help_of(error) or "correct the file"
    )


def _findings(messages: ansible_api.Messages, sources: Sequence[str]) -> Iterator[Finding]:
    for text, place in messages.warnings:
        if text.startswith(_SILENT):
            continue
        origin = place if place.file else Origin(sources[0] if len(sources) == 1 else "", note="line unknown")
        if text.startswith("Skipping"):
            act = "only hosts, vars and children stand below a group; correct the name"
            yield Finding("", f"Ansible ignores a part of the inventory: {text}", act=act, origin=origin)
        elif text.startswith("Found duplicate mapping key"):
            yield Finding("", text.rstrip("."), "each key once", "remove one: only the last counts", origin=origin)
        else:
            yield Finding("", text, act="see Ansible's documentation", origin=origin, severity=WARNING)
