"""What explaining is about: requests, mistakes, and what was found out."""

from dataclasses import dataclass, field
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

Header = Tuple[str, str]


class Unreadable(Exception):
    """The text holds no request that can be explained; the message says why, for people."""


@dataclass(frozen=True)
class SentRequest:
    """A request as it was sent. `authority` is what `Host` says."""

    method: str
    path: str
    authority: str
    headers: Tuple[Header, ...]
    body: bytes

    def values_of(self, wanted: str) -> List[str]:
        return [value for name, value in self.headers if name.lower() == wanted]

    def first(self, wanted: str) -> Optional[str]:
        """The first value of a header by its lower-case name."""
        return next(iter(self.values_of(wanted)), None)

    @property
    def query(self) -> str:
        return self.path.partition("?")[2]


class ReadText(NamedTuple):
    """A request that was read from a text; `sent_at` is when, where the text says."""

    request: SentRequest
    sent_at: Optional[int] = None
    notes: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Options:
    """What an operator may have told a partner; the names are those of the endpoint's options."""

    algorithms: Tuple[str, ...] = ("hmac-sha256",)
    parameter_encoding: str = "decoded"
    clock_skew_seconds: int = 300
    require_timestamp: bool = False


@dataclass(frozen=True)
class Asked:
    """Who the request is meant to be from, and when it came in."""

    app_key: Optional[str]
    secret: bytes = field(repr=False)
    now: int
    is_time_known: bool


class Mistake(NamedTuple):
    """`name` is stable; `what` is a clause and `fix` a sentence, both without a full stop."""

    name: str
    what: str
    fix: str


class Fault(NamedTuple):
    """A mistake that can be seen in the request itself."""

    name: str
    what: str
    fix: str
    is_made: Callable[[Any], bool]

    @property
    def mistake(self) -> Mistake:
        return Mistake(self.name, self.what, self.fix)


class Refused(NamedTuple):
    """What the gateway answers, with what its log would say."""

    status: int
    code: str
    detail: str


class Search(NamedTuple):
    is_explained: bool
    is_cut: bool
    checked: Tuple[str, ...]


class Finding(NamedTuple):
    """What one method finds out about a request. `compared` is what the gateway builds and what was signed."""

    mistakes: Tuple[Mistake, ...]
    is_old: bool = False
    string_to_sign: Optional[bytes] = None
    compared: Optional[Tuple[bytes, bytes]] = None
    search: Optional[Search] = None


Vary = Callable[[Any], Sequence[Any]]


class Hypothesis(NamedTuple):
    """A mistake that shows only in the signature. `vary` gives the recipes that it may have been made by."""

    name: str
    what: str
    fix: str
    vary: Vary
    is_alone: bool = False

    @property
    def mistake(self) -> Mistake:
        return Mistake(self.name, self.what, self.fix)
