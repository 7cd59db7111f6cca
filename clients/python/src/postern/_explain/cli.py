"""The command `python -m postern explain`."""

import argparse
import os
import stat
import sys
import time
from datetime import datetime
from typing import Any, Dict, List, Optional

from .._clock import parse_http_date
from .explain import METHODS, explain
from .model import Asked, Options, Unreadable
from .read import read_request
from .render import render, render_json

_MAX_BYTES = 1024 * 1024
_MAX_BODY_BYTES = 10 * 1024 * 1024  # The largest body of which the gateway takes a digest.
_EPILOG = """\
The request is a curl command or raw HTTP, also as curl -v prints it. It is only read, never sent; it may have 1 MiB.
Files that it names are not read. No App Secret and no right signature is printed. Exit code 0: the request is right, or was when it was made. 1: it is wrong.
2: the command line or the request cannot be read.

examples:
  export SECRET=…
  python -m postern explain request.txt --method hmac --secret-from env:SECRET
  python -m postern explain - --method parameter-signature --secret-from file:secret.txt --at 2026-11-21T02:40:00Z
"""


class _Usage(Exception):
    """What cannot be read of the command line or the files that it names."""


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command and gives its exit code."""
    given = _parser().parse_args(arguments)
    try:
        return _explain(given)
    except _Usage as error:
        message = str(error)
    except Unreadable as error:
        message = "%s: %s" % (given.file, error)
    sys.stderr.write("postern: %s\n" % message)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m postern", description="Tools for callers of APIs behind Postern.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    command = commands.add_parser(
        "explain",
        help="say what is wrong with a refused request, and how to fix it",
        description="Says what is wrong with a refused request, and how to fix it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("file", help="the request; - for standard input")
    command.add_argument("--method", required=True, choices=METHODS, help="how the API authenticates its callers")
    command.add_argument(
        "--secret-from",
        required=True,
        metavar="SOURCE",
        help="env:NAME, file:PATH or - (standard input): the App Secret",
    )
    command.add_argument(
        "--body",
        metavar="FILE",
        help="the body of the request, where the text does not hold it, such as that of curl -d @order.json; "
        "- for standard input",
    )
    command.add_argument("--app-key", metavar="KEY", help="the App Key; without it, the one that was sent")
    command.add_argument(
        "--at",
        metavar="TIME",
        help="when the request was made: 2026-11-21T02:40:00Z, an HTTP date, or seconds since 1970",
    )
    command.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="what the operator told you: algorithms=hmac-sha512, parameterEncoding=raw, clockSkewSeconds=60, "
        "requireTimestamp=true; repeatable",
    )
    command.add_argument("-o", "--output", choices=("text", "json"), default="text", help="for people or for programs")
    return parser


def _explain(given: argparse.Namespace) -> int:
    sources = {"request": given.file, "secret": given.secret_from, "body": given.body}
    from_input = [what for what, source in sources.items() if source == "-"]
    if len(from_input) > 1:
        told = "the %s and the %s would both be read from standard input; put one into a file"
        raise _Usage(told % (from_input[0], from_input[1]))
    options = _options(given.option)
    at = None if given.at is None else _time(given.at)
    secret = _secret(given.secret_from)
    data = _bytes(given.file, given.file)
    body = None if given.body is None else _bytes(given.body, given.body, _MAX_BODY_BYTES)
    read = read_request(data, body)
    known = read.sent_at if at is None else at
    asked = Asked(given.app_key, secret, int(time.time()) if known is None else known, known is not None)
    explanation = explain(read.request, given.method, options, asked)
    explanation = explanation._replace(notes=(*read.notes, *explanation.notes))
    text = render_json(explanation) if given.output == "json" else render(explanation)
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()
    return 0 if explanation.verdict in ("right", "right-but-old") else 1


def _bytes(path: str, shown: str, max_bytes: int = _MAX_BYTES) -> bytes:
    """A regular file or, for `-`, standard input. Devices, FIFOs and folders, and what has more bytes, are not read."""
    try:
        with sys.stdin.buffer if path == "-" else open(path, "rb", opener=_open) as file:
            if path != "-" and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise _Usage("%s cannot be read (it is no regular file; - reads standard input)" % shown)
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise _Usage("%s cannot be read (%s)" % (shown, error.strerror)) from None
    if len(data) > max_bytes:
        raise _Usage("%s cannot be read (it has more than %d bytes)" % (shown, max_bytes))
    return data


def _open(path: str, flags: int) -> int:
    """Without waiting for the other end of a FIFO, and without making a terminal ours; Windows has neither."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))


def _secret(source: str) -> bytes:
    """One line feed at the end does not belong to it, as files and `echo` add one."""
    kind, _, name = source.partition(":")
    if kind == "env" and name:
        data = os.environb.get(name.encode()) if os.supports_bytes_environ else os.environ.get(name, "").encode()
        if not data:
            raise _Usage("--secret-from: the environment variable %s is not set or empty" % name)
    elif source == "-" or (kind == "file" and name):
        path = "-" if source == "-" else name
        data = _bytes(path, "--secret-from: %s" % ("standard input" if source == "-" else name))
    else:
        raise _Usage("--secret-from takes env:NAME, file:PATH or - for standard input, never the secret itself")
    data = data[:-1] if data.endswith(b"\n") else data
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise _Usage("--secret-from: the secret is not UTF-8 text") from None
    if data == b"":
        raise _Usage("--secret-from: the secret is empty")
    return data


def _time(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 13:
        return int(text)
    try:
        at = datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)
        if at.tzinfo is not None:
            return int(at.timestamp())
    except ValueError:
        pass
    seconds = parse_http_date(text)
    if seconds is None:
        raise _Usage("--at takes a time with its zone such as 2026-11-21T02:40:00Z, an HTTP date, or seconds")
    return int(seconds)


_ALGORITHMS = ("hmac-sha256", "hmac-sha384", "hmac-sha512")


def _options(given: List[str]) -> Options:
    values: Dict[str, Any] = {}
    for text in given:
        name, _, value = text.partition("=")
        if name == "algorithms" and value and all(each in _ALGORITHMS for each in value.split(",")):
            values["algorithms"] = tuple(value.split(","))
        elif name == "parameterEncoding" and value in ("decoded", "raw"):
            values["parameter_encoding"] = value
        elif name == "clockSkewSeconds" and value.isascii() and value.isdigit() and 1 <= int(value) <= 3600:
            values["clock_skew_seconds"] = int(value)
        elif name == "requireTimestamp" and value in ("true", "false"):
            values["require_timestamp"] = value == "true"
        else:
            raise _Usage("--option %s: there is no such option or value" % text)
    return Options(**values)
