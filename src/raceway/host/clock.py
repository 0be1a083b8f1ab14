"""The clock: whether a time service steers it, and how far it is from another machine's."""

from __future__ import annotations

import time
from typing import Optional

from .machine import Host

ANSWER_TIMEOUT_S = 2.0  # a control plane that is down must not hold up every converge
_UNSYNCHRONISED = 5  # TIME_ERROR of adjtimex(2)
_TIMEX_BYTES = 256  # struct timex has 208 on 64-bit machines; zeroes ask for nothing but the state


def synchronised(host: Host) -> Optional[bool]:
    """Tell whether the kernel counts its clock as steered by a time service; None where it cannot be asked."""
    if host.root != "/":
        return None
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    state = int(libc.adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES)))
    return None if state < 0 else state != _UNSYNCHRONISED


def ahead_of(host: Host, address: str, port: int) -> Optional[float]:
    """Return by how many seconds this clock is ahead of an HTTPS server's, None where that does not answer.

    Its certificate is not looked at: nothing is sent, and a wrong clock is one reason for a certificate to look wrong.
    """
    if host.root != "/":
        return None
    import email.utils
    import http.client
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    link = http.client.HTTPSConnection(address, port, timeout=ANSWER_TIMEOUT_S, context=context)
    try:
        link.request("GET", "/livez")
        text = link.getresponse().getheader("Date")
        then = email.utils.parsedate_to_datetime(text or "")
    except (OSError, http.client.HTTPException, TypeError, ValueError):
        return None
    finally:
        link.close()
    # The header has whole seconds, rounded down: half a second is the mean of what is lost.
    return time.time() - then.timestamp() - 0.5
