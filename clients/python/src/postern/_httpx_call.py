"""One call of `httpx`: its requests before and after signing."""

import ssl
from typing import AsyncIterable, AsyncIterator, Dict, Iterable, Iterator, List, Optional, Tuple

import httpx

from ._credential import Credential
from ._errors import Problem
from ._exchange import Exchange
from ._httpx_headers import HeadersSentOnce
from ._key import Key
from ._message import Request
from ._refusal import read_refusal

_EXTENSION = "postern"


class Call:
    """What an auth flow and a transport know of one call. `httpx` carries it over to redirects as an extension."""

    def __init__(self, credential: Credential, request: httpx.Request) -> None:
        replayable = credential.needs_body or isinstance(request.stream, httpx.ByteStream)
        self.exchange = Exchange(credential, str(request.url), replayable)
        self._unsigned = request
        self._signed: Optional[httpx.Request] = None
        self._has_left = False

    def with_body(self, request: httpx.Request) -> httpx.Request:
        """The request with its body in memory, for methods that sign it."""
        if not self.exchange.credential.needs_body:
            return request
        if not isinstance(request.stream, Iterable):
            raise RuntimeError("an asynchronous body needs an httpx.AsyncClient")
        body = bytearray()
        for piece in request.stream:
            self._add(body, piece)
        return self._known(request, bytes(body))

    async def with_body_async(self, request: httpx.Request) -> httpx.Request:
        """The same for asynchronous streams."""
        if not self.exchange.credential.needs_body or not isinstance(request.stream, AsyncIterable):
            return self.with_body(request)
        body = bytearray()
        async for piece in request.stream:
            self._add(body, piece)
        return self._known(request, bytes(body))

    def _add(self, body: bytearray, piece: bytes) -> None:
        body += piece
        most = self.exchange.credential.max_body_bytes
        if len(body) > most:
            raise Problem("BODY_TOO_LARGE", "the body has more than %d bytes" % most)

    def _known(self, request: httpx.Request, body: bytes) -> httpx.Request:
        headers = httpx.Headers(request.headers)
        if "Transfer-Encoding" in headers:
            del headers["Transfer-Encoding"]
            headers["Content-Length"] = str(len(body))
        return _copy(request, request.url, headers, httpx.ByteStream(body))

    def first(self, unsigned: httpx.Request) -> httpx.Request:
        """The first attempt."""
        self._unsigned = unsigned
        self._signed = self._sign(unsigned)
        return self._signed

    def next(self, response: httpx.Response) -> httpx.Request:
        """The next attempt of what was answered, which may have been a redirect."""
        return self.first(self._unsigned if response.request is self._signed else response.request)

    def redirected(self, request: httpx.Request) -> httpx.Request:
        """A redirect, signed for its own address. `request` itself stays as it is, for the next redirect."""
        self._unsigned = self._signed = request
        return self._sign(request)

    def same(self, request: httpx.Request) -> httpx.Request:
        """The same request, signed again because the connection failed."""
        return self._sign(self._unsigned)

    def hide_key(self, response: httpx.Response) -> None:
        """Has an answer's request and URL not hold the App Key, which `httpx` prints with errors."""
        credential = self.exchange.credential
        if isinstance(credential, Key) and credential.query is not None and self.is_signed(response.request):
            response.request = self._unsigned

    def is_signed(self, request: httpx.Request) -> bool:
        return request is self._signed

    def may_sign(self, request: httpx.Request) -> bool:
        """Whether redirects have led to the same server so far. One that leads back from another is not trusted."""
        self._has_left = self._has_left or self.exchange.leads_elsewhere(str(request.url))
        return not self._has_left

    def wait_after(self, response: httpx.Response) -> Optional[float]:
        """Seconds until the next attempt after a refusal that was read; None when it is the answer."""
        headers = response.headers
        refusal = read_refusal(
            response.status_code, headers.get("Content-Type"), headers.get("Retry-After"), response.content
        )
        if refusal is None:
            return None
        if self.is_signed(response.request):
            return self.exchange.after_refusal(refusal, headers.get("Date"), headers.get("Accept-Signature"))
        is_asked = refusal.status == 401 and refusal.code == "CREDENTIALS_MISSING" and self.exchange.replayable
        return 0.0 if is_asked and self.may_sign(response.request) else None

    def _sign(self, request: httpx.Request) -> httpx.Request:
        body = b"".join(request.stream) if self.exchange.credential.needs_body else b""  # type: ignore[arg-type]
        pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw]
        signed = self.exchange.sign(Request(request.method, _url_as_sent(request.url), pairs, body))
        if request.url.scheme == "http" and ":" in request.url.host and self.exchange.credential.signs_host:
            raise Problem("TARGET_NOT_SIGNABLE", "for a proxy httpx drops the brackets of an IPv6 address: use a name")
        url, stream, added = request.url, request.stream, dict(signed.added)
        if signed.target.encode("ascii") != url.raw_path:
            url = url.copy_with(raw_path=signed.target.encode("ascii"))
            if url.raw_path != signed.target.encode("ascii"):
                raise Problem("TARGET_NOT_SIGNABLE", "the library would send another target than the one signed")
        if signed.body != body:
            added["Content-Length"] = str(len(signed.body))
            stream = _BodySentOnce(signed.body, body)
        return _copy(request, url, HeadersSentOnce(request.headers, added), stream, self)

    def __repr__(self) -> str:
        return "<postern.httpx call of %r>" % self.exchange.credential


class _BodySentOnce(httpx.ByteStream):
    """A body with a signature in it. What reads it after the first time, such as a redirect, gets it without."""

    def __init__(self, signed: bytes, unsigned: bytes) -> None:
        super().__init__(unsigned)
        self._signed: List[bytes] = [signed]

    def __iter__(self) -> Iterator[bytes]:
        return iter([self._signed.pop()]) if self._signed else super().__iter__()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece


def _copy(
    request: httpx.Request, url: httpx.URL, headers: httpx.Headers, stream: object, call: Optional[Call] = None
) -> httpx.Request:
    extensions: Dict[str, object] = dict(request.extensions)
    if call is not None:
        extensions[_EXTENSION] = call
    copied = httpx.Request(request.method, url, stream=stream, extensions=extensions)  # type: ignore[arg-type]
    copied.headers = headers
    return copied


def call_of(request: httpx.Request) -> Optional[Call]:
    call = request.extensions.get(_EXTENSION)
    return call if isinstance(call, Call) else None


def _url_as_sent(url: httpx.URL) -> str:
    return "%s://%s%s" % (url.scheme, url.netloc.decode("ascii"), url.raw_path.decode("ascii"))


_FAILURES: Tuple[type, ...] = (httpx.NetworkError, httpx.ConnectTimeout, httpx.RemoteProtocolError)


def is_connection_failure(error: BaseException) -> bool:
    """Whether the connection failed for a reason that may have passed; a bad certificate does not pass."""
    if not isinstance(error, _FAILURES):
        return False
    cause: Optional[BaseException] = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return False
        cause = cause.__cause__ or cause.__context__
    return True
