#!/usr/bin/env python3
"""Writes ../vectors.json, the signatures that every client must make; see ../CONTRACT.md.

A program of its own: it shares no code with a client or with the gateway. Its output is committed, and the same each time.
"""
import base64
import hashlib
import hmac
import json
import pathlib
import random
import re
from datetime import datetime, timezone

NOW = 1795228800  # Sat, 21 Nov 2026 02:40:00 GMT
HMAC_KEY, HMAC_SECRET = "3f0c9a1be27d4856af0312c4d5e6b798", "n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6eMpXiVqTzRb9"
NONCE = "000102030405060708090a0b0c0d0e0f"
HASHES = {"hmac-sha256": "sha256", "hmac-sha384": "sha384", "hmac-sha512": "sha512"}
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
LONG = 4096

cases = []
names = set()


def add(name, case):
    if name in names:
        raise SystemExit("two cases are named " + name)
    names.add(name)
    cases.append({"name": name, **case})


# What is sent

def wire_target(url):
    """Path and query as they are sent, and the authority."""
    scheme, rest = url.split("://", 1)
    rest = rest.split("#", 1)[0]
    cut = min([at for at in (rest.find("/"), rest.find("?")) if at >= 0] or [len(rest)])
    authority, target = rest[:cut], rest[cut:]
    if not target.startswith("/"):
        target = "/" + target
    port = {"https": ":443", "http": ":80"}[scheme]
    return target, authority[: -len(port)] if authority.endswith(port) else authority


def body_bytes(body):
    if body is None:
        return b""
    if "text" in body:
        return body["text"].encode()
    if "base64" in body:
        return base64.b64decode(body["base64"])
    return (body["repeat"] * body["times"]).encode()


def shown(raw):
    if len(raw) > LONG:
        return {"sha256": hashlib.sha256(raw).hexdigest(), "length": len(raw)}
    try:
        return {"text": raw.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(raw).decode()}


def request_of(method, url, headers, body):
    request = {"method": method, "url": url, "headers": [list(pair) for pair in headers]}
    if body is not None:
        request["body"] = body
    return request


def problem(name, code, client, method, url, headers=(), body=None, now=NOW, nonce=None):
    case = {"client": client, "now": now}
    if nonce:
        case["nonce"] = nonce
    add(name, {**case, "request": request_of(method, url, headers, body), "problem": code})


# HMAC

def imf_date(seconds):
    day = datetime.fromtimestamp(seconds, timezone.utc)
    weekday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][day.weekday()]
    month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][day.month - 1]
    return "%s, %02d %s %04d %02d:%02d:%02d GMT" % (weekday, day.day, month, day.year, day.hour, day.minute, day.second)


def hmac_client(algorithm=None, signed=(), nonce=False, key=HMAC_KEY, secret=HMAC_SECRET):
    client = {"method": "hmac", "appKey": key, "appSecret": secret}
    if algorithm:
        client["algorithm"] = algorithm
    if signed:
        client["signedHeaders"] = list(signed)
    if nonce:
        client["nonce"] = True
    return client


def hmac_case(name, method, url, headers=(), body=None, now=NOW, **settings):
    client = hmac_client(**settings)
    target, authority = wire_target(url)
    raw = body_bytes(body)
    set_headers = [["Date", imf_date(now)]]
    listed = ["date", "request-line"]
    if raw:
        set_headers.append(["Digest", "SHA-256=" + base64.b64encode(hashlib.sha256(raw).digest()).decode()])
        listed.append("digest")
    for each in client.get("signedHeaders", []):
        if each.lower() not in listed:
            listed.append(each.lower())
    if client.get("nonce"):
        set_headers.append(["X-Nonce", NONCE])
        if "x-nonce" not in listed:
            listed.append("x-nonce")
    values = {key.lower(): value.strip(" \t") for key, value in headers}
    values["host"] = authority
    values.update({key.lower(): value for key, value in set_headers})
    lines = []
    for each in listed:
        lines.append("%s %s HTTP/1.1" % (method, target) if each == "request-line" else "%s: %s" % (each, values[each]))
    text = "\n".join(lines)
    algorithm = client.get("algorithm", "hmac-sha256")
    mac = hmac.new(client["appSecret"].encode(), text.encode(), HASHES[algorithm]).digest()
    set_headers.append(["Authorization", 'hmac appkey="%s", algorithm="%s", headers="%s", signature="%s"' % (
        client["appKey"], algorithm, " ".join(listed), base64.b64encode(mac).decode())])
    case = {"client": client, "now": now}
    if client.get("nonce"):
        case["nonce"] = NONCE
    add("hmac: " + name, {**case, "request": request_of(method, url, headers, body), "stringToSign": text,
                          "signed": {"target": target, "headers": set_headers}})


