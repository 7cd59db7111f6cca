"""All of public-key-vectors.json that a request by curl can express, under the shells in turn."""

import base64
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.parse

from harness import PUBLIC_KEY_VECTORS, SHELLS, Folder, find
from test_vectors import body_bytes, configured

DOCUMENT = json.loads(PUBLIC_KEY_VECTORS.read_text())
KEYS = DOCUMENT["keys"]
CASES = DOCUMENT["cases"]
OPTIONS = {"algorithm": "--algorithm", "tag": "--tag", "label": "--label", "audience": "--audience"}


def key_text(key):
    given = KEYS[key["key"]] if "key" in key else key
    return json.dumps(given["jwk"]) if key.get("as", "jwk" if "jwk" in key else "pem") == "jwk" else given["pem"]


def arguments_of(case, body_file):
    client = case["client"]
    arguments = ["--method", client["method"], "--app-key", client["appKey"], "--private-key", "env:APP_SECRET"]
    for name, option in OPTIONS.items():
        if name in client:
            arguments += [option, client[name]]
    for name in client.get("coverAlso", []):
        arguments += ["--cover", name]
    if client.get("nonce") is False:
        arguments.append("--no-nonce")
    if "tokenUrl" in client:
        arguments += ["--token-url", client["tokenUrl"]]
    request = case.get("request", {"method": "GET", "url": "https://api.example.com/x", "headers": []})
    arguments += ["--", "-X", request["method"]]
    for name, value in request["headers"]:
        arguments += ["-H", "%s: %s" % (name, value) if value else name + ";"]
    if "body" in request:
        if not any(name.lower() == "content-type" for name, _ in request["headers"]):
            arguments += ["-H", "Content-Type:"]
        arguments += ["--data-binary", "@" + str(body_file)]
    return arguments + [request["url"]]


def verifies(algorithm, key, text, signature):
    """Whether openssl says so."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "public").write_text(KEYS[key]["publicPem"])
        (folder / "text").write_bytes(text)
        (folder / "signature").write_bytes(der(signature) if re.match("ES|ecdsa", algorithm) else signature)
        files = ["-signature", str(folder / "signature"), str(folder / "text")]
        if algorithm in ("ed25519", "EdDSA"):
            command = ["pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", str(folder / "public")]
            command += ["-sigfile", str(folder / "signature"), "-in", str(folder / "text")]
        else:
            command = ["dgst", "-sha" + algorithm[-3:], "-verify", str(folder / "public")]
            if re.match("PS|rsa-pss", algorithm):
                command += ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"]
            command += files
        return subprocess.run([find("openssl")] + command, capture_output=True).returncode == 0


def der(numbers):
    half = len(numbers) // 2
    parts = b""
    for number in (numbers[:half], numbers[half:]):
        digits = number.lstrip(b"\0")
        digits = b"\0" + digits if digits[:1] >= b"\x80" else digits
        parts += bytes([2, len(digits)]) + digits
    return bytes([0x30, len(parts)]) + parts


def check(shell, case):
    """What is wrong with one case; None when nothing is."""
    folder = Folder(shell)
    try:
        folder.fix(case.get("now", 0), case.get("nonce", ""))
        body_file = folder.root / "given"
        body = body_bytes(case.get("request", {}).get("body", {"text": ""}))
        body_file.write_bytes(body)
        if "acceptSignature" in case:
            answer = "HTTP/1.1 401 Unauthorized\r\nAccept-Signature: %s\r\n\r\n" % case["acceptSignature"]
            (folder.root / "refusal").write_bytes(answer.encode("latin1"))
        run = folder.run(arguments_of(case, body_file), secret=key_text(case["client"]["privateKey"]))
        if os.listdir(folder.temporary):
            return "files were left behind"
        if "problem" in case:
            right = run.returncode == 125 and run.stderr.decode().startswith("postern-curl: %s: " % case["problem"])
            return None if right else "no %s: exit code %d, %s" % (case["problem"], run.returncode, run.stderr.decode())
        if not (folder.root / "config").exists():
            return "exit code %d, %s" % (run.returncode, run.stderr.decode())
        pairs = configured((folder.root / "config").read_text(encoding="latin1"))
        if "assertion" in case:
            return other_assertion(case["assertion"], pairs)
        if run.returncode != 0 or run.stderr:
            return "exit code %d, %s" % (run.returncode, run.stderr.decode())
        calls = len((folder.root / "calls").read_text())
        if calls != (2 if case.get("acceptSignature") is not None and case["signed"] is not None else 1):
            return "%d calls" % calls
        if case["signed"] is None:
            return None if b"CREDENTIALS_MALFORMED" in run.stdout else "the refusal is lost: %r" % run.stdout
        if "acceptSignature" in case and run.stdout:
            return "the first answer was printed: %r" % run.stdout
        sent = folder.root / "body"
        return difference(case, pairs, sent.read_bytes() if sent.exists() else b"", body)
    finally:
        folder.close()


def other_assertion(expected, pairs):
    form = dict(urllib.parse.parse_qsl("&".join(value for name, value in pairs if name == "data")))
    jwt = form.pop("client_assertion")
    text, _, signature = jwt.rpartition(".")
    if form["grant_type"] != "client_credentials" or list(form) != ["grant_type", "client_id", "client_assertion_type"]:
        return "another form: %r" % form
    if any(name == "header" and value.lower().startswith("authorization") for name, value in pairs):
        return "there is an Authorization"
    if text != expected["signingInput"] or jwt != expected.get("jwt", jwt):
        return "another assertion: %s" % jwt
    signed = base64.urlsafe_b64decode(signature + "=" * (-len(signature) % 4))
    right = verifies(expected["algorithm"], expected["key"], text.encode(), signed)
    return None if right else "it does not verify"


def difference(case, pairs, sent_body, body):
    signed, signature = case["signed"], case["signature"]
    target = dict(pairs)["request-target"]
    if target != signed["target"]:
        return "target %r, want %r" % (target, signed["target"])
    headers = {}
    for name, value in pairs:
        if name == "header":
            key, _, text = value.partition(":")
            headers.setdefault(key.lower(), []).append(text.strip())
    for name, value in signed["headers"]:
        if headers.get(name.lower()) != [value]:
            return "%s %r, want %r" % (name, headers.get(name.lower()), value)
    start = signature["label"] + "=:"
    [value] = headers["signature"]
    if not value.startswith(start) or not value.endswith(":"):
        return "Signature %r" % value
    given = base64.b64decode(value[len(start) : -1], validate=True)
    if not verifies(signature["algorithm"], signature["key"], case["stringToSign"].encode("latin1"), given):
        return "it does not verify"
    return None if sent_body == body else "another body: %r" % sent_body[:200]


class PublicKeyVectors(unittest.TestCase):
    def run_all(self, shell):
        self.assertGreater(len(CASES), 250)
        cases = CASES[list(SHELLS).index(shell) :: len(SHELLS)]
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            for case, fault in zip(cases, pool.map(lambda each: check(shell, each), cases)):
                with self.subTest(case["name"]):
                    self.assertIsNone(fault)


for each in SHELLS:
    setattr(PublicKeyVectors, "test_" + each.replace(" ", "_"), lambda self, shell=each: self.run_all(shell))

if __name__ == "__main__":
    unittest.main()
