"""For the library `httpx`: ``pip install postern-client[httpx]``, or ``[http2]`` with HTTP/2.

`Client` and `AsyncClient` are all that most programs need. `PosternAuth` is the ``auth=`` of any other client; a
`Transport` or `AsyncTransport` around its transport adds what only a transport sees: failed connections and redirects.
"""

import time
from typing import Any, AsyncGenerator, Dict, Generator, Optional

import anyio
import anyio.to_thread
import httpx

from ._credential import Credential
from ._httpx_call import Call, call_of, is_connection_failure
from ._httpx_peek import has_refusal, has_refusal_async

__all__ = ["AsyncClient", "AsyncTransport", "Client", "PosternAuth", "Transport"]


class PosternAuth(httpx.Auth):
    """Signs each request of `httpx` once its body and headers are there, and tries refused ones again.

    A redirect leaves without credentials, wherever it leads. On the same server the request is signed when the
    gateway asks for credentials; with a `Transport` it is signed before.
    """

    def __init__(self, credential: Credential) -> None:
        self._credential = credential

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        call = Call(self._credential, request)
        attempt = call.first(call.with_body(request))
        while True:
            response = yield attempt
            wait = call.wait_after(response) if has_refusal(response) else None
            if wait is None:
                call.hide_key(response)
                return
            time.sleep(wait)
            attempt = call.next(response)

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        call = Call(self._credential, request)
        unsigned = await call.with_body_async(request)
        attempt = await _apart(self._credential, call.first, unsigned)
        while True:
            response = yield attempt
            wait = call.wait_after(response) if await has_refusal_async(response) else None
            if wait is None:
                call.hide_key(response)
                return
            await anyio.sleep(wait)
            attempt = await _apart(self._credential, call.next, response)

    def __repr__(self) -> str:
        return "postern.httpx.PosternAuth(%r)" % self._credential


async def _apart(credential: Credential, sign: Any, argument: Any) -> httpx.Request:
    """Signs; in a thread when another server is asked for a token first, so that the event loop does not wait."""
    if credential.may_wait():
        request: httpx.Request = await anyio.to_thread.run_sync(sign, argument)
        return request
    signed: httpx.Request = sign(argument)
    return signed


class Transport(httpx.BaseTransport):
    """Signs redirects within the same server, and tries GET, HEAD, OPTIONS, PUT and DELETE again when the connection
    fails. It acts on requests with a `PosternAuth` only and sends all others as they are.

    :param inner: what sends; an `httpx.HTTPTransport` when there is none.
    """

    def __init__(self, inner: Optional[httpx.BaseTransport] = None) -> None:
        self._inner = httpx.HTTPTransport() if inner is None else inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        call = call_of(request)
        if call is None or not call.may_sign(request):
            return self._inner.handle_request(request)
        sent = request if call.is_signed(request) else call.redirected(request)
        while True:
            try:
                return self._inner.handle_request(sent)
            except httpx.TransportError as error:
                wait = call.exchange.after_failure() if is_connection_failure(error) else None
                if wait is None:
                    raise
            time.sleep(wait)
            sent = call.same(request)

    def close(self) -> None:
        self._inner.close()


class AsyncTransport(httpx.AsyncBaseTransport):
    """`Transport` for an `httpx.AsyncClient`.

    :param inner: what sends; an `httpx.AsyncHTTPTransport` when there is none.
    """

    def __init__(self, inner: Optional[httpx.AsyncBaseTransport] = None) -> None:
        self._inner = httpx.AsyncHTTPTransport() if inner is None else inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        call = call_of(request)
        if call is None or not call.may_sign(request):
            return await self._inner.handle_async_request(request)
        credential = call.exchange.credential
        sent = request if call.is_signed(request) else await _apart(credential, call.redirected, request)
        while True:
            try:
                return await self._inner.handle_async_request(sent)
            except httpx.TransportError as error:
                wait = call.exchange.after_failure() if is_connection_failure(error) else None
                if wait is None:
                    raise
            await anyio.sleep(wait)
            sent = await _apart(credential, call.same, request)

    async def aclose(self) -> None:
        await self._inner.aclose()


class Client(httpx.Client):
    """An `httpx.Client` whose requests are signed, tried again and, after a redirect on the same server, signed again.

    It takes all settings of `httpx.Client` but `auth`, such as ``http2=True`` or ``verify=…``.
    """

    def __init__(self, credential: Credential, **settings: Any) -> None:
        super().__init__(auth=PosternAuth(credential), **settings)
        # httpx chooses its transports by settings and environment (proxies) and offers no way to wrap its choice.
        self._transport: httpx.BaseTransport = Transport(self._transport)
        self._mounts = {
            pattern: None if transport is None else Transport(transport) for pattern, transport in self._mounts.items()
        }

    def send(self, request: httpx.Request, **settings: Any) -> httpx.Response:
        """As `httpx.Client.send`. Raises `TypeError` for an ``auth=`` that would switch signing off."""
        _require_signing(settings)
        try:
            return super().send(request, **settings)
        except httpx.RequestError as error:
            error.request = request  # Not the signed one, whose URL may hold the App Key.
            raise


class AsyncClient(httpx.AsyncClient):
    """`Client` for asynchronous programs, with asyncio or trio."""

    def __init__(self, credential: Credential, **settings: Any) -> None:
        super().__init__(auth=PosternAuth(credential), **settings)
        self._transport: httpx.AsyncBaseTransport = AsyncTransport(self._transport)
        self._mounts = {
            pattern: None if transport is None else AsyncTransport(transport)
            for pattern, transport in self._mounts.items()
        }

    async def send(self, request: httpx.Request, **settings: Any) -> httpx.Response:
        """As `httpx.AsyncClient.send`. Raises `TypeError` for an ``auth=`` that would switch signing off."""
        _require_signing(settings)
        try:
            return await super().send(request, **settings)
        except httpx.RequestError as error:
            error.request = request  # Not the signed one, whose URL may hold the App Key.
            raise


def _require_signing(settings: Dict[str, Any]) -> None:
    if not isinstance(settings.get("auth", httpx.USE_CLIENT_DEFAULT), (type(httpx.USE_CLIENT_DEFAULT), PosternAuth)):
        raise TypeError("auth= would send this request without a signature: leave it out, or use another client")
