"""Everything raceway touches inside ansible-core, in one place: loading, messages, origins, vault, templates.

Private parts (data tags) are used here only, each with a fallback: where a newer ansible-core moves them,
origins become "line unknown" and everything else goes on working.
It deliberately decides nothing: it reads what Ansible would read, in the way Ansible reads it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ansible import constants as C
from ansible.errors import AnsibleError
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import AnsibleVaultError, get_file_vault_secret
from ansible.plugins.loader import init_plugin_loader
from ansible.utils.collection_loader import AnsibleCollectionConfig
from ansible.utils.display import Display

from raceway.errors import RacewayError
from raceway.inventory.origin import Origin, from_description

try:
    from ansible._internal._datatag._tags import Origin as _OriginTag
    from ansible._internal._datatag._tags import SourceWasEncrypted as _EncryptedTag
    from ansible._internal._yaml._constructor import AnsibleInstrumentedConstructor as _Constructor
    from ansible.parsing.vault import EncryptedString as _EncryptedString
except ImportError:  # a later ansible-core: values keep their meaning, only their places are lost
    _OriginTag = _EncryptedTag = _EncryptedString = _Constructor = None

UNKNOWN = Origin(note="line unknown")


@dataclass
class Messages:
    """What Ansible would have printed while loading: (text, origin) of warnings, and errors it only warns about."""

    warnings: list[tuple[str, Origin]] = field(default_factory=list)
    failures: list[tuple[str, BaseException]] = field(default_factory=list)


class CachingLoader(DataLoader):  # type: ignore[misc]
    """Reads each file once and hands out the same object.

    Ansible's own loader deep-copies the data for each plugin that looks at a file: 8 s of 11 s for 10,000 YAML hosts.
    Nothing here alters what was loaded, so one object is enough.
    """

    def __init__(self) -> None:
        super().__init__()
        self._read: dict[tuple[str, bool, bool], Any] = {}

    def load_from_file(
        self,
        file_name: str,
        cache: str = "all",
        unsafe: bool = False,
        json_only: bool = False,
        trusted_as_template: bool = False,
    ) -> Any:
        """Return the data of a file; see the base class for the arguments (``cache`` and ``unsafe`` have no effect)."""
        key = (file_name, json_only, trusted_as_template)
        if key not in self._read:
            self._read[key] = super().load_from_file(
                file_name, cache="none", unsafe=True, json_only=json_only, trusted_as_template=trusted_as_template
            )
        return self._read[key]


@contextlib.contextmanager
def quick_origins() -> Iterator[None]:
    """Let Ansible's YAML reader make each place directly instead of by ``dataclasses.replace``: a quarter of its time.

    The place is the same. Where a later ansible-core has no such method, its own way is left alone.
    """
    own = getattr(_Constructor, "_node_position_info", None)
    if own is None or _OriginTag is None:
        yield
        return

    def position(self: Any, node: Any) -> Any:
        start, mark = self._origin, node.start_mark
        return _OriginTag(
            path=start.path,
            description=start.description,
            line_num=mark.line + start.line_num,
            col_num=mark.column + 1,
        )

    _Constructor._node_position_info = position
    try:
        yield
    finally:
        _Constructor._node_position_info = own


@contextlib.contextmanager
def capture() -> Iterator[Messages]:
    """Collect what Ansible's display would print, so that it becomes findings instead of noise on stderr."""
    display = Display()
    messages = Messages()

    def warning(msg: str, formatted: bool = False, **more: Any) -> None:
        messages.warnings.append((msg, origin_of(more.get("obj")) or UNKNOWN))

    def error_as_warning(msg: str | None, exception: BaseException, **more: Any) -> None:
        messages.failures.append((msg or "", exception))

    def deprecated(msg: str, *rest: Any, **more: Any) -> None:
        return None  # Ansible itself tells these on every run; they are not about this inventory's meaning

    own = {"warning": warning, "error_as_warning": error_as_warning, "deprecated": deprecated}
    for name, function in own.items():
        setattr(display, name, function)
    try:
        yield messages
    finally:
        for name in own:
            delattr(display, name)


def new_loader(known: DataLoader | None = None) -> CachingLoader:
    """Return a loader with the vault passwords of ``known``, or else of Ansible's own configuration."""
    if not AnsibleCollectionConfig.collection_finder:
        init_plugin_loader()
    loader = CachingLoader()
    loader.set_vault_secrets(known._vault.secrets if known is not None else _vault_secrets(loader))
    return loader


