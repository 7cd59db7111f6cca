"""What each library sends is what was signed. A server of sockets receives it; see also test_retries.py."""

from typing import Any, Callable, List, Tuple

import pytest

import postern
from adapters import Adapter
from conftest import FakeTime
from gateway import KEY, SECRET, is_signed_by_hmac, is_signed_by_parameters
from server import Received, Reply, Server

JSON = ("Content-Type", "application/json")
FORM = ("Content-Type", "application/x-www-form-urlencoded")
Make = Callable[[postern.Credential], Adapter]

TARGETS = [
    "/orders",
    "/orders?",
    "?a=1",
    "/a//b?x=%c3%b6&y=a+b&z=%20",
    "/a%20b/%41/;v=1?q=[1]&r=%5B1%5D&s='(x)'*!",
    "/a?next=https://x.example/y?z&&=1&b",
    "/orders?json=%7B%22a%22%3A1%7D#part",
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("method", ["GET", "DELETE", "OPTIONS"])
def test_hmac_signs_the_target_that_is_sent(adapter: Make, hmac: Any, method: str, target: str) -> None:
    with Server() as server:
        answer = adapter(hmac(signed_headers=["host"])).send(method, server.url + target, [], b"", False)
        assert answer.status == 200
        (received,) = server.received
    assert is_signed_by_hmac(received)
    assert received.value("Digest") is None


@pytest.mark.parametrize("is_once", [False, True])
@pytest.mark.parametrize("body", [b"{}", b'{"amount": 12}\n', bytes(range(256)) * 300, b""])
def test_hmac_signs_the_body_that_is_sent(adapter: Make, hmac: Any, body: bytes, is_once: bool) -> None:
    with Server() as server:
        adapter(hmac(signed_headers=["content-type"])).send("POST", server.url + "/x", [JSON], body, is_once)
        (received,) = server.received
    assert is_signed_by_hmac(received)
    assert received.body == body
    assert received.value("Transfer-Encoding") is None


@pytest.mark.parametrize(
    "target, headers, body, sent",
    [
        ("/x?b=2&a=K%C3%B6ln+1", [], b"", b""),
        ("/x", [], b"", b""),
        ("/x", [FORM], b"b=2&a=K%C3%B6ln+1", b"b=2&a=K%C3%B6ln+1&appKey="),
        ("/x", [JSON], '{"a":"Zoë \\" 1"}'.encode(), b'{"data":"{\\"a\\":\\"Zo'),
    ],
)
@pytest.mark.parametrize("is_once", [False, True])
def test_parameter_signature(
    adapter: Make, target: str, headers: List[Tuple[str, str]], body: bytes, sent: bytes, is_once: bool
) -> None:
    credential = postern.ParameterSignature(KEY, SECRET)
    with Server() as server:
        adapter(credential).send("POST", server.url + target, headers, body, is_once and body != b"")
        (received,) = server.received
    assert is_signed_by_parameters(received)
    assert received.body.startswith(sent)
    assert received.value("Transfer-Encoding") is None


def test_key_in_a_header_and_a_stream_that_passes_through(adapter: Make) -> None:
    body = b"x" * 200_000
    with Server() as server:
        adapter(postern.Key(KEY)).send("POST", server.url + "/x", [JSON], body, True)
        (received,) = server.received
    assert received.value("X-App-Key") == KEY
    assert received.value("Transfer-Encoding") == "chunked"
    assert received.body == body


def test_key_in_the_query(adapter: Make) -> None:
    with Server() as server:
        adapter(postern.Key(KEY, query="appKey")).send("GET", server.url + "/x?a=%c3%b6", [], b"", False)
        (received,) = server.received
    assert received.target.lower() == "/x?a=%c3%b6&appkey=" + KEY
    assert received.value("X-App-Key") is None


@pytest.mark.parametrize("is_once", [False, True])
def test_a_body_that_is_too_large_is_not_sent(adapter: Make, hmac: Any, is_once: bool) -> None:
    with Server() as server:
        with pytest.raises(postern.Problem) as caught:
            adapter(hmac()).send("POST", server.url + "/x", [JSON], b"x" * 10_485_761, is_once)
        assert server.received == []
    assert caught.value.code == "BODY_TOO_LARGE"


def test_a_problem_is_raised_before_anything_is_sent(adapter: Make) -> None:
    credential = postern.ParameterSignature(KEY, SECRET)
    with Server() as server:
        with pytest.raises(postern.Problem) as caught:
            adapter(credential).send("GET", server.url + "/x?a=1&sign=2", [], b"", False)
        assert server.received == []
    assert caught.value.code == "RESERVED_PARAMETER"


def test_headers_that_are_set_already_are_replaced(adapter: Make, hmac: Any, clock: FakeTime) -> None:
    headers = [("date", "Mon, 01 Jan 2024 00:00:00 GMT"), ("authorization", "Basic YTpi"), JSON]
    with Server() as server:
        adapter(hmac()).send("POST", server.url + "/x", headers, b"{}", False)
        (received,) = server.received
    assert received.value("Date") == "Sat, 21 Nov 2026 02:40:00 GMT"
    assert is_signed_by_hmac(received)


def redirected(adapter: Make, credential: postern.Credential, to: str, **more: Any) -> List[Received]:
    """What arrives when the API redirects a GET to `to`."""
    with Server(Reply(302, [("Location", to)])) as server:
        sender = adapter(credential)
        sender.follow_redirects()
        sender.send("GET", server.url + "/old?a=1", [], b"", False)
        return server.received


CREDENTIALS = [
    postern.Hmac(KEY, SECRET, nonce=True),
    postern.ParameterSignature(KEY, SECRET),
    postern.Key(KEY),
    postern.Key(KEY, query="appKey"),
]


@pytest.mark.parametrize("credential", CREDENTIALS, ids=repr)
def test_a_redirect_on_the_same_server_is_signed_for_its_own_address(
    adapter: Make, credential: postern.Credential
) -> None:
    old, new = redirected(adapter, credential, "/new?b=2")
    assert old.target.startswith("/old?a=1") and new.target.startswith("/new?b=2")
    if isinstance(credential, postern.Hmac):
        assert is_signed_by_hmac(old) and is_signed_by_hmac(new)
    elif isinstance(credential, postern.ParameterSignature):
        assert is_signed_by_parameters(old) and is_signed_by_parameters(new)
    else:
        assert (new.value("X-App-Key") == KEY) != ("appKey=" + KEY in new.target)


@pytest.mark.parametrize("credential", CREDENTIALS, ids=repr)
@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("media", [None, JSON, FORM])
def test_a_redirect_to_another_server_carries_no_credentials(
    adapter: Make, credential: postern.Credential, status: int, media: Any
) -> None:
    body = {None: b"", JSON: b'{"a":1}', FORM: b"a=1"}[media]
    if isinstance(credential, postern.ParameterSignature) and media is None:
        assert credential.needs_body
    with Server() as other, Server(Reply(status, [("Location", other.url + "/elsewhere")])) as server:
        sender = adapter(credential)
        sender.follow_redirects()
        try:
            sender.send("POST" if body else "GET", server.url + "/old", [media] if media else [], body, False)
        except Exception as error:  # noqa: BLE001 - urllib follows no 307 of a POST
            assert "307" in str(error)
        for received in other.received:
            text = "%s %s %r" % (received.target, received.headers, received.body)
            for credential_part in [KEY, "hmac", "appKey", "sign", "Digest", "X-Nonce", "X-App-Key"]:
                assert credential_part not in text
            assert received.body in (b"", body)
            assert received.value("Content-Length") in (None, str(len(received.body)))
        assert len(other.received) == 1 or (status == 307 and body)


def test_what_comes_back_from_another_server_is_not_signed(adapter: Make, hmac: Any) -> None:
    with Server() as home, Server() as other:
        home.add(Reply(302, [("Location", other.url + "/other")]))
        other.add(Reply(302, [("Location", home.url + "/chosen-by-another")]))
        sender = adapter(hmac())
        sender.follow_redirects()
        sender.send("GET", home.url + "/old", [], b"", False)
        assert [each.target for each in home.received] == ["/old", "/chosen-by-another"]
        assert home.received[1].value("Authorization") is None