ORDERS = "https://api.example.com/orders"
hmac_case("no body", "GET", ORDERS)
hmac_case("the example of the partners' page", "POST", "http://127.0.0.1:10000/invoices?year=2026", [("Content-Type", JSON)], {"text": '{"amount":12}'})
for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]:
    hmac_case("method " + method, method, ORDERS + "/7")
for method in ["POST", "PUT", "PATCH", "DELETE"]:
    hmac_case("method %s with a body" % method, method, ORDERS + "/7", [("Content-Type", JSON)], {"text": '{"state":"open"}'})
for algorithm in HASHES:
    hmac_case("algorithm " + algorithm, "GET", ORDERS + "?page=2", algorithm=algorithm)
    hmac_case("algorithm %s with a body" % algorithm, "POST", ORDERS, [("Content-Type", JSON)], {"text": "{}"}, algorithm=algorithm)

for name, url in [
    ("no path", "https://api.example.com"), ("no path but a query", "https://api.example.com?a=1"), ("root", "https://api.example.com/"),
    ("a fragment is dropped", ORDERS + "?a=1#part"), ("a fragment without a query", ORDERS + "#part"), ("empty query", ORDERS + "?"),
    ("encoded blank", "https://api.example.com/a%20b"), ("encoded letters", "https://api.example.com/%C3%A9t%C3%A9"),
    ("lower-case escapes stay", "https://api.example.com/%c3%a9?x=%e2%82%ac"), ("needless escapes stay", "https://api.example.com/%41?x=%61"),
    ("plus in the query", ORDERS + "?q=a+b"), ("blank as %20 in the query", ORDERS + "?q=a%20b"), ("semicolons", ORDERS + ";v=1/7?x;y"),
    ("two question marks", ORDERS + "?a=1?b=2"), ("slashes in the query", ORDERS + "?next=/a/b"), ("empty values", ORDERS + "?a=&b&c="),
    ("names without values", ORDERS + "?a&b"), ("repeated names", ORDERS + "?a=2&a=1&a=2"), ("empty segments of the query", ORDERS + "?&a=1&&b=2&"),
    ("unreserved marks", "https://api.example.com/-._~/a"), ("sub-delimiters", "https://api.example.com/!$&'()*+,;=:@?!$&'()*+,;=:@"),
    ("an encoded slash in the query", ORDERS + "?p=%2Fa%2Fb"), ("an encoded percent", ORDERS + "?p=100%25"), ("a long path", "https://api.example.com/" + "/".join("segment%d" % n for n in range(60))),
    ("a long query", ORDERS + "?" + "&".join("name%d=value%d" % (n, n) for n in range(150))), ("a trailing slash", ORDERS + "/"),
    ("json in the query", ORDERS + "?filter=%7B%22a%22%3A%5B1%2C2%5D%7D"), ("an equals sign in a value", ORDERS + "?token=abc=="), ("a date in the path", "https://api.example.com/reports/2026-11-01T00:00:00Z"),
]:
    hmac_case("target: " + name, "GET", url)

for name, url in [
    ("host", "https://api.example.com/a"), ("host with a port", "https://api.example.com:8443/a"), ("host with the port of https", "https://api.example.com:443/a"),
    ("host with the port of http", "http://api.example.com:80/a"), ("port 443 over http", "http://api.example.com:443/a"), ("port 80 over https", "https://api.example.com:80/a"),
    ("an IPv4 address", "http://127.0.0.1:10000/a"), ("an IPv6 address", "http://[::1]:10000/a"), ("localhost", "http://localhost:10000/a"),
]:
    hmac_case("signs host: " + name, "GET", url, signed=["host"])
