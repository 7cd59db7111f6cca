"""Dictionaries of structured fields (RFC 8941), as far as `Accept-Signature` needs them."""

import re
from typing import Dict, List, NamedTuple, Optional, Union

_KEY = re.compile(r"[a-z*][a-z0-9_.*-]*")
_STRING = re.compile(r'"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"')
_OTHER = re.compile(
    r"-?(?:[0-9]{1,12}\.[0-9]{1,3}|[0-9]{1,15})(?![0-9.])|[A-Za-z*][A-Za-z0-9:/!#$%&'*+.^_`|~-]*|:[A-Za-z0-9+/=]*:|\?0"
)


class Other:
    """A value of a kind that does not matter: a number, a token, bytes, or false."""


OTHER = Other()
Bare = Union[str, bool, Other]
"""A string, true, or `OTHER`."""


class Item(NamedTuple):
    bare: Bare
    parameters: Dict[str, Bare]


class Member(NamedTuple):
    items: Optional[List[Item]]
    """None for a member that is no inner list."""
    parameters: Dict[str, Bare]


class _Malformed(Exception):
    pass


def read_dictionary(text: str) -> Optional[Dict[str, Member]]:
    """The members by their names, of one that stands there twice the last; None when the text does not parse."""
    try:
        return _Reader(text).dictionary()
    except _Malformed:
        return None


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def dictionary(self) -> Dict[str, Member]:
        members: Dict[str, Member] = {}
        self._skip(" ")
        while not self._is_at_end():
            name = self._match(_KEY)
            members[name[0]] = self._member()
            self._skip(" \t")
            if self._is_at_end():
                break
            if not self._take(","):
                raise _Malformed
            self._skip(" \t")
            if self._is_at_end():
                raise _Malformed
        return members

    def _member(self) -> Member:
        if not self._take("="):
            return Member(None, self._parameters())
        if self._take("("):
            items = self._items()
            return Member(items, self._parameters())
        self._bare()
        return Member(None, self._parameters())

    def _items(self) -> List[Item]:
        items: List[Item] = []
        while True:
            self._skip(" ")
            if self._take(")"):
                return items
            bare = self._bare()
            items.append(Item(bare, self._parameters()))
            if self._text[self._at : self._at + 1] not in (" ", ")"):
                raise _Malformed

    def _parameters(self) -> Dict[str, Bare]:
        found: Dict[str, Bare] = {}
        while self._take(";"):
            self._skip(" ")
            name = self._match(_KEY)[0]
            found[name] = self._bare() if self._take("=") else True
        return found

    def _bare(self) -> Bare:
        string = _STRING.match(self._text, self._at)
        if string is not None:
            self._at = string.end()
            return re.sub(r"\\(.)", r"\1", string[1])
        if self._text.startswith("?1", self._at):
            self._at += 2
            return True
        self._match(_OTHER)
        return OTHER

    def _match(self, pattern: "re.Pattern[str]") -> "re.Match[str]":
        found = pattern.match(self._text, self._at)
        if found is None:
            raise _Malformed
        self._at = found.end()
        return found

    def _take(self, character: str) -> bool:
        if not self._text.startswith(character, self._at):
            return False
        self._at += 1
        return True

    def _skip(self, characters: str) -> None:
        while self._at < len(self._text) and self._text[self._at] in characters:
            self._at += 1

    def _is_at_end(self) -> bool:
        return self._at >= len(self._text)
