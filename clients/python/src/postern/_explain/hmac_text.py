"""What goes wrong when the lines are written, joined and signed."""

import base64
import hashlib
import re
from dataclasses import replace
from typing import Any, Callable, List, Sequence

from .hmac_case import HmacCase, Mac, hmac_with
from .model import Hypothesis
from .text import encode_component

_HASHES = ("sha256", "sha512", "sha1", "sha384", "md5", "sha224", "sha3_256")


def _ways(*ways: Any) -> Callable[[Any], List[Any]]:
    return lambda recipe: [replace(recipe, **way) for way in ways]


def text_mistakes(case: HmacCase) -> List[Hypothesis]:
    sent = {name.lower(): name for name, _ in case.request.headers}
    separators = ("\\n", "", " ", ", ", ",", "&", "\r", ";")
    return [
        Hypothesis(
            "line-feed-at-the-end",
            "the string to sign ended with a line feed",
            "Join the lines with line feeds and put none after the last one (printf or echo -n, not echo)",
            _ways({"ending": "\n"}, {"ending": "\r\n"}, {"ending": "\r"}),
        ),
        Hypothesis(
            "crlf",
            "the lines of the string to sign were joined with CRLF",
            "Join the lines with a single line feed, 0x0a, on every system",
            _ways({"line_break": "\r\n"}, {"line_break": "\r\n", "ending": "\r\n"}),
        ),
        Hypothesis(
            "line-separator",
            "the lines of the string to sign were joined with something else than a line feed",
            'Join the lines with a single line feed, the byte 0x0a, not the two characters "\\n"',
            _ways(*({"line_break": each} for each in separators)),
        ),
        Hypothesis(
            "no-blank-after-colon",
            'header lines were written "name:value", without a blank',
            'Write each header as "name: value", with one blank after the colon',
            _ways({"colon": ":"}),
        ),
        Hypothesis(
            "name-separator",
            'header lines were not written as "name: value"',
            'Write each header as "name: value", with one blank after the colon',
            _ways(
                *({"colon": each} for each in ("=", " : ", " ", ":  ", " = ")),
                {"colon": "", "spell_name": lambda name: ""},
            ),
        ),
        Hypothesis(
            "header-names-not-lower-case",
            "header names were not written in lower case",
            'Write header names in lower case in the string to sign: "date: …", not "Date: …"',
            _ways(
                {"spell_name": _title_case},
                {"spell_name": lambda name: sent.get(name, name)},
                {"spell_name": str.upper},
            ),
        ),
        Hypothesis(
            "text-encoding",
            "the string to sign was encoded in another way than as it is sent",
            "Sign the bytes that are sent: UTF-8 without a byte order mark, and no further encoding",
            _ways(*({"encode": each} for each in _ENCODINGS)),
        ),
    ]


def _title_case(name: str) -> str:
    return re.sub(r"(?<![a-z0-9])[a-z]", lambda match: match[0].upper(), name)


def _as_gbk(text: bytes) -> bytes:
    try:
        return text.decode("utf-8", "replace").encode("gbk")
    except UnicodeEncodeError:
        return text


_ENCODINGS: Sequence[Callable[[bytes], bytes]] = (
    lambda text: b"\xef\xbb\xbf" + text,
    lambda text: text.decode("utf-8", "replace").encode("utf-16-le"),
    lambda text: base64.b64encode(text),
    lambda text: encode_component(text.decode("latin-1")).encode("ascii"),
    lambda text: text.decode("latin-1").encode("utf-8"),
    lambda text: bytes(ord(each) & 0xFF for each in text.decode("utf-8", "replace")),
    _as_gbk,
)


def algorithm_mistakes(algorithm: str) -> List[Hypothesis]:
    name = algorithm.replace("hmac-", "")
    right = hmac_with(name)
    fix = "Use HMAC with %s: the App Secret is the key, the string to sign the message" % (
        name.upper().replace("SHA", "SHA-")
    )

    def mistake(code: str, what: str, macs: Sequence[Mac]) -> Hypothesis:
        return Hypothesis(code, what, fix, _ways(*({"mac": mac} for mac in macs)))

    return [
        mistake(
            "wrong-algorithm",
            "the HMAC was made with another hash than the algorithm parameter says",
            [hmac_with(other) for other in _HASHES if other != name],
        ),
        mistake(
            "plain-hash",
            "a plain hash of text and secret was taken instead of an HMAC",
            [mac for each in _HASHES for mac in _plain(each)],
        ),
        mistake(
            "key-and-text-swapped",
            "the string to sign was used as the key, and the App Secret as the message",
            [lambda text, key: right(key, text)],
        ),
        mistake(
            "hashed-twice",
            "a hash of the string to sign was signed instead of the string itself",
            [
                lambda text, key: right(_hash(name, text), key),
                lambda text, key: right(_hash(name, text).hex().encode("ascii"), key),
                lambda text, key: right(text, _hash(name, key)),
                lambda text, key: right(text, _hash(name, key).hex().encode("ascii")),
            ],
        ),
    ]


def _plain(name: str) -> List[Mac]:
    return [
        lambda text, key: _hash(name, text, key),
        lambda text, key: _hash(name, key, text),
        lambda text, key: _hash(name, text, b"\n", key),
        lambda text, key: _hash(name, text),
    ]


def _hash(name: str, *parts: bytes) -> bytes:
    return hashlib.new(name, b"".join(parts), usedforsecurity=False).digest()
