"""The access token: asked for once, kept, renewed, and asked for again after a 401."""

import base64
import json
import threading
import traceback
from typing import Any, Callable, List

import pytest

import postern
from adapters import Adapter
from conftest import FakeTime
from server import Reply, Server, refusal

Make = Callable[[postern.Credential], Adapter]
SECRET = "s&cret Köln"


def token(text: str, **more: Any) -> Reply:
    document = {"access_token": text, "token_type": "bearer", "expires_in": 3600, **more}
    return Reply(200, [("Content-Type", "application/json")], json.dumps(document).encode())


def made(server: Server, clock: FakeTime, **settings: Any) -> postern.OAuth2:
    return postern.OAuth2("client.1", SECRET, server.url + "/oauth2/token", clock=clock.time, **settings)


def bearers(api: Server) -> List[Any]:
    return [each.value("Authorization") for each in api.received]


def test_the_token_is_asked_for_once(adapter: Make, clock: FakeTime) -> None:
    with Server(token("t1")) as tokens, Server() as api:
        sender = adapter(made(tokens, clock))
        for _ in range(3):
            assert sender.send("GET", api.url + "/x", [], b"", False).status == 200
        assert bearers(api) == ["Bearer t1"] * 3
        (question,) = tokens.received
    assert (question.method, question.target, question.body) == (
        "POST", "/oauth2/token", b"grant_type=client_credentials"
    )
    assert question.value("Content-Type") == "application/x-www-form-urlencoded"
    scheme, _, credentials = (question.value("Authorization") or "").partition(" ")
    assert scheme == "Basic"
    assert base64.b64decode(credentials).decode() == "client.1:s%26cret%20K%C3%B6ln"


def test_concurrent_calls_wait_for_one_question(adapter: Make, clock: FakeTime) -> None:
    with Server(token("t1")) as tokens, Server() as api:
        sender = adapter(made(tokens, clock))
        threads = [
            threading.Thread(target=sender.send, args=("GET", api.url + "/x", [], b"", False)) for _ in range(12)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert bearers(api) == ["Bearer t1"] * 12
        assert len(tokens.received) == 1


@pytest.mark.parametrize("life, margin", [(3600, 60), (300, 30), (10, 1)])
def test_the_token_is_renewed_before_it_ends(clock: FakeTime, life: int, margin: int) -> None:
    with Server(token("t1", expires_in=life), token("t2", expires_in=life)) as tokens:
        credential = made(tokens, clock)
        request = postern.Request("GET", "https://api.example.com/x")
        assert credential.sign(request).added == (("Authorization", "Bearer t1"),)
        clock.now += life - margin - 0.5
        assert credential.sign(request).added == (("Authorization", "Bearer t1"),)
        clock.now += 0.5
        assert credential.sign(request).added == (("Authorization", "Bearer t2"),)


def test_a_refused_token_is_renewed_once(adapter: Make, clock: FakeTime) -> None:
    invalid = refusal(401, "TOKEN_INVALID")
    with Server(token("t1"), token("t2"), token("t3")) as tokens, Server(invalid) as api:
        sender = adapter(made(tokens, clock, retries=0))
        assert sender.send("POST", api.url + "/x", [], b"body", False).status == 200
        assert bearers(api) == ["Bearer t1", "Bearer t2"]
        api.add(invalid, invalid)
        answer = sender.send("GET", api.url + "/x", [], b"", False)
        assert answer.refusal is not None and answer.refusal.code == "TOKEN_INVALID"
        assert bearers(api)[2:] == ["Bearer t2", "Bearer t3"]
    assert clock.waits == [0.0, 0.0]


def test_a_stream_is_given_up_but_the_token_is_dropped(adapter: Make, clock: FakeTime) -> None:
    with Server(token("t1"), token("t2")) as tokens, Server(refusal(401, "TOKEN_INVALID")) as api:
        sender = adapter(made(tokens, clock))
        assert sender.send("POST", api.url + "/x", [], b"stream", True).status == 401
        assert sender.send("POST", api.url + "/x", [], b"stream", True).status == 200
        assert bearers(api) == ["Bearer t1", "Bearer t2"]
        assert [each.body for each in api.received] == [b"stream"] * 2


@pytest.mark.parametrize(
    "reply, status, error, text",
    [
        (
            Reply(401, [], b'{"error":"invalid_client","error_description":"Client authentication failed."}'),
            401, "invalid_client", "the token URL answered 401, invalid_client",
        ),
        (Reply(400, [], b'{"error":"czNjcmV0"}'), 400, None, "the token URL answered 400"),
        (Reply(503, [("Retry-After", "7")], b"<html>"), 503, None, "the token URL answered 503"),
        (Reply(302, [("Location", "/elsewhere")], b""), 302, None, "the token URL answered 302"),
        (Reply(200, [], b"[]"), 200, None, "the answer of the token URL holds no access token"),
        (token("a b"), 200, None, "the answer of the token URL holds no access token"),
        (token("a\r\nX-Evil: 1"), 200, None, "the answer of the token URL holds no access token"),
        (token("t", token_type="mac"), 200, None, "the token is not of the type bearer"),
        (token("t", expires_in="soon"), 200, None, "expires_in of the token is not a number of seconds"),
        (Reply(200, [], b" " * 70_000 + b"{}"), 200, None, "the answer of the token URL holds no access token"),
    ],
)
def test_an_answer_that_is_no_token(
    adapter: Make, clock: FakeTime, reply: Reply, status: int, error: Any, text: str
) -> None:
    with Server(reply) as tokens, Server() as api:
        with pytest.raises(postern.TokenError) as caught:
            adapter(made(tokens, clock)).send("GET", api.url + "/x", [], b"", False)
        assert api.received == []
        assert len(tokens.received) == 1
    assert (caught.value.status, caught.value.error, str(caught.value)) == (status, error, text)
    assert caught.value.retry_after == (7 if status == 503 else None)
    shown = "".join(traceback.TracebackException.from_exception(caught.value, capture_locals=True).format())
    assert SECRET not in shown and "s%26cret" not in shown


def test_no_answer_at_all(clock: FakeTime) -> None:
    with Server(Reply(hang_up=True)) as tokens:
        with pytest.raises(postern.TokenError) as caught:
            made(tokens, clock).sign(postern.Request("GET", "https://api.example.com/x"))
    assert caught.value.status is None
    assert str(caught.value).startswith("the token URL gave no answer: ")
