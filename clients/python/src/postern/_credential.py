"""What the methods have in common."""

import abc
import binascii
import os
import re
import time
from typing import TYPE_CHECKING, Callable, ClassVar, NoReturn, Optional

from ._clock import Clock
from ._errors import Problem
from ._message import Request, SignedRequest
from ._secret import Secret

if TYPE_CHECKING:
    from ._message_signature import Asked

_APP_KEY = re.compile(r"[A-Za-z0-9._-]{1,512}\Z")
_KEY_ID = re.compile(r"[\x20\x21\x23-\x5b\x5d-\x7e]{1,512}\Z")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+\Z")
_USUAL_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
MAX_BODY_BYTES = 10_485_760


def new_nonce() -> str:
    """32 lower-case hex characters from the system's cryptographic source."""
    return os.urandom(16).hex()


def base64_text(data: bytes) -> str:
    """Standard base64 with its padding."""
    return binascii.b2a_base64(data)[:-1].decode("ascii")


def invalid(message: str) -> Problem:
    return Problem("INVALID_CREDENTIAL", message)


def is_token(text: str) -> bool:
    """Whether a text can be the name of a header (RFC 9110 §5.6.2)."""
    return text in _USUAL_METHODS or _TOKEN.match(text) is not None


def checked_secret(text: str) -> Secret:
    """Raises `Problem` ``INVALID_CREDENTIAL`` for what cannot be an App Secret."""
    if not isinstance(text, str) or text == "":
        raise invalid("the App Secret must be text that is not empty")
    if _CONTROL.search(text):
        raise invalid("the App Secret holds a control character, such as a line feed at its end")
    if text != text.strip():
        raise invalid("the App Secret has white space at its ends")
    if any("\ud800" <= each <= "\udfff" for each in text):
        raise invalid("the App Secret is not valid Unicode")
    return Secret(text)


def checked_key_id(app_key: str) -> str:
    """Raises `Problem` ``INVALID_CREDENTIAL`` for what cannot be the App Key of a private key."""
    if not isinstance(app_key, str) or _KEY_ID.match(app_key) is None:
        raise invalid('the App Key must be 1 to 512 printable ASCII characters without " and \\')
    return app_key


def checked_count(name: str, value: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise invalid("%s must be a whole number from 0 to %d" % (name, most))
    return value


class Credential(abc.ABC):
    """One credential of a partner, for one method. Safe to share between threads.

    It cannot be pickled or copied, and shows no secret when it is printed.
    """

    needs_body: ClassVar[bool]
    """Whether the body is signed, so that all of it must be known before it is sent."""
    max_body_bytes: ClassVar[int] = MAX_BODY_BYTES
    signs_host: bool = False
    """Whether the host is signed."""

    def __init__(
        self,
        app_key: str,
        *,
        retries: int = 2,
        clock_correction: int = 0,
        clock: Callable[[], float] = time.time,
        is_checked: bool = False,
    ) -> None:
        if not is_checked and (not isinstance(app_key, str) or _APP_KEY.match(app_key) is None):
            raise invalid("the App Key must be 1 to 512 of A-Z a-z 0-9 . _ -")
        self.retries = checked_count("retries", retries, 100)
        self._clock = Clock(clock, checked_count("clock_correction", clock_correction, 10**9))

    @abc.abstractmethod
    def sign(self, request: Request) -> SignedRequest:
        """Signs a request as it is about to be sent. Raises `Problem`, and `TokenError` for OAuth2.

        Sign at the last moment, and sign every attempt again: the time is signed too.
        """

    def sign_again(self, request: Request, accept_signature: str) -> Optional[SignedRequest]:
        """Signs what a 401 to a `MessageSignature` asked for in `Accept-Signature`, to be sent once more.

        None when there is nothing more to do, and for other methods.
        """
        return None

    def may_wait(self) -> bool:
        """Whether `sign` would ask another server first. Asynchronous callers then sign in a thread."""
        return False

    def shown(self, text: str) -> str:
        """A text, such as a signed URL, with ``[secret]`` in place of a secret that this method writes there."""
        return text

    def drop_token(self, signed: SignedRequest) -> bool:
        """Forgets the access token that this request was sent with. Gives whether another one can be had."""
        return False

    @abc.abstractmethod
    def _describe(self) -> str:
        """The settings that are no secret."""

    def asked(self, request: Request, accept_signature: str) -> "Optional[Asked]":
        """What `sign_asked` is to sign after a 401 with this `Accept-Signature`; None for nothing more."""
        return None

    def sign_asked(self, request: Request, asked: "Optional[Asked]") -> SignedRequest:
        """Signs with what was asked for."""
        return self.sign(request)

    def correct_clock(self, date: Optional[str]) -> None:
        """Takes over the time of an answer's `Date`, as far as `clock_correction` allows."""
        self._clock.correct(date)

    def correction(self) -> int:
        """Seconds by which the machine's clock is corrected now."""
        return self._clock.offset

    def __repr__(self) -> str:
        return "postern.%s(%s)" % (type(self).__name__, self._describe())

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a credential is not pickled or copied; make another one from its secret")