hmac_case("a signed header", "GET", ORDERS, [("X-Tenant", "blue")], signed=["x-tenant"])
hmac_case("signed headers keep their order", "GET", ORDERS, [("X-A", "1"), ("X-B", "2"), ("X-C", "3")], signed=["x-c", "x-a", "x-b"])
hmac_case("signed headers in any case", "GET", ORDERS, [("X-Tenant", "Blue")], signed=["X-TENANT", "Host"])
hmac_case("a signed header named twice", "GET", ORDERS, [("X-A", "1")], signed=["x-a", "X-A"])
hmac_case("signed headers that are signed anyway", "POST", ORDERS, [("Content-Type", JSON)], {"text": "{}"}, signed=["date", "digest", "request-line", "host"])
hmac_case("a signed header without a value", "GET", ORDERS, [("X-Empty", "")], signed=["x-empty"])
hmac_case("white space inside a value", "GET", ORDERS, [("X-Pad", "a  b")], signed=["x-pad"])
hmac_case("white space around a value", "GET", ORDERS, [("X-Pad", " \ta b\t ")], signed=["x-pad"])
hmac_case("a colon in a value", "GET", ORDERS, [("X-Time", "12:30: now")], signed=["x-time"])
hmac_case("quotes and commas in a value", "GET", ORDERS, [("X-List", 'a, "b", c')], signed=["x-list"])
hmac_case("content-type", "POST", ORDERS, [("Content-Type", "application/json; charset=utf-8")], {"text": "{}"}, signed=["content-type"])
hmac_case("accept and host", "GET", ORDERS, [("Accept", "application/json")], signed=["accept", "host"])
hmac_case("a header that is not signed", "GET", ORDERS, [("X-Other", "1")])
hmac_case("twenty signed headers", "GET", ORDERS, [("X-H%d" % n, "v%d" % n) for n in range(20)], signed=["x-h%d" % n for n in range(20)])
hmac_case("nonce", "GET", ORDERS, nonce=True)
hmac_case("nonce with a body and host", "POST", ORDERS, [("Content-Type", JSON)], {"text": "{}"}, nonce=True, signed=["host"])
hmac_case("nonce that is among the signed headers", "GET", ORDERS, nonce=True, signed=["x-nonce", "host"])
hmac_case("headers that are set already are replaced", "POST", ORDERS, [("Content-Type", JSON), ("Date", "Mon, 01 Jan 2024 00:00:00 GMT"), ("Digest", "SHA-256=AAAA"), ("Authorization", "Basic YTpi")], {"text": "{}"})
hmac_case("a Digest without a body is left alone when it is not signed", "GET", ORDERS, [("Accept", "*/*")])

for name, seconds in [
    *[("day %d" % day, 1793491200 + (day - 1) * 86400 + 3661 * day) for day in range(1, 13)],
    ("the epoch of this century", 946684800), ("a leap day", 1835395200), ("the last second of a year", 1798761599), ("the first second of a year", 1798761600),
    ("beyond 32 bits", 4102444800), ("each month 1", 1801526400), ("each month 2", 1804032000), ("each month 3", 1806624000), ("each month 4", 1809302400),
]:
    hmac_case("date: " + name, "GET", ORDERS, now=seconds)

every_byte = bytes(range(256))
for name, body in [
    ("one byte", {"text": "a"}), ("one zero byte", {"base64": "AA=="}), ("every byte", {"base64": base64.b64encode(every_byte).decode()}),
    ("a line feed at the end", {"text": '{"a":1}\n'}), ("CRLF", {"text": "a\r\nb\r\n"}), ("only blanks", {"text": "   "}), ("unicode", {"text": '{"name":"Zoë Köln 東京 🚀"}'}),
    ("a byte order mark", {"base64": base64.b64encode(b"\xef\xbb\xbf{}").decode()}), ("not UTF-8", {"base64": base64.b64encode(b"\xff\xfe\x80").decode()}),
    ("a blank within JSON", {"text": '{"amount": 12}'}), ("a form", {"text": "a=1&b=2"}), ("63 bytes", {"repeat": "x", "times": 63}), ("64 bytes", {"repeat": "x", "times": 64}),
    ("4 KiB", {"repeat": "0123456789abcdef", "times": 256}), ("100 KiB", {"repeat": "0123456789abcdef", "times": 6400}), ("1 MiB", {"repeat": "0123456789abcdef", "times": 65536}),
    ("10 485 760 bytes", {"repeat": "0123456789abcdef", "times": 655360}),
]:
    hmac_case("body: " + name, "POST", ORDERS, [("Content-Type", "application/octet-stream")], body)
