"""For the library `requests`: ``pip install postern-client[requests]``.

`Session` is all that most programs need. `PosternAuth` is the ``auth=`` of any other session; a `PosternAdapter`
mounted there adds what only an adapter sees: failed connections and redirects.
"""

import time
from typing import Any, Dict, Mapping, Optional, Tuple, Union
from urllib.parse import urlsplit

import requests
import requests.adapters
import requests.auth
import requests.sessions
import requests.structures

from ._body import read_all
from ._credential import Credential
from ._errors import Problem
from ._exchange import Exchange
from ._key import Key
from ._message import Request
from ._refusal import MAX_REFUSAL_BYTES, Refusal, may_be_refusal, read_refusal
from ._target import normalized

__all__ = ["PosternAdapter", "PosternAuth", "Session"]


class PosternAuth(requests.auth.AuthBase):
    """Signs each request of `requests` once its body and headers are there, and tries refused ones again.

    A redirect leaves without credentials, wherever it leads. On the same server the request is signed when the
    gateway asks for credentials; with a `PosternAdapter` it is signed before.
    """

    def __init__(self, credential: Credential) -> None:
        self._credential = credential

    def __call__(self, r: requests.PreparedRequest) -> requests.PreparedRequest:
        call = _Call(self._credential, r)
        call.sign(r)
        r.register_hook("response", call)  # type: ignore[no-untyped-call]
        return r

    def __repr__(self) -> str:
        return "postern.requests.PosternAuth(%r)" % self._credential


class PosternAdapter(requests.adapters.HTTPAdapter):
    """Signs redirects within the same server, and tries GET, HEAD, OPTIONS, PUT and DELETE again when the connection
    fails. It acts on requests with a `PosternAuth` only and sends all others as they are.

    It takes the settings of `HTTPAdapter` but `max_retries`, which would send the same signature again.
    """

    def __init__(self, **settings: Any) -> None:
        if settings.get("max_retries", 0) != 0:
            raise TypeError("PosternAdapter takes no max_retries: give the credential retries, which signs anew")
        super().__init__(**settings)

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: Union[None, float, Tuple[float, float], Tuple[float, None]] = None,
        verify: Union[bool, str] = True,
        cert: Union[None, bytes, str, Tuple[Union[bytes, str], Union[bytes, str]]] = None,
        proxies: Optional[Mapping[str, str]] = None,
    ) -> requests.Response:
        call = _call_of(request)
        if call is not None and not call.is_signed and call.may_sign(request):
            call.sign(request)
        while True:
            try:
                return super().send(request, stream, timeout, verify, cert, proxies)
            except requests.ConnectionError as error:
                is_tls = isinstance(error, requests.exceptions.SSLError)
                wait = None if is_tls or call is None or not call.is_signed else call.exchange.after_failure()
                if call is None or wait is None:
                    if call is not None and call.has_key_in_url:
                        raise _without_url(error) from None
                    raise
                time.sleep(wait)
                call.sign_again(request)


def _without_url(error: requests.ConnectionError) -> requests.ConnectionError:
    """The same error in words that hold no URL: with `Key` in the query, the URL holds the secret."""
    reason = getattr(error.args[0] if error.args else None, "reason", None)
    return type(error)("the request has no answer" if reason is None else "the request has no answer: %s" % reason)


class Session(requests.Session):
    """A `requests.Session` whose requests are signed, tried again and, after a redirect on the same server, signed
    again. Close it, or use it with ``with``.
    """

    def __init__(self, credential: Credential) -> None:
        super().__init__()
        self.auth = PosternAuth(credential)
        self.mount("https://", PosternAdapter())
        self.mount("http://", PosternAdapter())

    def prepare_request(self, request: requests.Request) -> requests.PreparedRequest:
        """Raises `TypeError` for an ``auth=`` that would switch signing off."""
        if request.auth is not None and not isinstance(request.auth, PosternAuth):
            raise TypeError("auth= would send this request without a signature: leave it out, or use another session")
        return super().prepare_request(request)


class _HeadersNotShown(requests.structures.CaseInsensitiveDict):  # type: ignore[type-arg]
    """Headers with credentials: printed, they show their names alone."""

    def copy(self) -> "_HeadersNotShown":
        return _HeadersNotShown(self.items())

    def __repr__(self) -> str:
        return "<headers of a signed request: %s>" % ", ".join(self.keys())


