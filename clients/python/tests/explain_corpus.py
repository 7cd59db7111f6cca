"""Requests with mistakes in them, for `explain`: each is signed here in a wrong way, with code of its own."""

import base64
import hashlib
import hmac
import json
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple
from urllib.parse import quote

KEY, SECRET = "3f0c9a1be27d4856af0312c4d5e6b798", "n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6eMpXiVqTzRb9"
AT = "2026-11-21T02:40:00Z"
DATE, TIME = "Sat, 21 Nov 2026 02:40:00 GMT", "1795228800"
JSON_BODY = b'{"amount": 12}'


class Case(NamedTuple):
    name: str
    method: str
    text: bytes
    flags: Tuple[str, ...] = ()
    at: str = AT


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _digest(body: bytes) -> str:
    return "SHA-256=" + _b64(hashlib.sha256(body).digest())


def _raw(method: str, target: str, headers: Sequence[Tuple[str, str]], body: bytes = b"") -> bytes:
    lines = ["%s %s HTTP/1.1" % (method, target), *("%s: %s" % pair for pair in headers)]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def hmac_case(
    name: str,
    *,
    method: str = "POST",
    target: str = "/invoices?year=2026&q=K%c3%b6ln",
    signed_line: Any = None,
    body: bytes = JSON_BODY,
    digest: Any = None,
    date: str = DATE,
    signed_date: Any = None,
    listed: str = "date request-line digest",
    signed_names: Any = None,
    secret: bytes = SECRET.encode(),
    join: str = "\n",
    end: str = "",
    spell: Callable[[str], str] = str,
    colon: str = ": ",
    mac: Any = None,
    write: Callable[[bytes], str] = _b64,
    authorization: Any = None,
    extra: Sequence[Tuple[str, str]] = (),
    drop: Sequence[str] = (),
    flags: Tuple[str, ...] = (),
    at: str = AT,
) -> Case:
    digest = _digest(body) if digest is None else digest
    headers = {"Host": "api.example.com", "Content-Type": "application/json", "Date": date, "Digest": digest}
    values = {each.lower(): value for each, value in [*headers.items(), *extra]}
    values["date"] = signed_date or date
    line = signed_line or "%s %s HTTP/1.1" % (method, target)
    names = (listed if signed_names is None else signed_names).split()
    lines = [line if each == "request-line" else spell(each) + colon + values[each] for each in names]
    text = (join.join(lines) + end).encode("latin-1")
    made = hmac.new(secret, text, "sha256").digest() if mac is None else mac(text, secret)
    signed = 'hmac appkey="%s", algorithm="hmac-sha256", headers="%s", signature="%s"' % (KEY, listed, write(made))
    value = authorization or signed
    pairs = [pair for pair in [*headers.items(), *extra] if pair[0].lower() not in drop]
    if value != "none":
        pairs.append(("Authorization", value))
    return Case("hmac: " + name, "hmac", _raw(method, target, pairs, body), flags, at)


def _sha(name: str) -> Callable[[bytes, bytes], bytes]:
    return lambda text, secret: hashlib.new(name, text + secret).digest()


def _hmac(name: str) -> Callable[[bytes, bytes], bytes]:
    return lambda text, secret: hmac.new(secret, text, name).digest()


