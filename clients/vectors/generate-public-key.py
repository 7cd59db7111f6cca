#!/usr/bin/env python3
"""Writes ../public-key-vectors.json: what clients sign with private keys; see ../CONTRACT.md.

A program of its own, of the standard library alone: it shares no code with a client or with the gateway. Its output is
committed, and the same each time. Ed25519 and RSA (PKCS #1 v1.5) signatures are computed here, by the letter of RFC
8032 and RFC 8017; the other algorithms draw random numbers, so their cases have the text and no signature.
"""
import base64
import functools
import hashlib
import json
import pathlib
import random
import re

HERE = pathlib.Path(__file__).resolve().parent
NOW = 1795228800  # Sat, 21 Nov 2026 02:40:00 GMT
NONCE = "000102030405060708090a0b0c0d0e0f"
KEY_ID = "acme-2026"
JSON = ["Content-Type", "application/json"]
ORDERS = "https://api.example.com/orders"
ALGORITHMS = {"ed25519": ["ed25519"], "p256": ["ecdsa-p256-sha256"], "p384": ["ecdsa-p384-sha384"],
              "rsa": ["rsa-pss-sha512", "rsa-v1_5-sha256"]}
JOSE = {"ed25519": ["EdDSA"], "p256": ["ES256"], "p384": ["ES384"], "rsa": ["PS256", "PS512", "RS256"]}
MAX_BODY = 10485760

material = json.loads((HERE / "keys.json").read_text())
KEYS, REFUSED = material["keys"], material["refused"]
cases, names = [], set()


def add(name, case):
    if name in names:
        raise SystemExit("two cases are named " + name)
    names.add(name)
    cases.append({"name": name, **case})


def b64(raw):
    return base64.b64encode(raw).decode()


def b64url(raw):
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def unb64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


# Ed25519, RFC 8032 section 5.1

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
BASE_Y = 4 * pow(5, P - 2, P) % P


def recover_x(y):
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    return x if x % 2 == 0 else P - x


def add_points(first, second):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = first, second
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


BASE_X = recover_x(BASE_Y)
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


@functools.lru_cache
def times_base(scalar):
    total, point = (0, 1, 1, 0), BASE
    while scalar:
        if scalar & 1:
            total = add_points(total, point)
        point, scalar = add_points(point, point), scalar >> 1
    x, y, z, _ = total
    inverse = pow(z, P - 2, P)
    x, y = x * inverse % P, y * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def sign_ed25519(jwk, message):
    hashed = hashlib.sha512(unb64url(jwk["d"])).digest()
    secret = int.from_bytes(hashed[:32], "little") & ((1 << 254) - 8) | (1 << 254)
    public = times_base(secret)
    number = int.from_bytes(hashlib.sha512(hashed[32:] + message).digest(), "little") % ORDER
    point = times_base(number)
    challenge = int.from_bytes(hashlib.sha512(point + public + message).digest(), "little") % ORDER
    return point + ((number + challenge * secret) % ORDER).to_bytes(32, "little")


# RSA, RFC 8017 section 8.2

def sign_rsa(jwk, message):
    modulus, exponent = (int.from_bytes(unb64url(jwk[name]), "big") for name in ("n", "d"))
    length = (modulus.bit_length() + 7) // 8
    info = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(message).digest()
    padded = b"\x00\x01" + b"\xff" * (length - len(info) - 3) + b"\x00" + info
    return pow(int.from_bytes(padded, "big"), exponent, modulus).to_bytes(length, "big")


SIGNERS = {"ed25519": sign_ed25519, "EdDSA": sign_ed25519, "rsa-v1_5-sha256": sign_rsa, "RS256": sign_rsa}

# RFC 9421, B.2.6
PUBLISHED = b'''"date": Tue, 20 Apr 2021 02:07:55 GMT
"@method": POST
"@path": /foo
"@authority": example.com
"content-type": application/json
"content-length": 18
"@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length")\
;created=1618884473;keyid="test-key-ed25519"'''
if b64(sign_ed25519(KEYS["ed25519"]["jwk"], PUBLISHED)) != (
        "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="):
    raise SystemExit("RFC 9421 B.2.6 comes out in another way")


