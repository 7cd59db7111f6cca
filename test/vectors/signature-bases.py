#!/usr/bin/env python3
"""Random signed requests and what must be signed of each (RFC 9421 as spec 3.5 narrows it), one JSON text a line.

    python3 test/vectors/signature-bases.py COUNT [SEED]

A second program for the same texts: nothing here is shared with the code that is tested. Every character of a text
stands for one byte. A line has the request, the options of its endpoint, and `verdict`: `bases`, the texts of which one
must have been signed, or `refused`, the code of the refusal. Each request is right as a whole or has a few of the
mistakes that programs make; no signature is computed, `sig` is a byte sequence that means nothing.
"""
import base64
import json
import random
import re
import sys

KNOWN = {"partner-7f3a", "https://keys.example/acme#1"}
KEY = re.compile(r"[a-z*][a-z0-9_.*-]*")
TOKEN = re.compile(r"[A-Za-z*][A-Za-z0-9:/!#$%&'*+.^_`|~-]*")
NUMBER = re.compile(r"-?\d+(\.\d+)?")
DERIVED = {"@method", "@authority", "@scheme", "@target-uri", "@request-target", "@path", "@query", "@query-param"}
UNSIGNABLE = {"authorization", "connection", "keep-alive", "te", "transfer-encoding", "x-request-id", "signature",
              "signature-input", "x-anonymous-consumer"}
UNSIGNABLE_PREFIXES = ("x-forwarded-", "x-envoy-", "x-consumer-", "x-credential-", "x-authenticated-")
PORTS = {"https": "443", "http": "80"}


class Refused(Exception):
    pass


def malformed():
    raise Refused("CREDENTIALS_MALFORMED")


class Token(str):
    pass


# RFC 8941, section 4.2

class Reader:
    def __init__(self, text):
        self.text, self.at = text, 0

    def peek(self):
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self, pattern):
        found = pattern.match(self.text, self.at)
        if not found:
            malformed()
        self.at = found.end()
        return found.group()

    def expect(self, character):
        if self.peek() != character:
            malformed()
        self.at += 1

    def blanks(self, which=" "):
        while self.peek() != "" and self.peek() in which:
            self.at += 1

    def dictionary(self):
        members = {}
        self.blanks()
        while self.at < len(self.text):
            name = self.take(KEY)
            if name in members:
                malformed()
            if self.peek() == "=":
                self.at += 1
                start = self.at
                value = self.member()
                members[name] = (*value, self.text[start:self.at])
            else:
                members[name] = (True, self.parameters(), "")
            self.blanks(" \t")
            if self.at == len(self.text):
                return members
            self.expect(",")
            self.blanks(" \t")
            if self.at == len(self.text):
                malformed()
        return members

    def member(self):
        if self.peek() != "(":
            return self.item()
        self.at += 1
        items = []
        while True:
            self.blanks()
            if self.peek() == ")":
                self.at += 1
                return items, self.parameters()
            items.append(self.item())
            if self.peek() not in (" ", ")"):
                malformed()

    def item(self):
        return self.bare(), self.parameters()

    def parameters(self):
        found = {}
        while self.peek() == ";":
            self.at += 1
            self.blanks()
            name = self.take(KEY)
            if name in found:
                malformed()
            found[name] = True
            if self.peek() == "=":
                self.at += 1
                found[name] = self.bare()
        return found

    def bare(self):
        first = self.peek()
        if first == '"':
            return self.string()
        if first == ":":
            end = self.text.find(":", self.at + 1)
            if end < 0:
                malformed()
            text = self.text[self.at + 1:end]
            self.at = end + 1
            try:
                raw = base64.b64decode(text, validate=True)
            except ValueError:
                malformed()
            if base64.b64encode(raw).decode() != text:
                malformed()
            return raw
        if first == "?":
            self.at += 1
            flag = self.take(re.compile("[01]"))
            return flag == "1"
        if first == "-" or first.isdigit():
            text = self.take(NUMBER)
            whole, _, fraction = text.lstrip("-").partition(".")
            if len(whole) > (12 if fraction else 15) or len(fraction) > 3:
                malformed()
            if self.peek() == ".":
                malformed()
            return float(text) if fraction else int(text)
        return Token(self.take(TOKEN))

    def string(self):
        self.at += 1
        out = []
        while True:
            character = self.peek()
            if character == "":
                malformed()
            self.at += 1
            if character == '"':
                return "".join(out)
            if character == "\\":
                character = self.peek()
                if character not in ('"', "\\") or character == "":
                    malformed()
                self.at += 1
            elif not " " <= character <= "~":
                malformed()
            out.append(character)


