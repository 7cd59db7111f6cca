"""One question to a token URL."""

import json
import re
import urllib.error
import urllib.request
from http.client import HTTPException
from ssl import SSLContext
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple, Union

from ._errors import TokenError
from ._refusal import retry_after_of
from ._secret import Secret

_MAX_ANSWER_BYTES = 65_536
_TOKEN = re.compile(r"[A-Za-z0-9\-._~+/]+=*\Z")
_MOST_SECONDS_LEFT = 60


class Token(NamedTuple):
    """An access token and until when it is used; None is until the gateway refuses it."""

    text: Secret
    renew_at: Optional[float]

    def is_fresh(self, now: float) -> bool:
        return self.renew_at is None or now < self.renew_at


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is no token, and must not carry the App Secret somewhere else."""

    def redirect_request(self, *args: Any) -> None:
        return None


def ask(
    url: str,
    authenticate: Callable[[urllib.request.Request], None],
    timeout: float,
    context: Optional[SSLContext],
    clock: Callable[[], float],
    is_of_wrong_clock: Callable[[Optional[str]], bool],
) -> Token:
    """Asks with `grant_type=client_credentials`. Raises `TokenError`.

    :param authenticate: adds to the question who asks.
    :param is_of_wrong_clock: whether an `invalid_client` with this `Date` is asked about once more.
    """
    for _ in range(2):
        outcome, date = _asked(url, authenticate, timeout, context, clock)
        is_refused = isinstance(outcome, TokenError) and outcome.error == "invalid_client"
        if not (is_refused and is_of_wrong_clock(date)):
            break
    # Raised here, where no variable holds the answer: some print those of a traceback.
    if isinstance(outcome, TokenError):
        raise outcome
    return outcome


def _asked(
    url: str,
    authenticate: Callable[[urllib.request.Request], None],
    timeout: float,
    context: Optional[SSLContext],
    clock: Callable[[], float],
) -> Tuple[Union[Token, TokenError], Optional[str]]:
    """What the token URL says, and the `Date` of its answer."""
    handlers = [_NoRedirects(), urllib.request.HTTPSHandler(context=context)]
    question = urllib.request.Request(url, data=b"grant_type=client_credentials", method="POST")
    question.add_header("Content-Type", "application/x-www-form-urlencoded")
    question.add_header("Accept", "application/json")
    authenticate(question)
    return _outcome(urllib.request.build_opener(*handlers), question, timeout, clock)


def _outcome(
    opener: urllib.request.OpenerDirector,
    question: urllib.request.Request,
    timeout: float,
    clock: Callable[[], float],
) -> Tuple[Union[Token, TokenError], Optional[str]]:
    asked_at = clock()
    try:
        status, headers, body = _answer(opener, question, timeout)
    except (OSError, HTTPException, ValueError) as error:
        return TokenError("the token URL gave no answer: %s" % _reason(error)), None
    return _read(status, headers, body, asked_at), headers.get("Date")


def _reason(error: BaseException) -> str:
    """What the system says; of an answer that is no HTTP only the kind, as the other errors quote it."""
    reason = getattr(error, "reason", None) or error
    is_of_system = isinstance(reason, OSError) and not isinstance(reason, (urllib.error.URLError, HTTPException))
    return (str(reason) if is_of_system else "") or type(reason).__name__


def _answer(
    opener: urllib.request.OpenerDirector, question: urllib.request.Request, timeout: float
) -> Tuple[int, Any, bytes]:
    try:
        with opener.open(question, timeout=timeout) as answer:
            return answer.status, answer.headers, answer.read(_MAX_ANSWER_BYTES + 1)
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.code, answer.headers, answer.read(_MAX_ANSWER_BYTES + 1)


def _read(status: int, headers: Any, body: bytes, asked_at: float) -> Union[Token, TokenError]:
    document = _object_of(body)
    if status != 200:
        return _refused(status, document, retry_after_of(headers.get("Retry-After")))
    text, kind, life = (document.get(name) for name in ("access_token", "token_type", "expires_in"))
    if not isinstance(text, str) or _TOKEN.match(text) is None:
        return TokenError("the answer of the token URL holds no access token", status)
    if not isinstance(kind, str) or kind.lower() != "bearer":
        return TokenError("the token is not of the type bearer", status)
    if life is None:
        return Token(Secret(text), None)
    if isinstance(life, bool) or not isinstance(life, (int, float)) or not life > 0:
        return TokenError("expires_in of the token is not a number of seconds", status)
    return Token(Secret(text), asked_at + life - min(_MOST_SECONDS_LEFT, life / 10))


def _object_of(body: bytes) -> Dict[str, Any]:
    if len(body) > _MAX_ANSWER_BYTES:
        return {}
    try:
        document = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


_KNOWN_ERRORS = frozenset(
    (
        "invalid_request",
        "invalid_client",
        "invalid_grant",
        "unauthorized_client",
        "unsupported_grant_type",
        "invalid_scope",
        "server_error",
        "temporarily_unavailable",
    )
)


def _refused(status: int, document: Dict[str, Any], retry_after: Optional[int]) -> TokenError:
    """Quotes errors of RFC 6749 only: another text may repeat the App Secret, in any encoding."""
    error = document.get("error")
    known = error if isinstance(error, str) and error in _KNOWN_ERRORS else None
    message = "the token URL answered %d%s" % (status, ", " + known if known else "")
    return TokenError(message, status, known, retry_after)
