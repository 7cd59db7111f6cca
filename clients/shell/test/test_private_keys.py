"""Private keys beyond their vectors: who sees them, and what signs in place of them."""

import base64
import json

from harness import PUBLIC_KEY_VECTORS, find
from test_public_key_vectors import verifies
from test_script import ScriptTest

KEYS = json.loads(PUBLIC_KEY_VECTORS.read_text())["keys"]
MESSAGE = ["--method", "http-message-signature", "--app-key", "https://keys.example/acme#1"]
TOKENS = ["--method", "private-key-jwt", "--app-key", "a & b"]
QUIET = ["--", "-sSo", "/dev/null"]


def part(key, name="d"):
    return base64.urlsafe_b64decode(KEYS[key]["jwk"][name] + "==")


class PrivateKeys(ScriptTest):
    def test_no_process_sees_a_private_key(self):
        def work():
            self.folder.watch()
            file = self.folder.root / "key.pem"
            for key in KEYS:
                file.write_text(KEYS[key]["pem"])
                for source, secret in [
                    ("env:APP_SECRET", json.dumps(KEYS[key]["jwk"])),
                    ("env:APP_SECRET", KEYS[key]["pem"]),
                    ("file:%s" % file, None),
                ]:
                    log = self.folder.root / "log"
                    log.write_bytes(b"")
                    arguments = MESSAGE + ["--private-key", source] + QUIET + ["-d", "x", self.server.url]
                    request = self.send(arguments, secret=secret)
                    self.assertIn("Signature", request["headers"])
                    seen = log.read_bytes()
                    self.assertIn(b"\nopenssl\n", b"\n" + seen)
                    raw = part(key)
                    forms = [line.encode() for line in KEYS[key]["pem"].split("\n")[1:-2]]
                    forms += [raw.hex().encode(), base64.b64encode(raw)[:40], KEYS[key]["jwk"]["d"].encode()]
                    forms += ["".join("\\%03o" % each for each in raw[:8]).encode()]
                    forms += [b" ".join(b"%02x" % each for each in raw)]
                    for form in forms:
                        self.assertFalse(form in seen, "%s %s shows the key" % (key, source))

        self.each_shell(work)

    def test_a_command_signs_in_place_of_a_key(self):
        openssl = find("openssl")

        def work():
            for key, algorithm, arguments in [
                ("ed25519", "ed25519", "cat >%s/t && %s pkeyutl -sign -rawin -inkey %s -in %s/t"),
                ("p256", "ecdsa-p256-sha256", "cat >%s/t && %s dgst -sha256 -sign %s %s/t"),
                ("p384", "ecdsa-p384-sha384", "cat >%s/t && %s dgst -sha384 -sign %s %s/t"),
            ]:
                file, root = self.folder.root / "key.pem", self.folder.root
                file.write_text(KEYS[key]["pem"])
                command = ["--sign-with", arguments % (root, openssl, file, root), "--algorithm", algorithm]
                request = self.send(MESSAGE + command + QUIET + ["-d", "x", self.server.url + "/a?b"], secret=None)
                signature = base64.b64decode(request["headers"]["Signature"][len("sig1=:") : -1])
                given = request["headers"]["Signature-Input"][len("sig1=") :]
                lines = ["POST", self.server.url[len("http://") :], "/a", "?b", request["headers"]["Content-Digest"]]
                names = ["@method", "@authority", "@path", "@query", "content-digest"]
                text = "".join('"%s": %s\n' % each for each in zip(names, lines)) + '"@signature-params": ' + given
                self.assertTrue(verifies(algorithm, key, text.encode(), signature))

        self.each_shell(work)

    def test_a_command_that_signs_nothing_is_a_problem(self):
        def work():
            for command in ["exit 3", "echo short", ":", "nowhere-to-be-found 2>/dev/null"]:
                for arguments, algorithm in [
                    (MESSAGE, "ecdsa-p256-sha256"),
                    (MESSAGE, "rsa-pss-sha512"),
                    (TOKENS, "EdDSA"),
                ]:
                    given = ["--sign-with", command, "--algorithm", algorithm]
                    url = ["--token-url", self.server.url] if arguments is TOKENS else []
                    self.refused("SIGNER_FAILED", arguments + url + given + ["--", self.server.url], secret=None)

        self.each_shell(work)

    def test_settings_that_do_not_fit_are_refused(self):
        def work():
            key = ["--private-key", "env:APP_SECRET"]
            for arguments in [
                MESSAGE,
                MESSAGE + ["--secret-from", "env:APP_SECRET"],
                MESSAGE + key + ["--secret-from", "env:APP_SECRET"],
                MESSAGE + key + ["--sign-with", "x"],
                MESSAGE + ["--sign-with", "x"],
                MESSAGE + key + ["--audience", "a"],
                MESSAGE + key + ["--token-url", "https://h/t"],
                TOKENS + key,
                TOKENS + key + ["--token-url", "https://h/t", "--tag", "a"],
                TOKENS + key + ["--token-url", "https://h/t", "--nonce"],
                ["--method", "hmac", "--app-key", "app"] + key,
                ["--method", "hmac", "--app-key", "app", "--secret-from", "env:APP_SECRET", "--cover", "host"],
            ]:
                self.refused("INVALID_CREDENTIAL", arguments + ["--", self.server.url], secret=KEYS["ed25519"]["pem"])

        self.each_shell(work)

    def test_a_printed_command_holds_a_signature_but_no_key_and_no_assertion(self):
        def work():
            pem = KEYS["ed25519"]["pem"]
            key = ["--private-key", "env:APP_SECRET", "--print"]
            for arguments in [MESSAGE + key, TOKENS + key + ["--token-url", "https://h/t"]]:
                run = self.folder.run(arguments + ["--", "https://h/x"], secret=pem)
                self.assertEqual((run.returncode, run.stderr), (0, b""))
                self.assertNotIn(pem.split("\n")[1].encode(), run.stdout)
                self.assertEqual(b"[secret]" in run.stdout, arguments[1] == "private-key-jwt")
                self.assertEqual(b"Signature: sig1=:" in run.stdout, arguments[1] != "private-key-jwt")

        self.each_shell(work)


# Its tests run where it stands.
del ScriptTest
