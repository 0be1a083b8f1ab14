"""Takes secrets out of texts before they leave a node: keys, tokens, passwords, cookies, headers; addresses if asked.

    Authorization: Bearer eyJhbGciOi…   ->   Authorization: <removed: authorization>
    https://ops:hunter2@mirror/x        ->   https://ops:<removed: password>@mirror/x

What is removed is named where it stood and counted. The same address has the same stand-in in all texts of a bundle,
so tables can still be matched. It deliberately leaves fingerprints, public keys and certificates: they prove which key
was in use and open nothing.
"""

from __future__ import annotations

import re
from typing import Callable, Dict, List, Match, Pattern, Tuple

from .addresses import Addresses
from .secret_names import harmless, secret

Rule = Tuple[Pattern[str], Callable[["Redactor", Match[str]], str]]
NAME = r"[A-Za-z_][A-Za-z0-9_.-]*"
_QUOTED = r'"(?:[^"\\\n]|\\.)*"' + r"|'[^'\n]*'"


class Redactor:
    """One bundle's redaction. ``counts``: how often each kind was removed."""

    def __init__(self, hide_addresses: bool = False) -> None:
        self.counts: Dict[str, int] = {}
        self._addresses = Addresses() if hide_addresses else None

    def text(self, text: str) -> str:
        """Return a text without secrets; doing it twice changes nothing more."""
        for pattern, replace in _RULES:
            text = pattern.sub(lambda match, act=replace: act(self, match), text)  # type: ignore[misc]
        return self._addresses.text(text, self.count) if self._addresses else text

    def count(self, kind: str) -> None:
        """Count one removal."""
        self.counts[kind] = self.counts.get(kind, 0) + 1

    def removed(self, kind: str) -> str:
        """Return the words that stand in for a secret, and count it."""
        self.count(kind)
        return f"<removed: {kind}>"


def redact(text: str, hide_addresses: bool = False) -> str:
    """Return one text without secrets."""
    return Redactor(hide_addresses).text(text)


def _whole(kind: str) -> Callable[[Redactor, Match[str]], str]:
    return lambda to, match: to.removed(kind)


def _after(kind: str) -> Callable[[Redactor, Match[str]], str]:
    """Keep the first group, remove the rest."""
    return lambda to, match: match[0] if "<removed: " in match[0][len(match[1]) :] else match[1] + to.removed(kind)


def _assignment(to: Redactor, match: Match[str]) -> str:
    """Remove the value of a pair whose name is a secret's; quotes and what follows a quoted value stay."""
    name, between, value = match["name"], match["between"], match["value"]
    before = match.groupdict().get("before") or ""
    if not secret(name) or harmless(name, value) or value.startswith("<removed: "):
        return match[0]
    quote = value[0] if value[0] in "\"'" and value[-1] == value[0] and len(value) > 1 else ""
    return f"{before}{name}{between}{quote}{to.removed(_kind(name))}{quote}"


def _kind(name: str) -> str:
    small = name.lower()
    return next((kind for kind in ("password", "token", "cookie", "key") if kind in small), "secret")


def _named_value(to: Redactor, match: Match[str]) -> str:
    """Remove ``value:`` below ``name:``, as container manifests write environments."""
    if not secret(match["name"]) or harmless(match["name"], match["value"]) or "<removed: " in match["value"]:
        return match[0]
    return match["head"] + to.removed(_kind(match["name"]))


def _block(to: Redactor, match: Match[str]) -> str:
    if not secret(match["name"]) or "<removed: " in match["body"]:
        return match[0]
    return f"{match['head']}{match['indent']}  {to.removed(_kind(match['name']))}\n"


def _line(to: Redactor, match: Match[str]) -> str:
    """Remove the rest of a line that is one pair; several pairs on a line are taken one by one."""
    return match[0] if re.search(rf"\s{NAME}=", match["value"]) else _assignment(to, match)


