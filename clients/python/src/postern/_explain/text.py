"""Text that is one character a byte: to and from UTF-8, percent-encoding, base64, and in visible form."""

import base64
import binascii
import re
import unicodedata
from typing import Optional

_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}


def bytes_of(text: str) -> str:
    """Text as its UTF-8 bytes."""
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


def text_of(data: str) -> str:
    """Bytes as the UTF-8 text that they are."""
    return data.encode("latin-1", "replace").decode("utf-8", "replace")


def decode_escapes(text: str) -> str:
    """Each `%XX` as its byte; what is no escape stays as it is."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)


def escape_byte(match: "re.Match[str]") -> str:
    return "%%%02X" % ord(match[0])


def encode_component(data: str) -> str:
    """As `encodeURIComponent` of JavaScript does."""
    return re.sub(r"[^A-Za-z0-9\-_.!~*'()]", escape_byte, data)


def lenient_base64(text: str) -> bytes:
    """Decodes both alphabets, with and without padding, and leaves out what is none of it, up to a `=`."""
    cut = text.split("=", 1)[0].replace("-", "+").replace("_", "/")
    cut = _NOT_BASE64.sub("", cut)
    cut = cut[: len(cut) - (len(cut) % 4 == 1)]
    try:
        return base64.b64decode(cut + "=" * (-len(cut) % 4))
    except binascii.Error:
        return b""


def canonical_base64(text: str) -> Optional[bytes]:
    """Padded standard base64 in its one spelling; None for every other text."""
    data = lenient_base64(text)
    return data if base64.b64encode(data).decode("ascii") == text else None


def visible(data: bytes) -> str:
    """UTF-8 text as it is; control characters and bytes that are not UTF-8 as escapes, a backslash doubled."""
    parts = []
    at = 0
    while at < len(data):
        length = character_length(data, at)
        piece = data[at : at + length]
        text = piece.decode("utf-8", "replace")
        if length == 1 and not 0x20 <= piece[0] <= 0x7E:
            parts.append(_NAMED.get(text) or "\\x%02x" % piece[0])
        elif text != " " and unicodedata.category(text)[0] in "CZ":
            parts.extend("\\x%02x" % byte for byte in piece)
        else:
            parts.append(_NAMED.get(text, text))
        at += length
    return "".join(parts)


def character_length(data: bytes, at: int) -> int:
    """How many bytes the UTF-8 character at an index has; 1 where there is none."""
    first = data[at] if at < len(data) else 0
    length = 1 if first < 0xC2 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4 if first < 0xF5 else 1
    try:
        return length if len(data[at : at + length].decode("utf-8")) == 1 else 1
    except UnicodeDecodeError:
        return 1