class _Call:
    """One call, and what its request was before it was signed. As a response hook, it sees every answer."""

    def __init__(self, credential: Credential, request: requests.PreparedRequest) -> None:
        body: Any = request.body
        position: Any = request  # `requests` itself rewinds bodies by this attribute, which its types do not have.
        replayable = True
        if not (body is None or isinstance(body, (bytes, str))):
            if credential.needs_body:
                request.body = read_all(body, credential.max_body_bytes)
                position._body_position = None
            else:
                replayable = isinstance(position._body_position, int)
        self.exchange = Exchange(credential, request.url or "", replayable)
        self.has_key_in_url = isinstance(credential, Key) and credential.query is not None
        self.is_signed = False
        """Whether the request is signed now; a redirect is not."""
        self._has_left = False
        self._unsigned: Tuple[Optional[str], Any, Dict[str, Optional[str]]] = (None, None, {})

    def may_sign(self, request: requests.PreparedRequest) -> bool:
        """Whether a redirect has led to the same server so far. One that leads back from another is not trusted."""
        self._has_left = self._has_left or self.exchange.leads_elsewhere(request.url or "")
        return not self._has_left

    def sign(self, request: requests.PreparedRequest) -> None:
        """Signs in place what is about to be sent."""
        body = b""
        if self.exchange.credential.needs_body:
            body = _bytes_of(request.body)
            request.body = body or None
            request.headers.pop("Transfer-Encoding", None)
            if body:
                request.headers["Content-Length"] = str(len(body))
        self._unsigned = (request.url, request.body, {})
        request.headers = _HeadersNotShown(request.headers)
        headers = [(name, _text(value)) for name, value in request.headers.items()]
        signed = self.exchange.sign(Request(request.method or "", _url_as_sent(request), headers, body))
        for name, value in signed.added:
            self._set(request, name, value)
        if signed.body != body:
            self._set(request, "Content-Length", str(len(signed.body)))
            request.body = signed.body
        request.url = signed.url
        if _target_as_sent(request) != signed.target:
            raise Problem("TARGET_NOT_SIGNABLE", "the library would send another target than the one that was signed")
        self.is_signed = True

    def _unsign(self, request: requests.PreparedRequest) -> None:
        """Takes off all that signing has set, so that no copy of the request carries it."""
        url, body, headers = self._unsigned
        request.url, request.body = url, body
        for name, former in headers.items():
            request.headers.pop(name, None)
            if former is not None:
                request.headers[name] = former
        self.is_signed = False

    def sign_again(self, request: requests.PreparedRequest) -> None:
        """Signs the next attempt."""
        if self.is_signed:
            self._unsign(request)
        if request.body is not None and not isinstance(request.body, (bytes, str)):
            requests.sessions.rewind_body(request)
        self.sign(request)

    def _set(self, request: requests.PreparedRequest, name: str, value: str) -> None:
        former = request.headers.pop(name, None)
        # Another Authorization than ours was made for this request alone, and must not come back in a redirect.
        self._unsigned[2][name] = None if name == "Authorization" or former is None else _text(former)
        request.headers[name] = value

    def __call__(self, response: requests.Response, **kwargs: Any) -> requests.Response:
        # Redirects are made from this very object, so that it is the one to change.
        request = response.request
        while True:
            if response.is_redirect:
                response.request = request.copy()
                if self.is_signed:
                    self._unsign(request)
                return response
            refusal = _refusal_in(response, bool(kwargs.get("stream")))
            wait = None if refusal is None else self._wait_after(refusal, response)
            if wait is None:
                return self._without_key(response)
            response.request = request.copy()
            response.close()
            time.sleep(wait)
            self.sign_again(request)
            adapter: requests.adapters.HTTPAdapter = response.connection
            answer = adapter.send(request, **kwargs)
            answer.history = [*response.history, response]
            response = answer

    def _without_key(self, response: requests.Response) -> requests.Response:
        """An answer whose URLs do not hold the App Key, which `requests` prints with errors."""
        url = self._unsigned[0]
        if self.has_key_in_url and self.is_signed and url is not None:
            response.url = url
            response.request = response.request.copy()
            response.request.url = url
        return response

    def _wait_after(self, refusal: Refusal, response: requests.Response) -> Optional[float]:
        if self.is_signed:
            headers = response.headers
            return self.exchange.after_refusal(refusal, headers.get("Date"), headers.get("Accept-Signature"))
        is_asked = refusal.status == 401 and refusal.code == "CREDENTIALS_MISSING" and self.exchange.replayable
        return 0.0 if is_asked and self.may_sign(response.request) else None

    def __repr__(self) -> str:
        return "<postern.requests call of %r>" % self.exchange.credential


def _call_of(request: requests.PreparedRequest) -> Optional[_Call]:
    return next((hook for hook in request.hooks.get("response", []) if isinstance(hook, _Call)), None)


def _bytes_of(body: Any) -> bytes:
    return body.encode("utf-8") if isinstance(body, str) else bytes(body or b"")


def _text(value: Union[str, bytes]) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _target_as_sent(request: requests.PreparedRequest) -> str:
    """As `HTTPAdapter.request_url` and then `urllib3` write it."""
    target = request.path_url
    return normalized("/" + target.lstrip("/") if target.startswith("//") else target)


def _url_as_sent(request: requests.PreparedRequest) -> str:
    parts = urlsplit(request.url or "")
    return "%s://%s%s" % (parts.scheme, parts.netloc, _target_as_sent(request))


def _refusal_in(response: requests.Response, is_streamed: bool) -> Optional[Refusal]:
    """The refusal in an answer. A streamed one is read only when it says that it is short."""
    content_type = response.headers.get("Content-Type")
    if not may_be_refusal(response.status_code, content_type):
        return None
    length = response.headers.get("Content-Length", "")
    if is_streamed and not (length.isdigit() and int(length) <= MAX_REFUSAL_BYTES):
        return None
    return read_refusal(response.status_code, content_type, response.headers.get("Retry-After"), response.content)
