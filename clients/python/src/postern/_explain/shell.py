"""Splits a command line into words as a POSIX shell would, with `$'…'` of bash too. Nothing is expanded."""

import re
from typing import Any, List

from .model import Unreadable
from .text import bytes_of

_EXPANSION = r"[$`](?=[A-Za-z_{(0-9@*#?!`'\"])"
_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r]|\\\r?\n)
    |(?P<pipe>\|[ \t\r\n]*)
    |(?P<end>[\n;&<>])
    |'(?P<single>[^']*)'
    |\$'(?P<ansi>[^'\\]*(?:\\.[^'\\]*)*)'
    |"(?P<double>[^"\\]*(?:\\.[^"\\]*)*)"
    |(?P<open>\$'|['"])
    |(?P<expansion>%s)
    |\\(?P<escaped>.?)
    |[^ \t\r\n\\'"$`|;&<>]+
    |."""
    % _EXPANSION.replace("#", r"\#"),
    re.VERBOSE | re.DOTALL,
)
_DOUBLE = re.compile(r"\\\n|\\([$`\"\\])|\\|" + _EXPANSION)
_ANSI = re.compile(r"(?s)\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|(.))")
_UNCLOSED = {
    "'": "a single quote is not closed",
    '"': "a double quote is not closed",
    "$'": "a quote that begins with $' is not closed",
}
_SIMPLE = {
    "a": "\x07", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}


def read_pipeline(text: str) -> List[List[str]]:
    """The words of each command of the first command line. Raises `Unreadable`."""
    commands: List[List[str]] = [[]]
    word: List[str] = []  # Its pieces: joining each would copy the word again and again.
    is_word = False

    def end_word() -> None:
        if is_word:
            commands[-1].append("".join(word))
        word.clear()

    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "end" and token in "<>" and len(word) == 1 and re.match(r"\d\Z", word[0]):
            is_word = False  # `2>&1`: a number before a redirection is no word.
        if kind in ("blank", "pipe", "end"):
            end_word()
            is_word = False
            if kind == "pipe":
                commands.append([])
        if token == "<" and kind == "end":
            raise Unreadable('the command reads its body with "<"; write -d @FILE instead')
        if kind == "end" or (kind is None and token.startswith("#") and not is_word):
            break
        if kind == "open":
            raise Unreadable(_UNCLOSED[token])
        if kind == "expansion":
            raise _unknown(text[match.start() :])
        if kind not in ("blank", "pipe"):
            word.append(_piece(match))
            is_word = True
    end_word()
    return commands


def _piece(match: Any) -> str:
    if match.lastgroup == "double":
        return _DOUBLE.sub(lambda found: _double(found, match["double"]), match["double"])
    if match.lastgroup == "ansi":
        return _ANSI.sub(_ansi, match["ansi"])
    piece: str = match[0] if match.lastgroup is None else match[match.lastgroup]
    return piece


def _unknown(text: str) -> Unreadable:
    name = (re.match(r"[$`]\w{0,39}", text, re.ASCII) or [""])[0]
    told = "the command holds %s…, whose value is not known here; give the request as it was sent (curl -v)" % name
    return Unreadable(told)


def _double(found: "re.Match[str]", content: str) -> str:
    if found[0][0] in "$`":
        raise _unknown(content[found.start() :])
    return found[1] if found[1] is not None else "\\" if found[0] == "\\" else ""


def _ansi(found: "re.Match[str]") -> str:
    byte, short, long, octal, simple = found.groups()
    if simple is not None:
        return _SIMPLE.get(simple, found[0])
    if byte is not None:
        return chr(int(byte, 16))
    if octal is not None:
        return chr(int(octal, 8) & 0xFF)
    code_point = int(short or long, 16)
    if code_point > 0x10FFFF:
        raise Unreadable("%s is no character" % found[0])
    return bytes_of(chr(code_point))
