"""The method OAuth2: client credentials, and the access token that is kept."""

import base64
import threading
import time
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


class OAuth2(Credential):
    """Trades App Key and App Secret for an access token and sends that. The token is kept in memory and renewed.

    :param token_url: absolute, the gateway's ``/oauth2/token``.
    :param timeout: seconds for the answer of the token URL.
    :param ssl_context: for the token URL, such as ``ssl.create_default_context(cafile=…)``.
    :param retries: how often a call is tried again, besides the first time and the one with a new token.
    :param clock: seconds since 1970, for tests.

    Raises `Problem` with the code ``INVALID_CREDENTIAL``.
    """

    needs_body = False

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
        super().__init__(app_key, retries=retries, clock=clock)
        try:
            target = parse(token_url)
        except (Problem, TypeError):
            raise invalid("token_url must be an absolute URL") from None
        if "@" in token_url.split("/")[2] or target.has_query or "#" in token_url:
            raise invalid("token_url must have no user, query or fragment")
        self.app_key = app_key
        self.token_url = token_url
        self.timeout = timeout
        self._secret = checked_secret(app_secret)
        self._ssl_context = ssl_context
        self._time = clock
        self._lock = threading.Lock()
        self._token: Optional[Token] = None
        self._asked: "Optional[Future[Token]]" = None

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
            token = ask(self.token_url, self._basic, self.timeout, self._ssl_context, self._time)
        except BaseException as error:
            with self._lock:
                self._asked = None
            future.set_exception(error if isinstance(error, TokenError) else TokenError("the question was given up"))
            raise
        with self._lock:
            self._token, self._asked = token, None
        future.set_result(token)
        return token

    def _basic(self) -> str:
        """HTTP Basic with both parts form-encoded (RFC 6749 §2.3.1)."""
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