# What is signed

def body_bytes(body):
    if body is None:
        return b""
    if "text" in body:
        return body["text"].encode()
    if "base64" in body:
        return base64.b64decode(body["base64"])
    return (body["repeat"] * body["times"]).encode()


def parts_of(url):
    """Scheme, authority as sent, path, and query with its mark or empty."""
    scheme, rest = url.split("://", 1)
    rest = rest.split("#", 1)[0]
    cut = min([at for at in (rest.find("/"), rest.find("?")) if at >= 0] or [len(rest)])
    authority, target = rest[:cut], rest[cut:]
    own = {"https": ":443", "http": ":80"}[scheme]
    path, mark, query = target.partition("?")
    return scheme, authority[: -len(own)] if authority.endswith(own) else authority, path or "/", mark + query


def client_of(key, form, algorithm, settings):
    client = {"method": "http-message-signature", "appKey": settings.pop("key_id", KEY_ID),
              "privateKey": {"key": key, "as": form}}
    if algorithm:
        client["algorithm"] = algorithm
    return {**client, **settings}


def case_of(client, request, own, asked=None):
    """The case: `asked` is (label, components, nonce, tag) that an Accept-Signature asks for and the client can do."""
    key = client["privateKey"]["key"]
    algorithm = client.get("algorithm", ALGORITHMS[key][0])
    raw = body_bytes(request.get("body"))
    scheme, authority, path, query = parts_of(request["url"])
    lower = authority.lower()
    fields = {name.lower(): value.strip(" \t") for name, value in request["headers"]}
    digest = "sha-256=:" + b64(hashlib.sha256(raw).digest()) + ":"
    values = {**fields, "host": authority, "@method": request["method"], "@authority": lower, "@path": path,
              "@query": query or "?", "@scheme": scheme, "@request-target": path + query,
              "@target-uri": scheme + "://" + lower + path + query}
    for name in ("content-digest", "content-length"):
        values.pop(name, None)
    if raw:
        values.update({"content-digest": digest, "content-length": str(len(raw))})
    components = ["@method", "@authority", "@path", "@query"] + (["content-digest"] if raw else [])
    for name in client.get("coverAlso", []):
        name = name.lower()
        if name in components or (name in ("content-type", "content-digest", "content-length") and name not in values):
            continue
        components.append(name)
    label, more, nonce, tag = asked or (None, [], None, None)
    components += [name for name in more if name not in components]
    label = label or client.get("label", "sig1")
    tag = client.get("tag") if tag is None else tag
    nonce = nonce or (NONCE if client.get("nonce", True) else None)
    text = "(" + " ".join('"%s"' % name for name in components) + ")"
    text += ';created=%d;keyid="%s"' % (own.get("now", NOW), client["appKey"])
    text += (';nonce="%s"' % nonce if nonce else "") + (';tag="%s"' % tag if tag is not None else "")
    base = "\n".join(['"%s": %s' % (name, values[name]) for name in components] + ['"@signature-params": ' + text])
    headers = ([["Content-Digest", digest]] if raw else []) + [["Signature-Input", label + "=" + text]]
    if algorithm in SIGNERS:
        headers.append(["Signature", "%s=:%s:" % (label, b64(SIGNERS[algorithm](KEYS[key]["jwk"], base.encode())))])
    return {"client": client, "now": own.get("now", NOW), **({"nonce": NONCE} if client.get("nonce", True) else {}),
            "request": request, "stringToSign": base,
            "signature": {"label": label, "algorithm": algorithm, "key": key},
            "signed": {"target": path + query, "headers": headers}}


def request_of(method, url, headers, body):
    request = {"method": method, "url": url, "headers": [list(pair) for pair in headers]}
    return request if body is None else {**request, "body": body}


def signs(name, method, url, headers=(), body=None, key="ed25519", form="pem", algorithm=None, now=NOW, **settings):
    client = client_of(key, form, algorithm, settings)
    add("message: " + name, case_of(client, request_of(method, url, headers, body), {"now": now}))


def problem(name, code, method, url, headers=(), body=None, **settings):
    client = client_of("ed25519", "pem", None, settings)
    add("message: " + name, {"client": client, "now": NOW, "nonce": NONCE,
                             "request": request_of(method, url, headers, body), "problem": code})