def _vault_secrets(loader: DataLoader) -> list[tuple[str, Any]]:
    secrets: list[tuple[str, Any]] = []
    slugs = [str(slug) for slug in C.DEFAULT_VAULT_IDENTITY_LIST]
    if C.DEFAULT_VAULT_PASSWORD_FILE:
        slugs.append(str(C.DEFAULT_VAULT_PASSWORD_FILE))
    for slug in slugs:
        name, _, filename = slug.rpartition("@")
        if filename.startswith("prompt"):
            continue  # nobody is asked: an undecryptable value is told as such
        try:
            secret = get_file_vault_secret(filename=filename, vault_id=name or None, loader=loader)
            secret.load()
        except AnsibleError as error:
            raise RacewayError(
                f"vault password file {filename}",
                first_line(error),
                "a readable file with the password",
                "correct vault_password_file or vault_identity_list of ansible.cfg",
            ) from error
        secrets.append((name or C.DEFAULT_VAULT_IDENTITY, secret))
        loader.set_vault_secrets(secrets)
    return secrets


def default_sources() -> list[str]:
    """Return the inventory sources of Ansible's own configuration (``inventory`` of ansible.cfg)."""
    return [str(source) for source in C.DEFAULT_HOST_LIST]


def parse(loader: DataLoader, sources: Sequence[str]) -> InventoryManager:
    """Return Ansible's inventory of the sources (group_vars and host_vars beside them are read later)."""
    strict = C.INVENTORY_ANY_UNPARSED_IS_FAILED
    # The loader tells itself what could not be read, and why; Ansible's own stop would name the source alone.
    C.INVENTORY_ANY_UNPARSED_IS_FAILED = False
    try:
        return InventoryManager(loader=loader, sources=list(sources))
    finally:
        C.INVENTORY_ANY_UNPARSED_IS_FAILED = strict


def plain_precedence() -> bool:
    """True when Ansible's configuration leaves variable precedence and vars plugins as they come."""
    standard = [
        "all_inventory",
        "groups_inventory",
        "all_plugins_inventory",
        "all_plugins_play",
        "groups_plugins_inventory",
        "groups_plugins_play",
    ]
    return (
        list(C.VARIABLE_PLUGINS_ENABLED) in (["host_group_vars"], ["ansible.builtin.host_group_vars"])
        and list(C.VARIABLE_PRECEDENCE) == standard
        and C.RUN_VARS_PLUGINS == "demand"
        and C.DEFAULT_HASH_BEHAVIOUR == "replace"
    )


def origin_of(value: object) -> Origin | None:
    """Return where a value (or a key) was written, or None when Ansible kept no record."""
    if _OriginTag is None or value is None:
        return None
    try:
        tag = value if isinstance(value, _OriginTag) else _OriginTag.get_tag(value)
    except Exception:  # a private interface: whatever it does in a later version, the value is still good
        return None
    if tag is None:
        return None
    if tag.path:
        return Origin(str(tag.path), tag.line_num or 0, tag.col_num or 0)
    return from_description(str(tag.description or "")) if tag.description else None


def is_vault(value: object) -> bool:
    """True for a single value that is vault-encrypted in its file."""
    return _EncryptedString is not None and isinstance(value, _EncryptedString)


def was_encrypted(data: object) -> bool:
    """True for the content of a file that is vault-encrypted as a whole."""
    return _EncryptedTag is not None and bool(_EncryptedTag.is_tagged_on(data))


def decrypt(loader: DataLoader, value: Any) -> str:
    """Return the plain text of a vault-encrypted value; raise AnsibleVaultError when no known password fits."""
    plain: str = loader._vault.decrypt(value._ciphertext).decode()
    return plain


def first_line(error: BaseException) -> str:
    """Return an Ansible error in one line, without the piece of source it likes to show."""
    text = str(getattr(error, "message", "") or error)
    return " ".join(text.split())


def help_of(error: BaseException | None) -> str:
    """Return the help an error carries (for an inventory script: what it printed on stderr), in one line."""
    while error is not None:
        text = str(getattr(error, "_help_text", None) or "")
        if text:
            return " ".join(text.removeprefix("Standard error from inventory script:").split())
        error = error.__cause__
    return ""


def root(error: BaseException) -> BaseException:
    """Return the vault error behind an error, or the error itself."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, AnsibleVaultError):
            return seen  # type: ignore[no-any-return]
        seen = seen.__cause__ or seen.__context__
    return error


def error_origin(error: BaseException | None) -> Origin | None:
    """Return the most precise place an error or one of its causes names."""
    best: Origin | None = None
    while error is not None:
        origin = origin_of(getattr(error, "obj", None))
        if origin and (best is None or (origin.line and not best.line)):
            best = origin
        error = error.__cause__ or error.__context__
    return best


__all__ = ["AnsibleError", "AnsibleVaultError", "DataLoader", "InventoryManager"]
