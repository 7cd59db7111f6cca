"""URLs that are signed byte for byte, or not at all."""

import pytest

import postern
from postern._target import parse

HMAC = postern.Hmac("k", "a secret")


@pytest.mark.parametrize(
    "url",
    [
        "http\u017f://api.example.com/a",  # long s
        "https://api.example.com/\u212a",  # Kelvin sign
        "https://api.example.com/a?q=\u017f",
        "https://api.example.com/a b",
        "https://api.example.com\\a",
        "https:///a",
        "ftp://api.example.com/a",
        "/a",
        "",
        "https://api.example.com/a\n",
    ],
)
def test_another_url_is_a_problem(url: str) -> None:
    with pytest.raises(postern.Problem) as caught:
        HMAC.sign(postern.Request("GET", url))
    assert caught.value.code == "TARGET_NOT_SIGNABLE"
    assert url == "" or url not in str(caught.value)


@pytest.mark.parametrize(
    "url, signed, target, authority",
    [
        ("HTTPS://user:word@API.example.com:443", "HTTPS://API.example.com/", "/", "API.example.com"),
        ("http://a:80?b#c\u017f", "http://a/?b", "/?b", "a"),
        ("http://a:443/?#", "http://a:443/?", "/?", "a:443"),
        ("https://[::1]:8443/a?b?c", "https://[::1]:8443/a?b?c", "/a?b?c", "[::1]:8443"),
    ],
)
def test_the_parts_of_a_url(url: str, signed: str, target: str, authority: str) -> None:
    parsed = parse(url)
    assert (parsed.url, parsed.text, parsed.authority) == (signed, target, authority)