def answers(name, text, asked, method="GET", headers=(), body=None, key="ed25519", form="pem", **settings):
    """What is signed after a 401 that has this Accept-Signature; `asked` is None when there is nothing more to do."""
    case = case_of(client_of(key, form, None, settings), request_of(method, ORDERS + "?page=2", headers, body), {}, asked)
    case["acceptSignature"] = text
    if asked is None:
        case["signed"] = None
        del case["stringToSign"], case["signature"]
    add("accept-signature: " + name, case)


# Keys

for key, algorithms in ALGORITHMS.items():
    for form in ("pem", "jwk"):
        for algorithm in [None, *algorithms]:
            label = "%s as %s, %s" % (key, form, algorithm or "no algorithm given")
            signs(label, "GET", ORDERS + "?page=2", key=key, form=form, algorithm=algorithm)
            signs(label + ", a body", "POST", ORDERS, [JSON], {"text": '{"amount":12}'}, key=key, form=form,
                  algorithm=algorithm)

# The request

signs("the request of RFC 9421 B.2", "POST", "https://example.com/foo?param=Value&Pet=dog",
      [("Date", "Tue, 20 Apr 2021 02:07:55 GMT"), JSON], {"text": '{"hello": "world"}'}, now=1618884473,
      key_id="test-key-ed25519")
signs("the request of RFC 9421 B.2, more covered", "POST", "https://example.com/foo?param=Value&Pet=dog",
      [("Date", "Tue, 20 Apr 2021 02:07:55 GMT"), JSON, ("Content-Length", "18")], {"text": '{"hello": "world"}'},
      now=1618884473, key_id="test-key-ed25519", coverAlso=["date", "content-type", "content-length"], nonce=False,
      label="sig-b26")
for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]:
    signs("method " + method, method, ORDERS + "/7")
for method in ["POST", "PUT", "PATCH", "DELETE"]:
    signs("method %s with a body" % method, method, ORDERS + "/7", [JSON], {"text": '{"state":"open"}'})
for name, url in [
    ("no path", "https://api.example.com"), ("no path but a query", "https://api.example.com?a=1"),
    ("root", "https://api.example.com/"), ("a fragment is dropped", ORDERS + "?a=1#part"),
    ("a fragment without a query", ORDERS + "#part"), ("an empty query", ORDERS + "?"),
    ("encoded blank", "https://api.example.com/a%20b"), ("encoded letters", "https://api.example.com/%C3%A9t%C3%A9"),
    ("lower-case escapes stay", "https://api.example.com/%c3%a9?x=%e2%82%ac"),
    ("needless escapes stay", "https://api.example.com/%41?x=%61"), ("plus in the query", ORDERS + "?q=a+b"),
    ("blank as %20 in the query", ORDERS + "?q=a%20b"), ("semicolons", ORDERS + ";v=1/7?x;y"),
    ("two question marks", ORDERS + "?a=1?b=2"), ("slashes in the query", ORDERS + "?next=/a/b"),
    ("empty values", ORDERS + "?a=&b&c="), ("repeated names", ORDERS + "?a=2&a=1&a=2"),
    ("empty segments of the query", ORDERS + "?&a=1&&b=2&"), ("unreserved marks", "https://api.example.com/-._~/a"),
    ("sub-delimiters", "https://api.example.com/!$&'()*+,;=:@?!$&'()*+,;=:@"),
    ("an encoded slash in the query", ORDERS + "?p=%2Fa%2Fb"), ("an encoded percent", ORDERS + "?p=100%25"),
    ("a long query", ORDERS + "?" + "&".join("name%d=value%d" % (n, n) for n in range(150))),
    ("a trailing slash", ORDERS + "/"), ("an equals sign in a value", ORDERS + "?token=abc=="),
    ("a date in the path", "https://api.example.com/reports/2026-11-01T00:00:00Z"),
]:
    signs("target: " + name, "GET", url)
