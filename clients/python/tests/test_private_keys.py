"""Private keys: elsewhere, asked for more, by a wrong clock, and never shown."""

import asyncio
import base64
import builtins
import json
import re
import threading
from email.utils import formatdate
from typing import Any, Callable, List

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from hypothesis import given
from hypothesis import strategies as st

import postern
import postern.httpx
from adapters import Adapter
from conftest import FakeTime
from postern._key_signer import joined
from postern._structured_fields import read_dictionary
from printing import every_print_of
from server import Reply, Server, refusal
from test_key_vectors import is_verified
from vectors import KEYS

Make = Callable[[postern.Credential], Adapter]
ED25519, P256 = KEYS["ed25519"], KEYS["p256"]
P256_KEY: Any = load_pem_private_key(P256["pem"].encode(), None)
ACCEPT = 'sig1=("@method" "@target-uri");created;nonce="theirs";tag="app"'
ASKING = refusal(401, "AUTHENTICATION_FAILED", {"Accept-Signature": ACCEPT})
REQUEST = postern.Request("GET", "https://api.example.com/a")


def made(**settings: Any) -> postern.MessageSignature:
    return postern.MessageSignature("acme-2026", ED25519["pem"], **settings)


def test_a_function_is_asked_once_for_each_attempt_and_may_give_der(adapter: Make, clock: FakeTime) -> None:
    asked: List[bytes] = []

    def sign(data: bytes) -> bytes:
        asked.append(data)
        return bytes(P256_KEY.sign(data, ec.ECDSA(SHA256())))

    credential = postern.MessageSignature("k", sign, algorithm="ecdsa-p256-sha256", clock=clock.time)
    with Server(refusal(429, "RATE_LIMITED", {"Retry-After": "1"})) as server:
        assert adapter(credential).send("POST", server.url + "/x", [], b"{}", False).status == 200
        assert len(asked) == len(server.received) == 2
        for data, received in zip(asked, server.received):
            signature = base64.b64decode((received.value("Signature") or "")[len("sig1=:") : -1])
            assert len(signature) == 64 and is_verified("p256", "ecdsa-p256-sha256", data, signature)


@pytest.mark.parametrize("given", [ValueError("the key service is down"), b"x" * 63, "text", None])
def test_a_function_that_signs_nothing_is_a_problem(adapter: Make, given: Any) -> None:
    def sign(data: bytes) -> Any:
        if isinstance(given, Exception):
            raise given
        return given

    credential = postern.MessageSignature("k", sign, algorithm="ecdsa-p256-sha256")
    with Server() as server:
        with pytest.raises(postern.Problem) as caught:
            adapter(credential).send("GET", server.url + "/x", [], b"", False)
        assert caught.value.code == "SIGNER_FAILED"
        assert caught.value.__cause__ is (given if isinstance(given, Exception) else None)
        assert server.received == []


def test_a_function_does_not_hold_up_an_event_loop() -> None:
    loops: List[bool] = []

    def sign(data: bytes) -> bytes:
        loops.append(threading.current_thread() is threading.main_thread())
        return bytes(P256_KEY.sign(data, ec.ECDSA(SHA256())))

    async def call(url: str) -> int:
        credential = postern.MessageSignature("k", sign, algorithm="ecdsa-p256-sha256")
        async with postern.httpx.AsyncClient(credential) as client:
            return (await client.get(url)).status_code

    with Server() as server:
        assert asyncio.run(call(server.url + "/x")) == 200
    assert loops == [False]


def test_what_a_401_asks_for_is_signed_once_with_its_nonce(adapter: Make, clock: FakeTime) -> None:
    with Server(ASKING, refusal(503, "UNAVAILABLE")) as server:
        assert adapter(made(clock=clock.time)).send("GET", server.url + "/x", [], b"", False).status == 200
        inputs = [each.value("Signature-Input") or "" for each in server.received]
    assert "target-uri" not in inputs[0] and "tag=" not in inputs[0]
    form = r'sig1=\("@method" "@authority" "@path" "@query" "@target-uri"\);.*;nonce="(.*)";tag="app"'
    nonces = [match[1] for match in (re.fullmatch(form, each) for each in inputs[1:]) if match is not None]
    assert nonces[0] == "theirs" and re.fullmatch("[0-9a-f]{32}", nonces[1])
    assert clock.waits[0] == 0 and len(clock.waits) == 2


def test_what_a_401_asks_for_is_not_signed_twice(adapter: Make, clock: FakeTime) -> None:
    with Server(ASKING, ASKING) as server:
        assert adapter(made()).send("POST", server.url + "/x", [], b"{}", False).status == 401
        assert len(server.received) == 2


@pytest.mark.parametrize("credential", [postern.Key("k"), postern.Hmac("k", "a secret")], ids=["key", "hmac"])
def test_other_methods_are_asked_for_nothing(adapter: Make, credential: postern.Credential) -> None:
    with Server(ASKING) as server:
        assert adapter(credential).send("GET", server.url + "/x", [], b"", False).status == 401
        assert len(server.received) == 1
    assert credential.sign_again(REQUEST, ACCEPT) is None


