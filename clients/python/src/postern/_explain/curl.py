"""The request that a curl command sends, as curl 7 and 8 build it."""

import base64
import re
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from .model import Header, ReadText, SentRequest, Unreadable
from .shell import read_pipeline
from .text import escape_byte, lenient_base64, visible
from .url import split_url

Read = Callable[[str], bytes]
_FORM = "application/x-www-form-urlencoded"
_CMD = re.compile(r"(?:^|\s)\^\"|\s\^\r?\n")
_NAMES = {
    "-H": "header", "-d": "data", "-X": "request", "-G": "get", "-u": "user", "-I": "head", "-A": "user-agent",
    "-b": "cookie", "-e": "referer", "-F": "form", "-T": "upload-file", "-K": "config", "-:": "next",
    "-n": "netrc", "-z": "time-cond",
    "--data-ascii": "data",
}
_VALUED_SHORT = set("AbcCdDeEFHKmoPQrtTuUwxXyYz")
_VALUED_LONG = set(
    """abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to
    continue-at cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary data-raw data-urlencode
    delegation dns-interface dns-ipv4-addr dns-servers doh-url dump-header egd-file engine etag-compare etag-save
    expect100-timeout form form-string happy-eyeballs-timeout-ms header hostpubmd5 hsts interface json keepalive-time
    key key-type limit-rate local-port login-options max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer
    output output-dir parallel-max pass pinnedpubkey preproxy proto proto-default proto-redir proxy proxy-header
    proxy-user pubkey quote random-file range rate referer request request-target resolve retry retry-delay
    retry-max-time service-name socks4 socks4a socks5 socks5-hostname speed-limit speed-time stderr time-cond tls-max
    tls13-ciphers trace trace-ascii unix-socket upload-file url url-query user user-agent variable write-out""".split()
)


class _Option(NamedTuple):
    name: str
    value: str = ""


class _Options(List[_Option]):
    def has(self, *names: str) -> bool:
        return any(each.name in names for each in self)

    def last(self, name: str) -> Optional[str]:
        return next((each.value for each in reversed(self) if each.name == name), None)


_INVENTED = "the body of -F has a border that curl invents each time; save the body, and give raw HTTP with --body"
_VARIABLES = "the command has variables (--variable); write their values into the command"
_WITH_FILES = {
    "form": _INVENTED,
    "form-string": _INVENTED,
    "config": "the command has options in a file (-K); write them into the command",
    "variable": _VARIABLES,
}
_HEADERS_OF_FILES = {"cookie", "netrc", "netrc-optional", "netrc-file", "etag-compare", "time-cond"}


def read_curl(text: str, given: Optional[bytes]) -> ReadText:
    """Raises `Unreadable`. No file that the command names is read: `given` stands for the one that holds the body."""
    if _CMD.search(text):
        raise Unreadable("this is a command for cmd.exe; copy it as a command for bash, or give raw HTTP (curl -v)")
    pipeline = read_pipeline(re.sub(r"\A\s*(?:[$#>] )?", "", text))
    position = next((at for at, words in enumerate(pipeline) if any(map(is_curl, words))), None)
    if position is None:
        raise Unreadable("there is no curl in the command line")
    words = pipeline[position]
    options = _read_options(words[next(at for at, word in enumerate(words) if is_curl(word)) + 1 :])
    _refuse_files(options)
    files = _Files(_piped(pipeline[:position]), given)
    request = _request(options, files.read)
    if given is not None and files.named is None:
        raise Unreadable("the command takes no body from a file, so --body has no use")
    return ReadText(request, None, _notes(options))


class _Files:
    """What stands for the files that a command names, none of which is read."""

    def __init__(self, piped: Optional[bytes], given: Optional[bytes]) -> None:
        self._piped = piped
        self._given = given
        self.named: Optional[str] = None

    def read(self, path: str) -> bytes:
        if path == "-" and self._piped is not None:
            return self._piped
        if self._given is None and path == "-":
            told = "the command takes its body from standard input, which is not in the text; --body FILE gives it"
            raise Unreadable(told)
        if self._given is None:
            told = "the command takes its body from the file %s, which is not read: --body FILE names it" % _shown(path)
            raise Unreadable(told)
        if self.named not in (None, path):
            told = "the command takes its body from several files; save the body that it sends, and give raw HTTP"
            raise Unreadable(told)
        self.named = path
        return self._given


