"""The parts of a URL that make a request."""

import re
from typing import NamedTuple, Optional

_PARTS = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*)://)?([^/?#]*)([^#]*)")
_PORTS = {"http": ":80", "https": ":443"}


class UrlParts(NamedTuple):
    authority: str
    """As `Host` shows it, without the port that the scheme has anyway."""
    target: str
    user: Optional[str]
    """`name:password` before the host."""


def split_url(url: str) -> Optional[UrlParts]:
    """Splits a URL, with or without its scheme; None when it has no host. Nothing is decoded or normalised."""
    match = _PARTS.match(url)
    scheme, user_and_host, rest = ("http", "", "") if match is None else (match[1] or "http", match[2], match[3])
    user, mark, host = user_and_host.rpartition("@")
    if host == "":
        return None
    port = _PORTS.get(scheme.lower())
    if port is not None and host.endswith(port):
        host = host[: -len(port)]
    return UrlParts(host, rest if rest.startswith("/") else "/" + rest, user if mark else None)
