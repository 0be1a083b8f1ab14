"""Values as people may see them: plain data without Ansible's tags, secrets and vault values never printed.

It deliberately does not decrypt anything.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

VAULT = "<vault>"
SECRET = "<secret>"
_NATIVE = frozenset({str, int, float, bool, type(None)})
LONGEST = 60  # characters of a value in a message: enough to recognise it, short enough for one line
_SECRET_NAME = re.compile(
    r"(?:^|[_.\-])(?:pass|password|passwd|passphrase|token|secrets?|credentials?)(?:$|[_.\-])|[_.\-]keys?(?:$|[_.\-])"
)


@functools.lru_cache(maxsize=65536)
def secret_name(name: str) -> bool:
    """True when a variable or key of this name probably holds a secret.

    >>> secret_name("lab_api_token"), secret_name("net.ipv4.tcp_fastopen_key"), secret_name("kernel_keyboard")
    (True, True, False)
    """
    return bool(_SECRET_NAME.search(name.lower()))


def plain(value: Any, hide: Callable[[Any], bool] = lambda _: False) -> Any:
    """Return a copy in Python's own types; values that ``hide`` picks, and those under secret names, are masked."""
    if hide(value):
        return VAULT
    if isinstance(value, Mapping):
        masked = {key for key, row in value.items() if secret_name(str(key)) and _scalar(row)}
        if secret_name(str(value.get("key", ""))):
            masked.add("value")  # a list of {key, value} rows says in one what it means in the other
        return {str(key): SECRET if key in masked else plain(row, hide) for key, row in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(row, hide) for row in value]
    return native(value)


def native(value: Any) -> Any:
    """Return a value in Python's own types, nothing masked: what a program goes on with."""
    if type(value) in _NATIVE:
        return value
    if isinstance(value, Mapping):
        return {native(key): native(row) for key, row in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [native(row) for row in value]
    if value is None or isinstance(value, bool):
        return value
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    return str(value)


def show(value: Any, mask: str = "") -> str:
    """Return a value as one short line with its type visible (JSON), or the mask where it must not be seen.

    >>> show("8"), show(8), show({"a": [1]}), show("hush", SECRET)
    ('"8"', '8', '{"a": [1]}', '<secret>')
    """
    if mask:
        return mask
    text = json.dumps(plain(value), ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def kind_of(value: Any) -> str:
    """Return the type of a value in YAML's words."""
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return "a bool"
    names = ((str, "a string"), (int, "an int"), (float, "a float"), (Mapping, "a dict"), ((list, tuple), "a list"))
    return next((name for kind, name in names if isinstance(value, kind)), type(value).__name__)


def _scalar(value: Any) -> bool:
    # A bool tells nothing worth hiding, and `secret: true` is itself the mark that something else is.
    return not isinstance(value, (Mapping, list, tuple, set, bool))