for name, url in [
    ("a port", "https://api.example.com:8443/a"), ("the port of https", "https://api.example.com:443/a"),
    ("the port of http", "http://api.example.com:80/a"), ("port 443 over http", "http://api.example.com:443/a"),
    ("port 80 over https", "https://api.example.com:80/a"), ("an IPv4 address", "http://127.0.0.1:10000/a"),
    ("an IPv6 address", "http://[::1]:10000/a"), ("localhost", "http://localhost:10000/a"),
    ("a name with dashes and digits", "https://api-2.eu-west.example.com/a"),
]:
    signs("authority: " + name, "GET", url)
    signs("authority: %s, derived components" % name, "GET", url + "?b=1",
          coverAlso=["@scheme", "@request-target", "@target-uri", "host"])
for name, url in [("upper case", "https://API.Example.COM/a"), ("upper case and port", "https://API.example.com:443/A")]:
    signs("authority: " + name, "GET", url)

every_byte = bytes(range(256))
for name, body in [
    ("one byte", {"text": "a"}), ("one zero byte", {"base64": "AA=="}), ("every byte", {"base64": b64(every_byte)}),
    ("a line feed at the end", {"text": '{"a":1}\n'}), ("CRLF", {"text": "a\r\nb\r\n"}), ("only blanks", {"text": "   "}),
    ("unicode", {"text": '{"name":"Zo\u00eb K\u00f6ln \u6771\u4eac \U0001f680"}'}),
    ("not UTF-8", {"base64": b64(b"\xff\xfe\x80")}), ("a form", {"text": "a=1&b=2"}),
    ("100 KiB", {"repeat": "0123456789abcdef", "times": 6400}),
    ("10 485 760 bytes", {"repeat": "0123456789abcdef", "times": MAX_BODY // 16}),
]:
    signs("body: " + name, "POST", ORDERS, [("Content-Type", "application/octet-stream")], body)
signs("an empty body with a content type", "POST", ORDERS, [JSON])
signs("a Content-Digest without a body stays, and is not covered", "GET", ORDERS,
      [("Content-Digest", "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:")], coverAlso=["content-digest"])
signs("headers that are set already are replaced", "POST", ORDERS,
      [JSON, ("content-digest", "sha-256=:AAAA:"), ("signature-input", 'x=("@method");keyid="x"'),
       ("SIGNATURE", "x=:AAAA:")], {"text": "{}"})

# What is covered

signs("covers a header too", "GET", ORDERS, [("X-Tenant", "blue")], coverAlso=["x-tenant"])
signs("covers content-type, without a body", "GET", ORDERS, coverAlso=["content-type"])
signs("covers content-type, sent without a body", "GET", ORDERS, [JSON], coverAlso=["content-type"])
signs("covers content-type, with a body", "POST", ORDERS, [JSON], {"text": "{}"}, coverAlso=["content-type"])
signs("covers content-length, without a body", "GET", ORDERS, coverAlso=["content-length"])
signs("covers content-length, with a body", "POST", ORDERS, [JSON], {"text": "{ }"}, coverAlso=["content-length"])
signs("covers in the order of the setting", "GET", ORDERS, [("X-A", "1"), ("X-B", "2"), ("X-C", "3")],
      coverAlso=["x-c", "x-a", "@scheme", "x-b"])
signs("covers names in any case, each once", "GET", ORDERS, [("X-A", "1")], coverAlso=["X-A", "x-a", "Host", "@Method"])
signs("covers what is covered anyway", "POST", ORDERS, [JSON], {"text": "{}"},
      coverAlso=["@query", "content-digest", "@method", "content-type", "@path", "@authority"])
for name, value in [("no value", ""), ("white space inside", "a  b"), ("white space around", " \ta b\t "),
                    ("a colon", "12:30: now"), ("quotes, commas and a backslash", 'a, "b\\c", d'),
                    ("a value of two kilobytes", "v" * 2048)]:
    signs("covers a field with " + name, "GET", ORDERS, [("X-Field", value)], coverAlso=["x-field"])
signs("covers accept, date and cache-control", "GET", ORDERS,
      [("Accept", "application/json"), ("Date", "Sat, 21 Nov 2026 02:40:00 GMT"), ("Cache-Control", "no-cache")],
      coverAlso=["accept", "date", "cache-control"])
signs("covers twenty headers", "GET", ORDERS, [("X-H%d" % n, "v%d" % n) for n in range(20)],
      coverAlso=["x-h%d" % n for n in range(20)])
signs("a header that is not covered", "GET", ORDERS, [("X-Other", "1")])

# Parameters of the signature

signs("without a nonce", "GET", ORDERS, nonce=False)
signs("with a nonce, as by default", "GET", ORDERS, nonce=True)
signs("without a nonce, a body", "POST", ORDERS, [JSON], {"text": "{}"}, nonce=False)
for tag in ["app", "fapi-2-request", "a tag with blanks", "marks !#$%&'()*+,-./:;<=>?@[]^_`{|}~"]:
    signs("tag " + tag, "GET", ORDERS, tag=tag)
signs("tag and no nonce", "GET", ORDERS, tag="app", nonce=False)
for label in ["sig", "*", "a.b-c_d*", "s1234567890"]:
    signs("label " + label, "GET", ORDERS, label=label)
for key_id in ["k", "k" * 512, "acme.signer_2026-1", "https://keys.example/acme?v=1&w=2#1", "a key (of Acme)",
               "marks !#$%&'()*+,-./:;<=>?@[]^_`{|}~"]:
    signs("keyid " + key_id[:40], "GET", ORDERS, key_id=key_id)
for name, seconds in [("zero", 0), ("one", 1), ("beyond 32 bits", 4102444800), ("the last second of a year", 1798761599)]:
    signs("created: " + name, "GET", ORDERS, now=seconds)

for header in ["authorization", "connection", "keep-alive", "te", "transfer-encoding", "x-request-id", "x-forwarded-for",
               "x-envoy-attempt-count", "x-consumer-id", "X-Consumer-Anything", "x_consumer_id", "x-credential-identifier",
               "x-authenticated-scope", "x-anonymous-consumer", "signature", "Signature-Input", "bad name", "", ":path",
               "@status", "@query-param", "@query-params", "@"]:
    problem("cannot cover %r" % header, "HEADER_NOT_SIGNABLE", "GET", ORDERS,
            [(header, "1")] if re.fullmatch(r"[a-z][a-z_-]*", header) and header not in (
                "connection", "keep-alive", "te", "transfer-encoding") else [], coverAlso=[header])
problem("a covered header that is absent", "HEADER_NOT_SIGNABLE", "GET", ORDERS, coverAlso=["x-tenant"])
problem("a covered header that is repeated", "HEADER_NOT_SIGNABLE", "GET", ORDERS, [("X-Tenant", "a"), ("x-tenant", "b")],
        coverAlso=["x-tenant"])
problem("a covered header beyond ASCII", "HEADER_NOT_SIGNABLE", "GET", ORDERS, [("X-Name", "Zo\u00eb")], coverAlso=["x-name"])
problem("a body over 10 485 760 bytes", "BODY_TOO_LARGE", "POST", ORDERS, [JSON], {"repeat": "x", "times": MAX_BODY + 1})

# Accept-Signature

USUAL = '"@method" "@authority" "@path" "@query"'
answers("what was signed is asked for", "sig1=(%s);created" % USUAL, None)
answers("what was signed is asked for, with a nonce", 'sig1=(%s);created;nonce="n-1"' % USUAL, None)
answers("less is asked for", 'sig1=("@method");created', None)
answers("a nonce, and none was sent", 'sig1=(%s);created;nonce="n-1"' % USUAL, ("sig1", [], "n-1", None), nonce=False)
answers("no nonce is asked for", "sig1=(%s);created" % USUAL, None, nonce=False)
answers("a tag", 'sig1=(%s);created;tag="app"' % USUAL, ("sig1", [], None, "app"))
answers("the tag that was sent", 'sig1=(%s);created;tag="app"' % USUAL, None, tag="app")
answers("another tag than was sent", 'sig1=(%s);created;tag="b"' % USUAL, ("sig1", [], None, "b"), tag="app")
answers("a nonce and a tag", 'sig1=(%s);created;nonce="n-2";tag="app"' % USUAL, ("sig1", [], "n-2", "app"))
answers("another label", 'their-label=(%s);created;tag="app"' % USUAL, ("their-label", [], None, "app"), label="mine")
answers("@target-uri", 'sig1=("@method" "@target-uri");created', ("sig1", ["@target-uri"], None, None))
answers("@scheme and @request-target", 'sig1=("@scheme" "@request-target" "@method")',
        ("sig1", ["@scheme", "@request-target"], None, None))
answers("a field that is there", 'sig1=(%s "x-tenant" "accept");created' % USUAL,
        ("sig1", ["x-tenant", "accept"], None, None), headers=[("Accept", "*/*"), ("X-Tenant", "blue")])
answers("a field that is absent", 'sig1=(%s "x-tenant");created' % USUAL, None)
answers("content-type with a body", 'sig1=(%s "content-digest" "content-type");created' % USUAL,
        ("sig1", ["content-type"], None, None), method="POST", headers=[JSON], body={"text": "{}"})
answers("content-digest without a body", 'sig1=(%s "content-digest");created;tag="app"' % USUAL, None)
answers("content-length with a body", 'sig1=("content-length")', ("sig1", ["content-length"], None, None), method="POST",
        headers=[JSON], body={"text": "{}"})
answers("beside what is covered also", 'sig1=("x-b" "@target-uri" "x-a")', ("sig1", ["@target-uri", "x-a"], None, None),
        headers=[("X-A", "1"), ("X-B", "2")], coverAlso=["x-b"])
answers("keyid and alg that fit", 'sig1=(%s);created;keyid="%s";alg="ed25519";tag="app"' % (USUAL, KEY_ID),
        ("sig1", [], None, "app"))
answers("another keyid", 'sig1=(%s);keyid="other";tag="app"' % USUAL, None)
answers("another alg", 'sig1=(%s);alg="rsa-pss-sha512";tag="app"' % USUAL, None)
answers("the alg of ECDSA", 'sig1=(%s);alg="ecdsa-p256-sha256";tag="app"' % USUAL, ("sig1", [], None, "app"), key="p256",
        form="jwk")
answers("the first of two that can be done", 'a=("@status");tag="x", b=("@method");tag="y", c=("@method");tag="z"',
        ("b", [], None, "y"))
answers("the first that can be done asks for nothing more", 'a=("@method"), b=("@method");tag="y"', None)
answers("no component", 'sig1=();tag="app"', ("sig1", [], None, "app"))
answers("more blanks and tabs", 'a=(  "@method"   "@path" ) ,\t b=("@status")', None)
answers("blanks that count for nothing", '  sig1=(  "@method"   "@target-uri" ); created; tag="app"  ',
        ("sig1", ["@target-uri"], None, "app"))
answers("a nonce with escapes", 'sig1=();nonce="a\\"b"', None, nonce=False)
answers("an empty nonce", 'sig1=();nonce=""', None, nonce=False)
answers("a nonce of 256 characters", 'sig1=();nonce="%s"' % ("n" * 256), ("sig1", [], "n" * 256, None), nonce=False)
answers("a nonce of 257 characters", 'sig1=();nonce="%s"' % ("n" * 257), None, nonce=False)
for name, text in [
    ("expires", 'sig1=("@method");expires;tag="app"'), ("an unknown parameter", 'sig1=("@method");tag="app";x'),
    ("created that is a number", 'sig1=("@method");created=1;tag="app"'), ("created that is false", 'sig1=();created=?0;tag="a"'),
    ("a tag that is a token", "sig1=();tag=app"), ("a nonce that is bytes", "sig1=();nonce=:AAAA:"),
    ("a component with a parameter", 'sig1=("@method" "@query-param";name="a");tag="app"'),
    ("a component of the request", 'sig1=("@method";req);tag="app"'), ("a component that is a token", "sig1=(method);tag=\"app\""),
    ("a component twice", 'sig1=("@method" "@method");tag="app"'), ("an upper-case name", 'sig1=("X-A");tag="app"'),
    ("authorization", 'sig1=("authorization");tag="app"'), ("no inner list", 'sig1="@method";tag="app"'),
    ("sixty-five components", "sig1=(%s);tag=\"app\"" % " ".join('"x-%d"' % n for n in range(65))),
]:
    answers("cannot be done: " + name, text, None, headers=[("X-A", "1")])
for name, text in [
    ("empty", ""), ("a comma at the end", 'sig1=("@method");tag="app",'), ("no bracket at the end", 'sig1=("@method"'),
    ("no quote at the end", 'sig1=("@method);tag="app'), ("trailing text", 'sig1=("@method");tag="app" x'),
    ("an upper-case label", 'Sig=("@method");tag="app"'), ("no blank between", 'sig1=("@method""@path");tag="app"'),
    ("a blank before a parameter's mark", 'sig1=("@method") ;tag="app"'), ("no text", "sig1=;tag=\"app\""),
    ("another scheme", "Signature realm=x"), ("bytes that are not base64", "a=:*:, sig1=();tag=\"app\""),
    ("a number that is too long", "a=1234567890123456, sig1=();tag=\"app\""), ("beyond ASCII", "sig1=();tag=\"\u00e4\""),
]:
    answers("does not parse: " + name, text, None)
answers("beside members of other kinds", 'a=1, b=-2.5, c="x", d=:AAAA:, e=?0, f, g=tok/en;h=1, sig1=();tag="app"',
        ("sig1", [], None, "app"))
answers("a member twice: the last counts", 'sig1=();tag="a", sig1=();tag="b"', ("sig1", [], None, "b"))

# Drawn by chance, the same each time

chance = random.Random(9421)
alphabet = list("abcXYZ019-._~") + ["%20", "+", "%C3%B6", "%E6%9D%B1", "%2B", "%3d", "%2F", "'", "(", "*", "%25", "&", "="]
for n in range(40):
    def word(most):
        return "".join(chance.choice(alphabet) for _ in range(chance.randint(0, most)))
    key = chance.choice(["ed25519", "ed25519", "rsa", "p256", "p384"])
    headers = [("X-A", "a" + word(5)), JSON, ("X-B", "b, " + word(2) + ";c")]
    signs("by chance %d" % n, chance.choice(["GET", "POST", "PUT", "PATCH"]), ORDERS + "/" + "x" * chance.randint(1, 5)
          + chance.choice(["", "?" + word(12)]), headers, chance.choice([None, {"text": "{}"}, {"text": "[1, 2]"}]), key=key,
          form=chance.choice(["pem", "jwk"]), algorithm="rsa-v1_5-sha256" if key == "rsa" else None,
          now=NOW + chance.randint(-10**8, 10**8), nonce=chance.random() < 0.7,
          coverAlso=chance.sample(["x-a", "x-b", "content-type", "host", "@target-uri", "content-length"], 3))

# Clients that cannot be made

GOOD = {"method": "http-message-signature", "appKey": KEY_ID, "privateKey": {"key": "ed25519", "as": "pem"}}
TOKENS = {"method": "private-key-jwt", "appKey": KEY_ID, "privateKey": {"key": "ed25519", "as": "pem"},
          "tokenUrl": "https://api.example.com/oauth2/token"}
pem, jwks = KEYS["ed25519"]["pem"], {name: dict(each["jwk"]) for name, each in KEYS.items()}


def without(jwk, *gone):
    return {name: value for name, value in jwk.items() if name not in gone}


for name, change in [
    *[("a key of the kind " + kind, {"privateKey": {"pem": text}}) for kind, text in REFUSED.items()],
    ("a public key", {"privateKey": {"pem": KEYS["ed25519"]["publicPem"]}}), ("an empty PEM text", {"privateKey": {"pem": ""}}),
    ("no PEM text", {"privateKey": {"pem": "secret"}}), ("two PEM blocks", {"privateKey": {"pem": pem + pem}}),
    ("text before the block", {"privateKey": {"pem": "Acme's key\n" + pem}}),
    ("a block that is cut", {"privateKey": {"pem": pem.replace("MC4CAQ", "MC4CAQ"[:4])}}),
    ("a public JWK", {"privateKey": {"jwk": KEYS["p256"]["publicJwk"]}}), ("an empty JWK", {"privateKey": {"jwk": {}}}),
    ("a JWK of another curve", {"privateKey": {"jwk": {**jwks["p256"], "crv": "P-521"}}}),
    ("a JWK without x", {"privateKey": {"jwk": without(jwks["ed25519"], "x")}}),
    ("a JWK with a short d", {"privateKey": {"jwk": {**jwks["ed25519"], "d": "AAAA"}}}),
    ("a JWK that is a shared secret", {"privateKey": {"jwk": {"kty": "oct", "k": "c2VjcmV0"}}}),
    ("an algorithm of another key", {"algorithm": "ecdsa-p256-sha256"}), ("an unknown algorithm", {"algorithm": "hmac-sha256"}),
    ("an algorithm of assertions", {"algorithm": "EdDSA"}), ("an empty App Key", {"appKey": ""}),
    ("an App Key with a quote", {"appKey": 'a"b'}), ("an App Key with a line feed", {"appKey": "a\nb"}),
    ("an App Key of 513 characters", {"appKey": "k" * 513}), ("an App Key beyond ASCII", {"appKey": "schl\u00fcssel"}),
    ("an empty tag", {"tag": ""}), ("a tag with a quote", {"tag": 'a"'}), ("an empty label", {"label": ""}),
    ("a label in upper case", {"label": "Sig"}), ("a label with a blank", {"label": "a b"}),
]:
    add("message, not made: " + name, {"client": {**GOOD, **change}, "problem": "INVALID_CREDENTIAL"})
for name, change in [
    ("an algorithm of message signatures", {"algorithm": "ed25519"}), ("an algorithm of another key", {"algorithm": "RS256"}),
    ("a relative token URL", {"tokenUrl": "/oauth2/token"}), ("an App Key with a backslash", {"appKey": "a\\b"}),
    ("an empty audience", {"audience": ""}), ("a public key", {"privateKey": {"pem": KEYS["p256"]["publicPem"]}}),
]:
    add("assertion, not made: " + name, {"client": {**TOKENS, **change}, "problem": "INVALID_CREDENTIAL"})


# Assertions

def assertion(name, key="ed25519", form="pem", algorithm=None, now=NOW, **settings):
    client = {"method": "private-key-jwt", "appKey": settings.pop("key_id", KEY_ID), "privateKey": {"key": key, "as": form},
              "tokenUrl": settings.pop("token_url", TOKENS["tokenUrl"]), **settings}
    if algorithm:
        client["algorithm"] = algorithm
    used = algorithm or JOSE[key][0]
    header = '{"alg":"%s","typ":"JWT"}' % used
    claims = '{"iss":"%s","sub":"%s","aud":"%s","jti":"%s","iat":%d,"exp":%d}' % (
        client["appKey"], client["appKey"], client.get("audience", client["tokenUrl"]), NONCE, now, now + 60)
    text = b64url(header.encode()) + "." + b64url(claims.encode())
    made = {"header": header, "claims": claims, "signingInput": text, "algorithm": used, "key": key}
    if used in SIGNERS:
        made["jwt"] = text + "." + b64url(SIGNERS[used](KEYS[key]["jwk"], text.encode()))
    add("assertion: " + name, {"client": client, "now": now, "nonce": NONCE, "assertion": made})


for key, algorithms in JOSE.items():
    for form in ("pem", "jwk"):
        for algorithm in [None, *algorithms]:
            assertion("%s as %s, %s" % (key, form, algorithm or "no algorithm given"), key, form, algorithm)
assertion("an audience of its own", audience="https://api.example.com")
assertion("a token URL with a port", token_url="http://127.0.0.1:10000/oauth2/token")
assertion("an audience with marks", audience="https://api.example.com/a?b=c&d=<e>")
for key_id in ["k", "k" * 512, "https://keys.example/acme?v=1&w=2#1", "<a key> of 'Acme' & sons"]:
    assertion("App Key " + key_id[:40], key_id=key_id)
for name, seconds in [("zero", 0), ("beyond 32 bits", 4102444800)]:
    assertion("time: " + name, now=seconds)

lines = ",\n".join("    " + json.dumps(case) for case in cases)
keys = json.dumps(KEYS, indent=2).replace("\n", "\n  ")
text = '{\n  "format": 1,\n  "keys": %s,\n  "cases": [\n%s\n  ]\n}\n' % (keys, lines)
(HERE.parent / "public-key-vectors.json").write_text(text)
print("%d cases" % len(cases))
