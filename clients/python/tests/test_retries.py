"""When a call is tried again, and that every attempt has a signature of its own."""

from typing import Any, Callable, List

import pytest

import postern
from adapters import Adapter
from conftest import FakeTime
from gateway import KEY, SECRET, is_signed_by_hmac, is_signed_by_parameters
from server import Reply, Server, refusal

Make = Callable[[postern.Credential], Adapter]
JSON = ("Content-Type", "application/json")
LIMITED = refusal(429, "RATE_LIMITED", {"Retry-After": "3"})
UNAVAILABLE = refusal(503, "UNAVAILABLE")


@pytest.mark.parametrize("is_once", [False, True])
def test_every_attempt_is_signed_again(adapter: Make, hmac: Any, clock: FakeTime, is_once: bool) -> None:
    with Server(LIMITED, refusal(503, "STORE_UNAVAILABLE", {"Retry-After": "1"})) as server:
        answer = adapter(hmac()).send("POST", server.url + "/x", [JSON], b'{"a":1}', is_once)
        assert answer.status == 200 and answer.refusal is None
        received = server.received
    assert [each.body for each in received] == [b'{"a":1}'] * 3
    assert all(is_signed_by_hmac(each) for each in received)
    assert len({each.value("Date") for each in received}) == 3
    assert clock.waits[0] == 3 and 1 <= clock.waits[1] <= 1.2


@pytest.mark.parametrize("media, body", [("application/json", b"{}"), ("application/x-www-form-urlencoded", b"a=1")])
def test_a_signed_body_is_not_signed_twice(adapter: Make, clock: FakeTime, media: str, body: bytes) -> None:
    credential = postern.ParameterSignature(KEY, SECRET, clock=clock.time)
    with Server(LIMITED) as server:
        assert adapter(credential).send("POST", server.url + "/x", [("Content-Type", media)], body, False).status == 200
        first, second = server.received
    assert is_signed_by_parameters(first) and is_signed_by_parameters(second)
    assert first.body != second.body and len(first.body) == len(second.body)


def test_a_signed_query_is_not_signed_twice(adapter: Make, clock: FakeTime) -> None:
    credential = postern.ParameterSignature(KEY, SECRET, nonce=True, clock=clock.time)
    with Server(LIMITED) as server:
        adapter(credential).send("GET", server.url + "/x?a=1", [], b"", False)
        first, second = server.received
    assert is_signed_by_parameters(first) and is_signed_by_parameters(second)
    assert first.target.count("nonce=") == second.target.count("nonce=") == 1
    assert first.target != second.target


@pytest.mark.parametrize(
    "answer, attempts, waits",
    [
        (LIMITED, 3, [3, 3]),
        (refusal(429, "RATE_LIMITED", {"Retry-After": "0"}), 3, [1, 1]),
        (refusal(429, "RATE_LIMITED", {"Retry-After": "61"}), 1, []),
        (refusal(429, "RATE_LIMITED"), 1, []),
        (refusal(429, "SLOW_DOWN", {"Retry-After": "1"}), 1, []),
        (refusal(503, "LIMITER_UNAVAILABLE"), 3, [1, 2]),
        (refusal(503, "GATEWAY_ERROR"), 1, []),
        (refusal(500, "INTERNAL"), 1, []),
        (refusal(401, "REQUEST_REPLAYED"), 1, []),
        (refusal(401, "REQUEST_EXPIRED"), 1, []),
        (refusal(401, "TOKEN_INVALID"), 1, []),
        (refusal(401, "AUTHENTICATION_FAILED", stringToSign="date: x"), 1, []),
        (Reply(503, [("Content-Type", "text/plain")], b'{"code":"UNAVAILABLE","message":"","requestId":""}'), 1, []),
        (Reply(503, [JSON], b'{"code":"UNAVAILABLE","message":"m","requestId":7}'), 1, []),
        (Reply(503, [JSON], b'{"code":"UNAVAILABLE","message":"m","requestId":"r"}' + b" " * 65_536), 1, []),
    ],
)
def test_which_answers_are_tried_again(
    adapter: Make, hmac: Any, clock: FakeTime, answer: Reply, attempts: int, waits: List[float]
) -> None:
    with Server(*[answer] * 5) as server:
        given = adapter(hmac()).send("POST", server.url + "/x", [JSON], b"{}", False)
        assert len(server.received) == attempts
    assert given.status == answer.status
    assert given.body == answer.body
    assert [int(wait) for wait in clock.waits] == waits
    assert all(wait <= least * 1.2 for wait, least in zip(clock.waits, waits))


