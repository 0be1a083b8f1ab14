"""Which names belong to a secret, and which values are none: the judgement behind ``redact``.

    password: hunter2          a secret
    password_file: /etc/x      the place of one
    m_key 0x0000000000000000   a management key of InfiniBand that is not set

It deliberately looks at the end of a name: what comes last says what a thing is (``max_tokens``, ``secretName``).
"""

from __future__ import annotations

import re
from typing import List

# The last word of a name, then the last two.
WORDS = frozenset(
    (
        *("password", "passwd", "passphrase", "passcode", "pass", "pwd", "secret", "token", "cookie", "psk", "apikey"),
        *("credential", "credentials", "identitytoken", "requirepass", "masterauth", "accesskey", "secretkey"),
    )
)
PAIRS = frozenset(
    (
        *("api key", "access key", "private key", "secret key", "client key", "signing key", "encryption key"),
        *("account key", "shared key", "preshared key", "session key", "auth key", "fastopen key", "master key"),
        *("wep key", "m key", "sm key", "sa key", "key string", "secret string", "password hash", "token data"),
    )
)
# Here a short number is a count and no secret.
COUNTABLE = frozenset(("token", "cookie", "pass", "credential", "credentials"))
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_EMPTY = frozenset(("", "null", "none", "~", "true", "false", "yes", "no", "required", "optional", "unset", "disabled"))
_PLACE = re.compile(r"(?:file://)?/(?:etc|var|run|usr|home|opt|root|tmp|proc|sys|dev|mnt|srv)/[\w./@-]*")
_VARIABLE = re.compile(r"\$\{?[A-Za-z_]\w*\}?|\$\(.*\)|\{\{.*|<[^<>]*>|\*+|x{3,}", re.DOTALL)
_SERVICES = re.compile(r"(?:files|compat|systemd|sss|ldap|nis|db|winbind|\[[^\]]*\]|\s)+")


def secret(name: str) -> bool:
    """Tell whether a name is a secret's.

    >>> [secret(name) for name in ("AWS_SECRET_ACCESS_KEY", "clientSecret", "secretName", "max_tokens", "pkey")]
    [True, True, False, False, False]
    """
    parts = words(name)
    if not parts:
        return False
    return parts[-1] in WORDS or " ".join(parts[-2:]) in PAIRS


def words(name: str) -> List[str]:
    """Return the words of a name in lower case, without numbers and ``data`` at its end."""
    parts = [part.lower() for part in _PARTS.findall(name)]
    while parts and (parts[-1].isdigit() or (parts[-1] == "data" and len(parts) > 2)):
        parts.pop()
    return parts


def harmless(name: str, value: str) -> bool:
    """Tell whether a value gives nothing away: empty, a word of a setting, a place, a variable, zero, a count."""
    bare = value.strip().rstrip(",;)]").strip("\"'").strip()
    if bare.lower() in _EMPTY or _PLACE.fullmatch(bare) or _VARIABLE.fullmatch(bare):
        return True
    if re.fullmatch(r"(?:0x)?[0:-]+", bare):
        return True
    last = (words(name) or [""])[-1]
    if last == "passwd" and _SERVICES.fullmatch(bare):  # nsswitch.conf
        return True
    return last in COUNTABLE and bool(re.fullmatch(r"[0-9]{1,6}|https?://[^@\s]*", bare))