def _shown(path: str) -> str:
    return visible(path.encode("latin-1"))


def _refuse_files(options: "_Options") -> None:
    """What a command takes from a file that cannot stand beside it."""
    for name, value in options:
        problem = _VARIABLES if name.startswith("expand-") else _WITH_FILES.get(name)
        if problem is not None:
            raise Unreadable(problem)
        if name == "header" and value.startswith("@"):
            told = "the command has headers in a file (-H %s); write them into the command" % _shown(value)
            raise Unreadable(told)
        if name == "url" and value.startswith("@"):
            raise Unreadable("the command has its URL in a file (%s); write it into the command" % _shown(value))


def _notes(options: "_Options") -> Tuple[str, ...]:
    names = [
        "--" + name
        for name, value in options
        if name in _HEADERS_OF_FILES and not (name == "cookie" and (value == "" or "=" in value))
    ]
    return ("Headers that curl makes of files were left out: %s." % ", ".join(dict.fromkeys(names)),) if names else ()


def _request(options: _Options, read: Read) -> SentRequest:
    data = _data(options, read)
    upload = options.last("upload-file")
    uploaded = None if upload is None else read("-" if upload == "." else upload)
    queries = [_query(each.value, read) for each in options if each.name == "url-query"]
    parts = split_url(options.last("url") or "")
    if parts is None:
        raise Unreadable("the curl command has no URL")
    is_query = options.has("get", "head")
    path = parts.target if options.has("path-as-is") else _without_dots(parts.target)
    queries += [data] if is_query and data is not None else []
    if queries:
        path += ("&" if "?" in path else "?") + "&".join(queries)
    has_data = not is_query and data is not None
    body = (data or "").encode("latin-1") if has_data else b""
    body = body if uploaded is None else uploaded
    headers = _headers(options, has_data, parts.user, len(body) if body or has_data else None)
    method = "HEAD" if options.has("head") else "PUT" if uploaded is not None else "POST" if has_data else "GET"
    host = next((value for name, value in headers if name.lower() == "host"), parts.authority)
    target = options.last("request-target") or path
    return SentRequest(options.last("request") or method, target, host, tuple(headers), body)


def _query(value: str, read: Read) -> str:
    """As `--data-urlencode` would write it; what begins with `+` stays as it is."""
    return value[1:] if value.startswith("+") else _urlencoded(value, read)


def is_curl(word: str) -> bool:
    """Whether a word of a command line is the program curl."""
    return re.search(r"(?:^|[/\\])curl(?:\.exe)?\Z", word) is not None


def _read_options(words: Sequence[str]) -> _Options:
    """Up to `--next`: combined short flags, values joined to a short flag, URLs without an option."""
    options = _Options()
    rest = iter(words)  # Taking the first element off a list moves all others.
    are_over = False
    for word in rest:
        if are_over or not word.startswith("-") or word == "-":
            options.append(_Option("url", word))
        elif word == "--":
            are_over = True
        elif word.startswith("--"):
            value = next(rest, "") if word[2:] in _VALUED_LONG else ""
            options.append(_Option(_NAMES.get(word, word[2:]), value))
        else:
            _read_short(word, rest, options)
        if options and options[-1].name == "next":
            options.pop()
            break
    return options


def _read_short(word: str, rest: Iterator[str], options: _Options) -> None:
    for at in range(1, len(word)):
        name = _NAMES.get("-" + word[at], "-" + word[at])
        if word[at] in _VALUED_SHORT:
            joined = word[at + 1 :]
            options.append(_Option(name, joined or next(rest, "")))
            return
        options.append(_Option(name))


def _data(options: _Options, read: Read) -> Optional[str]:
    """The data as one text, one character a byte, joined as curl does; None when there is none."""
    pieces: List[str] = []
    for name, value in options:
        piece = _piece(name, value, read)
        if piece is not None:
            pieces += [piece] if not pieces or name == "json" else ["&", piece]
    return "".join(pieces) if pieces else None


