"""No secret in anything that is printed, logged, pickled or raised."""

import asyncio
import copy
import logging
import pickle
import socket
import traceback
import urllib.error
from typing import Any, Callable, List

import httpx
import pytest
import requests

import postern
import postern.httpx
import postern.requests
import postern.urllib
from adapters import Adapter
from printing import every_print_of
from server import Reply, Server, refusal

SECRET = "S3cret-that-must-not-show"
APP_KEY = "App-Key-that-is-a-secret"
TOKEN = "Token-that-must-not-show"
Make = Callable[[postern.Credential], Adapter]


def credentials(token_url: str) -> List[postern.Credential]:
    return [
        postern.Hmac("public-key", SECRET, signed_headers=["host"], retries=0),
        postern.ParameterSignature("public-key", SECRET, nonce=True, retries=0),
        postern.Key(APP_KEY, retries=0),
        postern.Key(APP_KEY, query="appKey", retries=0),
        postern.OAuth2("public-key", SECRET, token_url, retries=0),
    ]


def test_nothing_shows(adapter: Make, caplog: pytest.LogCaptureFixture) -> None:
    token = b'{"access_token":"%s","token_type":"bearer","expires_in":3600}' % TOKEN.encode()
    replies = [refusal(401, "AUTHENTICATION_FAILED", stringToSign="date: x")] * 5
    with Server(Reply(200, [], token)) as tokens, Server(*replies) as api:
        for credential in credentials(tokens.url + "/oauth2/token"):
            sender = adapter(credential)
            if not (isinstance(credential, postern.Key) and credential.query):
                caplog.set_level(logging.DEBUG)  # Libraries log URLs; the README says so.
            caplog.clear()
            answer = sender.send("GET", api.url + "/x", [], b"", False)
            text = "\n".join([*every_print_of([credential, *sender.parts]), repr(answer.refusal)])
            for secret in (SECRET, APP_KEY, TOKEN):
                assert secret not in text
                assert secret not in caplog.text
            assert "[secret]" in text
            caplog.set_level(logging.WARNING)


@pytest.mark.parametrize("credential", credentials("https://api.example.com/oauth2/token"), ids=lambda each: repr(each))
def test_credentials_are_not_pickled_or_copied(credential: postern.Credential) -> None:
    for way in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not pickled or copied"):
            way(credential)


def test_errors_can_be_pickled() -> None:
    problem = pickle.loads(pickle.dumps(postern.Problem("BODY_TOO_LARGE", "why")))
    assert (problem.code, problem.message, str(problem)) == ("BODY_TOO_LARGE", "why", "BODY_TOO_LARGE: why")
    error = pickle.loads(pickle.dumps(postern.TokenError("m", 401, "invalid_client", 3)))
    assert (str(error), error.status, error.error, error.retry_after) == ("m", 401, "invalid_client", 3)


BAD: Any = [
    lambda: postern.Hmac("", SECRET),
    lambda: postern.Hmac("a b", SECRET),
    lambda: postern.Hmac("a\n", SECRET),
    lambda: postern.Hmac("k" * 513, SECRET),
    lambda: postern.Hmac(None, SECRET),  # type: ignore[arg-type]
    lambda: postern.Hmac("k", ""),
    lambda: postern.Hmac("k", SECRET + "\n"),
    lambda: postern.Hmac("k", " " + SECRET),
    lambda: postern.Hmac("k", SECRET + "\u3000"),
    lambda: postern.Hmac("k", "a\x7fb"),
    lambda: postern.Hmac("k", "a\u0085b"),
    lambda: postern.Hmac("k", "\ud800"),
    lambda: postern.Hmac("k", SECRET.encode()),  # type: ignore[arg-type]
    lambda: postern.Hmac("k", SECRET, algorithm="hmac-md5"),
    lambda: postern.Hmac("k", SECRET, signed_headers="host"),
    lambda: postern.Hmac("k", SECRET, retries=-1),
    lambda: postern.Hmac("k", SECRET, retries=True),
    lambda: postern.Hmac("k", SECRET, clock_correction=1.5),  # type: ignore[arg-type]
    lambda: postern.ParameterSignature("k", SECRET, encoding="auto"),
    lambda: postern.Key("k", header="a b"),
    lambda: postern.Key("k", header=""),
    lambda: postern.Key("k", query=""),
    lambda: postern.Key("k", header="a", query="b"),
    lambda: postern.Key(APP_KEY + "ü"),
    lambda: postern.OAuth2("k", SECRET, "/oauth2/token"),
    lambda: postern.OAuth2("k", SECRET, "https://user:pass@api.example.com/oauth2/token"),
    lambda: postern.OAuth2("k", SECRET, "https://api.example.com/oauth2/token?a=1"),
]