def serialize(value):
    if isinstance(value, bool):
        return "?1" if value else "?0"
    if isinstance(value, Token):
        return str(value)
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, bytes):
        return ":" + base64.b64encode(value).decode() + ":"
    if isinstance(value, float):
        text = "%.3f" % value
        return text.rstrip("0") + ("0" if text.rstrip("0").endswith(".") else "")
    return str(value)


def serialize_parameters(parameters):
    return "".join(";" + name + ("" if value is True else "=" + serialize(value)) for name, value in parameters.items())


def serialize_member(value, parameters):
    if isinstance(value, list):
        inner = " ".join(serialize(item) + serialize_parameters(own) for item, own in value)
        return "(" + inner + ")" + serialize_parameters(parameters)
    return serialize(value) + serialize_parameters(parameters)


# What is signed

def judge(request, options):
    lines = {}
    for name, value in request["headers"]:
        lines.setdefault(name, []).append(value.strip(" \t"))
    inputs, signatures = ", ".join(lines.get("signature-input", [])), ", ".join(lines.get("signature", []))
    if "signature-input" not in lines and "signature" not in lines:
        raise Refused("CREDENTIALS_MISSING")
    inputs, signatures = Reader(inputs).dictionary(), Reader(signatures).dictionary()
    if len(inputs) > 8:
        malformed()
    for value, parameters, _ in inputs.values():
        if not isinstance(value, list) or len(value) > 64:
            malformed()
        for name in ("keyid", "alg", "nonce", "tag"):
            if name in parameters and (type(parameters[name]) is not str):
                malformed()
        for name in ("created", "expires"):
            if name in parameters and type(parameters[name]) is not int:
                malformed()
    for value, _, _ in signatures.values():
        if not isinstance(value, bytes):
            malformed()
    label, (components, parameters, received) = select(inputs, options)
    if label not in signatures or "created" not in parameters:
        malformed()
    if options["replayProtection"] and not parameters.get("nonce"):
        malformed()
    names = [(item, frozenset(own.items())) for item, own in components]
    if len(set(names)) != len(names):
        malformed()
    require(components, request, options)
    bases = [""]
    for item, own in components:
        if type(item) is not str:
            malformed()
        values = [value for value in values_of(item, own, request, options, lines)]
        identifier = serialize(item) + serialize_parameters(own)
        bases = [base + identifier + ": " + value + "\n" for base in bases for value in values]
    ending = '"@signature-params": ' + received
    if parameters["keyid"] not in KNOWN:
        raise Refused("AUTHENTICATION_FAILED")
    return list(dict.fromkeys(base + ending for base in bases))


def select(inputs, options):
    if options["tag"] is not None:
        fitting = [pair for pair in inputs.items() if pair[1][1].get("tag") == options["tag"]]
        if len(fitting) == 1 and "keyid" not in fitting[0][1][1]:
            raise Refused("CREDENTIALS_MISSING")
    else:
        fitting = [pair for pair in inputs.items() if pair[1][1].get("keyid") in KNOWN]
    if len(fitting) > 1:
        malformed()
    if fitting:
        return fitting[0]
    if any("keyid" in value[1] for value in inputs.values()):
        raise Refused("AUTHENTICATION_FAILED")
    raise Refused("CREDENTIALS_MISSING")


def require(components, request, options):
    covered = {item for item, own in components if not own}
    has_query = "?" in request["path"]
    target = {"@target-uri", "@request-target"} & covered
    met = ("@method" in covered and {"@authority", "@target-uri"} & covered
           and (target or ("@path" in covered and ("@query" in covered or not has_query)))
           and (not request["body"] or "content-digest" in covered) and covered >= set(options["coverAlso"]))
    if not met:
        malformed()


