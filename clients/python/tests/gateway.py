"""Judges what a server received as the gateway does, with code that the package does not have."""

import base64
import hashlib
import hmac
import json
import re
from typing import Tuple
from urllib.parse import parse_qsl

from server import Received

KEY, SECRET = "partner-key", "a secret of the tests"


def is_signed_by_hmac(received: Received) -> bool:
    """Whether the signature and the digest are right for these very bytes."""
    authorization = received.value("Authorization") or ""
    match = re.fullmatch(
        r'hmac appkey="([^"]*)", algorithm="hmac-(sha256|sha384|sha512)", headers="([^"]*)", signature="([^"]*)"', authorization
    )
    if match is None or match[1] != KEY:
        return False
    listed = match[3].split(" ")
    lines = []
    for name in listed:
        value = "%s %s HTTP/1.1" % (received.method, received.target)
        lines.append(value if name == "request-line" else "%s: %s" % (name, received.value(name)))
    mac = hmac.new(SECRET.encode(), "\n".join(lines).encode(), match[2]).digest()
    digest = "SHA-256=" + base64.b64encode(hashlib.sha256(received.body).digest()).decode()
    covered = "digest" in listed and received.value("Digest") == digest if received.body else True
    return covered and base64.b64encode(mac).decode() == match[4] and listed[:2] == ["date", "request-line"]


def is_signed_by_parameters(received: Received) -> bool:
    """Whether `sign` is right, wherever it stands."""
    if received.body.startswith(b"{"):
        wrapper = json.loads(received.body)
        pairs = [("data", wrapper["data"]), ("appKey", wrapper["appKey"])]
        pairs += [("apiTimestamp", str(wrapper["apiTimestamp"])), ("sign", wrapper["sign"])]
    else:
        text = received.body.decode() if received.body else received.target.partition("?")[2]
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=True, errors="strict")
    sign = [value for name, value in pairs if name == "sign"]
    rest = sorted(((n.encode(), v.encode()) for n, v in pairs if n != "sign"), key=lambda pair: pair[0])
    text_to_sign = b"&".join(name + b"=" + value for name, value in rest)
    return sign == [hashlib.sha512(text_to_sign + SECRET.encode()).hexdigest()]


def times_of(received: Received) -> Tuple[str, str]:
    """What makes two signatures differ."""
    return received.value("Date") or "", received.value("X-Nonce") or ""
