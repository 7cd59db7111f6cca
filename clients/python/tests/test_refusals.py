"""Reading a refusal, and leaving every other answer as it is."""

import io
import json
import urllib.error
from email.message import Message
from email.utils import formatdate
from typing import Any, Optional
from unittest import mock

import httpx
import pytest
import requests

import postern

BODY = {"code": "RATE_LIMITED", "message": "Wait.", "requestId": "r"}


def answer(library: str, body: bytes, media: Optional[str] = "application/json", status: int = 429, **more: Any) -> Any:
    headers = {**({"Content-Type": media} if media else {}), **more}
    if library == "httpx":
        return httpx.Response(status, headers=headers, content=body)
    if library == "requests":
        response = requests.Response()
        response.status_code = status
        response.headers.update(headers)
        response._content = body
        return response
    message = Message()
    for name, value in headers.items():
        message[name] = value
    return urllib.error.HTTPError("http://x", status, "", message, io.BytesIO(body))


@pytest.mark.parametrize("library", ["httpx", "requests", "urllib"])
@pytest.mark.parametrize("media", ["application/json", "Application/JSON; charset=utf-8"])
def test_a_refusal_is_read_and_stays_readable(library: str, media: str) -> None:
    body = json.dumps({**BODY, "stringToSign": "date: x\nGET / HTTP/1.1"}).encode()
    given = answer(library, body, media, 429, **{"Retry-After": "17"})
    expected = postern.Refusal(429, "RATE_LIMITED", "Wait.", "r", 17, "date: x\nGET / HTTP/1.1")
    assert postern.refusal_of(given) == expected
    assert postern.refusal_of(given) == expected
    assert (given.read() if library == "urllib" else given.content) == body


@pytest.mark.parametrize("library", ["httpx", "requests", "urllib"])
@pytest.mark.parametrize(
    "body, media, status",
    [
        (json.dumps(BODY).encode(), "text/html", 429),
        (json.dumps(BODY).encode(), None, 429),
        (json.dumps(BODY).encode(), "application/problem+json", 429),
        (json.dumps(BODY).encode(), "application/json", 200),
        (json.dumps({**BODY, "code": 4}).encode(), "application/json", 429),
        (json.dumps({**BODY, "requestId": 7}).encode(), "application/json", 429),
        (b'{"code":"RATE_LIMITED","message":"x"}', "application/json", 429),
        (json.dumps([BODY]).encode(), "application/json", 429),
        (json.dumps(BODY).encode() + b" " * 65_536, "application/json", 429),
        (json.dumps(BODY).encode("utf-16"), "application/json", 429),
        (b"[" * 60_000, "application/json", 429),
        (b"", "application/json", 429),
    ],
)
def test_other_answers_are_none(library: str, body: bytes, media: Optional[str], status: int) -> None:
    given = answer(library, body, media, status)
    assert postern.refusal_of(given) is None
    assert (given.read() if library == "urllib" else given.content) == body


@pytest.mark.parametrize(
    "text, seconds",
    [
        ("0", 0), (" 5 ", 5), ("-1", None), ("1.5", None), ("soon", None), ("", None), ("٣", None), ("9" * 30, None),
        (formatdate(1_000_090, usegmt=True), 90), (formatdate(999_000, usegmt=True), 0),
        ("Mon, 12 Jan 1970 13:48:10 GMT", 90), ("Monday, 12-Jan-70 13:48:10 GMT", 90), ("Mon Jan 12 13:48:10 1970", 90),
    ],
)
def test_retry_after(text: str, seconds: Optional[int]) -> None:
    more: Any = {"Retry-After": text.encode("ascii", "replace").decode()}
    given = answer("httpx", json.dumps(BODY).encode(), **more)
    if not text.isascii():
        given.headers = httpx.Headers([(b"Content-Type", b"application/json"), (b"Retry-After", text.encode())])
    with mock.patch("time.time", return_value=1_000_000.0):
        refusal = postern.refusal_of(given)
    assert refusal is not None and refusal.retry_after == seconds


def test_without_retry_after_or_response() -> None:
    refusal = postern.refusal_of(answer("requests", json.dumps(BODY).encode()))
    assert refusal == postern.Refusal(429, "RATE_LIMITED", "Wait.", "r", None, None)
    assert postern.refusal_of(object()) is None
