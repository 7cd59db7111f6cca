"""One call with all its attempts. It sends nothing and waits for nothing, so that every adapter can share it."""

import random
from typing import Optional

from ._credential import Credential
from ._message import Request, SignedRequest
from ._message_signature import Asked
from ._refusal import Refusal
from ._target import origin

_MOST_SECONDS = 60
_GATEWAY_UNAVAILABLE = ("STORE_UNAVAILABLE", "LIMITER_UNAVAILABLE", "UNAVAILABLE")
_ASKS_FOR_MORE = ("CREDENTIALS_MISSING", "CREDENTIALS_MALFORMED", "AUTHENTICATION_FAILED")
_IDEMPOTENT = ("GET", "HEAD", "OPTIONS", "PUT", "DELETE")


class Exchange:
    """Signs each attempt of a call, and decides after it whether there is another one, and after how many seconds.

    :param replayable: whether the body can be sent again.
    """

    def __init__(self, credential: Credential, url: str, replayable: bool = True) -> None:
        self.credential = credential
        self.origin = origin(url)
        self.replayable = replayable
        self._method = ""
        self._tried_again = 0
        self._was_corrected = False
        self._was_renewed = False
        self._correction = 0
        self._signed: Optional[SignedRequest] = None
        self._request: Optional[Request] = None
        self._asked: Optional[Asked] = None

    def sign(self, request: Request) -> SignedRequest:
        """Signs the next attempt."""
        self._method = request.method.upper()
        self._correction = self.credential.correction()
        self._request = request
        self._signed = self.credential.sign_asked(request, self._asked)
        self._asked = None if self._asked is None else self._asked.later()
        return self._signed

    def leads_elsewhere(self, url: str) -> bool:
        """Whether a URL belongs to another server than the call, which gets no credentials."""
        return origin(url) != self.origin

    def after_refusal(
        self, refusal: Refusal, date: Optional[str], accept_signature: Optional[str] = None
    ) -> Optional[float]:
        """Seconds to wait before the next attempt; None when the refusal is the answer of the call."""
        wait = self._wait_after(refusal, date, accept_signature)
        return wait if self.replayable else None

    def after_failure(self) -> Optional[float]:
        """The same when the connection failed, so that nobody knows whether the API has seen the request."""
        if self._method not in _IDEMPOTENT or not self.replayable:
            return None
        return self._counted(None)

    def _wait_after(
        self, refusal: Refusal, date: Optional[str], accept_signature: Optional[str]
    ) -> Optional[float]:
        status, code = refusal.status, refusal.code
        if status == 401 and code in _ASKS_FOR_MORE and accept_signature:
            return self._after_asking(accept_signature)
        if status == 401 and code == "TOKEN_INVALID":
            return self._after_bad_token()
        if status == 401 and code == "REQUEST_EXPIRED":
            return self._after_wrong_time(date)
        if refusal.accepted_before:
            return self._counted(1) if self._method in _IDEMPOTENT else None
        if status == 429 and code == "RATE_LIMITED" and refusal.retry_after is not None:
            return self._counted(refusal.retry_after)
        if status == 503 and code in _GATEWAY_UNAVAILABLE:
            wait = self._counted(refusal.retry_after)
            return None if wait is None else wait * (1 + random.random() / 5)
        return None

    def _after_bad_token(self) -> Optional[float]:
        if self._signed is None or not self.credential.drop_token(self._signed) or self._was_renewed:
            return None
        self._was_renewed = True
        return 0.0

    def _after_wrong_time(self, date: Optional[str]) -> Optional[float]:
        self.credential.correct_clock(date)
        if self._was_corrected or self.credential.correction() == self._correction:
            return None
        self._was_corrected = True
        return 0.0

    def _after_asking(self, accept_signature: str) -> Optional[float]:
        if self._asked is not None or self._request is None:
            return None
        self._asked = self.credential.asked(self._request, accept_signature)
        return None if self._asked is None else 0.0

    def _counted(self, seconds: Optional[int]) -> Optional[float]:
        """At least a second, so that no two attempts have the same signature."""
        if self._tried_again >= self.credential.retries or (seconds or 0) > _MOST_SECONDS:
            return None
        self._tried_again += 1
        return float(max(1, seconds)) if seconds is not None else float(2 ** min(self._tried_again - 1, 5))
