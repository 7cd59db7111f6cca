"""Reads a request from the text that a partner has: raw HTTP, what `curl -v` shows, or a curl command."""

import re
from typing import Dict, List, NamedTuple, Optional, Tuple

from .curl import is_curl, read_curl
from .dates import parse_imf_fixdate
from .model import Header, ReadText, SentRequest, Unreadable
from .url import split_url

_PROGRAM = re.compile(r"\s*(?:\\\r?\n\s*)?([^\s|]+)(?=\s)")
_REQUEST_LINE = re.compile(r"([!#$%&'*+\-.^_`|~0-9A-Za-z]+) (\S+)(?: HTTP/\d(?:\.\d)?)?\Z")
_HEADER = re.compile(r"(:?[^\s:]+):[ \t]*(.*)\Z", re.DOTALL)

_HELD = "the request holds a body already, so --body has no use"


def read_request(data: bytes, given: Optional[bytes] = None) -> ReadText:
    """Raises `Unreadable`. `given` is the body that the text does not hold. No file that the text names is read."""
    text = data.decode("latin-1")
    if text.startswith("\xef\xbb\xbf"):
        text = text[3:]
    if text.strip() == "":
        raise Unreadable("there is no text")
    if re.match(r"\s*[{\[]", text):
        raise Unreadable("this is JSON; give the request as a curl command or raw HTTP")
    start = text.lstrip()
    return read_curl(start, given) if _is_command(start) else _read_raw(text, given)


def _is_command(text: str) -> bool:
    """Whether curl is the program of the first line, or of a command after a `|` in it."""
    line_end = text.find("\n")
    prompt = re.match(r"[$#] ", text)
    at = prompt.end() if prompt else 0
    while True:
        program = _PROGRAM.match(text, at)
        if program is not None and is_curl(program[1]):
            return True
        at = text.find("|", at, len(text) if line_end == -1 else line_end) + 1
        if at == 0:
            return False


def _read_raw(text: str, given: Optional[bytes]) -> ReadText:
    is_verbose = re.search(r"(?m)^> (?:\S+ \S+ HTTP/|:method: )", text) is not None
    lines, rest = _verbose_parts(text) if is_verbose else _plain_parts(text)
    first = _REQUEST_LINE.match(lines[0] if lines else "")
    headers: List[Header] = []
    pseudo: Dict[str, str] = {}
    for line in lines if first is None else lines[1:]:
        match = _HEADER.match(line)
        if match is None:
            raise Unreadable('"%s" is neither a request line nor a header' % _shown(line))
        if match[1].startswith(":"):
            pseudo[match[1]] = match[2].rstrip()
        else:
            headers.append((match[1], match[2].rstrip(" \t\r")))
    method = pseudo.get(":method") if first is None else first[1]
    written = pseudo.get(":path") if first is None else first[2]
    if method is None or written is None:
        raise Unreadable('there is no request line such as "GET /orders HTTP/1.1"')
    absolute = split_url(written) if re.match("(?i)https?://", written) else None
    find = {name.lower(): value for name, value in reversed(headers)}.get
    if given is not None and rest.strip("\r\n"):
        raise Unreadable(_HELD)
    length = find("content-length")
    encoding = find("transfer-encoding")
    body, note = _body(rest.encode("latin-1"), length, encoding) if given is None else _cut(given, length)
    authority = find("host") or pseudo.get(":authority") or ("" if absolute is None else absolute.authority)
    path = written if absolute is None else absolute.target
    date = re.search(r"(?im)^< date: ([^\r\n]*)", text) if is_verbose else None
    return ReadText(
        SentRequest(method, path, authority, tuple(headers), body),
        None if date is None else parse_imf_fixdate(date[1]),
        () if note is None else (note,),
    )


def _plain_parts(text: str) -> Tuple[List[str], str]:
    start = text.lstrip("\r\n")
    end = re.search(r"\r?\n\r?\n", start)
    head = start if end is None else start[: end.start()]
    lines = [line for line in re.split(r"\r?\n", head) if line.strip()]
    return lines, "" if end is None else start[end.end() :]


def _verbose_parts(text: str) -> Tuple[List[str], str]:
    lines = []
    for line in re.split(r"\r?\n", text):
        if not line.startswith(">"):
            continue
        sent = line[2:] if line.startswith("> ") else line[1:]
        if sent.strip() == "":
            break  # What curl shows after the headers belongs to another request.
        lines.append(sent)
    return lines, ""


class _Body(NamedTuple):
    data: bytes
    note: Optional[str] = None


def _body(data: bytes, content_length: Optional[str], transfer_encoding: Optional[str]) -> _Body:
    if transfer_encoding is not None and re.search(r"(?i)\bchunked\b", transfer_encoding):
        whole = _unchunked(data)
        if whole is not None:
            return _Body(whole)
        return _Body(data, "The body is not in chunks, although Transfer-Encoding says so; it was taken as it stands.")
    return _cut(data, content_length)


def _cut(data: bytes, content_length: Optional[str]) -> _Body:
    """`Content-Length` ends the body, so that a line feed of an editor at the end is not taken for it."""
    if content_length is None or not re.match(r"[0-9]{1,15}\Z", content_length) or int(content_length) == len(data):
        return _Body(data)
    length = int(content_length)
    if length > len(data):
        told = "Content-Length says %d bytes, but there are %d bytes of body." % (length, len(data))
        return _Body(data, told if data else told + " --body FILE gives it.")
    if data[length:].strip(b"\r\n") == b"":
        return _Body(data[:length])
    return _Body(data[:length], "What follows the %d bytes of Content-Length was left out." % length)


def _unchunked(data: bytes) -> Optional[bytes]:
    pieces: List[bytes] = []
    at = 0
    while True:
        line_end = data.find(b"\n", at)
        size = None if line_end == -1 else re.match(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?\r?\Z", data[at:line_end])
        if size is None:
            return None
        start = line_end + 1
        end = start + int(size[1], 16)
        if end == start:
            return b"".join(pieces)
        if end > len(data):
            return None
        pieces.append(data[start:end])
        at = end + 2 if data[end : end + 2] == b"\r\n" else end + 1


def _shown(line: str) -> str:
    shown = re.sub(r"[^\x20-\x7e]", "?", line[:40])
    return shown + "…" if len(line) > 40 else shown