for name, key, secret in [
    ("an App Key of one character", "k", HMAC_SECRET), ("an App Key with dots and dashes", "acme.hmac_demo-1", HMAC_SECRET), ("an App Key of 512 characters", "k" * 512, HMAC_SECRET),
    ("a secret of 16 characters", HMAC_KEY, "0123456789abcdef"), ("a secret of 64 bytes", HMAC_KEY, "s" * 64), ("a secret of 65 bytes", HMAC_KEY, "s" * 65),
    ("a secret of 128 bytes", HMAC_KEY, "s" * 128), ("a secret of 129 bytes", HMAC_KEY, "s" * 129), ("a secret of 256 characters", HMAC_KEY, "s" * 256),
    ("a secret beyond ASCII", HMAC_KEY, "geheimnis-schlüssel-東京-🚀"), ("a secret with blanks inside", HMAC_KEY, "two words and more"), ("a secret with marks", HMAC_KEY, "a&b=c%20d+e\"f\\g'h"),
]:
    hmac_case(name, "GET", ORDERS, key=key, secret=secret)
    if "beyond" in name or "129" in name:
        hmac_case(name + ", sha512", "GET", ORDERS, key=key, secret=secret, algorithm="hmac-sha512")

for header in ["authorization", "connection", "keep-alive", "te", "transfer-encoding", "x-request-id", "x-forwarded-for", "x-envoy-attempt-count", "x-consumer-id",
               "X-Consumer-Anything", "x_consumer_id", "x-credential-identifier", "x-authenticated-scope", "x-anonymous-consumer", "bad name", "", ":path", "(request-target)"]:
    problem("hmac: cannot sign the header %r" % header, "HEADER_NOT_SIGNABLE", hmac_client(signed=[header]), "GET", ORDERS)
problem("hmac: a signed header that is absent", "HEADER_NOT_SIGNABLE", hmac_client(signed=["x-tenant"]), "GET", ORDERS)
problem("hmac: a signed header that is repeated", "HEADER_NOT_SIGNABLE", hmac_client(signed=["x-tenant"]), "GET", ORDERS, [("X-Tenant", "a"), ("x-tenant", "b")])
problem("hmac: a signed header beyond ASCII", "HEADER_NOT_SIGNABLE", hmac_client(signed=["x-name"]), "GET", ORDERS, [("X-Name", "Zo\u00eb")])
problem("hmac: a body over 10 485 760 bytes", "BODY_TOO_LARGE", hmac_client(), "POST", ORDERS, [("Content-Type", JSON)], {"repeat": "x", "times": 10485761})


# Parameter signatures

def form_decode(text):
    """Bytes; None where the percent-encoding is bad."""
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        return None
    return re.sub(rb"%([0-9A-Fa-f]{2})", lambda match: bytes([int(match[1], 16)]), text.replace("+", " ").encode("utf8"))


def pairs_of(text):
    return [(part.partition("=")[0], part.partition("=")[2]) for part in text.split("&") if part]


def parameter_client(encoding=None, nonce=False, key=HMAC_KEY, secret=HMAC_SECRET):
    client = {"method": "parameter-signature", "appKey": key, "appSecret": secret}
    if encoding:
        client["encoding"] = encoding
    if nonce:
        client["nonce"] = True
    return client


def extend(text, parts):
    return text + ("" if text == "" or text.endswith("&") else "&") + "&".join(parts)


def signed_text(text, client, now):
    """The text with what is added, and what is signed."""
    parts = ["appKey=" + client["appKey"], "apiTimestamp=%d" % now] + (["nonce=" + NONCE] if client.get("nonce") else [])
    extended = extend(text, parts)
    if client.get("encoding") == "raw":
        pairs = [(name.encode(), value.encode()) for name, value in pairs_of(extended)]
    else:
        pairs = [(form_decode(name), form_decode(value)) for name, value in pairs_of(extended)]
    to_sign = b"&".join(name + b"=" + value for name, value in sorted(pairs, key=lambda pair: pair[0]))
    sign = hashlib.sha512(to_sign + client["appSecret"].encode()).hexdigest()
    return extended + "&sign=" + sign, to_sign


def escape(text):
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
    return "".join(short.get(each) or ("\\u%04x" % ord(each) if each < " " else each) for each in text)


def parameter_case(name, method, url, headers=(), body=None, now=NOW, **settings):
    client = parameter_client(**settings)
    target, _ = wire_target(url)
    raw = body_bytes(body)
    media = next((value for key, value in headers if key.lower() == "content-type"), "").split(";")[0].strip().lower()
    signed = {"target": target, "headers": []}
    if not raw:
        path, mark, query = target.partition("?")
        query, to_sign = signed_text(query, client, now)
        signed["target"] = path + "?" + query
    elif media == FORM:
        text, to_sign = signed_text(raw.decode(), client, now)
        signed["body"] = shown(text.encode())
    else:
        data = raw.decode()
        to_sign = ("apiTimestamp=%d&appKey=%s&data=%s" % (now, client["appKey"], data)).encode()
        sign = hashlib.sha512(to_sign + client["appSecret"].encode()).hexdigest()
        signed["body"] = shown(('{"data":"%s","appKey":"%s","sign":"%s","apiTimestamp":%d}' % (escape(data), client["appKey"], sign, now)).encode())
    case = {"client": client, "now": now}
    if client.get("nonce"):
        case["nonce"] = NONCE
    text = {"stringToSign": to_sign.decode()} if len(to_sign) <= LONG else {}
    add("parameters: " + name, {**case, "request": request_of(method, url, headers, body), **text, "signed": signed})