def _piece(name: str, value: str, read: Read) -> Optional[str]:
    if name == "data-raw":
        return value
    if name == "data-urlencode":
        return _urlencoded(value, read)
    if name not in ("data", "data-binary", "json"):
        return None
    text = _text(value, read)
    # curl drops line ends and NUL from a file.
    return re.sub(r"[\r\n\0]", "", text) if name == "data" and value.startswith("@") else text


def _urlencoded(value: str, read: Read) -> str:
    mark = re.search("[=@]", value)
    if mark is None:
        return _encode(value)
    name, rest = value[: mark.start()], value[mark.end() :]
    content = _encode(_text("@" + rest, read) if mark[0] == "@" else rest)
    return "%s=%s" % (name, content) if name else content


def _encode(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9\-._~]", lambda match: "+" if match[0] == " " else escape_byte(match), text)


def _text(value: str, read: Read) -> str:
    return read(value[1:]).decode("latin-1") if value.startswith("@") else value


def _headers(options: _Options, has_data: bool, url_user: Optional[str], length: Optional[int]) -> List[Header]:
    """The headers that are written, and the ones that curl adds to them."""
    written: List[Header] = []
    removed = set()
    for each in options:
        match = re.match(r"(?s)([^:;]*)([:;]?)(.*)\Z", each.value) if each.name == "header" else None
        if match is None:
            continue
        value = match[3].strip(" \t")
        if match[2] == ";":
            written.append((match[1], ""))
        elif value == "":
            removed.add(match[1].lower())
        else:
            written.append((match[1], value))
    taken = removed | {name.lower() for name, _ in written}
    added = _added(options, has_data, url_user, length)
    return [*written, *((name, value) for name, value in added.items() if value and name.lower() not in taken)]


def _added(
    options: _Options, has_data: bool, url_user: Optional[str], length: Optional[int]
) -> Dict[str, Union[str, None]]:
    user, bearer, cookie = options.last("user") or url_user, options.last("oauth2-bearer"), options.last("cookie")
    basic = None if user is None else "Basic " + base64.b64encode(user.encode("latin-1")).decode("ascii")
    is_json = options.has("json")
    return {
        "Authorization": basic if bearer is None else "Bearer " + bearer,
        "User-Agent": options.last("user-agent"),
        "Referer": options.last("referer"),
        "Accept": "application/json" if is_json else "*/*",
        "Cookie": cookie if cookie is not None and "=" in cookie else None,
        "Content-Length": None if length is None else str(length),
        "Content-Type": "application/json" if is_json else _FORM if has_data else None,
    }


def _piped(commands: Sequence[List[str]]) -> Optional[bytes]:
    """What the commands before curl write, where that is plain: `printf %s TEXT`, with `base64 -d` after it or not."""
    if not 1 <= len(commands) <= 2:
        return None
    text = _written(commands[0])
    if text is None or len(commands) == 1:
        return None if text is None else text.encode("latin-1")
    is_decoder = len(commands[1]) == 2 and commands[1][0] == "base64" and commands[1][1] in ("-d", "-D", "--decode")
    return lenient_base64(text) if is_decoder else None


def _written(words: List[str]) -> Optional[str]:
    if words[:1] == ["printf"] and len(words) < 4:
        if words[1:2] == ["%s"]:
            return words[2] if len(words) == 3 else ""
        return words[1] if len(words) == 2 and not re.search(r"[%\\]", words[1]) else None
    if words[:1] != ["echo"]:
        return None
    return " ".join(words[2:]) if words[1:2] == ["-n"] else " ".join(words[1:]) + "\n"


def _without_dots(target: str) -> str:
    """Resolves `.` and `..` segments of a path as curl does without `--path-as-is`; the query stays."""
    if "/." not in target:
        return target
    path, mark, query = target.partition("?")
    segments = path.split("/")[1:]
    kept: List[str] = []
    for index, segment in enumerate(segments):
        if segment == ".." and kept:
            kept.pop()
        if segment not in (".", ".."):
            kept.append(segment)
        elif index == len(segments) - 1:
            kept.append("")
    return "/" + "/".join(kept) + mark + query
