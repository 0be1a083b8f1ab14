"""What becomes of a text on its way into a bundle: secrets out, and of a ledger the files' contents too.

    {"file": {"/etc/motd": {"content": "Welcome…", "mode": 420}}}  ->  content: <text of 812 bytes, sha256 3b5d…>

It deliberately keeps a ledger's structure: which originals are known is what people look for, their contents may be
anything that ever stood in a file.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Dict

from .redact import Redactor

LONGEST = 200


class Texts:
    """All texts of one bundle, so that an address has one stand-in in all of them."""

    def __init__(self, hide_addresses: bool = False) -> None:
        self._redactor = Redactor(hide_addresses)

    @property
    def counts(self) -> Dict[str, int]:
        """How often each kind of secret was removed."""
        return self._redactor.counts

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        return self._redactor.text(text)

    def of_form(self, form: str, text: str) -> str:
        """Return a text of a catalogue's form."""
        if form != "ledger":
            return self.text(text)
        try:
            data = json.loads(text)
        except ValueError:
            return self.text(text)
        return self.text(json.dumps(_short(data), indent=1, ensure_ascii=False) + "\n")


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _short(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_short(one) for one in value]
    if not isinstance(value, str) or ("\n" not in value and len(value) <= LONGEST):
        return value
    raw = value.encode("utf-8", "surrogateescape")
    return f"<text of {len(raw)} bytes, sha256 {hashlib.sha256(raw).hexdigest()}>"