SHIPMENTS = "https://api.example.com/shipments"
texts = [
    ("the example of the partners' page", "to=K%C3%B6ln+1"), ("two parameters", "b=2&a=1"), ("upper case before lower case", "a=1&B=2&b=3&A=4"),
    ("bytes of UTF-8 order", "%C3%A9=1&z=2&%F0%9F%9A%80=3&%EF%BD%9E=4"), ("an empty value", "a=&b=1"), ("a name without a value", "a&b=1"), ("an empty name", "=v&a=1"),
    ("repeated names keep their order", "a=2&a=1&b=0&a=3"), ("repeated equal pairs", "a=1&a=1"), ("a plus sign", "q=a+b"), ("an encoded plus sign", "q=a%2Bb"), ("a blank as %20", "q=a%20b"),
    ("an encoded percent", "q=100%25"), ("a value that looks encoded", "q=%2541"), ("an equals sign in a value", "q=a=b=c"), ("an encoded equals sign in a value", "q=a%3Db"),
    ("an ampersand in a value", "q=A%26B"), ("an equals sign before an ampersand in a value", "q=a%3Db%26c"), ("empty segments", "&a=1&&b=2"), ("an ampersand at the end", "a=1&"), ("unicode", "name=%E6%9D%B1%E4%BA%AC&city=K%C3%B6ln"),
    ("an emoji", "q=%F0%9F%9A%80"), ("a byte order mark is data", "q=%EF%BB%BFx"), ("a line feed", "q=a%0Ab"), ("a zero byte", "q=a%00b"), ("lower-case escapes", "q=%c3%b6"),
    ("needless escapes", "%61=%62"), ("a name with a blank", "a+b=1&a%20c=2"), ("names that begin alike", "ab=1&a=2&abc=3&a.b=4&a-b=5"), ("digits and dots", "10=a&9=b&1.5=c"),
    ("reserved names in another case", "APPKEY=1&Sign=2&apitimestamp=3"), ("names near the reserved ones", "appKeys=1&signature=2&xsign=3"), ("json as a value", "filter=%7B%22a%22%3A1%7D"),
    ("marks", "q=-._~!$'()*,;:@/?"), ("quotes", "q=%22a%22%27b%27"), ("a backslash", "q=a%5Cb"), ("a long value", "q=" + "x" * 3000), ("seventy parameters", "&".join("p%02d=%d" % (n, n) for n in range(69, -1, -1))),
    ("ninety-seven parameters", "&".join("p%02d=%d" % (n, n) for n in range(97))), ("a semicolon is no separator", "a=1;b=2"), ("white space around", "a=+1+&+b=2"), ("a value with a comma", "ids=1,2,3"),
    ("brackets", "a%5B%5D=1&a%5B%5D=2&b%5Bx%5D=3"), ("a date", "at=2026-11-01T00%3A00%3A00Z"), ("combining letters", "q=e%CC%81&r=%C3%A9"), ("right to left", "q=%D7%A9%D7%9C%D7%95%D7%9D"),
]
for name, text in texts:
    parameter_case("URL: " + name, "GET", SHIPMENTS + "?" + text)
    parameter_case("form: " + name, "POST", SHIPMENTS, [("Content-Type", FORM)], {"text": text})
for name, text in texts[:30]:
    parameter_case("raw, URL: " + name, "GET", SHIPMENTS + "?" + text, encoding="raw")
parameter_case("raw: a name that holds an encoded equals sign", "GET", SHIPMENTS + "?a%3Db=1%26c%3D2", encoding="raw")
parameter_case("raw: an ampersand and an equals sign in a value", "POST", SHIPMENTS, [("Content-Type", FORM)], {"text": "b=1%26c%3D2"}, encoding="raw")
for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]:
    parameter_case("URL: " + method + " without a body", method, SHIPMENTS + "?a=1")