TARGET = "/invoices?year=2026&q=K%c3%b6ln"
HMAC_CASES: List[Case] = [
    hmac_case("right"),
    hmac_case("path without query", signed_line="POST /invoices HTTP/1.1"),
    hmac_case("http version", signed_line="POST %s HTTP/2.0" % TARGET),
    hmac_case("no http version", signed_line="POST " + TARGET),
    hmac_case("method case", signed_line="post %s HTTP/1.1" % TARGET),
    hmac_case("request target", signed_line="(request-target): post " + TARGET),
    hmac_case("labelled request line", signed_line="request-line: POST %s HTTP/1.1" % TARGET),
    hmac_case("full url", signed_line="POST https://api.example.com%s HTTP/1.1" % TARGET),
    hmac_case("no method", signed_line=TARGET + " HTTP/1.1"),
    hmac_case("other method", signed_line="PUT %s HTTP/1.1" % TARGET),
    hmac_case("percent-decoded", signed_line="POST /invoices?year=2026&q=K\xc3\xb6ln HTTP/1.1"),
    hmac_case("encoded twice", signed_line="POST /invoices?year=2026&q=K%25c3%25b6ln HTTP/1.1"),
    hmac_case("escape case", signed_line="POST /invoices?year=2026&q=K%C3%B6ln HTTP/1.1"),
    hmac_case("query order", signed_line="POST /invoices?q=K%c3%b6ln&year=2026 HTTP/1.1"),
    hmac_case("trailing slash", signed_line="POST /invoices/?year=2026&q=K%c3%b6ln HTTP/1.1"),
    hmac_case("path prefix", target="/v1/invoices", signed_line="POST /invoices HTTP/1.1"),
    hmac_case("line feed at the end", end="\n"),
    hmac_case("crlf", join="\r\n"),
    hmac_case("backslash n", join="\\n"),
    hmac_case("no blank after colon", colon=":"),
    hmac_case("names not in lower case", spell=str.title),
    hmac_case("header order", signed_names="request-line date digest"),
    hmac_case("listed but not signed", signed_names="date request-line"),
    hmac_case("signed but not listed", listed="date request-line digest", signed_names="date request-line digest host"),
    hmac_case("local time", date="Sat, 21 Nov 2026 03:40:00 GMT"),
    hmac_case("outside the window", date="Sat, 21 Nov 2026 02:47:00 GMT"),
    hmac_case("one-digit day", date="Sat, 7 Nov 2026 02:40:00 GMT", at="2026-11-07T02:40:00Z"),
    hmac_case("zone offset", date="Sat, 21 Nov 2026 02:40:00 +0000"),
    hmac_case("zone name", date="Sat, 21 Nov 2026 02:40:00 UTC"),
    hmac_case("iso date", date="2026-11-21T02:40:00Z"),
    hmac_case("date number", date=TIME),
    hmac_case("no date", drop=["date"]),
    hmac_case("x-date", drop=["date"], extra=[("X-Date", DATE)]),
    hmac_case("date read twice", signed_date="Sat, 21 Nov 2026 02:40:01 GMT"),
    hmac_case("date in another zone", signed_date="Sat, 21 Nov 2026 03:40:00 +0100"),
    hmac_case("digest of the body with a line feed", digest=_digest(JSON_BODY + b"\n")),
    hmac_case("digest of reformatted JSON", digest=_digest(b'{"amount":12}')),
    hmac_case("digest of an empty body", digest=_digest(b"")),
    hmac_case("digest in hex", digest="SHA-256=" + hashlib.sha256(JSON_BODY).hexdigest()),
    hmac_case("digest prefix", digest="sha-256=" + _b64(hashlib.sha256(JSON_BODY).digest())),
    hmac_case("digest of another hash", digest="SHA-512=" + _b64(hashlib.sha512(JSON_BODY).digest())),
    hmac_case("digest of another body", digest=_digest(b"something else")),
    hmac_case("digest not signed", listed="date request-line"),
    hmac_case("no digest", listed="date request-line", drop=["digest"]),
    hmac_case("secret with a line feed", secret=SECRET.encode() + b"\n"),
    hmac_case("secret in base64", secret=_b64(SECRET.encode()).encode()),
    hmac_case("secret decoded", secret=base64.urlsafe_b64decode(SECRET + "=")),
    hmac_case("secret in quotes", secret=b'"' + SECRET.encode() + b'"'),
    hmac_case("app key as secret", secret=KEY.encode(), flags=("--app-key", KEY)),
    hmac_case("no secret", secret=b""),
    hmac_case("wrong hash", mac=_hmac("sha512")),
    hmac_case("plain hash", mac=_sha("sha256")),
    hmac_case("swapped", mac=lambda text, secret: hmac.new(text, secret, "sha256").digest()),
    hmac_case("signature in hex", write=bytes.hex),
    hmac_case("signature url-safe", write=lambda mac: base64.urlsafe_b64encode(mac + b"")[:-1].decode() + "="),
    hmac_case("signature not padded", write=lambda mac: _b64(mac).rstrip("=")),
    hmac_case("signature base64 of hex", write=lambda mac: _b64(mac.hex().encode())),
    hmac_case("no authorization", authorization="none"),
    hmac_case("basic", authorization="Basic " + _b64(b"user:password")),
    hmac_case("bearer", authorization="Bearer abc"),
    hmac_case("another scheme", authorization='Signature keyId="x"'),
    hmac_case("capitals in the list", listed="Date Request-Line Digest", signed_names="date request-line digest"),
    hmac_case("commas in the list", listed="date, request-line, digest", signed_names="date request-line digest"),
    hmac_case("unsignable header", listed="date request-line digest x-request-id", extra=[("X-Request-Id", "1")]),
    hmac_case(
        "absent header", listed="date request-line digest x-tenant", signed_names="date request-line digest"
    ),
    hmac_case("another app key", flags=("--app-key", "another-key")),
    hmac_case("two mistakes", signed_line="POST /invoices HTTP/2.0"),
    hmac_case("two mistakes of two kinds", signed_line="POST /invoices HTTP/1.1", secret=SECRET.encode() + b"\n"),
    hmac_case("nothing fits", secret=b"quite another secret"),
    hmac_case("path not normal", target="/a/../b"),
    hmac_case("old but right", date="Sat, 21 Nov 2026 00:12:34 GMT", at=""),
]
Pairs = List[Tuple[str, str]]