@pytest.mark.parametrize("make", BAD)
def test_settings_that_cannot_be_right(make: Callable[[], postern.Credential]) -> None:
    with pytest.raises(postern.Problem) as caught:
        make()
    assert caught.value.code == "INVALID_CREDENTIAL"
    assert SECRET not in str(caught.value) and APP_KEY not in str(caught.value)


def test_a_connection_that_fails_shows_no_key_of_the_query() -> None:
    credential = postern.Key("key-that-is-secret", query="appKey", retries=0)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    for scheme in ("http", "https"):
        with postern.requests.Session(credential) as session:
            with pytest.raises(requests.ConnectionError) as caught:
                session.get("%s://127.0.0.1:%d/orders" % (scheme, port))
        shown = "".join(traceback.format_exception(type(caught.value), caught.value, caught.value.__traceback__))
        assert "key-that-is-secret" not in shown + repr(caught.value) + str(caught.value)
        assert "Connection refused" in str(caught.value)


def _texts_of(*objects: object) -> str:
    return "\n".join("%s %r" % (each, each) for each in objects)


@pytest.mark.parametrize("query", [None, "appKey"])
def test_requests_and_errors_of_the_libraries_show_no_app_key(query: Any) -> None:
    credential = postern.Key(APP_KEY, query=query, retries=0)
    replies = [Reply(200), Reply(404), Reply(200), Reply(404), Reply(200), Reply(404)]
    with Server(*replies) as api, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nobody = "http://127.0.0.1:%d/x?a=1" % closed.getsockname()[1]
        seen: List[object] = []
        for client in (postern.requests.Session(credential), postern.httpx.Client(credential)):
            with client:
                for _ in range(2):
                    answer: Any = client.get(api.url + "/x?a=1")
                    seen += [answer, answer.url, answer.request, answer.request.url, answer.request.headers]
                    assert str(answer.url) == str(answer.request.url) == api.url + "/x?a=1"
                with pytest.raises((requests.HTTPError, httpx.HTTPStatusError)) as status:
                    answer.raise_for_status()
                with pytest.raises((requests.ConnectionError, httpx.ConnectError)) as failed:
                    client.get(nobody)
                errors: List[Any] = [status.value, failed.value]
                for error in errors:
                    request = error.request
                    seen += [error, error.args, request, getattr(request, "url", ""), getattr(request, "headers", "")]
                    seen.append("".join(traceback.format_exception(type(error), error, error.__traceback__)))
        opener = postern.urllib.Opener(credential)
        opened = opener.open(api.url + "/x?a=1")
        with pytest.raises(urllib.error.HTTPError) as missing:
            opener.open(api.url + "/x?a=1")
        seen += [opened.url, missing.value, missing.value.url, missing.value.filename]
        opened.close()
        missing.value.close()
        text = _texts_of(*seen)
    assert all(APP_KEY in request.target + str(request.headers) for request in api.received), "it was sent"
    assert APP_KEY not in text


@pytest.mark.parametrize("auth", [("a", "b"), ("",), ()])
def test_an_auth_that_would_switch_signing_off_is_told(auth: Any) -> None:
    credential = postern.Hmac("public-key", SECRET, retries=0)
    with Server(Reply(200), Reply(200)) as api:
        with postern.requests.Session(credential) as session:
            with pytest.raises(TypeError, match="auth= would send this request without a signature"):
                session.get(api.url, auth=auth)
            assert session.get(api.url, auth=session.auth).status_code == 200
        with postern.httpx.Client(credential) as client:
            for given in (auth, None):
                with pytest.raises(TypeError, match="auth= would send this request without a signature"):
                    client.get(api.url, auth=given)
            assert client.get(api.url, auth=client.auth or ("", "")).status_code == 200
    assert len(api.received) == 2


def test_an_auth_that_would_switch_asynchronous_signing_off_is_told() -> None:
    async def call() -> None:
        async with postern.httpx.AsyncClient(postern.Hmac("public-key", SECRET)) as client:
            await client.get("http://127.0.0.1:1/", auth=None)

    with pytest.raises(TypeError, match="auth= would send this request without a signature"):
        asyncio.run(call())
