"""`PosternAuth` in a session or client of the user's own, without the adapter or transport of this package."""

import json
from typing import Any, Callable, Dict

import anyio
import httpx
import pytest
import requests

import postern
import postern.httpx
import postern.requests
from conftest import FakeTime
from gateway import KEY, SECRET, is_signed_by_hmac, is_signed_by_parameters
from server import Reply, Server, refusal

Send = Callable[..., Any]
JSON = {"Content-Type": "application/json"}
MISSING = refusal(401, "CREDENTIALS_MISSING")


def by_requests(credential: postern.Credential, method: str, url: str, headers: Dict[str, str], body: Any) -> Any:
    auth = postern.requests.PosternAuth(credential)
    return requests.request(method, url, headers=headers, data=body, auth=auth, timeout=20)


def by_httpx(credential: postern.Credential, method: str, url: str, headers: Dict[str, str], body: Any) -> Any:
    with httpx.Client(auth=postern.httpx.PosternAuth(credential), follow_redirects=True) as client:
        return client.request(method, url, headers=headers, content=body)


def by_httpx_async(credential: postern.Credential, method: str, url: str, headers: Dict[str, str], body: Any) -> Any:
    async def call() -> Any:
        auth = postern.httpx.PosternAuth(credential)
        async with httpx.AsyncClient(auth=auth, follow_redirects=True) as client:
            return await client.request(method, url, headers=headers, content=body)

    return anyio.run(call)


@pytest.fixture(params=[by_requests, by_httpx, by_httpx_async])
def send(request: pytest.FixtureRequest) -> Send:
    made: Send = request.param
    return made


CREDENTIALS = [
    postern.Hmac(KEY, SECRET),
    postern.ParameterSignature(KEY, SECRET),
    postern.Key(KEY),
]


@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("credential", CREDENTIALS, ids=repr)
def test_a_redirect_to_another_server(send: Send, credential: postern.Credential, status: int) -> None:
    with Server() as other, Server(Reply(status, [("Location", other.url + "/elsewhere")])) as server:
        assert send(credential, "POST", server.url + "/old", JSON, b'{"a":1}').status_code == 200
        (received,) = other.received
    text = "%s %s %r" % (received.target, received.headers, received.body)
    for part in (KEY, "hmac", "appKey", "sign", "X-App-Key"):
        assert part not in text
    assert received.body == (b'{"a":1}' if status == 307 else b"")


@pytest.mark.parametrize("credential", CREDENTIALS, ids=repr)
def test_a_redirect_on_the_same_server_is_signed_when_the_gateway_asks(
    send: Send, credential: postern.Credential
) -> None:
    with Server(Reply(307, [("Location", "/new")]), MISSING) as server:
        answer = send(credential, "POST", server.url + "/old", JSON, b'{"a":1}')
        assert answer.status_code == 200 and postern.refusal_of(answer) is None
        old, bare, new = server.received
    assert [old.target, bare.target, new.target] == ["/old", "/new", "/new"]
    assert bare.value("Authorization") is None and bare.value("X-App-Key") is None and bare.body == b'{"a":1}'
    if isinstance(credential, postern.Hmac):
        assert is_signed_by_hmac(old) and is_signed_by_hmac(new)
    elif isinstance(credential, postern.ParameterSignature):
        assert is_signed_by_parameters(old) and is_signed_by_parameters(new)
    else:
        assert new.value("X-App-Key") == KEY


def test_another_server_cannot_ask_for_credentials(send: Send) -> None:
    with Server(MISSING) as other, Server(Reply(302, [("Location", other.url)])) as server:
        assert send(postern.Key(KEY), "GET", server.url, {}, None).status_code == 401
        assert [each.value("X-App-Key") for each in other.received] == [None]


def test_missing_credentials_of_a_signed_request_are_the_answer(send: Send) -> None:
    with Server(MISSING, MISSING) as server:
        assert send(postern.Hmac(KEY, SECRET), "GET", server.url, {}, None).status_code == 401
        assert len(server.received) == 1


def test_retries(send: Send, clock: FakeTime) -> None:
    credential = postern.ParameterSignature(KEY, SECRET, clock=clock.time)
    with Server(refusal(429, "RATE_LIMITED", {"Retry-After": "2"})) as server:
        assert send(credential, "POST", server.url + "/x", JSON, json.dumps({"a": "é"}).encode()).status_code == 200
        assert all(is_signed_by_parameters(each) for each in server.received)
        assert len({each.body for each in server.received}) == 2
    assert clock.waits == [2]


@pytest.mark.parametrize("status", [200, 401, 503])
def test_a_streamed_answer_stays_a_stream(status: int) -> None:
    body = b'{"code":"A","message":"m","requestId":"r","more":"' + b"x" * 200_000 + b'"}'
    credential = postern.Hmac(KEY, SECRET, retries=0)
    reply = Reply(status, list(JSON.items()), body)
    with Server(reply, reply._replace(chunked=True)) as server:
        with httpx.Client(auth=postern.httpx.PosternAuth(credential)) as client:
            with client.stream("GET", server.url) as answer:
                assert not answer.is_stream_consumed or status != 200
                assert b"".join(answer.iter_bytes()) == body
        auth = postern.requests.PosternAuth(credential)
        with requests.get(server.url, auth=auth, stream=True, timeout=20) as streamed:
            assert b"".join(streamed.iter_content(1000)) == body


def test_a_short_refusal_in_a_stream_is_tried_again(clock: FakeTime) -> None:
    limited = refusal(429, "RATE_LIMITED", {"Retry-After": "2"})
    credential = postern.Hmac(KEY, SECRET, clock=clock.time)
    with Server(limited, Reply(), limited, Reply()) as server:
        with httpx.Client(auth=postern.httpx.PosternAuth(credential)) as client:
            with client.stream("GET", server.url) as answer:
                assert (answer.status_code, answer.read()) == (200, b"ok")
        auth = postern.requests.PosternAuth(credential)
        with requests.get(server.url, auth=auth, stream=True, timeout=20) as streamed:
            assert (streamed.status_code, streamed.content) == (200, b"ok")
            assert [each.status_code for each in streamed.history] == [429]
    assert clock.waits == [2, 2]


def test_a_file_with_a_key_is_rewound(clock: FakeTime, tmp_path: Any) -> None:
    path = tmp_path / "body"
    path.write_bytes(b"content")
    credential = postern.Key(KEY, clock=clock.time)
    with Server(refusal(429, "RATE_LIMITED", {"Retry-After": "1"})) as server, path.open("rb") as file:
        answer = by_requests(credential, "POST", server.url, {}, file)
        assert answer.status_code == 200
        assert [each.body for each in server.received] == [b"content", b"content"]