parameter_case("URL: no parameters", "GET", SHIPMENTS)
parameter_case("URL: an empty query", "GET", SHIPMENTS + "?")
parameter_case("URL: no path", "GET", "https://api.example.com")
parameter_case("URL: no path but a query", "GET", "https://api.example.com?a=1")
parameter_case("URL: a fragment", "GET", SHIPMENTS + "?a=1#part")
parameter_case("URL: an empty body with a content type", "POST", SHIPMENTS + "?a=1", [("Content-Type", JSON)])
parameter_case("URL: nonce", "GET", SHIPMENTS + "?a=1&z=2", nonce=True)
parameter_case("form: nonce", "POST", SHIPMENTS, [("Content-Type", FORM)], {"text": "a=1&z=2"}, nonce=True)
for name, content_type in [("upper case", "Application/X-WWW-Form-Urlencoded"), ("charset", FORM + "; charset=utf-8"), ("charset in capitals", FORM + ";charset=UTF-8"), ("charset in quotes", FORM + '; charset="utf-8"')]:
    parameter_case("form: content type, " + name, "POST", SHIPMENTS, [("Content-Type", content_type)], {"text": "a=1"})
parameter_case("form: content encoding identity", "POST", SHIPMENTS, [("Content-Type", FORM), ("Content-Encoding", "identity")], {"text": "a=1"})
parameter_case("form: 100 KiB", "POST", SHIPMENTS, [("Content-Type", FORM)], {"repeat": "a=0123456789abcd", "times": 6400})

for name, text in [
    ("an object", '{"weight":"2 kg"}'), ("blanks stay", '{ "a" : 1 }\n'), ("no JSON at all", "hello"), ("a number", "1"), ("quotes and backslashes", '{"a":"x\\"y\\\\z"}'),
    ("every control character", "".join(map(chr, range(32)))), ("DEL and beyond", "\u007f\u0080\u009f\u00a0"), ("line separators", "a\u2028b\u2029c"), ("slashes", '{"url":"https://example.com/a"}'),
    ("HTML marks", "<script>&amp;'</script>"), ("unicode", '{"name":"Zoë Köln 東京"}'), ("emoji", '{"a":"🚀👩‍👩‍👧"}'), ("escapes stay as they are", '{"a":"\\u00e9\\n"}'), ("ampersands and equals signs", '{"a":"b&c=d&e=f"}'),
    ("a percent sign and a plus", '{"a":"100%+%20"}'), ("CRLF and tabs", '{\r\n\t"a":1\r\n}'), ("one blank", " "), ("names of the wrapper inside", '{"data":"x","appKey":"y","sign":"z"}'), ("combining letters", "e\u0301 \u00e9"),
    ("noncharacters", "\ufffe\uffff\U0010ffff"), ("a byte order mark", "\ufeff{}"), ("2000 characters", "ä" * 1000 + "x" * 1000), ("an array", "[1,2,[3]]"), ("null", "null"),
]:
    parameter_case("JSON: " + name, "POST", SHIPMENTS, [("Content-Type", JSON)], {"text": text})
for method in ["PUT", "PATCH", "DELETE"]:
    parameter_case("JSON: " + method, method, SHIPMENTS, [("Content-Type", JSON)], {"text": "{}"})
for name, content_type in [("upper case", "APPLICATION/JSON"), ("charset", JSON + "; charset=utf-8"), ("another parameter", JSON + "; version=1")]:
    parameter_case("JSON: content type, " + name, "POST", SHIPMENTS, [("Content-Type", content_type)], {"text": "{}"})
parameter_case("JSON: 100 KiB", "POST", SHIPMENTS, [("Content-Type", JSON)], {"repeat": '"0123456789abc",', "times": 6400})
parameter_case("JSON: 1 MiB", "POST", SHIPMENTS, [("Content-Type", JSON)], {"repeat": "0123456789abcdef", "times": 65536})
for name, seconds in [("zero", 0), ("one", 1), ("beyond 32 bits", 4102444800)]:
    parameter_case("apiTimestamp: " + name, "GET", SHIPMENTS + "?a=1", now=seconds)
for name, key, secret in [("an App Key with dots and dashes", "acme.demo_1-x", HMAC_SECRET), ("a secret beyond ASCII", HMAC_KEY, "geheimnis-schlüssel-東京"), ("a secret with marks", HMAC_KEY, "a&b=c%20d+e\"f\\g'h")]:
    for form, url, headers, body in [("URL", SHIPMENTS + "?a=1", (), None), ("form", SHIPMENTS, [("Content-Type", FORM)], {"text": "a=1"}), ("JSON", SHIPMENTS, [("Content-Type", JSON)], {"text": "{}"})]:
        parameter_case("%s: %s" % (form, name), "GET" if form == "URL" else "POST", url, headers, body, key=key, secret=secret)