def values_of(item, own, request, options, lines):
    method, path, authority = request["method"], request["path"], request["authority"]
    scheme = options["scheme"]
    normal = authority.lower()
    if normal.endswith(":" + PORTS[scheme]):
        normal = normal[: -len(PORTS[scheme]) - 1]
    if item.startswith("@"):
        if item not in DERIVED:
            malformed()
        if item == "@query-param":
            return [query_param(own, path)]
        if own:
            malformed()
        bare, mark, query = path.partition("?")
        return {
            "@method": [method], "@authority": [normal], "@scheme": [scheme], "@request-target": [path],
            "@path": [bare or "/"], "@query": ["?" + query],
            "@target-uri": [scheme + "://" + one + path for one in (authority, normal)],
        }[item]
    if item != item.lower() or item in UNSIGNABLE or item.startswith(UNSIGNABLE_PREFIXES):
        malformed()
    found = [authority] if item == "host" else lines.get(item)
    if not found:
        malformed()
    if not own:
        return [", ".join(found)]
    if own == {"bs": True}:
        return [", ".join(serialize(line.encode("latin1")) for line in found)]
    members = Reader(", ".join(found)).dictionary()
    if own == {"sf": True}:
        return [", ".join(name + (serialize_parameters(inside) if value is True else "=" + serialize_member(value, inside))
                          for name, (value, inside, _) in members.items())]
    if set(own) == {"key"} and type(own["key"]) is str and own["key"] in members:
        value, inside, _ = members[own["key"]]
        return [serialize_member(value, inside)]
    malformed()


def query_param(own, path):
    if set(own) != {"name"} or type(own["name"]) is not str:
        malformed()
    pairs = [pair.partition("=") for pair in path.partition("?")[2].split("&") if pair]
    fitting = [value for name, _, value in pairs if form_encode(form_decode(name)) == own["name"]]
    if len(fitting) != 1:
        malformed()
    return form_encode(form_decode(fitting[0]))


def form_decode(text):
    return re.sub(b"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m.group(1), 16)]),
                  text.replace("+", " ").encode("latin1")).decode("utf-8", "replace")


def form_encode(text):
    return "".join(chr(byte) if re.match(r"[A-Za-z0-9*\-._]", chr(byte)) else "%%%02X" % byte
                   for byte in text.encode("utf-8"))


# Requests

FIELDS = [["content-type", "application/json"], ["x-note", "a  b"], ["x-note", ' "quoted\\" '], ["priority", "u=1, i"],
          ["priority", "i;a=1, u=(1 2);b"], ["accept", "a/b,c/d"], ["x-empty", ""], ["date", "Sun, 29 Nov 2026 12:00:00 GMT"],
          ["x-bytes", "caf\xe9"], ["cache-control", "no-cache, max-age=1"], ["content-length", "3"]]
PATHS = ["/", "/orders", "/orders/1?a=1&b=2", "/a%20b?x=%7E&y=a+b&x2", "/?", "/p?q=%C3%A4&q=2", "/p;v=1?z=:", "/o?n=1&=2&n%31=3"]
# Components of fields that are there, and those that nothing makes right.
GOOD = [("priority", '"priority";key="i"'), ("priority", '"priority";sf'), ("x-note", '"x-note";bs'), ("x-bytes", '"x-bytes";bs'),
        ("content-digest", '"content-digest";key="sha-256"'), ("content-digest", '"content-digest";bs')]
QUERY_NAMES = {"/orders/1?a=1&b=2": ["a", "b"], "/a%20b?x=%7E&y=a+b&x2": ["x", "y", "x2"], "/o?n=1&=2&n%31=3": ["n", "n1", ""]}
BAD = ['"priority";key="u"', '"@query-param";name="q"', '"@query-param"', '"x2"', '"@status"', '"@method";req', '"authorization"',
       '"X-Note"', '"@path";sf', '"content-type";tr', '"x-envoy-a"', "x-note", "1", '"x-note";sf', '"@method"', '"host";key="a"']
PARAMETERS = [
    ("keyid", 1.0, ['"partner-7f3a"'] * 8 + ['"https://keys.example/acme#1"'], ['"nobody"', "tok", '""']),
    ("alg", 0.4, ['"ed25519"'], ["1"]), ("nonce", 0.7, ['"n-1"'], ['""', ":AAAA:"]),
    ("tag", 0.7, ['"app"'], ['"other"', "app"]), ("expires", 0.3, ["1796000300"], ['"x"', "1.5"]),
    ("x-unknown", 0.1, ["?0", "1.50", "a/b", '"\\""'], ["?2"])]