def test_an_answer_in_chunks_is_a_refusal_too(adapter: Make, hmac: Any, clock: FakeTime) -> None:
    with Server(LIMITED._replace(chunked=True)) as server:
        assert adapter(hmac()).send("GET", server.url + "/x", [], b"", False).status == 200
    assert clock.waits == [3]


def test_without_retries(adapter: Make, hmac: Any, clock: FakeTime) -> None:
    with Server(LIMITED) as server:
        answer = adapter(hmac(retries=0)).send("GET", server.url + "/x", [], b"", False)
    assert answer.refusal == postern.Refusal(429, "RATE_LIMITED", "Why.", "r-1", 3, None)
    assert clock.waits == []


@pytest.mark.parametrize("method, attempts", [("GET", 3), ("PUT", 3), ("DELETE", 3), ("POST", 1), ("PATCH", 1)])
def test_a_failed_connection(adapter: Make, hmac: Any, clock: FakeTime, method: str, attempts: int) -> None:
    body = b"{}" if method in ("PUT", "POST", "PATCH") else b""
    with Server(*[Reply(hang_up=True)] * 5) as server:
        with pytest.raises(Exception) as caught:
            adapter(hmac()).send(method, server.url + "/x", [JSON], body, False)
        received = server.received
    assert not isinstance(caught.value, postern.PosternError)
    assert len(received) == attempts
    assert all(is_signed_by_hmac(each) for each in received)
    assert len({each.value("Date") for each in received}) == attempts
    assert clock.waits == [1, 2][: attempts - 1]


def test_a_connection_that_fails_once(adapter: Make, clock: FakeTime) -> None:
    credential = postern.ParameterSignature(KEY, SECRET, clock=clock.time)
    with Server(Reply(hang_up=True)) as server:
        assert adapter(credential).send("PUT", server.url + "/x", [JSON], b"[1]", False).status == 200
        assert all(is_signed_by_parameters(each) for each in server.received)


@pytest.mark.parametrize("seconds, most, attempts", [(400, 600, 2), (-400, 600, 2), (700, 600, 1), (400, 0, 1)])
def test_clock_correction(
    adapter: Make, hmac: Any, clock: FakeTime, seconds: int, most: int, attempts: int
) -> None:
    dates = {400: "02:46:40", -400: "02:33:20", 700: "02:51:40"}
    date = "Sat, 21 Nov 2026 %s GMT" % dates[seconds]
    with Server(*[refusal(401, "REQUEST_EXPIRED", {"Date": date})] * (attempts if attempts == 1 else 1)) as server:
        sender = adapter(hmac(clock_correction=most, retries=0))
        answer = sender.send("POST", server.url + "/x", [JSON], b"{}", False)
        assert answer.status == (200 if attempts == 2 else 401)
        assert len(server.received) == attempts
        if attempts == 2:
            assert server.received[1].value("Date") == date
            sender.send("GET", server.url + "/y", [], b"", False)
            assert server.received[2].value("Date") == date, "the correction is kept"
    assert clock.waits == [0.0] * (attempts - 1)


def test_a_clock_is_corrected_once_for_a_call(adapter: Make, hmac: Any, clock: FakeTime) -> None:
    replies = [refusal(401, "REQUEST_EXPIRED", {"Date": "Sat, 21 Nov 2026 02:%d:00 GMT" % n}) for n in (46, 47, 48)]
    with Server(*replies) as server:
        answer = adapter(hmac(clock_correction=3600)).send("GET", server.url + "/x", [], b"", False)
        assert answer.status == 401 and len(server.received) == 2


def test_a_stream_is_not_sent_again_with_a_key(adapter: Make, clock: FakeTime) -> None:
    with Server(LIMITED) as server:
        sender = adapter(postern.Key(KEY, clock=clock.time))
        answer = sender.send("PUT", server.url + "/x", [JSON], b"x" * 100, True)
        assert answer.status == 429 and len(server.received) == 1
        sender.send("PUT", server.url + "/x", [JSON], b"x" * 100, False)
    assert clock.waits == []


def test_wrappers_of_one_second_differ_when_a_nonce_is_wanted(clock: FakeTime) -> None:
    credential = postern.ParameterSignature(KEY, SECRET, nonce=True, clock=clock.time)
    request = postern.Request("POST", "https://api.example.com/x", [JSON], b"{}")
    bodies = [credential.sign(request).body for _ in range(61)]
    assert len(set(bodies)) == 61
    assert bodies[60].endswith(b'"apiTimestamp":%d}' % (1_795_228_800 + 60))
    other = postern.Request("POST", "https://api.example.com/x", [JSON], b"[]")
    assert credential.sign(other).body.endswith(b'"apiTimestamp":1795228800}')
