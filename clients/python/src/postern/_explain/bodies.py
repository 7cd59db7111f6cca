"""The bodies that one is often mistaken for."""

import json
import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

_MAX_REWRITTEN_BYTES = 1024 * 1024
_MAX_THOROUGH_CHARACTERS = 65_536
_MAX_DEPTH = 64
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_STYLES: Tuple[Tuple[str, str, Optional[str]], ...] = (
    (",", ":", None),
    (", ", ": ", None),
    (",", ": ", "  "),
    (",", ": ", "    "),
    (",", ": ", "\t"),
    (", ", ":", None),
    (",", ": ", None),
)


class Body(NamedTuple):
    name: str
    what: str
    data: bytes


def body_variants(body: bytes) -> List[Body]:
    """What a caller may have had in hand instead of this body, likely ones first."""
    if len(body) > _MAX_REWRITTEN_BYTES:
        return []
    text = body.decode("utf-8", "replace")
    texts = [
        ("body-line-feed", "with a line feed at its end", text + "\n"),
        ("body-line-feed", "with a line feed at its end", text + "\r\n"),
        ("body-line-feed", "without the line feed at its end", re.sub(r"\r?\n\Z", "", text)),
        *(("body-reformatted", "as JSON that was formatted in another way", each) for each in _formatted(text)),
        *(("body-reformatted", "as JSON with its keys in another order", each) for each in _sorted(text)),
        ("body-line-ends", "with LF for CRLF", text.replace("\r\n", "\n")),
        ("body-line-ends", "with CRLF for LF", re.sub(r"\r?\n", "\r\n", text)),
        ("body-empty", "empty", ""),
        ("body-white-space", "without the white space around it", text.strip()),
        ("body-byte-order-mark", "with a byte order mark", "\ufeff" + text),
        ("body-byte-order-mark", "without its byte order mark", re.sub("^\ufeff", "", text)),
    ]
    bodies = [Body(name, what, each.encode("utf-8", "surrogatepass")) for name, what, each in texts]
    latin1 = bytes(ord(each) & 0xFF for each in text)
    bodies.append(Body("body-latin1", "in Latin-1 instead of UTF-8", latin1))
    return [each for each in bodies if each.data != body]


def parse_json(text: str) -> Any:
    """The value of a JSON text; `...` for another text."""
    try:
        return json.loads(text, parse_constant=_reject)
    except (ValueError, RecursionError):
        return ...


def _reject(constant: str) -> Any:
    raise ValueError(constant)


def written(value: Any) -> str:
    """As `JSON.stringify` writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _formatted(text: str) -> List[str]:
    """The other ways in which common libraries write this JSON; none for another text."""
    value = parse_json(text)
    if value is ...:
        return []
    words = _WORD.findall(text)
    found: Dict[str, None] = {}
    for index, spell in enumerate(_SPELLINGS):
        spelled = [spell(word) if word.startswith('"') else word for word in words]
        styles = _STYLES[:1] if len(text) > _MAX_THOROUGH_CHARACTERS and index > 0 else _STYLES
        for style in styles:
            whole = _write(spelled, *style)
            if whole is not None:
                found[whole] = None
    return [each for each in [*found, written(value)] if each != text]


def _respelled(change: Callable[[str], str]) -> Callable[[str], str]:
    def respell(word: str) -> str:
        value = parse_json(word)
        return change(written("" if value is ... else value))

    return respell


def _ascii(text: str) -> str:
    units = re.sub(r"[^\x00-\uffff]", lambda match: _surrogates(match[0]), text)
    return re.sub(r"[^\x00-\x7f]", lambda match: "\\u%04x" % ord(match[0]), units)


def _surrogates(character: str) -> str:
    data = character.encode("utf-16-be")
    return "".join("\\u%02x%02x" % (data[at], data[at + 1]) for at in (0, 2))


_SPELLINGS: Tuple[Callable[[str], str], ...] = (
    lambda word: word,
    _respelled(lambda text: text),
    _respelled(_ascii),
    _respelled(lambda text: text.replace("/", "\\/")),
    _respelled(lambda text: _ascii(text).replace("/", "\\/")),
)


def _sorted(text: str) -> List[str]:
    value = parse_json(text)
    if value is ...:
        return []
    two_ways = [
        json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")),
        json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2),
    ]
    return [each for each in two_ways if each != text]


def _write(words: List[str], comma: str, colon: str, indent: Optional[str]) -> Optional[str]:
    parts: List[str] = []
    depth = 0
    for index, word in enumerate(words):
        before = words[index - 1] if index else ""
        if word in ("{", "["):
            depth += 1
            if depth > _MAX_DEPTH:
                return None
            is_empty = words[index + 1 : index + 2] in (["}"], ["]"])
            parts += [word, "" if is_empty else _line_break(indent, depth)]
        elif word in ("}", "]"):
            depth -= 1
            parts += ["" if before in ("{", "[") else _line_break(indent, depth), word]
        elif word == ",":
            parts += [comma, _line_break(indent, depth)]
        else:
            parts.append(colon if word == ":" else word)
    return "".join(parts)


def _line_break(indent: Optional[str], depth: int) -> str:
    return "" if indent is None else "\n" + indent * depth