HOSTS = ["api.example.com", "API.Example.com", "api.example.com:443", "api.example.com:80", "api.example.com:8443", "[::1]:443"]


def make(pick):
    is_faulty = pick.random() < 0.5
    body = pick.random() < 0.4
    path = pick.choice(PATHS)
    headers = [list(pair) for pair in pick.sample(FIELDS, pick.randrange(0, 6))]
    if body:
        headers.append(["content-digest", "sha-256=:" + base64.b64encode(bytes(32)).decode() + ":"])
    options = {"scheme": pick.choice(["https", "https", "http"]), "tag": pick.choice([None, None, None, "app"]),
               "coverAlso": pick.choice([[], [], ["content-type"], ["date"]]), "replayProtection": pick.random() < 0.2}
    components = ['"@method"', *pick.choice([
        ['"@target-uri"'], ['"@authority"', '"@path"', '"@query"'], ['"@authority"', '"@request-target"'],
        ['"@authority"', '"@path"'], ['"@target-uri"', '"@authority"']])]
    if body and not (is_faulty and pick.random() < 0.1):
        components.append('"content-digest"')
    components += [json.dumps(name) for name in options["coverAlso"] if not (is_faulty and pick.random() < 0.2)]
    extra = [json.dumps(name) for name in dict.fromkeys(name for name, _ in headers) if name != "content-digest"]
    extra += ['"@scheme"', '"host"'] + [one for name, one in GOOD if any(name == own for own, _ in headers)]
    extra += ['"@query-param";name="%s"' % name for name in QUERY_NAMES.get(path, [])]
    components += [one for one in pick.sample(extra, pick.randrange(0, min(4, len(extra)))) if one not in components]
    if is_faulty:
        components += pick.sample(BAD + extra, pick.choice([0, 0, 1, 2]))
    pick.shuffle(components)
    if is_faulty and pick.random() < 0.1:
        components.remove(pick.choice(components))
    parameters = ["created=1796000000"]
    for name, chance, right, wrong in PARAMETERS:
        if pick.random() < chance:
            parameters.append(name + "=" + pick.choice(wrong if is_faulty and pick.random() < 0.15 else right))
    if is_faulty and pick.random() < 0.1:
        parameters.append(pick.choice(["created=1", "created", 'keyid="partner-7f3a"', "a", "A=1", "b=", 'nonce="\x7f"']))
    if pick.random() < 0.3:
        pick.shuffle(parameters)
    inner = "(" + pick.choice([" ", " ", " ", "  "]).join(components) + ")"
    member = inner + "".join(pick.choice([";", ";", ";", "; "]) + one for one in parameters)
    label = pick.choice(["sig1", "sig", "a.b-c*"])
    inputs, signatures = [label + "=" + member], [label + "=:c2ln:"]
    if pick.random() < 0.2:
        other = pick.choice(['("@authority");created=1;keyid="nobody";tag="proxy"', '();created=2',
                             '("@method");keyid="partner-7f3a";created=3', '("x";req "@status");keyid="proxy";created=4'])
        inputs.append("proxy=" + other)
        signatures.append("proxy=:cA==:")
    if is_faulty and pick.random() < 0.05:
        signatures[0] = label + pick.choice(["", "=:c2ln", "=:c2l:", "=:c2lo=:", '="c2ln"', "=:c2ln:, " + label + "=:c2ln:"])
    if pick.random() < 0.5:
        headers.append(["signature-input", ", ".join(inputs)])
        headers.append(["signature", pick.choice([", ", ",", " ,\t"]).join(signatures)])
    else:
        headers += [["signature-input", one] for one in inputs] + [["signature", one] for one in signatures]
    pick.shuffle(headers)
    if is_faulty and pick.random() < 0.05:
        headers = [pair for pair in headers if pair[0] not in ("signature", pick.choice(["signature-input", ""]))]
    request = {"method": pick.choice(["GET", "POST", "PATCH", "get"]), "path": path, "authority": pick.choice(HOSTS),
               "body": "abc" if body else "", "headers": headers}
    try:
        verdict = {"bases": judge(request, options)}
    except Refused as refusal:
        verdict = {"refused": str(refusal)}
    return {"request": request, "options": options, "verdict": verdict}


if __name__ == "__main__":
    chooser = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 9421)
    for _ in range(int(sys.argv[1])):
        sys.stdout.write(json.dumps(make(chooser)) + "\n")
