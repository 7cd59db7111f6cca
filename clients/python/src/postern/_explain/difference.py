"""Where the string to sign that the gateway builds parts from the one that was signed."""

from typing import NamedTuple, Optional

from .text import character_length, visible

_BEFORE_BYTES = 40
_AFTER_BYTES = 36


class Difference(NamedTuple):
    offset: int
    """Of the first byte that differs, from 0."""
    line: int
    column: int
    expected: str
    """The surroundings in what the gateway builds, in visible form."""
    signed: str
    mark_at: int
    """How many characters of both stand before the difference."""
    expected_byte: Optional[str]
    """The byte in hex, such as `0x3f`; None where the text has ended."""
    signed_byte: Optional[str]


def find_difference(expected: bytes, signed: bytes) -> Optional[Difference]:
    """The first byte that differs; None when the texts are the same."""
    common = min(len(expected), len(signed))
    offset = next((at for at in range(common) if expected[at] != signed[at]), common)
    if offset == common and len(expected) == len(signed):
        return None
    line_start = expected.rfind(b"\n", 0, offset) + 1
    shown_from = _character_start(expected, max(line_start, offset - _BEFORE_BYTES))
    shown_at = _character_start(expected, offset)  # A character is shown whole.
    before = ("…" if shown_from > line_start else "") + visible(expected[shown_from:shown_at])
    return Difference(
        offset,
        expected.count(b"\n", 0, line_start) + 1,
        offset - line_start + 1,
        before + _shown_after(expected, shown_at),
        before + _shown_after(signed, shown_at),
        len(before),
        _hex(expected, offset),
        _hex(signed, offset),
    )


def _shown_after(data: bytes, start: int) -> str:
    """The rest of the line: a difference is often where one text has a line feed and the other has not."""
    if start >= len(data):
        return ""
    line_feed = data.find(b"\n", start)
    line_end = len(data) if line_feed == -1 else line_feed + 1
    end = start
    while end < min(line_end, start + _AFTER_BYTES):
        end += character_length(data, end)
    return visible(data[start:end]) + ("…" if end < line_end else "")


def _character_start(data: bytes, at: int) -> int:
    for start in range(max(at - 3, 0), at):
        if start + character_length(data, start) > at:
            return start
    return at


def _hex(data: bytes, at: int) -> Optional[str]:
    return "0x%02x" % data[at] if at < len(data) else None
