"""All of vectors.json that a request by curl can express, under every shell."""

import base64
import concurrent.futures
import hashlib
import json
import os
import unittest

from harness import SHELLS, VECTORS, Folder

# The cases that only test a library: a helper that writes parameters.
CASES = [case for case in json.loads(VECTORS.read_text())["cases"] if "request" in case]


def body_bytes(body):
    if "text" in body:
        return body["text"].encode()
    if "base64" in body:
        return base64.b64decode(body["base64"])
    return (body["repeat"] * body["times"]).encode()


def arguments_of(case, body_file):
    client, request = case["client"], case["request"]
    arguments = ["--method", client["method"], "--secret-from", "env:APP_SECRET"]
    if client["method"] != "key":
        arguments += ["--app-key", client["appKey"]]
    for name in client.get("signedHeaders", []):
        arguments += ["--sign-header", name]
    if "algorithm" in client:
        arguments += ["--algorithm", client["algorithm"]]
    if client.get("nonce"):
        arguments.append("--nonce")
    if client.get("encoding") == "raw":
        arguments.append("--raw")
    for kind, name in client.get("carrier", {}).items():
        arguments += ["--key-" + {"header": "header", "query": "parameter"}[kind], name]
    arguments += ["--", "-X", request["method"]]
    for name, value in request["headers"]:
        arguments += ["-H", "%s: %s" % (name, value) if value else name + ";"]
    if "body" in request:
        if not any(name.lower() == "content-type" for name, _ in request["headers"]):
            arguments += ["-H", "Content-Type:"]
        arguments += ["--data-binary", "@" + str(body_file)]
    return arguments + [request["url"]]


def configured(text):
    """The settings that curl was given, as a list of pairs."""
    pairs = []
    for line in text.splitlines():
        name, found, value = line.partition(" = ")
        if found:
            value = value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        pairs.append((name, value))
    return pairs


def check(shell, case):
    """What is wrong with one case; None when nothing is."""
    folder = Folder(shell)
    try:
        folder.fix(case["now"], case.get("nonce", ""))
        body_file = folder.root / "given"
        body = body_bytes(case["request"].get("body", {"text": ""}))
        body_file.write_bytes(body)
        client = case["client"]
        secret = client["appKey"] if client["method"] == "key" else client["appSecret"]
        run = folder.run(arguments_of(case, body_file), secret=secret)
        if os.listdir(folder.temporary):
            return "files were left behind"
        if "problem" in case:
            right = run.returncode == 125 and run.stderr.decode().startswith("postern-curl: %s: " % case["problem"])
            return None if right else "no %s: exit code %d, %s" % (case["problem"], run.returncode, run.stderr.decode())
        if run.returncode != 0 or run.stderr:
            return "exit code %d, %s" % (run.returncode, run.stderr.decode())
        pairs = configured((folder.root / "config").read_text(encoding="latin1"))
        sent = folder.root / "body"
        sent_body = sent.read_bytes() if sent.exists() else b""
        if client["method"] == "key":
            sent_body = body  # curl reads it by itself
        return difference(case, pairs, sent_body, body)
    finally:
        folder.close()


def difference(case, pairs, sent_body, body):
    signed = case["signed"]
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
    want = signed.get("body")
    if want and "sha256" in want:
        right = hashlib.sha256(sent_body).hexdigest() == want["sha256"] and len(sent_body) == want["length"]
    else:
        right = sent_body == (body_bytes(want) if want else body)
    return None if right else "another body: %r" % sent_body[:200]


class Vectors(unittest.TestCase):
    def run_all(self, shell):
        self.assertGreaterEqual(len(CASES), 451)
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            for case, fault in zip(CASES, pool.map(lambda each: check(shell, each), CASES)):
                with self.subTest(case["name"]):
                    self.assertIsNone(fault)


for each in SHELLS:
    setattr(Vectors, "test_" + each.replace(" ", "_"), lambda self, shell=each: self.run_all(shell))

if __name__ == "__main__":
    unittest.main()
