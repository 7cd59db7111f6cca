"""A request to an endpoint with hmac, and how its signature is made."""

import hmac
import re
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from .model import Options, SentRequest

REQUEST_LINE = "request-line"
_MAX_READ_CHARACTERS = 16_384
_APP_KEY_NAMES = ("appkey", "keyid", "username", "key", "app_key", "app-key", "credential")
_PARAMETER = re.compile(r"(?<![\w-])([A-Za-z][\w-]*)[ \t]*[=:][ \t]*(?:\"([^\"]*)\"|'([^']*)'|([^\s,;]*))", re.ASCII)
_REQUEST_LINE_NAMES = (
    "(request-target)", "@request-target", "request-target", "@request-line", "request_line", ":path"
)

Mac = Callable[[bytes, bytes], bytes]


class SentAuthorization(NamedTuple):
    """What an `Authorization` header says, read as leniently as can be."""

    scheme: str
    app_key: Optional[str]
    algorithm: Optional[str]
    headers: Optional[str]
    signature: Optional[str]
    written: Tuple[str, ...]


class HmacCase(NamedTuple):
    request: SentRequest
    options: Options
    authorization: SentAuthorization
    names: Tuple[str, ...]
    """The listed names as they were meant."""

    def header(self, name: str) -> Optional[str]:
        return self.request.first(name)


@dataclass(frozen=True)
class HmacRecipe:
    """How an hmac signature is made, in parts of which each can go wrong alone."""

    names: Tuple[str, ...]
    values: Dict[str, str]
    method: str
    target: str
    mac: Mac
    secret: bytes = field(repr=False)
    version: str = "HTTP/1.1"
    label: str = ""
    """What stands before the request line, rightly nothing."""
    spell_name: Optional[Callable[[str], str]] = None
    colon: str = ": "
    line_break: str = "\n"
    ending: str = ""
    encode: Optional[Callable[[bytes], bytes]] = None
    """What the text is made into before it is signed, rightly itself."""

    def text(self) -> bytes:
        lines: List[str] = []
        for name in self.names:
            if name == REQUEST_LINE:
                parts = [part for part in (self.method, self.target, self.version) if part]
                lines.append(self.label + " ".join(parts))
            elif name in self.values:
                spelled = name if self.spell_name is None else self.spell_name(name)
                lines.append(spelled + self.colon + self.values[name])
        return (self.line_break.join(lines) + self.ending).encode("latin-1", "replace")

    def signed(self) -> bytes:
        return self.text() if self.encode is None else self.encode(self.text())

    def signature(self) -> bytes:
        return self.mac(self.signed(), self.secret)


_macs: Dict[str, Mac] = {}


def hmac_with(name: str) -> Mac:
    """The HMAC with a hash; the same function each time, so that equal recipes are equal."""

    def mac(text: bytes, key: bytes) -> bytes:
        return hmac.new(key, text, name).digest()

    return _macs.setdefault(name, mac)


def hmac_case(request: SentRequest, options: Options) -> HmacCase:
    authorization = _read_authorization(request.first("authorization") or "")
    listed = "date request-line" if authorization.headers is None else authorization.headers
    names = tuple(_meant(name) for name in re.split(r"[\s,;]+", listed) if name)
    return HmacCase(request, options, authorization, names)


def _read_authorization(value: str) -> SentAuthorization:
    text = value[:_MAX_READ_CHARACTERS]
    match: Any = re.match(r"[^\s=,]*", text)
    scheme = match[0]
    is_scheme = text[len(scheme) : len(scheme) + 1] != "="
    found: Dict[str, str] = {}
    written: List[str] = []
    for name, double, single, bare in _PARAMETER.findall(text[len(scheme) :] if is_scheme else text):
        written.append(name)
        found.setdefault(name.lower(), double or single or bare)
    return SentAuthorization(
        scheme if is_scheme else "",
        next((found[name] for name in _APP_KEY_NAMES if name in found), None),
        found.get("algorithm"),
        found.get("headers", found.get("signedheaders")),
        found.get("signature"),
        tuple(written),
    )


def _meant(name: str) -> str:
    return REQUEST_LINE if is_request_line_name(name.lower()) else name.lower()


def is_request_line_name(lower: str) -> bool:
    """The names under which other schemes list the request line."""
    return lower in _REQUEST_LINE_NAMES