def _joined(pairs: Pairs) -> str:
    return "&".join("%s=%s" % pair for pair in sorted(pairs, key=lambda pair: pair[0].encode()))


OWN: Pairs = [("to", "Köln 1"), ("Zone", "1"), ("a", ""), ("b", "x/y")]


def parameter_case(
    name: str,
    *,
    own: Pairs = OWN,
    app_key: Pairs = [("appKey", KEY)],
    time: Pairs = [("apiTimestamp", TIME)],
    form: str = "form",
    text_of: Callable[[Pairs], str] = _joined,
    tail: Callable[[str], bytes] = lambda text: text.encode() + SECRET.encode(),
    hash_of: Callable[[bytes], bytes] = lambda whole: hashlib.sha512(whole).digest(),
    write: Callable[[bytes], str] = bytes.hex,
    sign_name: str = "sign",
    encode: Callable[[str], str] = lambda text: quote(text, safe="").replace("%20", "+"),
    content_type: str = "application/x-www-form-urlencoded",
    query: str = "",
    flags: Tuple[str, ...] = (),
    at: str = AT,
) -> Case:
    pairs = [*own, *app_key, *time]
    sign = write(hash_of(tail(text_of(pairs))))
    sent = [*pairs, *([(sign_name, sign)] if sign_name else [])]
    body = "&".join("%s=%s" % (encode(each), encode(value)) for each, value in sent)
    host = ("Host", "api.example.com")
    if form == "url":
        text = _raw("GET", "/shipments?" + body, [host])
    else:
        text = _raw("POST", "/shipments" + query, [host, ("Content-Type", content_type)], body.encode())
    return Case("parameters: " + name, "parameter-signature", text, flags, at)


def wrapper_case(name: str, data: str, signed: Any = None, wrap: Any = None, **more: Any) -> Case:
    text = "apiTimestamp=%s&appKey=%s&data=%s%s" % (TIME, KEY, data if signed is None else signed, SECRET)
    wrapper: Dict[str, Any] = {"data": data, "appKey": KEY, "sign": hashlib.sha512(text.encode()).hexdigest()}
    wrapper["apiTimestamp"] = int(TIME)
    body = json.dumps(wrapper if wrap is None else wrap(wrapper)).encode()
    headers = [("Host", "api.example.com"), ("Content-Type", more.get("content_type", "application/json"))]
    return Case("wrapper: " + name, "parameter-signature", _raw("POST", "/shipments", headers, body))


def _by(key: Callable[[Tuple[str, str]], Any]) -> Callable[[Pairs], str]:
    return lambda pairs: "&".join("%s=%s" % pair for pair in sorted(pairs, key=key))


def _signed_encoded(pairs: Pairs) -> str:
    return _joined([(name, quote(value, safe="")) for name, value in pairs])


def _without(name: str) -> Callable[[Pairs], str]:
    return lambda pairs: _joined([pair for pair in pairs if pair[0] != name])


