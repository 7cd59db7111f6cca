"""Writes an explanation, for people and for programs."""

import json
import re
from typing import List

from .difference import Difference
from .explain import Explanation
from .text import visible

_MAX_COLUMNS = 120
_MAX_SHOWN_BYTES = 4096


def render(explanation: Explanation) -> str:
    """The text for people; it ends with a line feed."""
    difference = explanation.difference
    sections = [
        [_verdict(explanation), *_list(explanation), _answer(explanation)],
        [] if difference is None else _difference(difference),
        _unexplained(explanation) if explanation.verdict == "unexplained" else [],
        _fixes(explanation),
        ["Note: " + note for note in explanation.notes],
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def render_json(explanation: Explanation) -> str:
    refusal, difference = explanation.refusal, explanation.difference
    document = {
        "verdict": explanation.verdict,
        "authentication": explanation.method,
        "answer": {
            "status": None if refusal is None else refusal.status,
            "code": "ALLOWED" if refusal is None else refusal.code,
            "detail": "the credentials are right" if refusal is None else refusal.detail,
        },
        "mistakes": [each._asdict() for each in explanation.mistakes],
        "difference": None if difference is None else difference._asdict(),
        "stringToSign": None if explanation.string_to_sign is None else _shown(explanation.string_to_sign),
        "checked": list(explanation.checked),
        "notes": list(explanation.notes),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _shown(text: bytes) -> str:
    shown = text[:_MAX_SHOWN_BYTES].decode("utf-8", "replace")
    return shown + "…" if len(text) > _MAX_SHOWN_BYTES else shown


def _verdict(explanation: Explanation) -> str:
    mistakes = explanation.mistakes
    if explanation.verdict == "right":
        return "Right: the signature fits the request."
    if explanation.verdict == "right-but-old":
        return "Right, but old: the signature fits the request, and the signed time is over."
    if explanation.verdict == "unexplained":
        if not mistakes:
            return "Wrong: the signature fits neither the request nor any known mistake."
        return "Wrong, and besides, the signature fits neither the request nor any known mistake:"
    if len(mistakes) == 1:
        return "Wrong: %s [%s]" % (_sentence(mistakes[0].what), mistakes[0].name)
    return "Wrong: %d mistakes." % len(mistakes)


def _list(explanation: Explanation) -> List[str]:
    """The mistakes, where the first line does not name the only one."""
    if explanation.verdict == "wrong" and len(explanation.mistakes) == 1:
        return []
    numbered = enumerate(explanation.mistakes, 1)
    return ["  %d. %s [%s]" % (number, _sentence(each.what), each.name) for number, each in numbered]


def _answer(explanation: Explanation) -> str:
    refusal = explanation.refusal
    if refusal is None:
        return "The gateway lets it pass, to the access condition and the limits."
    return "The gateway answers %d %s: %s" % (refusal.status, refusal.code, _sentence(refusal.detail))


def _difference(difference: Difference) -> List[str]:
    place = (difference.offset + 1, difference.line, difference.column)
    expected, signed = difference.expected_byte or "the end", difference.signed_byte or "the end"
    return [
        "The string to sign differs from byte %d on (line %d, byte %d):" % place,
        "  gateway  " + difference.expected,
        "  signed   " + difference.signed,
        "           %s^ %s for the gateway, %s signed" % (" " * difference.mark_at, expected, signed),
    ]


def _unexplained(explanation: Explanation) -> List[str]:
    text = explanation.string_to_sign
    if text is None:
        return []
    lines = text[:_MAX_SHOWN_BYTES].split(b"\n")
    return [
        "The gateway builds this string to sign, without the App Secret; compare it with yours, byte by byte:",
        *("  " + visible(line).replace("\\\\", "\\") for line in lines),
        *(["  …"] if len(text) > _MAX_SHOWN_BYTES else []),
        "",
        _wrapped("Checked, alone and in pairs: %s." % ", ".join(explanation.checked)),
        "Likely causes: an App Secret that belongs to another App Key or was rotated, or a request that was changed "
        "after it",
        "was signed.",
    ]


def _wrapped(text: str) -> str:
    return re.sub("(?=.{%d})(.{1,%d}) " % (_MAX_COLUMNS + 1, _MAX_COLUMNS), r"\1\n", text)


def _fixes(explanation: Explanation) -> List[str]:
    fixes = list(dict.fromkeys(each.fix for each in explanation.mistakes))
    if len(fixes) < 2:
        return ["Fix: " + _sentence(each) for each in fixes]
    return ["Fix:", *("  - " + _sentence(each) for each in fixes)]


def _sentence(text: str) -> str:
    return text if text.endswith(".") else text + "."
