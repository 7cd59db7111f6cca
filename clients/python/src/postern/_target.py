"""The parts of a URL that are sent and signed."""

import functools
import ipaddress
import re
from typing import NamedTuple, Tuple

from ._errors import Problem

# Without re.IGNORECASE, by which the letters k and s have spellings beyond ASCII.
_SCHEME = "[Hh][Tt][Tt][Pp][Ss]?"
_URL = re.compile(r"(%s)://([^/?#\\]*)([^#]*)" % _SCHEME)
_PLAIN_URL = re.compile(
    r"(%s://[^/?#\\]+)((?:/[\x21\x22\x24-\x3e\x40-\x7e]*)?(?:\?[\x21\x22\x24-\x7e]*)?)(?:#|\Z)" % _SCHEME
)
_PORTS = {"http": "80", "https": "443"}


class Target(NamedTuple):
    """A URL without its fragment, every byte as it was."""

    base: str
    """What stands before the path, such as ``https://api.example.com``."""
    authority: str
    """What ``Host`` says: with the port, unless it is the scheme's own; without user and password."""
    text: str
    """The request target: path and query as they are sent; at least ``/``."""

    @property
    def path(self) -> str:
        return self.text.partition("?")[0]

    @property
    def query(self) -> str:
        """Without its ``?``."""
        return self.text.partition("?")[2]

    @property
    def has_query(self) -> bool:
        """Whether there is a ``?``, which an empty query may have."""
        return "?" in self.text

    @property
    def url(self) -> str:
        return self.base + self.text

    def with_query(self, query: str) -> "Target":
        return self._replace(text=f"{self.path}?{query}")


def parse(url: str) -> Target:
    """Splits an absolute URL. Raises `Problem` ``TARGET_NOT_SIGNABLE``; the text of the URL is not in it."""
    match = _PLAIN_URL.match(url)
    if match is None:
        raise _not_plain(url)
    origin, text = match.groups()
    base, host = _base_and_host(origin)
    return Target(base, host, text if text[:1] == "/" else "/" + text)


def _not_plain(url: str) -> Problem:
    match = _URL.match(url)
    if match is None or match.end() < len(url) and url[match.end()] != "#" or match[2] == "":
        return Problem("TARGET_NOT_SIGNABLE", "the URL must be absolute: http:// or https://, a host and a path")
    return Problem("TARGET_NOT_SIGNABLE", "path and query must be printable ASCII without blanks: percent-encode")


@functools.lru_cache(maxsize=64)
def _base_and_host(origin: str) -> Tuple[str, str]:
    """Without the port of the scheme and without a user: through a proxy, that is what becomes of `Host`."""
    scheme, _, authority = origin.partition("://")
    host = without_default_port(scheme.lower(), authority.rpartition("@")[2])
    return scheme + "://" + host, host


def without_default_port(scheme: str, authority: str) -> str:
    """An authority without the port of a scheme in lower case."""
    port = ":" + _PORTS[scheme]
    return authority[: -len(port)] if authority.endswith(port) else authority


_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
_BYTE = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
# A name whose last part is a number is read as an IPv4 address.
_NAME = r"(?!(?:.*\.)?(?:[0-9]+|0[xX][0-9A-Fa-f]*)\.?(?::|\Z))%s(?:\.%s)*\.?" % (_LABEL, _LABEL)
_PLAIN = re.compile(r"(?:%s|%s(?:\.%s){3}|\[([0-9a-f:.]+)\])(?::[1-9][0-9]{0,4})?\Z" % (_NAME, _BYTE, _BYTE))


@functools.lru_cache(maxsize=64)
def require_plain_authority(authority: str) -> None:
    """Raises `Problem` ``TARGET_NOT_SIGNABLE`` for one that a library may write in another way than it is signed."""
    match = _PLAIN.match(authority)
    if match is None or match[1] is not None and not _is_plain_ipv6(match[1]):
        raise Problem("TARGET_NOT_SIGNABLE", "a library may write the host or port in another way: write it plainly")


def _is_plain_ipv6(text: str) -> bool:
    try:
        return str(ipaddress.IPv6Address(text)) == text
    except ValueError:
        return False


_NOT_SENT = re.compile(r"%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?]")


def normalized(target: str) -> str:
    """A target in the spelling that `urllib3` leaves alone: escapes in upper case, all else that needs it escaped."""
    return _NOT_SENT.sub(_escape, target)


def _escape(match: "re.Match[str]") -> str:
    if len(match[0]) == 3:
        return match[0].upper()
    return "".join("%%%02X" % byte for byte in match[0].encode("utf-8"))


def origin(url: str) -> Tuple[str, str, str]:
    """Scheme, host and port in one spelling, to tell whether two URLs lead to the same server."""
    match = _URL.match(url)
    if match is None:
        return ("", "", "")
    scheme = match[1].lower()
    host = match[2].rpartition("@")[2].lower()
    name, colon, port = host.rpartition(":")
    if colon and (port.isdigit() or port == ""):
        return (scheme, name, port or _PORTS[scheme])
    return (scheme, host, _PORTS[scheme])
