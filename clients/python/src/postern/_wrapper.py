"""The JSON wrapper of a parameter signature."""

import re

MAX_WRAPPER_BYTES = 2_097_152
_ESCAPED = re.compile(rb'["\\\x00-\x1f]')
_SHORT = {b'"': b'\\"', b"\\": b"\\\\", b"\b": b"\\b", b"\t": b"\\t", b"\n": b"\\n", b"\f": b"\\f", b"\r": b"\\r"}


def escape(data: bytes) -> bytes:
    """The text of a JSON string; all but `"`, `\\` and control characters stays as it is."""
    return _ESCAPED.sub(lambda match: _SHORT.get(match[0]) or b"\\u%04x" % ord(match[0]), data)


def wrapper(data: bytes, app_key: str, sign: str, timestamp: int) -> bytes:
    """The body that is sent in place of `data`."""
    end = '","appKey":"%s","sign":"%s","apiTimestamp":%d}' % (app_key, sign, timestamp)
    return b'{"data":"' + escape(data) + end.encode("ascii")
