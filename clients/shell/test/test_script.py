"""What vectors do not show: where secrets go, what is sent to the byte, and what is refused."""

import base64
import hashlib
import hmac
import os
import subprocess
import unittest

from harness import SCRIPT, SHELLS, TOKEN_SECRET, Folder, Server, executable

SECRET = "geheim-schlüssel-'\"\\$`%s-12"
HMAC = ["--method", "hmac", "--app-key", "app", "--secret-from", "env:APP_SECRET"]
PARAMETERS = ["--method", "parameter-signature", "--app-key", "app", "--secret-from", "env:APP_SECRET"]
KEY = ["--method", "key", "--secret-from", "env:APP_SECRET"]


class ScriptTest(unittest.TestCase):
    """Runs every test under every shell."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def each_shell(self, work):
        for shell in SHELLS:
            with self.subTest(shell):
                self.folder = Folder(shell)
                self.server.requests.clear()
                try:
                    work()
                    self.assertEqual(os.listdir(self.folder.temporary), [], "files were left behind")
                finally:
                    self.folder.close()

    def send(self, arguments, secret=SECRET, **more):
        """Runs the script, and gives the request that the server got last."""
        run = self.folder.run(arguments, secret=secret, **more)
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        return self.server.requests[-1]

    def refused(self, code, arguments, secret=SECRET, **more):
        run = self.folder.run(arguments, secret=secret, **more)
        self.assertEqual(run.returncode, 125, run)
        self.assertTrue(run.stderr.decode().startswith("postern-curl: %s: " % code), run.stderr)
        self.assertEqual((self.server.requests, run.stdout), ([], b""))
        if secret:
            self.assertNotIn(secret.encode(), run.stderr)

    def assert_verifies(self, request, body):
        """The signature is right for what the server got."""
        headers = request["headers"]
        digest = "SHA-256=" + base64.b64encode(hashlib.sha256(body).digest()).decode()
        text = "date: %s\n%s %s HTTP/1.1" % (headers["Date"], request["method"], request["target"])
        names = "date request-line"
        if body:
            text, names = text + "\ndigest: " + digest, names + " digest"
        mac = base64.b64encode(hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).digest()).decode()
        self.assertEqual(request["body"], body)
        self.assertEqual(
            headers["Authorization"],
            'hmac appkey="app", algorithm="hmac-sha256", headers="%s", signature="%s"' % (names, mac),
        )


class Bodies(ScriptTest):
    def test_bodies_are_signed_and_sent_to_the_byte(self):
        every = bytes(range(256)) + b"\n\n"

        def work():
            given = self.folder.root / "a file"
            given.write_bytes(every)
            url = self.server.url + "/x?a=%c3&b={1}[2]/../y"
            for arguments, stdin, body in [
                (["--data-binary", "@%s" % given], b"", every),
                (["--data-binary", "@-"], every, every),
                (["-T", "-"], every, every),
                (["-T", str(given), "-X", "POST"], b"", every),
                (["-d", "@%s" % given], b"", every.replace(b"\0", b"").replace(b"\r", b"").replace(b"\n", b"")),
                (["-d", "a=1", "--data-raw", "@b", "-d", ""], b"", b"a=1&@b&"),
                (["-da\n\n"], b"", b"a\n\n"),
                (["--json", "{}", "--json", " "], b"", b"{} "),
                (
                    [
                        "--data-urlencode",
                        "to=Köln 1+&=",
                        "--data-urlencode",
                        "=x y",
                        "--data-urlencode",
                        "a@%s" % given,
                    ],
                    b"",
                    b"to=K%C3%B6ln%201%2B%26%3D&x%20y&a=" + self.encoded(every),
                ),
            ]:
                request = self.send(HMAC + ["--", "-sS", "-o", "/dev/null"] + arguments + [url], stdin=stdin)
                self.assertEqual(request["target"], "/x?a=%c3&b={1}[2]/../y")
                self.assert_verifies(request, body)

        self.each_shell(work)

    @staticmethod
    def encoded(text):
        plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        return b"".join(bytes([each]) if each in plain else b"%%%02X" % each for each in text)

    def test_methods_and_content_types_are_those_of_curl(self):
        def work():
            for arguments, method, content_type in [
                ([], "GET", None),
                (["-I"], "HEAD", None),
                (["-XHEAD"], "HEAD", None),
                (["-XDELETE"], "DELETE", None),
                (["-d", "x"], "POST", "application/x-www-form-urlencoded"),
                (["--json", "x"], "POST", "application/json"),
                (["-d", "x", "-H", "Content-Type: text/plain"], "POST", "text/plain"),
                (["-d", "x", "-H", "Content-Type:"], "POST", None),
                (["-T", "-"], "PUT", None),
                (["-Gd", "x=1"], "GET", None),
                (["-X", "PUT", "-d", "x"], "PUT", "application/x-www-form-urlencoded"),
            ]:
                request = self.send(HMAC + ["--", "-sSo", "/dev/null"] + arguments + [self.server.url], stdin=b"y")
                self.assertEqual(
                    (request["method"], request["headers"].get("Content-Type")), (method, content_type), arguments
                )
                self.assertEqual(request["target"], "/?x=1" if "-Gd" in arguments else "/")
                self.assert_verifies(request, request["body"])

        self.each_shell(work)

    def test_a_printed_command_sends_the_same(self):
        def work():
            url = self.server.url + "/it's?x=$a"
            run = self.folder.run(
                HMAC + ["--print", "--", "-sS", "-H", 'X-A: it\'s  "$b"', "-H", "X-Empty;", "-d", "it's\n\n", url],
                secret=SECRET,
            )
            self.assertEqual((run.returncode, run.stderr, self.server.requests), (0, b"", []))
            subprocess.run(["sh", "-c", run.stdout], check=True, capture_output=True)
            request = self.server.requests[0]
            self.assert_verifies(request, b"it's\n\n")
            self.assertEqual((request["headers"]["X-A"], request["headers"]["X-Empty"]), ('it\'s  "$b"', ""))

        self.each_shell(work)


class Secrets(ScriptTest):
    def test_no_process_sees_a_secret(self):
        oauth2 = ["--method", "oauth2", "--app-key", "app", "--token-url", self.server.url + "/oauth2/token"]

        def work():
            self.folder.watch()
            file = self.folder.root / "secret"
            file.write_text(SECRET + "\n")
            key, long = "a-secret-App-Key", SECRET + "x" * 200
            token = base64.b64encode(("app:" + "a%20b%2Bc-secret-12").encode()).decode()
            url = self.server.url + "/x"
            for arguments, secret, hidden in [
                (HMAC + ["--nonce", "--", "-d", "x"], SECRET, [SECRET]),
                (HMAC[:4] + ["--secret-from", "file:%s" % file, "--"], None, [SECRET]),
                (HMAC + ["--"], long, [long]),
                (PARAMETERS + ["--", "--json", "{}"], SECRET, [SECRET]),
                (PARAMETERS + ["--", "-d", "a=1"], SECRET, [SECRET]),
                (KEY + ["--"], key, [key]),
                (KEY + ["--key-parameter", "k", "--", "-d", "x"], key, [key]),
                (
                    oauth2 + ["--secret-from", "env:APP_SECRET", "--"],
                    TOKEN_SECRET,
                    [TOKEN_SECRET, "a%20b%2Bc", "token-1", token],
                ),
            ]:
                log = self.folder.root / "log"
                log.write_bytes(b"")
                self.send(arguments + ["-sSo", "/dev/null", url], secret=secret)
                seen = log.read_bytes()
                for tool in [b"openssl", b"od", b"awk", b"curl"]:
                    if tool != b"openssl" or arguments[1] != "key":
                        self.assertTrue(b"\n" + tool + b"\n" in b"\n" + seen, tool)
                for each in hidden:
                    raw = each.encode()
                    for form in [raw, raw.hex().encode(), b" ".join(b"%02x" % b for b in raw), base64.b64encode(raw)]:
                        self.assertFalse(form in seen, "%s shows %r" % (arguments, form))
                pad = "".join("\\%03o" % (each ^ 0x36) for each in hidden[0].encode()[:8]).encode()
                self.assertFalse(pad in seen, "%s shows the padded key" % arguments)

        self.each_shell(work)

    def test_no_secret_is_printed(self):
        oauth2 = [
            "--method",
            "oauth2",
            "--app-key",
            "app",
            "--secret-from",
            "env:APP_SECRET",
            "--token-url",
            "https://h/t",
        ]

        def work():
            for arguments in [HMAC, PARAMETERS, KEY, KEY + ["--key-parameter", "k"], oauth2]:
                secret = "a-secret-App-Key"
                run = self.folder.run(arguments + ["--print", "--", "https://h/x?a=1"], secret=secret)
                self.assertEqual((run.returncode, run.stderr), (0, b""))
                self.assertNotIn(secret.encode(), run.stdout)
                self.assertEqual(b"[secret]" in run.stdout, arguments[1] in ("key", "oauth2"))

        self.each_shell(work)

    def test_secrets_are_checked(self):
        def work():
            for secret in ["", " x", "x ", "x\n", "\tx", "a\nb", "a\x7fb", "a\u0085b", "x\u00a0", "\u3000x", "x\u2028"]:
                self.refused("INVALID_CREDENTIAL", HMAC + ["--", self.server.url], secret=secret)
            run = self.folder.run(HMAC + ["--", self.server.url], secret=None)
            self.assertIn(b"INVALID_CREDENTIAL: the secret is empty", run.stderr)
            file = self.folder.root / "secret"
            for content in [b"a\0b", b"abc\n\n", b"abc\r\n", b"\xff", b"", b"\xc3"]:
                file.write_bytes(content)
                self.refused(
                    "INVALID_CREDENTIAL", HMAC[:4] + ["--secret-from", "file:%s" % file, "--", self.server.url]
                )
            for source in ["file:/nowhere", "env:", "env:A;B", "env:1A"]:
                self.refused("INVALID_CREDENTIAL", HMAC[:4] + ["--secret-from", source, "--", self.server.url])
            for source in ["", SECRET, "APP_SECRET"]:
                self.refused("USAGE", HMAC[:4] + ["--secret-from", source, "--", self.server.url])
            file.write_text("two words é\u00e0\n")
            self.send(HMAC[:4] + ["--secret-from", "file:%s" % file, "--", "-so", "/dev/null", self.server.url])

        self.each_shell(work)


class Refusals(ScriptTest):
    def test_what_would_break_a_signature_is_refused(self):
        url = self.server.url + "/x"

        def work():
            for arguments in [
                ["-L", url],
                ["--location", url],
                ["-sSL", url],
                ["-u", "a:b", url],
                ["-K", "f", url],
                ["--retry", "3", url],
                ["-b", "a=b", url],
                ["--unknown", url],
                [url, url],
                [],
                ["-H"],
                ["--data-binary"],
                ["-d", "@/nowhere", url],
                ["--data-urlencode", "a@/nowhere", url],
                ["-T", "/nowhere", url],
                ["-H", "no colon", url],
                ["-H", "@file", url],
                ["-H", "a b: c", url],
                ["-H", "X: a\nY: b", url],
                ["-I", "-d", "x", url],
                ["-X", "A B", url],
                ["ftp://h/", "-s"],
                ["http:///x"],
                ["http://user:pass@h/x"],
            ]:
                self.refused("USAGE", HMAC + ["--"] + arguments)
            self.refused("BODY_NOT_SIGNABLE", HMAC + ["--", "-F", "a=b", url])
            self.refused("TARGET_NOT_SIGNABLE", HMAC + ["--", url + "?a b"])
            self.refused("TARGET_NOT_SIGNABLE", HMAC + ["--", url + "/é"])
            self.refused("TARGET_NOT_SIGNABLE", HMAC + ["--", "-G", "-d", "a b", url])
            self.refused(
                "BODY_NOT_SIGNABLE",
                PARAMETERS + ["--", "-d", "a", "-H", "Content-Type: application/json; charset=x", url],
            )
            self.refused(
                "BODY_NOT_SIGNABLE", PARAMETERS + ["--", "-d", "a", "-H", "Content-Type: application/json, text/x", url]
            )
            self.refused("HEADER_NOT_SIGNABLE", HMAC + ["--sign-header", "user-agent", "--", url])
            for host in ["127.1", "0x7f.0.0.1", "2130706433", "127.0.0.01", "h:", "h:080", "[0:0:0:0:0:0:0:1]", "a%2eb"]:
                self.refused("TARGET_NOT_SIGNABLE", HMAC + ["--sign-header", "host", "--", "http://%s/x" % host])
            for arguments in [
                KEY + ["--nonce"],
                HMAC + ["--raw"],
                HMAC + ["--algorithm", "md5"],
                PARAMETERS + ["--sign-header", "a"],
                ["--method", "oauth2"] + HMAC[2:],
                HMAC + ["--app-key", "a b"],
                HMAC + ["--app-key", "k" * 513],
            ]:
                self.refused("INVALID_CREDENTIAL", arguments + ["--", url])
            for arguments in [["--method", "x"], ["--unknown"], KEY + ["--app-key", "a"], [url], ["--method"]]:
                self.refused("USAGE", arguments)

        self.each_shell(work)

    def test_a_proxy_gets_the_whole_url(self):
        proxy = {"http_proxy": self.server.url}

        def work():
            for arguments, variables in [([], proxy), (["-x", self.server.url], {}), (["--proxy", self.server.url], {})]:
                for given, sent in [("api.example.com:80/a/../b?", "api.example.com/a/../b?"), ("[::1]:90/a", "[::1]:90/a")]:
                    url = ["http://" + given]
                    done = self.folder.run(HMAC + ["--sign-header", "host", "--"] + arguments + url, SECRET, **variables)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    request = self.server.requests.pop()
                    self.assertEqual(request["target"], "http://" + sent)
                    self.assertEqual(request["headers"]["Host"], sent.split("/")[0])

        self.each_shell(work)

    def test_bodies_are_counted_as_they_are_sent(self):
        form_extra = len("&appKey=app&apiTimestamp=1795228800&sign=") + 128
        wrapper_extra = len('{"data":"","appKey":"app","sign":"","apiTimestamp":1795228800}') + 128

        def work():
            given = self.folder.root / "given"
            arguments = ["--", "-so", "/dev/null", "--data-binary", "@%s" % given, self.server.url]
            json = ["-H", "Content-Type: application/json"]
            given.write_bytes(b"x" * (10485760 - form_extra + 1))
            self.refused("BODY_TOO_LARGE", PARAMETERS + arguments)
            given.write_bytes(b"x" * (10485760 - form_extra - 39 + 1) + b"&")
            self.refused("BODY_TOO_LARGE", PARAMETERS + ["--nonce"] + arguments)
            given.write_bytes(b'"' * 10 + b"x" * (2097152 - wrapper_extra - 20 + 1))
            self.refused("BODY_TOO_LARGE", PARAMETERS + arguments + json)
            given.write_bytes(b'"' * 10 + b"x" * (2097152 - wrapper_extra - 20))
            self.assertEqual(len(self.send(PARAMETERS + arguments + json)["body"]), 2097152)

        self.each_shell(work)

    def test_the_exit_code_is_that_of_curl(self):
        def work():
            run = self.folder.run(HMAC + ["--", "-s", "http://127.0.0.1:1/"], secret=SECRET)
            self.assertEqual((run.returncode, run.stdout), (7, b""))

        self.each_shell(work)

    def test_tools_that_do_not_work_end_it(self):
        def work():
            for tool, text in [
                ("openssl", "exit 1"),
                ("awk", "cat >/dev/null"),
                ("od", "exit 0"),
                ("date", "echo now"),
            ]:
                path = self.folder.bin / tool
                if path.is_symlink():
                    path.unlink()
                executable(path, "#!/bin/sh\n%s\n" % text)
                run = self.folder.run(HMAC + ["--", "-d", "x", self.server.url], secret=SECRET)
                self.assertNotEqual(run.returncode, 0, tool)
                self.assertEqual(self.server.requests, [], tool)
                path.unlink()
            self.folder.bin.rename(self.folder.root / "away")
            run = self.folder.run(HMAC + ["--", self.server.url], secret=SECRET, PATH=str(self.folder.root))
            self.assertEqual(run.stderr, b"postern-curl: USAGE: openssl is not installed\n")
            (self.folder.root / "away").rename(self.folder.bin)

        self.each_shell(work)

    def test_help(self):
        def work():
            run = self.folder.run(["--help"])
            self.assertEqual((run.returncode, run.stderr), (0, b""))
            self.assertIn(b"Usage: postern-curl --method METHOD", run.stdout)

        self.each_shell(work)


class Headers(ScriptTest):
    def test_the_script_replaces_its_own_headers_only(self):
        def work():
            request = self.send(
                HMAC
                + [
                    "--",
                    "-so",
                    "/dev/null",
                    "-H",
                    "Date: x",
                    "-H",
                    "authorization: y",
                    "-H",
                    "X-A:  b\t",
                    "-A",
                    "agent",
                    "-e",
                    "from",
                    self.server.url,
                ]
            )
            headers = request["headers"]
            self.assertEqual((headers["X-A"], headers["User-Agent"], headers["Referer"]), ("b", "agent", "from"))
            self.assert_verifies(request, b"")

        self.each_shell(work)

    def test_the_key_replaces_a_header_of_its_name(self):
        def work():
            request = self.send(
                KEY + ["--", "-so", "/dev/null", "-H", "x-app-key: mine", "-d", "@-", self.server.url],
                secret="a-key",
                stdin=b"stream",
            )
            self.assertEqual((request["headers"]["X-App-Key"], request["body"]), ("a-key", b"stream"))

        self.each_shell(work)


class Tokens(ScriptTest):
    def arguments(self, url="/oauth2/token"):
        return [
            "--method",
            "oauth2",
            "--app-key",
            "app",
            "--secret-from",
            "env:APP_SECRET",
            "--token-url",
            self.server.url + url,
        ]

    def test_a_token_is_asked_for_and_sent(self):
        def work():
            request = self.send(
                self.arguments() + ["--", "-so", "/dev/null", "-F", "a=b", self.server.url + "/x"], secret=TOKEN_SECRET
            )
            self.assertEqual(request["headers"]["Authorization"], "Bearer token-1")
            self.assertIn(b'name="a"', request["body"])
            question = self.server.requests[0]
            self.assertEqual(
                (question["method"], question["target"], question["body"]),
                ("POST", "/oauth2/token", b"grant_type=client_credentials"),
            )

        self.each_shell(work)

    def test_an_answer_that_is_no_token_ends_it(self):
        def work():
            for arguments, secret, message in [
                (
                    self.arguments(),
                    "another",
                    b"TOKEN: no access token: 401 invalid_client\n",
                ),
                (self.arguments("/other"), TOKEN_SECRET, b"TOKEN: no access token: 200 the answer has no error of RFC 6749\n"),
            ]:
                run = self.folder.run(arguments + ["--", self.server.url + "/x"], secret=secret)
                self.assertEqual((run.returncode, run.stdout, run.stderr), (125, b"", b"postern-curl: " + message))
            self.assertEqual([each["target"] for each in self.server.requests], ["/oauth2/token", "/other"])

        self.each_shell(work)


class Files(unittest.TestCase):
    def test_the_script_is_executable(self):
        self.assertTrue(os.access(SCRIPT, os.X_OK))


if __name__ == "__main__":
    unittest.main()
