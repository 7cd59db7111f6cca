"""A server that answers as it is told and keeps the bytes that it received."""

import json
import socket
import threading
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

Pairs = List[Tuple[str, str]]


class Received(NamedTuple):
    method: str
    target: str
    headers: Pairs
    body: bytes

    def value(self, name: str) -> Optional[str]:
        values = [value for each, value in self.headers if each.lower() == name.lower()]
        assert len(values) < 2, "%s came %d times" % (name, len(values))
        return values[0] if values else None


class Reply(NamedTuple):
    status: int = 200
    headers: Pairs = []
    body: bytes = b"ok"
    hang_up: bool = False
    """Closes the connection without an answer."""
    chunked: bool = False


def refusal(status: int, code: str, headers: Optional[Dict[str, str]] = None, **more: Any) -> Reply:
    document = {"code": code, "message": "Why.", "requestId": "r-1", **more}
    pairs = [("Content-Type", "application/json"), *(headers or {}).items()]
    return Reply(status, pairs, json.dumps(document).encode())


class Server:
    """Answers with the replies in order, then with 200."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)
        self.received: List[Received] = []
        self.connections = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.url = "http://127.0.0.1:%d" % self.port
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "Server":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def add(self, *replies: Reply) -> None:
        self._replies.extend(replies)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._converse, args=(connection,), daemon=True).start()

    def _converse(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as reader:
            try:
                while self._answer_one(connection, reader):
                    pass
            except OSError:
                return

    def _answer_one(self, connection: socket.socket, reader: Any) -> bool:
        line = reader.readline().decode("latin-1").rstrip("\r\n")
        if not line:
            return False
        method, target, _ = line.split(" ")
        headers: Pairs = []
        for raw in iter(reader.readline, b"\r\n"):
            name, _, value = raw.decode("latin-1").rstrip("\r\n").partition(":")
            headers.append((name, value.strip(" \t")))
        body = _body_of(headers, reader)
        with self._lock:
            self.received.append(Received(method, target, headers, body))
            reply = self._replies.pop(0) if self._replies else Reply()
        if reply.hang_up:
            return False
        connection.sendall(_bytes_of(reply, method))
        return True


def _body_of(headers: Pairs, reader: Any) -> bytes:
    values = {name.lower(): value for name, value in headers}
    if values.get("transfer-encoding") != "chunked":
        return bytes(reader.read(int(values.get("content-length", "0"))))
    body = b""
    while True:
        size = int(reader.readline(), 16)
        body += reader.read(size)
        reader.readline()
        if size == 0:
            return bytes(body)


def _bytes_of(reply: Reply, method: str) -> bytes:
    framing = ("Transfer-Encoding", "chunked") if reply.chunked else ("Content-Length", str(len(reply.body)))
    lines = ["HTTP/1.1 %d Answer" % reply.status]
    lines += ["%s: %s" % pair for pair in [*reply.headers, framing]]
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(reply.body), reply.body) if reply.chunked else reply.body
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + (b"" if method == "HEAD" else body)
