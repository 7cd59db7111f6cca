"""What the tests of postern-curl share: shells, tools that show what they are given, and an HTTP server."""

import base64
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
SCRIPT = HERE.parent / "postern-curl"
VECTORS = HERE.parent.parent / "vectors.json"
PUBLIC_KEY_VECTORS = HERE.parent.parent / "public-key-vectors.json"

BUSYBOX_TOOLS = ["awk", "cat", "cut", "grep", "mktemp", "mv", "od", "rm", "sed", "tail", "tr", "wc"]
TOOLS = BUSYBOX_TOOLS + ["date", "openssl"]


def find(name):
    path = shutil.which(name)
    if path is None:
        raise SystemExit("the tests need " + name)
    return path


# With busybox its own tools are used too, as on Alpine.
SHELLS = {"dash": [find("dash")], "bash --posix": [find("bash"), "--posix"], "busybox sh": [find("busybox"), "sh"]}

FAKE_CURL = """#!/bin/sh
cat <&3 >"$CAPTURE/config"
for each; do printf '%s\\n' "$each"; done >"$CAPTURE/arguments"
body=$(sed -n 's/^data-binary = "@\\(.*\\)"$/\\1/p' "$CAPTURE/config")
[ -z "$body" ] || cat "$body" >"$CAPTURE/body"
echo >>"$CAPTURE/calls"
if [ -e "$CAPTURE/refusal" ] && [ "$(wc -l <"$CAPTURE/calls")" -eq 1 ]; then
  while [ $# -gt 0 ]; do
    if [ "$1" = --dump-header ]; then cat "$CAPTURE/refusal" >"$2"; fi
    shift
  done
  printf '%s' '{"code":"CREDENTIALS_MALFORMED","message":"…","requestId":"1"}'
fi
"""


def executable(path, text):
    path.write_text(text)
    path.chmod(0o755)


class Folder:
    """A temporary folder with tools in front of the machine's."""

    def __init__(self, shell):
        self.shell = shell
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="postern-curl-test."))
        self.bin, self.temporary = self.root / "bin", self.root / "tmp"
        self.bin.mkdir()
        self.temporary.mkdir()
        if shell.startswith("busybox"):
            for tool in BUSYBOX_TOOLS:
                (self.bin / tool).symlink_to(find("busybox"))

    def close(self):
        shutil.rmtree(self.root)

    def fix(self, now, nonce):
        """Tools that give a fixed time and nonce, and a curl that writes down what it is given."""
        executable(self.bin / "date", "#!/bin/sh\necho %d\n" % now)
        text = '#!/bin/sh\n[ "$1" = rand ] && echo %s && exit\nexec %s "$@"\n' % (nonce, find("openssl"))
        executable(self.bin / "openssl", text)
        executable(self.bin / "curl", FAKE_CURL)

    def watch(self):
        """Every tool writes its arguments and its environment to the folder's file `log`, and then works."""
        for tool in TOOLS + ["curl"]:
            inside = self.bin / tool
            real = "%s %s" % (find("busybox"), tool) if inside.is_symlink() else find(tool)
            if inside.is_symlink():
                inside.unlink()
            executable(
                inside,
                '#!/bin/sh\n{ echo "%s"; printf "%%s\\n" "$@"; %s; } >>"%s"\nexec %s "$@"\n'
                % (tool, find("env"), self.root / "log", real),
            )

    def run(self, arguments, secret=None, stdin=b"", **variables):
        path = "%s:%s" % (self.bin, os.environ["PATH"])
        environment = {"PATH": path, "TMPDIR": str(self.temporary), "CAPTURE": str(self.root)}
        if secret is not None:
            environment["APP_SECRET"] = secret
        environment.update(variables)
        command = SHELLS[self.shell] + [str(SCRIPT)] + arguments
        return subprocess.run(command, input=stdin, env=environment, capture_output=True, timeout=120)


TOKEN_SECRET = "a b+c-secret-12"


def token_answer(basic):
    if basic == "app:a%20b%2Bc-secret-12":
        return 200, {"access_token": "token-1", "token_type": "bearer", "expires_in": 3600}
    return 401, {"error": "invalid_client", "error_description": "Client authentication failed."}


class Server:
    """Keeps the requests that it gets, to the byte, and gives a token to the right client."""

    def __init__(self):
        requests = self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                headers = dict(self.headers.items())
                requests.append({"method": self.command, "target": self.path, "headers": headers, "body": body})
                status, text = 200, b"fine"
                if self.path == "/oauth2/token":
                    status, answer = token_answer(base64.b64decode(self.headers["Authorization"][6:]).decode())
                    text = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(text)

            do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