# Written by the helper
for name, parameters in [
    ("nothing", []), ("unreserved characters", [("a-._~", "AZaz09-._~")]), ("a blank", [("a b", "c d")]), ("a plus sign", [("a+b", "1+1")]), ("marks", [("q", "!\"#$%&'()*+,/:;<=>?@[\\]^`{|}")]),
    ("unicode", [("city", "Köln"), ("東京", "🚀")]), ("empty values and names", [("a", ""), ("", "b")]), ("repeated names", [("a", "2"), ("a", "1")]), ("control characters", [("q", "\x00\t\n\r\x7f")]), ("order is kept", [("b", "1"), ("a", "2")]),
]:
    encoded = "&".join("=".join("".join(chr(b) if re.match(rb"[A-Za-z0-9._~-]", bytes([b])) else "%%%02X" % b for b in text.encode()) for text in pair) for pair in parameters)
    add("parameters, written: " + name, {"client": parameter_client(), "parameters": [list(pair) for pair in parameters], "encoded": encoded})

for form, url, headers, wrap in [("URL", SHIPMENTS + "?", (), None), ("form", SHIPMENTS, [("Content-Type", FORM)], True)]:
    for name, code, text in [
        ("appKey is there", "RESERVED_PARAMETER", "a=1&appKey=x"), ("sign is there", "RESERVED_PARAMETER", "sign=x"), ("apiTimestamp is there", "RESERVED_PARAMETER", "apiTimestamp=1"),
        ("an encoded reserved name", "RESERVED_PARAMETER", "app%4Bey=x"), ("a reserved name without a value", "RESERVED_PARAMETER", "sign"), ("an ampersand and an equals sign in a value", "AMBIGUOUS_PARAMETERS", "b=1%26c%3D2"),
        ("an ampersand in a name", "AMBIGUOUS_PARAMETERS", "a%26b=1"), ("an equals sign in a name", "AMBIGUOUS_PARAMETERS", "a%3Db=1"), ("bad percent-encoding", "MALFORMED_PARAMETERS", "a=%zz"),
        ("a cut escape", "MALFORMED_PARAMETERS", "a=%4"), ("not UTF-8", "MALFORMED_PARAMETERS", "a=%FF"), ("a surrogate", "MALFORMED_PARAMETERS", "a=%ED%A0%80"), ("an overlong form", "MALFORMED_PARAMETERS", "a=%C0%AF"),
        ("ninety-eight parameters", "TOO_MANY_PARAMETERS", "&".join("p%02d=%d" % (n, n) for n in range(98))),
    ]:
        problem("parameters, %s: %s" % (form, name), code, parameter_client(), "POST" if wrap else "GET", url if wrap else url + text, headers, {"text": text} if wrap else None)
problem("parameters, URL: nonce is there", "RESERVED_PARAMETER", parameter_client(nonce=True), "GET", SHIPMENTS + "?nonce=1", nonce=NONCE)
parameter_case("URL: a parameter named nonce when none is wanted", "GET", SHIPMENTS + "?nonce=1")
problem("parameters, raw: appKey is there, encoded", "RESERVED_PARAMETER", parameter_client(encoding="raw"), "GET", SHIPMENTS + "?app%4Bey=x")
problem("parameters, form: a query beside it", "QUERY_NOT_SIGNABLE", parameter_client(), "POST", SHIPMENTS + "?a=1", [("Content-Type", FORM)], {"text": "b=2"})
problem("parameters, JSON: a query beside it", "QUERY_NOT_SIGNABLE", parameter_client(), "POST", SHIPMENTS + "?a=1", [("Content-Type", JSON)], {"text": "{}"})
for name, headers in [("text", [("Content-Type", "text/plain")]), ("XML", [("Content-Type", "application/xml")]), ("multipart", [("Content-Type", "multipart/form-data; boundary=x")]), ("no content type", []),
                      ("JSON of another kind", [("Content-Type", "application/merge-patch+json")]), ("another charset", [("Content-Type", JSON + "; charset=iso-8859-1")]), ("gzip", [("Content-Type", JSON), ("Content-Encoding", "gzip")]),
                      ("a form in another charset", [("Content-Type", FORM + "; charset=windows-1252")])]:
    problem("parameters: cannot sign a body: " + name, "BODY_NOT_SIGNABLE", parameter_client(), "POST", SHIPMENTS, headers, {"text": "{}"})