_S = SECRET.encode()
PARAMETER_CASES: List[Case] = [
    parameter_case("right"),
    parameter_case("right, URL", form="url"),
    parameter_case("right, raw", text_of=lambda p: _joined([(n, quote(v, safe="").replace("%20", "+")) for n, v in p]),
                   flags=("--option", "parameterEncoding=raw")),
    parameter_case("percent-encoded", text_of=_signed_encoded),
    parameter_case("percent-encoded, URL", form="url", text_of=_signed_encoded),
    parameter_case("plus for blank", text_of=lambda pairs: _joined(pairs).replace(" ", "+")),
    parameter_case("not sorted", text_of=lambda pairs: "&".join("%s=%s" % pair for pair in pairs)),
    parameter_case("sorted without case", text_of=_by(lambda pair: pair[0].lower())),
    parameter_case("descending", text_of=lambda pairs: "&".join(reversed(_joined(pairs).split("&")))),
    parameter_case("sorted by value", text_of=_by(lambda pair: pair[1].encode())),
    parameter_case("reserved last", text_of=lambda pairs: _joined(pairs[:-2]) + "&" + _joined(pairs[-2:])),
    parameter_case("empty values left out", text_of=lambda pairs: _joined([pair for pair in pairs if pair[1]])),
    parameter_case("timestamp not signed", text_of=_without("apiTimestamp")),
    parameter_case("app key not signed", text_of=_without("appKey")),
    parameter_case("a parameter not signed", text_of=_without("Zone")),
    parameter_case("sign included", text_of=lambda pairs: _joined([*pairs, ("sign", "")])),
    parameter_case("secret separator", tail=lambda text: text.encode() + b"&" + _S),
    parameter_case("secret as parameter", tail=lambda text: text.encode() + b"&key=" + _S),
    parameter_case("secret prepended", tail=lambda text: _S + text.encode()),
    parameter_case("secret not appended", tail=lambda text: text.encode()),
    parameter_case("secret with a line feed", tail=lambda text: text.encode() + _S + b"\n"),
    parameter_case("app key as secret", tail=lambda text: (text + KEY).encode(), flags=("--app-key", KEY)),
    parameter_case("hmac", tail=str.encode, hash_of=lambda text: hmac.new(_S, text, "sha512").digest()),
    parameter_case("sha256", hash_of=lambda whole: hashlib.sha256(whole).digest()),
    parameter_case("md5", hash_of=lambda whole: hashlib.md5(whole).digest()),
    parameter_case("joined otherwise", text_of=lambda pairs: _joined(pairs).replace("&", "").replace("=", "")),
    parameter_case("path signed", text_of=lambda pairs: "/shipments?" + _joined(pairs)),
    parameter_case("upper-case sign", write=lambda mac: mac.hex().upper()),
    parameter_case("sign in base64", write=_b64),
    parameter_case("sign in base64 of hex", write=lambda mac: _b64(mac.hex().encode())),
    parameter_case("sign with 0x", write=lambda mac: "0x" + mac.hex()),
    parameter_case("no sign", sign_name=""),
    parameter_case("sign of another name", sign_name="signature"),
    parameter_case("no app key", app_key=[]),
    parameter_case("app key of another name", app_key=[("appkey", KEY)]),
    parameter_case("empty app key", app_key=[("appKey", "")]),
    parameter_case("app key twice", app_key=[("appKey", KEY), ("appKey", KEY)]),
    parameter_case("milliseconds", time=[("apiTimestamp", TIME + "000")]),
    parameter_case("a date as timestamp", time=[("apiTimestamp", "2026-11-21")]),
    parameter_case("no timestamp", time=[], flags=("--option", "requireTimestamp=true")),
    parameter_case("local time", time=[("apiTimestamp", str(int(TIME) + 7200))]),
    parameter_case("outside the window", time=[("apiTimestamp", str(int(TIME) - 500))]),
    parameter_case("JSON as form", own=[('{"a"', "1}")]),
    parameter_case("form as JSON", content_type="application/json"),
    parameter_case("text", content_type="text/plain"),
    parameter_case("charset", content_type="application/x-www-form-urlencoded; charset=iso-8859-1"),
    parameter_case("query beside a form", query="?page=2"),
    parameter_case("ambiguous", own=[("b", "1&c=2")]),
    parameter_case("bad escape", encode=lambda text: text.replace(" ", "%z").replace("ö", "o")),
    parameter_case("not UTF-8", encode=lambda text: quote(text, safe="", encoding="latin-1")),
    parameter_case("names twice", own=[("a", "2"), ("a", "1")], text_of=_by(lambda pair: pair)),
    parameter_case("white space", own=[("a", " b ")], text_of=lambda pairs: _joined([(n, v.strip()) for n, v in pairs])),
    parameter_case("encoded twice", encode=lambda text: quote(quote(text, safe=""), safe=""), text_of=_joined),
    parameter_case("two mistakes", text_of=_by(lambda pair: pair[0].lower()), write=lambda mac: mac.hex().upper()),
    parameter_case("another app key", flags=("--app-key", "another-key")),
    parameter_case("nothing fits", tail=lambda text: text.encode() + b"quite another secret"),
    wrapper_case("right", '{"weight":"2 kg"}'),
    wrapper_case("reserialised", '{"weight": "2 kg"}', '{"weight":"2 kg"}'),
    wrapper_case("keys in another order", '{"b":1,"a":2}', '{"a":2,"b":1}'),
    wrapper_case("escaped", '{"weight":"2 kg"}', '{\\"weight\\":\\"2 kg\\"}'),
    wrapper_case("ASCII only", '{"city":"Köln"}', '{"city":"K\\u00f6ln"}'),
    wrapper_case("not a string", '{"a":1}', wrap=lambda wrapper: {**wrapper, "data": {"a": 1}}),
    wrapper_case("another key", '{"a":1}', wrap=lambda wrapper: {**wrapper, "extra": 1}),
    wrapper_case("not wrapped", '{"a":1}', wrap=lambda wrapper: {"a": 1}),
    wrapper_case("an array", "[1]", wrap=lambda wrapper: [1]),
    wrapper_case("as a form", '{"a":1}', content_type="application/x-www-form-urlencoded"),
    wrapper_case("as merge patch", '{"a":1}', content_type="application/merge-patch+json"),
]

CASES: List[Case] = [*HMAC_CASES, *PARAMETER_CASES]