def _token_server(*differences: int) -> Server:
    """Refuses one assertion for each of these differences of its clock, in seconds, then gives a token."""
    body, type_of_body = b'{"error":"invalid_client"}', ("Content-Type", "application/json")
    dates = [("Date", formatdate(1_795_228_800 + each, usegmt=True)) for each in differences]
    token = b'{"access_token":"t1","token_type":"bearer","expires_in":3600}'
    return Server(*(Reply(401, [type_of_body, date], body) for date in dates), Reply(200, [type_of_body], token))


def test_an_assertion_is_made_anew_by_the_clock_of_the_token_url(clock: FakeTime) -> None:
    with _token_server(300) as tokens:
        settings: Any = {"clock": clock.time, "clock_correction": 600}
        credential = postern.PrivateKeyJwt("k", ED25519["jwk"], tokens.url + "/t", **settings)
        assert dict(credential.sign(REQUEST).added) == {"Authorization": "Bearer t1"}
        parts = [each.body.decode().split("client_assertion=")[1].split(".")[1] for each in tokens.received]
    issued = [json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))["iat"] for part in parts]
    assert issued == [1_795_228_800, 1_795_229_100]


@pytest.mark.parametrize("difference, correction", [(29, 600), (300, 0), (300, 60)])
def test_an_assertion_is_not_made_anew_otherwise(clock: FakeTime, difference: int, correction: int) -> None:
    with _token_server(difference) as tokens:
        settings: Any = {"clock": clock.time, "clock_correction": correction}
        credential = postern.PrivateKeyJwt("k", ED25519["pem"], tokens.url + "/t", **settings)
        with pytest.raises(postern.TokenError) as caught:
            credential.sign(REQUEST)
        assert (caught.value.error, len(tokens.received)) == ("invalid_client", 1)
        text = "\n".join(every_print_of([credential]))
    assert "[secret]" in text and "eyJhbG" not in text and ED25519["jwk"]["d"] not in text and "MC4CAQ" not in text


@pytest.mark.parametrize("form", ["pem", "jwk"])
def test_a_key_shows_nowhere(form: str) -> None:
    credential = postern.MessageSignature("acme-2026", ED25519[form])
    text = "\n".join(every_print_of([credential, credential.sign(REQUEST)]))
    secret = base64.urlsafe_b64decode(ED25519["jwk"]["d"] + "=")
    assert "[secret]" in text and "acme-2026" in text
    for part in (ED25519["jwk"]["d"], "MC4CAQ", secret.hex(), repr(secret)[2:-1]):
        assert part not in text


def test_a_key_of_the_package_cryptography_is_taken() -> None:
    credential = postern.MessageSignature("k", P256_KEY)
    assert credential.algorithm == "ecdsa-p256-sha256"
    with pytest.raises(postern.Problem, match="does not fit"):
        postern.MessageSignature("k", P256_KEY, algorithm="ed25519")


def test_pem_has_the_line_ends_of_any_system() -> None:
    given: str = KEYS["rsa"]["pem"]
    for pem in (given.replace("\n", "\r\n"), "\n" + given.strip(), given.encode()):
        assert postern.PrivateKeyJwt("k", pem, "https://api.example.com/t").algorithm == "PS256"


def test_a_jwk_whose_numbers_do_not_fit_together_is_refused() -> None:
    for jwk in ({**P256["jwk"], "x": P256["jwk"]["y"]}, {**ED25519["jwk"], "x": P256["jwk"]["x"]}):
        with pytest.raises(postern.Problem, match="cut or changed"):
            postern.MessageSignature("k", jwk)


def test_without_the_package_a_function_signs_and_a_key_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if "_private_keys" in (fromlist or ()):
            raise ImportError(name)
        return real(name, globals, locals, fromlist, level)

    monkeypatch.setattr(builtins, "__import__", without)
    postern.MessageSignature("k", lambda data: b"x" * 64, algorithm="ed25519").sign(REQUEST)
    with pytest.raises(postern.Problem, match=r"pip install 'postern-client\[keys\]'"):
        postern.MessageSignature("k", ED25519["pem"])


@given(st.one_of(st.text(), st.from_regex(r"[ \ta-c*=(),;:\"\\?01.-]{0,40}", fullmatch=True)))
def test_any_text_is_a_dictionary_or_not(text: str) -> None:
    read_dictionary(text)


@given(st.binary(max_size=120))
def test_any_bytes_are_a_signature_or_not(signature: bytes) -> None:
    assert joined(signature, 32) is None or len(joined(signature, 32) or b"") == 64


@given(st.binary(max_size=80))
def test_a_signature_in_der_is_the_same_joined(data: bytes) -> None:
    signature = joined(P256_KEY.sign(data, ec.ECDSA(SHA256())), 32)
    assert signature is not None and is_verified("p256", "ES256", data, signature)