problem("parameters, JSON: not UTF-8", "BODY_NOT_SIGNABLE", parameter_client(), "POST", SHIPMENTS, [("Content-Type", JSON)], {"base64": base64.b64encode(b'{"a":"\xff"}').decode()})
problem("parameters, JSON: over 2 097 152 bytes when wrapped", "BODY_TOO_LARGE", parameter_client(), "POST", SHIPMENTS, [("Content-Type", JSON)], {"repeat": '"', "times": 1048576})
problem("parameters, form: over 10 485 760 bytes", "BODY_TOO_LARGE", parameter_client(), "POST", SHIPMENTS, [("Content-Type", FORM)], {"repeat": "x", "times": 10485761})


# Key

def key_case(name, method, url, headers=(), body=None, carrier=None, key="8c1f0b7d52e94a3c9d6e7f8a1b2c3d4e"):
    client = {"method": "key", "appKey": key}
    if carrier:
        client["carrier"] = carrier
    target, _ = wire_target(url)
    signed = {"target": target, "headers": []}
    if carrier and "query" in carrier:
        path, _, query = target.partition("?")
        signed["target"] = path + "?" + extend(query, [carrier["query"] + "=" + key])
    else:
        signed["headers"].append([(carrier or {}).get("header", "X-App-Key"), key])
    add("key: " + name, {"client": client, "now": NOW, "request": request_of(method, url, headers, body), "signed": signed})


key_case("the header", "GET", ORDERS)
key_case("the header, with a body", "POST", ORDERS, [("Content-Type", JSON)], {"text": "{}"})
key_case("replaces the header", "GET", ORDERS, [("x-app-key", "another")])
key_case("another header", "GET", ORDERS + "?a=1", carrier={"header": "X-Api-Token"})
for name, query in [("no query", ""), ("an empty query", "?"), ("a query", "?a=1"), ("an ampersand at the end", "?a=1&"), ("names without values", "?a&b"), ("escapes stay", "?q=%c3%b6+x")]:
    key_case("a query parameter: " + name, "GET", ORDERS + query, carrier={"query": "appKey"})
key_case("another query parameter", "GET", ORDERS, carrier={"query": "api_key"})
problem("key: the query parameter is there", "RESERVED_PARAMETER", {"method": "key", "appKey": "k1", "carrier": {"query": "appKey"}}, "GET", ORDERS + "?appKey=x")
problem("key: the query parameter is there, encoded", "RESERVED_PARAMETER", {"method": "key", "appKey": "k1", "carrier": {"query": "appKey"}}, "GET", ORDERS + "?app%4Bey=x")

# Drawn by chance, the same each time
chance = random.Random(20261121)
alphabet = list("abcXYZ019-._~") + ["%20", "+", "%C3%B6", "%E6%9D%B1", "%F0%9F%9A%80", "%2B", "%3d", "%2F", "'", "(", "*", "%25"]
for n in range(60):
    def word(most):
        return "".join(chance.choice(alphabet) for _ in range(chance.randint(0, most)))
    text = "&".join((chance.choice("abcdef") + word(3).replace("%3d", "")) + chance.choice(["=", "=", "=", ""]) + "" if chance.random() < 0.1 else chance.choice("abcdef") + word(3).replace("%3d", "") + "=" + word(8) for _ in range(chance.randint(1, 8)))
    if n % 3 == 0:
        parameter_case("by chance %d" % n, "GET", SHIPMENTS + "?" + text)
    elif n % 3 == 1:
        parameter_case("by chance %d" % n, "POST", SHIPMENTS, [("Content-Type", FORM)], {"text": text})
    else:
        hmac_case("by chance %d" % n, chance.choice(["GET", "POST", "PUT"]), ORDERS + "?" + text, [("Content-Type", JSON), ("X-A", word(5))], {"text": chance.choice(["{}", "x", "[1, 2]"])}, signed=chance.sample(["host", "x-a", "content-type"], 2), algorithm=chance.choice(list(HASHES)), now=NOW + chance.randint(-10**8, 10**8))

document = {"format": 1, "cases": cases}
lines = ",\n".join("    " + json.dumps(case, ensure_ascii=True) for case in cases)
pathlib.Path(__file__).with_name("..").joinpath("vectors.json").resolve().write_text('{\n  "format": %d,\n  "cases": [\n%s\n  ]\n}\n' % (document["format"], lines))
print("%d cases" % len(cases))
