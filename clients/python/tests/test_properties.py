"""What holds for every request: any change to a signed one is noticed, and nothing but what is documented changes."""

import time
from typing import Any, List, Tuple

from hypothesis import given, settings
from hypothesis import strategies as st

import postern
from gateway import KEY, SECRET, is_signed_by_hmac, is_signed_by_parameters
from server import Received

settings.register_profile("tests", deadline=None, max_examples=150, database=None)
settings.load_profile("tests")

text = st.text(st.characters(codec="utf-8", exclude_characters="&="), max_size=12)
values = st.text(st.characters(codec="utf-8", exclude_characters="&"), max_size=12)
names = text.filter(lambda name: name not in ("appKey", "sign", "apiTimestamp"))
parameters = st.lists(st.tuples(names, values), max_size=12)
paths = st.lists(st.text("abcXYZ019-._~!$'()*,;:@%", max_size=6).map(lambda each: each.replace("%", "%25")), max_size=4)
bodies = st.binary(max_size=200)


def received(signed: postern.SignedRequest) -> Received:
    return Received(signed.method, signed.target, list(signed.headers), signed.body)


@given(path=paths, pairs=parameters, body=bodies, seconds=st.integers(0, 4_102_444_800))
def test_hmac(path: List[str], pairs: List[Tuple[str, str]], body: bytes, seconds: int) -> None:
    url = "https://api.example.com:8443/%s?%s" % ("/".join(path), postern.encode_parameters(pairs))
    credential = postern.Hmac(KEY, SECRET, clock=lambda: seconds)
    signed = credential.sign(postern.Request("PUT", url, [("X-A", "1")], body))
    assert is_signed_by_hmac(received(signed))
    assert signed.url == url and signed.body == body
    assert ("X-A", "1") in signed.headers


@given(body=bodies, change=st.data())
def test_any_change_is_noticed(body: bytes, change: Any) -> None:
    signed = postern.Hmac(KEY, SECRET).sign(postern.Request("PUT", "https://api.example.com/a?b=1", [], body))
    right = received(signed)
    part = change.draw(st.sampled_from(["method", "target", "body", "Date", "Authorization"]))
    if part in ("method", "target"):
        changed: Any = {part: _changed(getattr(right, part), change)}
        wrong = right._replace(**changed)
    elif part == "body":
        at = change.draw(st.integers(0, len(body)))
        wrong = right._replace(body=body[:at] + change.draw(st.binary(min_size=1, max_size=3)) + body[at:])
    else:
        wrong = right._replace(
            headers=[(name, _changed(value, change) if name == part else value) for name, value in right.headers]
        )
    assert not is_signed_by_hmac(wrong)


def _changed(value: str, change: Any) -> str:
    at = change.draw(st.integers(0, len(value) - 1))
    character = change.draw(st.sampled_from([each for each in "aZ09 =/" if each != value[at]]))
    return value[:at] + str(character) + value[at + 1 :]


@given(pairs=parameters, form=st.booleans())
def test_parameters(pairs: List[Tuple[str, str]], form: bool) -> None:
    encoded = postern.encode_parameters(pairs)
    headers = [("Content-Type", "application/x-www-form-urlencoded")] if form and encoded else []
    url = "https://api.example.com/x"
    request = (
        postern.Request("POST", url, headers, encoded)
        if headers
        else postern.Request("POST", url + "?" + encoded)
    )
    signed = postern.ParameterSignature(KEY, SECRET).sign(request)
    sent = signed.body.decode() if headers else signed.target.partition("?")[2]
    assert sent.startswith(encoded)
    assert is_signed_by_parameters(received(signed))


@given(data=st.text(min_size=1, max_size=60), cut=st.integers(0, 400))
def test_wrapper(data: str, cut: int) -> None:
    headers = [("Content-Type", "application/json"), ("Content-Length", "1")]
    request = postern.Request("POST", "https://api.example.com/x", headers, data)
    signed = postern.ParameterSignature(KEY, SECRET).sign(request)
    assert is_signed_by_parameters(received(signed))
    assert ("Content-Length", str(len(signed.body))) in signed.headers
    assert ("Content-Type", "application/json") in signed.headers
    assert abs(int(signed.body.rstrip(b"}").rpartition(b":")[2]) - time.time()) < 5


@given(url=st.text(max_size=30), method=st.sampled_from(["GET", "POST"]), body=bodies, media=st.text(max_size=20))
def test_whatever_is_asked_is_signed_or_refused(url: str, method: str, body: bytes, media: str) -> None:
    by_hmac = postern.Hmac(KEY, SECRET, signed_headers=["content-type"])
    for credential in (by_hmac, postern.ParameterSignature(KEY, SECRET)):
        for each in (url, "https://api.example.com/" + url):
            try:
                signed = credential.sign(postern.Request(method, each, [("Content-Type", media)], body))
            except postern.Problem as problem:
                assert problem.code != "INVALID_CREDENTIAL"
                assert KEY not in str(problem) and SECRET not in str(problem)
            else:
                assert signed.url.startswith("http")
