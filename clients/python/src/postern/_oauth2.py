"""The method OAuth2: client credentials, and the access token that is kept."""

import abc
import base64
import threading
import time
import urllib.request
from concurrent.futures import Future
from ssl import SSLContext
from typing import Callable, Optional

from ._credential import Credential, checked_secret, invalid
from ._errors import Problem, TokenError
from ._message import Request, SignedRequest
from ._parameters import encode
from ._target import parse
from ._token import Token, ask

_HEADER = "Authorization"
_WRONG_CLOCK_SECONDS = 30
"""An assertion is good for a minute: a clock that is less wrong was not why it was refused."""


class TokenCredential(Credential):
    """Gets access tokens by client credentials (RFC 6749 §4.4), keeps the last one and sends it."""

    needs_body = False

    def __init__(
        self,
        app_key: str,
        token_url: str,
        *,
        timeout: float,
        ssl_context: Optional[SSLContext],
        retries: int,
        clock: Callable[[], float],
        clock_correction: int = 0,
        is_checked: bool = False,
    ) -> None:
        super().__init__(
            app_key, retries=retries, clock_correction=clock_correction, clock=clock, is_checked=is_checked
        )
        try:
            target = parse(token_url)
        except (Problem, TypeError):
            raise invalid("token_url must be an absolute URL") from None
        if "@" in token_url.split("/")[2] or target.has_query or "#" in token_url:
            raise invalid("token_url must have no user, query or fragment")
        self.app_key = app_key
        self.token_url = token_url
        self.timeout = timeout
        self._ssl_context = ssl_context
        self._time = clock
        self._lock = threading.Lock()
        self._token: Optional[Token] = None
        self._asked: "Optional[Future[Token]]" = None

    @abc.abstractmethod
    def _authenticate(self, question: urllib.request.Request) -> None:
        """Adds to a question to the token URL who asks."""

    def sign(self, request: Request) -> SignedRequest:
        target = parse(request.url)
        authorization = (_HEADER, "Bearer " + self._current().text.reveal())
        return SignedRequest(request, target.url, target.text, [authorization])

    def may_wait(self) -> bool:
        with self._lock:
            return self._fresh() is None

    def drop_token(self, signed: SignedRequest) -> bool:
        with self._lock:
            token = self._token
            if token is not None and (_HEADER, "Bearer " + token.text.reveal()) in signed.added:
                self._token = None
        return True

    def _fresh(self) -> Optional[Token]:
        token = self._token
        return token if token is not None and token.is_fresh(self._time()) else None

    def _current(self) -> Token:
        """A token that is good for a while. Callers that come while one is asked for wait for the same answer."""
        with self._lock:
            token = self._fresh()
            if token is not None:
                return token
            asked = self._asked
            if asked is None:
                future = self._asked = Future()
        if asked is not None:
            return _result_of(asked)
        try:
            token = ask(
                self.token_url, self._authenticate, self.timeout, self._ssl_context, self._time, self._is_of_wrong_clock
            )
        except BaseException as error:
            with self._lock:
                self._asked = None
            future.set_exception(error if isinstance(error, TokenError) else TokenError("the question was given up"))
            raise
        with self._lock:
            self._token, self._asked = token, None
        future.set_result(token)
        return token

    def _is_of_wrong_clock(self, date: Optional[str]) -> bool:
        """Whether an assertion was refused that is made anew, by a corrected clock."""
        if not self._clock.is_off_by(date, _WRONG_CLOCK_SECONDS):
            return False
        before = self.correction()
        self.correct_clock(date)
        return self.correction() != before


class OAuth2(TokenCredential):
    """Trades App Key and App Secret for an access token and sends that. The token is kept in memory and renewed.

    :param token_url: absolute, the gateway's ``/oauth2/token``.
    :param timeout: seconds for the answer of the token URL.
    :param ssl_context: for the token URL, such as ``ssl.create_default_context(cafile=…)``.
    :param retries: how often a call is tried again, besides the first time and the one with a new token.
    :param clock: seconds since 1970, for tests.

    Raises `Problem` with the code ``INVALID_CREDENTIAL``.
    """

    def __init__(
        self,
        app_key: str,
        app_secret: str,
        token_url: str,
        *,
        timeout: float = 10.0,
        ssl_context: Optional[SSLContext] = None,
        retries: int = 2,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(
            app_key, token_url, timeout=timeout, ssl_context=ssl_context, retries=retries, clock=clock
        )
        self._secret = checked_secret(app_secret)

    def _authenticate(self, question: urllib.request.Request) -> None:
        """HTTP Basic with both parts form-encoded (RFC 6749 §2.3.1)."""
        question.add_unredirected_header("Authorization", self._basic())

    def _basic(self) -> str:
        pair = "%s:%s" % (encode(self.app_key), encode(self._secret.reveal()))
        return "Basic " + base64.b64encode(pair.encode("ascii")).decode("ascii")

    def _describe(self) -> str:
        return "app_key=%r, app_secret=[secret], token_url=%r" % (self.app_key, self.token_url)


def _result_of(asked: "Future[Token]") -> Token:
    try:
        return asked.result()
    except TokenError as error:
        # An error of its own for each caller: one object would gather the tracebacks of all of them.
        raise TokenError(str(error), error.status, error.error, error.retry_after) from None
