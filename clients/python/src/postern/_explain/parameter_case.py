"""A request to an endpoint with parameter signatures, and how its `sign` is made."""

import hashlib
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from .. import _media_type
from .._errors import Problem
from .._parameters import form_bytes
from .bodies import parse_json, written
from .model import Options, SentRequest
from .text import bytes_of

SECRET_MARK = "\ue000"
"""Stands for the App Secret in a text that is one character a byte."""
SHOWN_SECRET = b"[App Secret]"
FORMS = {"application/x-www-form-urlencoded": "form", "application/json": "json"}
Pair = Tuple[str, str]
Mac = Callable[[bytes, bytes, bytes], bytes]
"""From the text with the secret, the text without it, and the secret."""


class SentParameter(NamedTuple):
    name: str
    value: str
    raw_name: str
    raw_value: str


class ParameterCase(NamedTuple):
    request: SentRequest
    options: Options
    form: Optional[str]
    """`url`, `form` or `json`; None when the body is of a kind that is not verified."""
    parameters: Tuple[SentParameter, ...]
    query: Tuple[SentParameter, ...]
    wrapper: Optional[Dict[str, Any]]

    def header(self, name: str) -> Optional[str]:
        return self.request.first(name)

    def value_of(self, wanted: str) -> Optional[str]:
        return next((each.value for each in self.parameters if each.name == wanted), None)

    def has(self, wanted: str) -> bool:
        return self.value_of(wanted) is not None


@dataclass(frozen=True)
class ParameterRecipe:
    """How a `sign` is made, in parts of which each can go wrong alone."""

    parameters: Tuple[SentParameter, ...]
    """In the order on the wire, without `sign`."""
    spell: Callable[[SentParameter], Pair]
    key: Optional[Callable[[Pair], Any]]
    """What pairs are sorted by; None leaves them as they are on the wire."""
    mac: Mac
    secret: bytes = field(repr=False)
    equals: str = "="
    joiner: str = "&"
    frame: Optional[Callable[[str], str]] = None
    """Puts the joined text and `SECRET_MARK` together; None appends the secret."""

    def text(self) -> str:
        pairs = [self.spell(each) for each in self.parameters]
        if self.key is not None:
            pairs.sort(key=self.key)
        joined = self.joiner.join([name + self.equals + value for name, value in pairs])
        return joined + SECRET_MARK if self.frame is None else self.frame(joined)

    def signature(self) -> bytes:
        text = self.text()
        whole = text.replace(SECRET_MARK, self.secret.decode("latin-1"))
        without = text.replace(SECRET_MARK, "")
        return self.mac(_latin1(whole), _latin1(without), self.secret)


def _latin1(text: str) -> bytes:
    return text.encode("latin-1", "replace")


def shown_text(text: str) -> bytes:
    """A text with something to read in the place of the secret."""
    return _latin1(text.replace(SECRET_MARK, SHOWN_SECRET.decode("ascii")))


def by_name(pair: Pair) -> Any:
    return pair[0]


_macs: Dict[str, Mac] = {}


def hash_with(name: str) -> Mac:
    """A plain hash over text and secret; the same function each time, so that equal recipes are equal."""

    def mac(whole: bytes, text: bytes, secret: bytes) -> bytes:
        return hashlib.new(name, whole, usedforsecurity=False).digest()

    return _macs.setdefault(name, mac)


def parameter_case(request: SentRequest, options: Options) -> ParameterCase:
    form = form_of(request)
    query = _split(request.query)
    wrapper = parse_object(request.body)
    if form in (None, "url"):
        parameters = query
    elif form == "form":
        parameters = _split(request.body.decode("latin-1"))
    else:
        parameters = wrapper_parameters(wrapper)
    return ParameterCase(request, options, form, tuple(parameters), tuple(query), wrapper)


def form_of(request: SentRequest) -> Optional[str]:
    """Where the gateway looks for parameters; None for a body that it does not verify."""
    if not request.body:
        return "url"
    types = request.values_of("content-type")
    text = types[0] if types else ""
    essence, charsets = _media_type.parse(text)
    encodings = request.values_of("content-encoding")
    is_verified = len(types) < 2 and "," not in text and _media_type.is_utf8(charsets)
    is_plain = len(encodings) < 2 and (encodings or ["identity"])[0].lower() == "identity"
    return FORMS.get(essence) if is_verified and is_plain else None


def wrapper_parameters(wrapper: Optional[Dict[str, Any]]) -> List[SentParameter]:
    """The fields of a JSON object as parameters."""
    return [
        plain(bytes_of(name), bytes_of(value if isinstance(value, str) else written(value)))
        for name, value in (wrapper or {}).items()
    ]


def parse_object(body: bytes) -> Optional[Dict[str, Any]]:
    """The JSON object in a body; None for other bodies."""
    value = parse_json(body.decode("utf-8", "replace"))
    return value if isinstance(value, dict) else None


def plain(name: str, value: str) -> SentParameter:
    return SentParameter(name, value, name, value)


def _split(text: str) -> List[SentParameter]:
    """Splits a query or form as leniently as can be: what cannot be decoded stays as it is."""
    pairs = [segment.partition("=")[::2] for segment in text.split("&") if segment]
    return [SentParameter(_decoded(name), _decoded(value), name, value) for name, value in pairs]


def _decoded(text: str) -> str:
    try:
        return form_bytes(text.encode("latin-1")).decode("latin-1")
    except Problem:
        return text


def names_of(parameters: Sequence[SentParameter]) -> List[str]:
    return list(dict.fromkeys(each.name for each in parameters))
