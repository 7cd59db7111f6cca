"""Parameters of a query or a form: reading, checking, sorting and writing them."""

import re
from typing import Container, Iterable, List, NamedTuple, Tuple, Union

from ._errors import Problem

MAX_PARAMETERS = 100
_BAD_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_RESERVED_CHARACTER = re.compile(rb"[^A-Za-z0-9\-._~]")


class Parameter(NamedTuple):
    """One parameter: as on the wire, and form-decoded."""

    raw_name: bytes
    raw_value: bytes
    name: bytes
    value: bytes


def parse(text: bytes) -> List[Parameter]:
    """Reads a query (without `?`) or a form; empty segments are none. Raises `Problem` ``MALFORMED_PARAMETERS``."""
    parameters = []
    for segment in text.split(b"&"):
        if segment:
            name, _, value = segment.partition(b"=")
            parameters.append(Parameter(name, value, form_decode(name), form_decode(value)))
    return parameters


def form_bytes(text: bytes) -> bytes:
    """`%XX` is a byte and `+` a blank. Raises `Problem` ``MALFORMED_PARAMETERS`` for a `%` without its digits."""
    if _BAD_ESCAPE.search(text):
        raise Problem("MALFORMED_PARAMETERS", 'a "%" in the parameters is not followed by two hexadecimal digits')
    return _ESCAPE.sub(lambda match: bytes((int(match[1], 16),)), text.replace(b"+", b" "))


def form_decode(text: bytes) -> bytes:
    """`form_bytes` that are UTF-8. Raises `Problem` ``MALFORMED_PARAMETERS``."""
    decoded = form_bytes(text)
    try:
        decoded.decode("utf-8")
    except UnicodeDecodeError:
        raise Problem("MALFORMED_PARAMETERS", "the parameters are not UTF-8") from None
    return decoded


def check(parameters: List[Parameter], reserved: Container[bytes], added: int, decoded: bool) -> None:
    """Raises the `Problem` that the gateway would find; `added` counts what signing adds."""
    for each in parameters:
        if each.name in reserved:
            name = each.name.decode("utf-8")
            raise Problem("RESERVED_PARAMETER", "the parameter %s is written by the client: leave it out" % name)
    if decoded and any(is_ambiguous(each) for each in parameters):
        raise Problem("AMBIGUOUS_PARAMETERS", 'a name holds "&" or "=", or a value "&" and later "=": send it as JSON')
    if len(parameters) + added > MAX_PARAMETERS:
        raise Problem("TOO_MANY_PARAMETERS", "more than %d parameters with those that are added" % MAX_PARAMETERS)


def is_ambiguous(parameter: Parameter) -> bool:
    if b"&" in parameter.name or b"=" in parameter.name:
        return True
    return b"=" in parameter.value.partition(b"&")[2]


def string_to_sign(parameters: Iterable[Parameter], decoded: bool) -> bytes:
    """`name=value` joined by `&`, sorted by name in the order of bytes; equal names keep their order."""
    pairs = [(each.name, each.value) if decoded else (each.raw_name, each.raw_value) for each in parameters]
    return b"&".join(name + b"=" + value for name, value in sorted(pairs, key=lambda pair: pair[0]))


def extend(text: bytes, parts: Iterable[bytes]) -> bytes:
    """Adds parameters at the end of a query or form, whose bytes stay."""
    joint = b"" if text == b"" or text.endswith(b"&") else b"&"
    return text + joint + b"&".join(parts)


def encode(text: str) -> str:
    """Percent-encodes everything but `A-Z a-z 0-9 - . _ ~`, as UTF-8 and with upper-case digits."""
    escaped = _RESERVED_CHARACTER.sub(lambda match: b"%%%02X" % ord(match[0]), text.encode("utf-8"))
    return escaped.decode("ascii")


def encode_parameters(parameters: Iterable[Tuple[str, Union[str, int, float]]]) -> str:
    """Writes parameters as a query or form that every signature method takes: order kept, a blank as `%20`.

    >>> encode_parameters([("to", "Köln 1"), ("page", 2)])
    'to=K%C3%B6ln%201&page=2'
    """
    return "&".join("%s=%s" % (encode(name), encode(str(value))) for name, value in parameters)