# In order: whole blocks first, then shapes that speak for themselves, then names with values.
_ROWS = (
    (r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:.*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
     r"|[A-Za-z0-9+/=\s\\:,.-]*)", _whole("private key")),
    (r"\$ANSIBLE_VAULT;[^\n]*(?:\n[ \t]*[0-9a-f]{20,})+", _whole("vault")),
    (rf"(?m)(?P<head>^(?P<indent>[ \t]*)(?:- )?[\"']?(?P<name>{NAME})[\"']?:[ \t]*[|>][-+]?[ \t]*\n)"
     r"(?P<body>(?:(?P=indent)[ \t]+[^\n]*\n?)+)", _block),
    (rf"(?P<head>\bname[\"']?:[ \t]*[\"']?(?P<name>{NAME})[\"']?,?\s+[\"']?value[\"']?:[ \t]*)"
     r"(?P<value>[^\n]+)", _named_value),
    (r"(?im)(\b(?:proxy-)?authorization[\"']?[ \t]*[:=][ \t]*[\"']?)"
     r"(?:(?:basic|bearer|negotiate|token|apikey|aws4-hmac-sha256)[ \t]+[^\"'\r\n]+|digest[ \t]+[^'\r\n]+"
     r"|[^\s\"']{16,})",
     _after("authorization")),
    (r"(?im)(^.{0,80}?\b(?:set-)?cookie[\"']?:[ \t]*[\"']?)[^\s=\"']+=[^\"'\r\n]*", _after("cookie")),
    (r"(?i)(\bbearer[ \t]+)[a-z0-9._~+/-]{16,}=*", _after("token")),
    (r"(?i)(\b[a-z][a-z0-9+.-]*://[^/\s:@\"']*:)[^/\s@\"']+(?=@)", _after("password")),
    (r"(?i)(\b[a-z][a-z0-9+.-]*://)[^/\s:@\"']{20,}(?=@)", _after("token")),
    (r"(?i)([?&](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|code)=)[^&\s\"'<]+",
     _after("signature")),
    (r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*", _whole("token")),
    (r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|glpat-[\w-]{20,}|xox[abeoprs]-[\w-]{10,}"
     r"|hf_[A-Za-z0-9]{30,}|nvapi-[\w-]{30,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|dckr_pat_[\w-]{20,}"
     r"|sk-[A-Za-z0-9_-]{20,}|[sr]k_live_\w{16,}|AIza[\w-]{35}|ya29\.[\w-]{20,}|hv[sb]\.[\w-]{20,}"
     r"|SG\.[\w-]{16,}\.[\w-]{16,}|dop_v1_[0-9a-f]{40,}|AGE-SECRET-KEY-1[0-9A-Z]{20,}|wandb_v1_\w{20,})",
     _whole("token")),
    (r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b", _whole("access key")),
    (r"(https://hooks\.slack\.com/services/)[\w/]+", _after("token")),
    (r"(?<![\w.])(?=[a-z0-9]{0,5}[0-9])[a-z0-9]{6}\.(?=[a-z0-9]{0,15}[0-9])[a-z0-9]{16}(?![\w.])", _whole("token")),
    (r"\$(?:1|2[abxy]?|5|6|7|y|gy)\$[^\s:$]+\$?[./A-Za-z0-9$=,]{8,}", _whole("password hash")),
    (r"(\bauth[\"']?[ \t]*[:=][ \t]*\")[A-Za-z0-9+/]{8,}=*(?=\")", _after("password")),
    (r"(?i)(\bmachine[ \t]+\S+[ \t]+login[ \t]+\S+[ \t]+password[ \t]+)(?!<removed)\S+", _after("password")),
    (r"(?im)(^[ \t]*(?:enable[ \t]+)?(?:password|secret|passphrase|requirepass|masterauth|auth-pass|psk"
     r"|r[ow]community|m_key|sm_key|sa_key|key-string)[ \t]+(?:[0-9][ \t]+)?)"
     r"(?!(?:required|requisite|sufficient|optional|include|substack)\b|\[|0x0+[ \t]*$|<removed)"
     r"[^\s:=]\S*(?=[ \t]*$)",
     _after("password")),
    (r"(\bsshpass[ \t]+-p[ \t]*)(?!<removed)\S+", _after("password")),
    (r"(\bcurl\b[^\n]*?[ \t](?:-u|--user)[ \t]+[^\s:]+:)(?!<removed)\S+", _after("password")),
    (rf"(?P<name>(?<=[\"']){NAME})(?P<between>=)(?P<value>[^\"'\n]+)(?=[\"'])", _assignment),
    (rf"(?m)(?P<name>(?:(?<=^)|(?<=[ \t])|(?<=-)|(?<=[\"'])){NAME})(?P<between>[\"']?[ \t]*[:=][ \t]*)"
     rf"(?P<value>{_QUOTED})", _assignment),
    (rf"(?m)^(?P<before>[ \t]*(?:- |export[ \t]+)?)(?P<name>{NAME})(?P<between>[ \t]*[:=][ \t]*)"
     r"(?P<value>[^\s\"'|>][^\n]*)$", _line),
    (rf"(?P<name>(?<![\w./-]){NAME})(?P<between>[ \t]*=[ \t]*|:[ \t]+)(?P<value>[^\s\"'<]+)",
     _assignment),
    (rf"(?P<name>(?<=--){NAME})(?P<between>[ \t]+|=)(?P<value>[^\s\"'<-][^\s\"']*)", _assignment),
    (rf"(?P<name>(?<=[?&]){NAME})(?P<between>=)(?P<value>[^&\s\"'<]+)", _assignment),
)  # fmt: skip
_RULES: List[Rule] = [(re.compile(row, re.DOTALL if "BEGIN" in row else 0), act) for row, act in _ROWS]
