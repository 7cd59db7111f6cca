#!/usr/bin/env python3
"""Writes extended.json, the project's own signature vectors, beside this file.

A second program for the same signatures: nothing here is shared with the code that is tested. Run it again after a
change of the cases; its output is committed. Text stands for bytes one character each (latin1) in header values and
lines, and for UTF-8 everywhere else; `body` is UTF-8 text, `bodyBase64` any bytes,
`bodyRepeat` a text so many times. Format it afterwards (npm run format).
"""
import base64
import hashlib
import hmac
import json
import pathlib

APP_KEY = "partner-7f3a"
SECRET = "s3cret-of-the-extended-vectors-0001"
NOW = 1709210096  # Thu, 29 Feb 2024 12:34:56 GMT
DATE = "Thu, 29 Feb 2024 12:34:56 GMT"
HOST = "api.example.com:8443"
HASHES = {"hmac-sha256": hashlib.sha256, "hmac-sha384": hashlib.sha384, "hmac-sha512": hashlib.sha512}


def digest_of(body):
    return "SHA-256=" + base64.b64encode(hashlib.sha256(body).digest()).decode()


hmac_cases = []


def hmac_case(id, headers, line, *, values=None, date=DATE, host=HOST, body=None, digest=None, algorithm="hmac-sha256",
              expect="ACCEPTED", signed_line=None, signed=None, secret=SECRET, change=None, **extra):
    """One request. `signed` overrides the values that are signed, `change` edits the finished signature."""
    values = dict(values or {})
    raw = body if isinstance(body, bytes) else (body or "").encode()
    if digest is True:
        digest = digest_of(raw)
    lines = []
    for name in headers.split(" "):
        if name == "request-line":
            lines.append((signed_line or line).encode("latin1"))
        else:
            known = {"date": [date], "host": [host], "digest": [digest] if isinstance(digest, str) else digest or []}
            present = (signed or {}).get(name, values.get(name, known.get(name, [])))
            lines.append((name + ": " + ", ".join(present)).encode("latin1"))
    mac = hmac.new(secret.encode(), b"\n".join(lines), HASHES.get(algorithm, hashlib.sha256)).digest()
    signature = base64.b64encode(mac).decode()
    if change:
        signature = change(signature, mac)
    case = {"id": id, "headers": headers, "line": line, "expect": expect, "signature": signature}
    if values:
        case["values"] = values
    if date != DATE:
        case["date"] = date
    if host != HOST:
        case["host"] = host
    if isinstance(body, bytes):
        case["bodyBase64"] = base64.b64encode(body).decode()
    elif body is not None and len(body) > 1000:
        period = (body + body).find(body, 1)
        case["bodyRepeat"] = {"text": body[:period], "times": len(body) // period}
    elif body is not None:
        case["body"] = body
    if digest is not None:
        case["digest"] = digest
    if algorithm != "hmac-sha256":
        case["algorithm"] = algorithm
    case.update(extra)
    hmac_cases.append(case)


GET = "GET /orders?status=open HTTP/1.1"
POST = "POST /orders HTTP/1.1"
BASIC = "date request-line"
BODY = "date request-line digest"
MALFORMED = "CREDENTIALS_MALFORMED"
FAILED = "AUTHENTICATION_FAILED"

# What is signed, and in which order
hmac_case("plain", BASIC, GET)
hmac_case("request-line-first", "request-line date", GET)
hmac_case("host-with-port", "date host request-line", GET)
hmac_case("host-without-port", "host date request-line", GET, host="api.example.com")
hmac_case("host-ipv6", "host date request-line", GET, host="[2001:db8::1]:443")
hmac_case("host-signed-without-its-port", "date host request-line", GET, signed={"host": ["api.example.com"]}, expect=FAILED)
hmac_case("another-header", "date x-tenant request-line", GET, values={"x-tenant": ["blue"]})
hmac_case("header-between-and-after", "x-a request-line x-b date", GET, values={"x-a": ["1"], "x-b": ["2"]})
hmac_case("empty-header-value", "date x-empty request-line", GET, values={"x-empty": [""]})
hmac_case("inner-white-space-stays", "date x-pad request-line", GET, values={"x-pad": ["a  b\tc"]})
hmac_case("value-with-colon", "date x-time request-line", GET, values={"x-time": ["12:30: now"]})
hmac_case("value-beyond-ascii", "date x-name request-line", GET, values={"x-name": ["Zo\u00c3\u00ab"]})
hmac_case("value-not-utf8", "date x-name request-line", GET, values={"x-name": ["\u00ff\u00fe\u0080"]})
hmac_case("repeated-header-joined", "date x-tag request-line", GET, values={"x-tag": ["one", "two", "three"]})
hmac_case("repeated-header-in-another-order", "date x-tag request-line", GET, values={"x-tag": ["one", "two"]},
          signed={"x-tag": ["two", "one"]}, expect=FAILED)
hmac_case("repeated-header-joined-by-comma-only", "date x-tag request-line", GET, values={"x-tag": ["one", "two"]},
          signed={"x-tag": ["one,two"]}, expect=FAILED)
hmac_case("merged-by-the-proxy", "date accept request-line", GET, values={"accept": ["text/html,application/json"]})
hmac_case("header-named-like-the-line", "date request-line", GET, values={"request-line": ["anything"]})
hmac_case("content-length", "date request-line digest content-length", POST, body="{}", digest=True, values={"content-length": ["2"]})
hmac_case("odd-token-name", "date x!#$%&'*+.^_`|~9 request-line", GET, values={"x!#$%&'*+.^_`|~9": ["v"]})
hmac_case("many-headers", " ".join(["date", "request-line"] + ["x-h%d" % n for n in range(40)]), GET,
          values={"x-h%d" % n: ["v%d" % n] for n in range(40)})
hmac_case("listed-header-absent", "date x-absent request-line", GET, expect=MALFORMED)
hmac_case("listed-digest-absent", BODY, GET, expect=MALFORMED)
hmac_case("date-not-listed", "request-line", GET, expect=MALFORMED)
hmac_case("request-line-not-listed", "date host", GET, expect=MALFORMED)
hmac_case("name-listed-twice", "date request-line date", GET, expect=MALFORMED)
hmac_case("name-in-upper-case", "Date request-line", GET, expect=MALFORMED)
hmac_case("pseudo-header", "date :path request-line", GET, values={":path": ["/orders?status=open"]}, expect=MALFORMED)
hmac_case("request-target", "date (request-target) request-line", GET, expect=MALFORMED)
hmac_case("two-blanks-in-the-list", "date  request-line", GET, expect=MALFORMED)
for name in ["authorization", "connection", "keep-alive", "te", "transfer-encoding", "x-request-id", "x-forwarded-for",
             "x-forwarded-proto", "x-envoy-external-address", "x-consumer-id", "x_consumer_id", "x-credential-identifier",
             "x-authenticated-scope", "x-authenticated_scope", "x-anonymous-consumer", "x_anonymous_consumer"]:
    hmac_case("unsignable-" + name, "date %s request-line" % name, GET, values={name: ["v"]}, expect=MALFORMED)

# The request line
for id, line in [("no-query", "GET /orders HTTP/1.1"), ("bare-mark", "GET /orders? HTTP/1.1"), ("root", "GET / HTTP/1.1"),
                 ("encoded", "GET /a%20b/%C3%A9?x=%2F%zz HTTP/1.1"), ("parameters", "GET /a;v=1/b?x;y HTTP/1.1"),
                 ("quotes", "GET /a?q=\"<>`{}|^ HTTP/1.1"), ("exclamation", "GET /wow!?a=! HTTP/1.1"),
                 ("repeats", "GET /a?b=1&b=2&&c&d= HTTP/1.1"), ("delete", "DELETE /orders/7 HTTP/1.1"),
                 ("lower-case-method", "get /orders HTTP/1.1"), ("extension-method", "M-SEARCH /orders HTTP/1.1"),
                 ("long", "GET /" + "a" * 4000 + "?" + "b" * 4000 + " HTTP/1.1")]:
    hmac_case("line-" + id, BASIC, line)
hmac_case("line-signed-with-another-method", BASIC, GET, signed_line=GET.replace("GET", "POST"), expect=FAILED)
hmac_case("line-signed-with-another-path", BASIC, GET, signed_line=GET.replace("open", "closed"), expect=FAILED)
hmac_case("line-signed-without-query", BASIC, GET, signed_line="GET /orders HTTP/1.1", expect=FAILED)
hmac_case("line-signed-in-lower-case", BASIC, GET, signed_line=GET.replace("GET", "get"), expect=FAILED)
hmac_case("line-signed-with-absolute-form", BASIC, GET, signed_line="GET https://api.example.com/orders?status=open HTTP/1.1", expect=FAILED)
H2 = {"protocol": "HTTP/2"}
hmac_case("http2-signed-as-11", BASIC, GET, **H2)
hmac_case("http2-signed-as-2", BASIC, GET, signed_line=GET.replace("1.1", "2"), expect=FAILED, **H2)
hmac_case("http2-signed-as-20", BASIC, GET, signed_line=GET.replace("1.1", "2.0"), expect=FAILED, **H2)
REAL = {"options": {"acceptRealHttpVersion": True}}
hmac_case("real-http2-signed-as-11", BASIC, GET, **H2, **REAL)
hmac_case("real-http2-signed-as-2", BASIC, GET, signed_line=GET.replace("1.1", "2"), **H2, **REAL)
hmac_case("real-http2-signed-as-20", BASIC, GET, signed_line=GET.replace("1.1", "2.0"), **H2, **REAL)
hmac_case("real-http2-signed-as-21", BASIC, GET, signed_line=GET.replace("1.1", "2.1"), expect=FAILED, **H2, **REAL)
hmac_case("real-http11-signed-as-2", BASIC, GET, signed_line=GET.replace("1.1", "2"), expect=FAILED, protocol="HTTP/1.1", **REAL)
hmac_case("real-http11-signed-as-10", BASIC, GET, signed_line=GET.replace("1.1", "1.0"), expect=FAILED, protocol="HTTP/1.1", **REAL)

# Bodies and digests
hmac_case("body", BODY, POST, body='{"id": 7}', digest=True)
hmac_case("body-digest-first", "digest date request-line", POST, body='{"id": 7}', digest=True)
hmac_case("body-every-byte", BODY, POST, body=bytes(range(256)), digest=True)
hmac_case("body-one-nul", BODY, POST, body=b"\0", digest=True)
hmac_case("body-on-get", BODY, GET, body="q", digest=True)
hmac_case("body-line-feed-only", BODY, POST, body="\n", digest=True)
hmac_case("body-ten-megabytes", BODY, POST, body="0123456789abcdef" * 655_360, digest=True)
hmac_case("body-over-ten-megabytes", BODY, POST, body="0123456789abcdefg" * 616_810, digest=True, expect="BODY_TOO_LARGE")
hmac_case("body-without-digest", BASIC, POST, body="x", expect=MALFORMED)
hmac_case("body-digest-not-listed", BASIC, POST, body="x", digest=True, expect=MALFORMED)
hmac_case("body-digest-of-another", BODY, POST, body="x", digest=digest_of(b"y"), expect="DIGEST_MISMATCH")
hmac_case("body-digest-twice", BODY, POST, body="x", digest=[digest_of(b"x"), digest_of(b"x")], expect=MALFORMED)
hmac_case("empty-body-digest", BODY, GET, digest=True)
hmac_case("empty-body-digest-not-listed", BASIC, GET, digest=True)
hmac_case("empty-body-digest-wrong", BODY, GET, digest=digest_of(b"x"), expect="DIGEST_MISMATCH")
hmac_case("empty-body-digest-wrong-not-listed", BASIC, GET, digest=digest_of(b"x"), expect="DIGEST_MISMATCH")
hmac_case("empty-body-digest-empty", BODY, GET, digest="", expect="DIGEST_MISMATCH")
X = hashlib.sha256(b"\xfb\xff x").digest()
for id, text in [
    ("hex", "SHA-256=" + X.hex()),
    ("sha512", "SHA-512=" + base64.b64encode(hashlib.sha512(b"\xfb\xff x").digest()).decode()),
    ("lower-case-prefix", digest_of(b"\xfb\xff x").replace("SHA", "sha")),
    ("no-prefix", base64.b64encode(X).decode()),
    ("no-padding", digest_of(b"\xfb\xff x").rstrip("=")),
    ("url-safe", "SHA-256=" + base64.urlsafe_b64encode(X).decode() + "-"),
    ("two-algorithms", digest_of(b"\xfb\xff x") + ",MD5=x"),
    ("structured-field", "sha-256=:" + base64.b64encode(X).decode() + ":"),
]:
    hmac_case("body-digest-" + id, BODY, POST, body=b"\xfb\xff x", digest=text, expect="DIGEST_MISMATCH")

# Time
for id, now, expect in [("300-behind", NOW + 300, "ACCEPTED"), ("301-behind", NOW + 301, "REQUEST_EXPIRED"),
                        ("300-ahead", NOW - 300, "ACCEPTED"), ("301-ahead", NOW - 301, "REQUEST_EXPIRED")]:
    hmac_case("time-" + id, BASIC, GET, now=now, expect=expect)
hmac_case("time-narrow-window", BASIC, GET, now=NOW + 2, expect="REQUEST_EXPIRED", options={"clockSkewSeconds": 1})
hmac_case("time-wide-window", BASIC, GET, now=NOW + 3600, options={"clockSkewSeconds": 3600})
hmac_case("expired-and-wrong-digest", BODY, POST, body="x", digest=digest_of(b"y"), now=NOW + 301, expect="REQUEST_EXPIRED")
hmac_case("expired-and-wrong-signature", BASIC, GET, now=NOW + 301, secret="another-secret-of-16", expect=FAILED)
hmac_case("date-any-weekday", BASIC, GET, date="Mon, 29 Feb 2024 12:34:56 GMT")
for id, date in [("one-digit-day", "Thu, 9 Feb 2024 12:34:56 GMT"), ("no-such-day", "Thu, 30 Feb 2024 12:34:56 GMT"),
                 ("utc", "Thu, 29 Feb 2024 12:34:56 UTC"), ("offset", "Thu, 29 Feb 2024 12:34:56 +0000"),
                 ("lower-case", "thu, 29 feb 2024 12:34:56 gmt"), ("long-weekday", "Thursday, 29-Feb-24 12:34:56 GMT"),
                 ("asctime", "Thu Feb 29 12:34:56 2024"), ("leap-second", "Thu, 29 Feb 2024 12:34:60 GMT"),
                 ("hour-24", "Thu, 29 Feb 2024 24:00:00 GMT"), ("two-blanks", "Thu,  29 Feb 2024 12:34:56 GMT"),
                 ("iso", "2024-02-29T12:34:56Z"), ("number", "1709210096"), ("empty", ""), ("trailing", DATE + "x")]:
    hmac_case("date-" + id, BASIC, GET, date=date, expect=MALFORMED)
hmac_case("date-twice", "date request-line", GET, values={"date": [DATE, DATE]}, expect=MALFORMED)

# Algorithms and spellings of the signature
for algorithm in ["hmac-sha384", "hmac-sha512"]:
    hmac_case(algorithm, BASIC, GET, algorithm=algorithm, options={"algorithms": ["hmac-sha256", algorithm]})
    hmac_case(algorithm + "-not-allowed", BASIC, GET, algorithm=algorithm, expect=MALFORMED)
hmac_case("hmac-sha256-not-allowed", BASIC, GET, options={"algorithms": ["hmac-sha512"]}, expect=MALFORMED)
hmac_case("algorithm-unknown", BASIC, GET, algorithm="hmac-sha1", expect=MALFORMED)
hmac_case("algorithm-in-upper-case", BASIC, GET, algorithm="HMAC-SHA256", expect=MALFORMED)
hmac_case("signature-of-another-secret", BASIC, GET, secret="another-secret-of-16", expect=FAILED)
hmac_case("signature-of-another-algorithm", BASIC, GET, expect=FAILED,
          change=lambda s, mac: base64.b64encode(hashlib.sha256(mac).digest()).decode())
hmac_case("signature-too-short", BASIC, GET, expect=FAILED, change=lambda s, mac: base64.b64encode(mac[:-1]).decode())
hmac_case("signature-too-long", BASIC, GET, expect=FAILED, change=lambda s, mac: base64.b64encode(mac + b"\0").decode())
hmac_case("signature-in-hex", BASIC, GET, expect=FAILED, change=lambda s, mac: mac.hex())
hmac_case("signature-empty", BASIC, GET, expect=FAILED, change=lambda s, mac: "")
hmac_case("signature-without-padding", BASIC, GET, expect=MALFORMED, change=lambda s, mac: s.rstrip("="))
hmac_case("signature-with-blank", BASIC, GET, expect=MALFORMED, change=lambda s, mac: s[:4] + " " + s[4:])
hmac_case("signature-url-safe", BASIC, GET, expect=MALFORMED, change=lambda s, mac: "-" + s[1:])
hmac_case("signature-spare-bits", BASIC, GET, expect=MALFORMED,
          change=lambda s, mac: s[:-2] + chr(ord(s[-2]) + 1) + "=" if s[-2] not in "Zz9+/" else s[:-2] + "/=")
hmac_case("signature-extra-padding", BASIC, GET, expect=MALFORMED, change=lambda s, mac: s + "====")
hmac_case("retired-secret", BASIC, GET, secret="the-former-secret-of-it")
hmac_case("secret-beyond-ascii", BASIC, GET, secret="schl\u00fcssel-\u4e2d\u6587-\U0001f511-long")

parameter_cases = []


def hexdigit(c):
    return "0123456789abcdef".index(chr(c).lower())


def form_decode(raw):
    out = bytearray()
    at = 0
    while at < len(raw):
        if raw[at] == 0x25:
            out.append(hexdigit(raw[at + 1]) * 16 + hexdigit(raw[at + 2]))
            at += 3
        else:
            out.append(0x20 if raw[at] == 0x2B else raw[at])
            at += 1
    return bytes(out)


def text_of(wire, mode):
    pairs = []
    for segment in wire.split(b"&"):
        if segment:
            name, _, value = segment.partition(b"=")
            if form_decode(name) != b"sign":
                pairs.append((name, value) if mode == "raw" else (form_decode(name), form_decode(value)))
    pairs.sort(key=lambda pair: pair if mode == "by-value" else pair[0])
    return b"&".join(name + b"=" + value for name, value in pairs)


def sign_of(text, secret=SECRET):
    return hashlib.sha512(text + secret.encode()).hexdigest()


KEY = ("appKey=" + APP_KEY).encode()


def parameter_case(id, wire, *, form="url", mode="decoded", expect="ACCEPTED", text=None, secret=SECRET, sign=None, at_end=True, **extra):
    """One query or form body; `wire` is what is sent but for `sign`, `mode` how the caller signs."""
    raw = wire if isinstance(wire, bytes) else wire.encode()
    if text is None:
        text = text_of(raw, mode)
    value = sign_of(text, secret) if sign is None else sign(sign_of(text, secret))
    sent = raw
    if value is not None:
        sent = raw + b"&sign=" + value.encode() if at_end else b"sign=" + value.encode() + b"&" + raw
    case = {"id": id, "form": form, "wire": sent.decode("latin1"), "sign": value, "expect": expect}
    try:
        case["string"] = (text + secret.encode()).decode()
    except UnicodeDecodeError:
        pass
    case.update(extra)
    parameter_cases.append(case)


K = KEY.decode()
AMBIGUOUS = "AMBIGUOUS_PARAMETERS"
BAD = "MALFORMED_REQUEST"
RAW = {"options": {"parameterEncoding": "raw"}}
AUTO = {"options": {"parameterEncoding": "auto"}}
LAX = {"options": {"strictParameters": False}}
NEED_TIME = {"options": {"requireTimestamp": True}}

for form in ["url", "form"]:
    def case(id, wire, **keywords):
        parameter_case(form + "-" + id, wire, form=form, **keywords)

    case("plain", K + "&b=2&a=1")
    case("only-the-key", K)
    case("sign-first", K + "&b=2&a=1", at_end=False)
    case("upper-before-lower", K + "&a=1&B=2&b=3&A=4")
    case("prefix-first", K + "&ab=1&a=2&abc=3&=4")
    case("digits-and-signs", K + "&a1=1&a-1=2&a.1=3&a_1=4&a~1=5")
    case("utf8-names", K + "&%C3%A9=1&e=2&%E5%BC%A0=3&z=4&%F0%9F%98%80=5&%EF%BF%BD=6")
    case("utf8-value", K + "&name=%E5%BC%A0%E4%B8%89")
    case("utf8-value-unencoded", (K + "&name=\u5f20\u4e09").encode() if form == "form" else K + "&name=%E5%BC%A0%E4%B8%89")
    case("plus-is-a-blank", K + "&q=a+b")
    case("blank-encoded", K + "&q=a%20b")
    case("plus-encoded", K + "&q=a%2Bb")
    case("percent-encoded", K + "&q=100%25")
    case("twice-encoded-stays-once", K + "&q=%2520")
    case("lower-case-hex", K + "&q=%2f%e5%bc%a0")
    case("nul-and-controls", K + "&q=%00%01%0A%0D%7F")
    case("no-value", K + "&a")
    case("empty-value", K + "&a=")
    case("empty-name", K + "&=v")
    case("only-equals", K + "&=")
    case("equals-in-value", K + "&a=b=c==")
    case("empty-segments", "&&" + K + "&&&a=1&&")
    case("duplicates-keep-order", K + "&a=2&a=1&b=0&a=3")
    case("duplicates-signed-in-another-order", K + "&a=2&a=1", text=text_of((K + "&a=1&a=2").encode(), "decoded"), expect=FAILED)
    case("byte-order-mark", K + "&%EF%BB%BFa=%EF%BB%BF1")
    case("mark-before-the-key", "%EF%BB%BF" + K, expect="CREDENTIALS_MISSING")
    case("encoded-reserved-names", "%61ppKey=" + APP_KEY + "&a=1")
    case("reserved-names-are-case-sensitive", "appkey=x&AppKey=y&Sign=z&" + K)
    case("key-encoded", "appKey=partner%2D7f3a&a=1")
    case("ampersand-in-value", K + "&shop=A%26B")
    case("ampersand-after-equals", K + "&shop=x%3Da%26B")
    case("ampersand-then-equals", K + "&b=1%26c%3D2", expect=AMBIGUOUS)
    case("ampersand-then-plain-equals", K + "&b=1%26c=2", expect=AMBIGUOUS)
    case("ampersand-far-before-equals", K + "&b=1%26cccccccccccccccc%3D", expect=AMBIGUOUS)
    case("ampersand-then-equals-lax", K + "&b=1%26c%3D2", **LAX)
    case("ampersand-in-name", K + "&a%26b=1", expect=AMBIGUOUS)
    case("equals-in-name", K + "&a%3Db=1", expect=AMBIGUOUS)
    case("equals-in-name-lax", K + "&a%3Db=1", expect=AMBIGUOUS, **LAX)
    case("raw", K + "&q=a%20b&name=%e5%BC%a0+", mode="raw", **RAW)
    case("raw-signed-decoded", K + "&q=a%20b", expect=FAILED, **RAW)
    case("raw-sorted-as-on-the-wire", K + "&%62=1&a=2&c=3", mode="raw", **RAW)
    case("raw-ambiguous", K + "&b=1%26c%3D2&x%26=1", mode="raw", **RAW)
    case("raw-no-value", K + "&a", mode="raw", **RAW)
    case("raw-encoded-reserved", "%61ppKey=" + APP_KEY + "&a=1", mode="raw", **RAW)
    case("raw-bad-encoding", K + "&q=%zz", expect=BAD, text=b"", **RAW)
    case("decoded-signed-raw", K + "&q=a%20b", mode="raw", expect=FAILED)
    case("auto-decoded", K + "&q=a%20b&q=%2F", **AUTO)
    case("auto-raw", K + "&q=a%20b&q=%2F", mode="raw", **AUTO)
    case("auto-by-value", K + "&q=b&q=a&p=1&q=%00", mode="by-value", **AUTO)
    case("auto-ambiguous-raw", K + "&b=1%26c%3D2", mode="raw", **AUTO)
    case("auto-ambiguous-decoded", K + "&b=1%26c%3D2", expect=FAILED, **AUTO)
    case("auto-ambiguous-name-decoded", K + "&b%3D=1", expect=FAILED, **AUTO)
    case("auto-ambiguous-value-lax", K + "&b=1%26c%3D2", options={"parameterEncoding": "auto", "strictParameters": False})
    case("raw-by-value-is-not-tried", K + "&q=%62&q=a", text=(K + "&q=a&q=%62").encode(), expect=FAILED, **AUTO)
    case("bad-percent", K + "&q=%", expect=BAD, text=b"")
    case("bad-percent-one-digit", K + "&q=%4", expect=BAD, text=b"")
    case("bad-percent-before-equals", K + "&q%4=1", expect=BAD, text=b"")
    case("bad-percent-unicode", K + "&q=%u0041", expect=BAD, text=b"")
    case("not-utf8", K + "&q=%FF", expect=BAD, text=b"")
    case("overlong", K + "&q=%C0%AF", expect=BAD, text=b"")
    case("surrogate", K + "&q=%ED%A0%80", expect=BAD, text=b"")
    case("cut-character", K + "&q=%E5%BC&r=%A0", expect=BAD, text=b"")
    case("cut-over-equals", K + "&%C3=%A9", expect=BAD, text=b"")
    case("timestamp", K + "&apiTimestamp=1709210096&a=1")
    for name, seconds, expect in [("300-behind", NOW - 300, "ACCEPTED"), ("301-behind", NOW - 301, "REQUEST_EXPIRED"),
                                  ("300-ahead", NOW + 300, "ACCEPTED"), ("301-ahead", NOW + 301, "REQUEST_EXPIRED"),
                                  ("in-milliseconds", NOW * 1000, "REQUEST_EXPIRED"), ("zero", 0, "REQUEST_EXPIRED")]:
        case("timestamp-" + name, K + "&apiTimestamp=%d" % seconds, expect=expect)
    case("timestamp-huge", K + "&apiTimestamp=" + "9" * 400, expect="REQUEST_EXPIRED")
    case("timestamp-leading-zeros", K + "&apiTimestamp=0001709210096")
    for name, text in [("negative", "-1709210096"), ("plus", "%2B1709210096"), ("fraction", "1709210096.0"), ("exponent", "1e9"),
                       ("empty", ""), ("blank", "+1709210096"), ("arabic", "%D9%A1"), ("hex", "0x10")]:
        case("timestamp-" + name, K + "&apiTimestamp=" + text, expect=MALFORMED)
    case("timestamp-valueless", K + "&apiTimestamp", expect=MALFORMED)
    case("timestamp-twice", K + "&apiTimestamp=1709210096&apiTimestamp=1709210096", expect=MALFORMED)
    case("timestamp-required", K + "&apiTimestamp=1709210096", **NEED_TIME)
    case("timestamp-required-and-absent", K, expect=MALFORMED, **NEED_TIME)
    case("key-absent", "a=1", expect="CREDENTIALS_MISSING")
    case("key-empty", "appKey=&a=1", expect=MALFORMED)
    case("key-valueless", "appKey&a=1", expect=MALFORMED)
    case("key-twice", K + "&" + K, expect=MALFORMED)
    case("key-twice-encoded", K + "&app%4Bey=x", expect=MALFORMED)
    case("key-unknown", "appKey=nobody&a=1", expect=FAILED)
    case("sign-absent", K + "&a=1", sign=lambda s: None, expect="CREDENTIALS_MISSING")
    case("sign-twice", K + "&sign=" + "0" * 128, expect=MALFORMED)
    case("sign-upper-case", K + "&a=1", sign=str.upper, expect=MALFORMED)
    case("sign-short", K + "&a=1", sign=lambda s: s[:-1], expect=MALFORMED)
    case("sign-long", K + "&a=1", sign=lambda s: s + "0", expect=MALFORMED)
    case("sign-empty", K + "&a=1", sign=lambda s: "", expect=MALFORMED)
    case("sign-sha256", K + "&a=1", sign=lambda s: s[:64], expect=MALFORMED)
    case("sign-with-line-feed", K + "&a=1", sign=lambda s: s + "%0A", expect=MALFORMED)
    case("sign-percent-encoded", K + "&a=1", sign=lambda s: "%%%02x" % ord(s[0]) + s[1:])
    case("sign-name-encoded", "s%69gn=" + sign_of(text_of((K + "&a=1").encode(), "decoded")) + "&" + K + "&a=1", sign=lambda s: None)
    case("sign-of-another-secret", K + "&a=1", secret="another-secret-of-16", expect=FAILED)
    case("sign-of-the-former-secret", K + "&a=1", secret="the-former-secret-of-it")
    case("sign-changed-in-one-digit", K + "&a=1", sign=lambda s: s[:-1] + ("0" if s[-1] != "0" else "1"), expect=FAILED)
    case("sign-of-another-value", K + "&a=2", text=text_of((K + "&a=1").encode(), "decoded"), expect=FAILED)
    case("sign-with-added-parameter", K + "&a=1&b=2", text=text_of((K + "&a=1").encode(), "decoded"), expect=FAILED)
    case("100-parameters", K + "".join("&p%d=%d" % (n, n) for n in range(98)))
    case("101-parameters", K + "".join("&p%d=%d" % (n, n) for n in range(99)), expect="TOO_MANY_PARAMETERS")
    case("101-parameters-bad-encoding", K + "".join("&p%d=%d" % (n, n) for n in range(99)) + "&%", expect=BAD, text=b"")
    case("100-parameters-and-empty-segments", K + "&".join("&p%d=%d" % (n, n) for n in range(98)) + "&&&")
    case("secret-beyond-ascii", K + "&a=1", secret="schl\u00fcssel-\u4e2d\u6587-\U0001f511-long")

parameter_case("form-not-utf8-unencoded", K.encode() + b"&q=\xff", form="form", expect=BAD, text=b"")
parameter_case("form-raw-line-feed", K + "&q=a\r\n", form="form")
parameter_case("form-query-has-the-key", K + "&a=1", form="form", query=K)
parameter_case("form-query-has-the-key-encoded", K + "&a=1", form="form", query="app%4Bey=partner%2D7f3a")
parameter_case("form-query-has-another-key", K + "&a=1", form="form", query="appKey=other", expect=BAD)
parameter_case("form-query-has-the-key-twice", K + "&a=1", form="form", query=K + "&" + K, expect=BAD)
parameter_case("form-query-has-more", K + "&a=1", form="form", query=K + "&b=2", expect=BAD)
parameter_case("form-query-has-other", K + "&a=1", form="form", query="b=2", expect=BAD)
parameter_case("form-query-bad-encoding", K + "&a=1", form="form", query="%", expect=BAD)
parameter_case("form-query-forwarded", K + "&a=1", form="form", query="b=2&%", options={"unsignedQuery": "forward"})
for type, expect in [("APPLICATION/X-WWW-FORM-URLENCODED", "ACCEPTED"), ("application/x-www-form-urlencoded; charset=UTF-8", "ACCEPTED"),
                     ("application/x-www-form-urlencoded;charset=\"utf8\"", "ACCEPTED"), ("application/x-www-form-urlencoded; a=b", "ACCEPTED"),
                     ("application/x-www-form-urlencoded; charset=gbk", "BODY_NOT_VERIFIABLE"),
                     ("application/x-www-form-urlencoded; charset=utf-8; charset=gbk", "BODY_NOT_VERIFIABLE"),
                     ("application/x-www-form-urlencoded,application/json", "BODY_NOT_VERIFIABLE"),
                     ("text/plain", "BODY_NOT_VERIFIABLE"), ("multipart/form-data; boundary=x", "BODY_NOT_VERIFIABLE")]:
    parameter_case("form-type-%d" % len(parameter_cases), K + "&a=1", form="form", contentType=type, expect=expect)
for encoding, expect in [("identity", "ACCEPTED"), ("Identity", "ACCEPTED"), ("gzip", "BODY_NOT_VERIFIABLE"), ("", "BODY_NOT_VERIFIABLE"),
                         ("identity,gzip", "BODY_NOT_VERIFIABLE")]:
    parameter_case("form-encoding-%d" % len(parameter_cases), K + "&a=1", form="form", contentEncoding=encoding, expect=expect)
parameter_case("unsigned-body-refused", K + "&a=1", body="hello", contentType="text/plain", expect="BODY_NOT_VERIFIABLE")
parameter_case("unsigned-body-forwarded", K + "&a=1", body="hello", contentType="text/plain", contentEncoding="gzip", options={"unsignedBody": "forward"})
parameter_case("unsigned-body-two-types", K + "&a=1", body="hello", contentType="text/plain,text/html", options={"unsignedBody": "forward"}, expect="BODY_NOT_VERIFIABLE")

JSON_TYPE = "application/json"


def json_case(id, data, *, body=None, timestamp=None, timestamp_source=None, expect="ACCEPTED", secret=SECRET, text=None, app_key=APP_KEY, **extra):
    """One wrapper; `body` edits the finished text (a template with {data}, {appKey} and {sign} as JSON strings)."""
    raw = data if isinstance(data, bytes) else data.encode()
    if text is None:
        text = b""
        if timestamp_source is not None:
            text = b"apiTimestamp=" + timestamp_source.encode() + b"&"
        text += b"appKey=" + app_key.encode() + b"&data=" + raw
    sign = sign_of(text, secret)
    parts = {"{data}": json.dumps(raw.decode("utf8", "replace")), "{appKey}": json.dumps(app_key), "{sign}": json.dumps(sign)}
    template = body or ('{"data":{data},"appKey":{appKey},"sign":{sign}' + (',"apiTimestamp":' + timestamp if timestamp is not None else "") + "}")
    out = template if isinstance(template, bytes) else template.encode()
    for mark, value in parts.items():
        out = out.replace(mark.encode(), value.encode())
    case = {"id": "json-" + id, "form": "json", "wire": out.decode("latin1"), "sign": sign, "expect": expect}
    if expect == "ACCEPTED":
        case["dataBase64"] = base64.b64encode(raw).decode()
    try:
        case["string"] = (text + secret.encode()).decode()
    except UnicodeDecodeError:
        pass
    case.update(extra)
    parameter_cases.append(case)


W = "MALFORMED_WRAPPER"
json_case("plain", '{"userName":"abc","gender":"male"}')
json_case("empty-data", "")
json_case("not-json", "hello & b=1 \u4e2d\u6587")
json_case("url-in-data", '{"url":"https://x.example/?a=1&b=2"}')
json_case("nul", "a\0b\x01\x1f\x7f")
json_case("four-byte-characters", "\U0001f600\U00010000\U0010ffff")
json_case("byte-order-mark-in-data", "\ufeff{}")
json_case("white-space-in-data", ' \r\n\t{ "a" : 1 } ')
json_case("quotes-and-backslashes", '{"a":"\\"\\\\\\/"}')
json_case("surrogate-pair-escaped", "\U0001f600", body='{"data":"\\ud83d\\uDE00","appKey":{appKey},"sign":{sign}}')
json_case("every-escape", '"\\/\b\f\n\r\t\u00e9', body='{"data":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00E9","appKey":{appKey},"sign":{sign}}')
json_case("unescaped-utf8", "\u00e9\u4e2d\U0001f600", body='{"data":"\u00e9\u4e2d\U0001f600","appKey":{appKey},"sign":{sign}}')
json_case("delete-character", "\x7f", body='{"data":"\x7f","appKey":{appKey},"sign":{sign}}')
json_case("another-order", "x", body='{"sign":{sign},"appKey":{appKey},"data":{data}}')
json_case("white-space", "x", body=' \t\r\n{ "data" : {data} ,\n"appKey":{appKey}\t,"sign":\r{sign} } \n')
json_case("escaped-keys", "x", body='{"d\\u0061ta":{data},"\\u0061ppKey":{appKey},"sig\\u006e":{sign}}')
json_case("escaped-values", "x", body='{"data":{data},"appKey":"\\u0070artner-7f3a","sign":{sign}}')
json_case("timestamp-number", "{}", timestamp="1709210096", timestamp_source="1709210096")
json_case("timestamp-string", "{}", timestamp='"1709210096"', timestamp_source="1709210096")
json_case("timestamp-string-escaped", "{}", timestamp='"\\u0031709210096"', timestamp_source="1709210096")
json_case("timestamp-300", "{}", timestamp="1709209796", timestamp_source="1709209796")
json_case("timestamp-301", "{}", timestamp="1709209795", timestamp_source="1709209795", expect="REQUEST_EXPIRED")
json_case("timestamp-huge", "{}", timestamp="9" * 400, timestamp_source="9" * 400, expect="REQUEST_EXPIRED")
for name, source in [("exponent", "1e9"), ("fraction", "1.0"), ("negative", "-1"), ("zero-negative", "-0"), ("exponent-exact", "1709210096e0")]:
    json_case("timestamp-" + name, "{}", timestamp=source, timestamp_source=source, expect=MALFORMED)
json_case("timestamp-empty", "{}", timestamp='""', timestamp_source="", expect=MALFORMED)
json_case("timestamp-blank", "{}", timestamp='" 1709210096"', timestamp_source=" 1709210096", expect=MALFORMED)
json_case("timestamp-required", "{}", timestamp="1709210096", timestamp_source="1709210096", **NEED_TIME)
json_case("timestamp-required-and-absent", "{}", expect=MALFORMED, **NEED_TIME)
json_case("timestamp-not-signed", "{}", timestamp="1709210096", expect=FAILED)
for name, source in [("null", "null"), ("true", "true"), ("array", "[1]"), ("object", "{}"), ("leading-zero", "01709210096"),
                     ("plus", "+1"), ("bare-point", "1."), ("point-first", ".5"), ("bare-exponent", "1e"), ("nan", "NaN"), ("hex", "0x1")]:
    json_case("timestamp-" + name, "{}", timestamp=source, expect=W)
json_case("key-empty", "{}", app_key="", expect=MALFORMED)
json_case("key-unknown", "{}", app_key="nobody", expect=FAILED)
json_case("sign-upper-case", "{}", body=('{"data":{data},"appKey":{appKey},"sign":"%s"}' % ("A" * 128)), expect=MALFORMED)
json_case("sign-empty", "{}", body='{"data":{data},"appKey":{appKey},"sign":""}', expect=MALFORMED)
json_case("sign-of-another-secret", "{}", secret="another-secret-of-16", expect=FAILED)
json_case("sign-of-the-former-secret", "{}", secret="the-former-secret-of-it")
json_case("sign-over-the-escaped-text", '{"a":1}', text=b'appKey=' + APP_KEY.encode() + b'&data={\\"a\\":1}', expect=FAILED)
json_case("query-has-the-key", "{}", query=K)
json_case("query-has-another-key", "{}", query="appKey=other", expect=BAD)
json_case("query-has-more", "{}", query="b=2", expect=BAD)
json_case("query-forwarded", "{}", query="b=2", options={"unsignedQuery": "forward"})
json_case("raw-mode-signs-the-same", '{"a":"%20+"}', **RAW)
json_case("auto-mode-signs-the-same", '{"a":"%20+"}', **AUTO)
for name, body in [
    ("no-data", '{"appKey":{appKey},"sign":{sign}}'), ("no-key", '{"data":{data},"sign":{sign}}'), ("no-sign", '{"data":{data},"appKey":{appKey}}'),
    ("empty-object", "{}"), ("array", '[{data},{appKey},{sign}]'), ("string", "{data}"), ("null", "null"), ("nothing-but-space", "  "),
    ("unknown-key", '{"data":{data},"appKey":{appKey},"sign":{sign},"x":1}'),
    ("key-in-another-case", '{"Data":{data},"data":{data},"appKey":{appKey},"sign":{sign}}'),
    ("empty-key", '{"":1,"data":{data},"appKey":{appKey},"sign":{sign}}'),
    ("proto-key", '{"__proto__":{},"data":{data},"appKey":{appKey},"sign":{sign}}'),
    ("data-twice", '{"data":{data},"data":{data},"appKey":{appKey},"sign":{sign}}'),
    ("data-twice-escaped", '{"data":{data},"d\\u0061ta":{data},"appKey":{appKey},"sign":{sign}}'),
    ("timestamp-twice", '{"data":{data},"appKey":{appKey},"sign":{sign},"apiTimestamp":1,"apiTimestamp":1}'),
    ("data-object", '{"data":{"a":1},"appKey":{appKey},"sign":{sign}}'), ("data-number", '{"data":1,"appKey":{appKey},"sign":{sign}}'),
    ("data-null", '{"data":null,"appKey":{appKey},"sign":{sign}}'), ("key-number", '{"data":{data},"appKey":7,"sign":{sign}}'),
    ("sign-array", '{"data":{data},"appKey":{appKey},"sign":[{sign}]}'),
    ("deep", '{"data":' + "[" * 3000 + "]" * 3000 + ',"appKey":{appKey},"sign":{sign}}'),
    ("trailing-text", '{"data":{data},"appKey":{appKey},"sign":{sign}}x'), ("two-objects", '{"data":{data},"appKey":{appKey},"sign":{sign}}{}'),
    ("trailing-nul", '{"data":{data},"appKey":{appKey},"sign":{sign}}\0'), ("trailing-comma", '{"data":{data},"appKey":{appKey},"sign":{sign},}'),
    ("leading-comma", '{,"data":{data},"appKey":{appKey},"sign":{sign}}'), ("no-comma", '{"data":{data} "appKey":{appKey},"sign":{sign}}'),
    ("no-colon", '{"data"{data},"appKey":{appKey},"sign":{sign}}'), ("cut", '{"data":{data},"appKey":{appKey},"sign":{sign}'),
    ("cut-string", '{"data":{data},"appKey":{appKey},"sign":"abc'), ("cut-escape", '{"data":"\\'), ("cut-unicode", '{"data":"\\u00'),
    ("byte-order-mark", '\ufeff{"data":{data},"appKey":{appKey},"sign":{sign}}'), ("form-feed", '\f{"data":{data},"appKey":{appKey},"sign":{sign}}'),
    ("no-break-space", '\u00a0{"data":{data},"appKey":{appKey},"sign":{sign}}'), ("comment", '/**/{"data":{data},"appKey":{appKey},"sign":{sign}}'),
    ("single-quotes", "{'data':{data},\"appKey\":{appKey},\"sign\":{sign}}"), ("bare-key", '{data:{data},"appKey":{appKey},"sign":{sign}}'),
    ("control-character", '{"data":"a\nb","appKey":{appKey},"sign":{sign}}'), ("nul-in-string", '{"data":"a\0b","appKey":{appKey},"sign":{sign}}'),
    ("bad-escape", '{"data":"\\x41","appKey":{appKey},"sign":{sign}}'), ("bad-unicode-escape", '{"data":"\\u00g1","appKey":{appKey},"sign":{sign}}'),
    ("upper-case-u", '{"data":"\\U0041","appKey":{appKey},"sign":{sign}}'),
    ("lone-high", '{"data":"\\ud83d","appKey":{appKey},"sign":{sign}}'), ("lone-low", '{"data":"\\ude00","appKey":{appKey},"sign":{sign}}'),
    ("high-then-letter", '{"data":"\\ud83dx","appKey":{appKey},"sign":{sign}}'), ("two-highs", '{"data":"\\ud83d\\ud83d","appKey":{appKey},"sign":{sign}}'),
    ("low-then-high", '{"data":"\\ude00\\ud83d","appKey":{appKey},"sign":{sign}}'), ("lone-in-key", '{"\\ud83d":1,"data":{data},"appKey":{appKey},"sign":{sign}}'),
    ("not-utf8", b'{"data":"\xff","appKey":{appKey},"sign":{sign}}'), ("surrogate-bytes", b'{"data":"\xed\xa0\xbd","appKey":{appKey},"sign":{sign}}'),
    ("overlong-quote", b'{"data":"\xc0\xa2","appKey":{appKey},"sign":{sign}}'), ("utf16", '{"data":"x"}'.encode("utf-16-le")),
]:
    json_case(name, "x", body=body, expect=W)
for type, expect in [("Application/JSON", "ACCEPTED"), ("application/json ; Charset=UTF8", "ACCEPTED"), ("application/json;", "ACCEPTED"),
                     ("application/json; charset=utf-16", "BODY_NOT_VERIFIABLE"), ("application/json; charset=\"utf-8", "BODY_NOT_VERIFIABLE"),
                     ("application/json; charset", "BODY_NOT_VERIFIABLE"), ("application/problem+json", "BODY_NOT_VERIFIABLE"),
                     ("application/jsonx", "BODY_NOT_VERIFIABLE"), ("application/json,text/plain", "BODY_NOT_VERIFIABLE"), (None, "BODY_NOT_VERIFIABLE")]:
    json_case("type-%d" % len(parameter_cases), "{}", contentType=type, expect=expect)

document = {
    "about": "Written by generate.py. Like published.json, with what each request should come to (expect: ACCEPTED or a refusal code). "
             "hmac: values are further headers; signature is what is sent. parameter: wire is the query or body as sent, one character a byte; "
             "string is the string to sign with its secret; dataBase64 what the back end gets. Any of secrets is right.",
    "clock": {"hmac_epoch": NOW, "param_epoch": NOW},
    "secrets": [SECRET, "the-former-secret-of-it", "schl\u00fcssel-\u4e2d\u6587-\U0001f511-long"],
    "hmac": {"appKey": APP_KEY, "appSecret": SECRET, "date": DATE, "host": HOST, "cases": hmac_cases},
    "parameter": {"appKey": APP_KEY, "appSecret": SECRET, "cases": parameter_cases},
}
for cases in [hmac_cases, parameter_cases]:
    ids = [case["id"] for case in cases]
    assert len(ids) == len(set(ids)), sorted(id for id in ids if ids.count(id) > 1)
target = pathlib.Path(__file__).with_name("extended.json")
target.write_text(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
print(target.name, len(hmac_cases), "hmac", len(parameter_cases), "parameter")
