"""For `urllib.request` of the standard library.

    opener = postern.urllib.Opener(credential)
    answer = opener.open("https://api.example.com/orders", timeout=10)

Answers from 400 on are raised as `urllib.error.HTTPError`, as `urllib` does; `postern.refusal_of` reads those.
"""

import copy
import io
import socket
import time
import urllib.error
import urllib.request
from http.client import BadStatusLine, HTTPMessage, HTTPResponse
from ssl import SSLContext, SSLError
from typing import IO, Any, Optional, Union, cast

from ._body import read_all
from ._credential import Credential
from ._exchange import Exchange
from ._message import Request
from ._refusal import MAX_REFUSAL_BYTES, may_be_refusal, read_refusal
from ._target import parse

__all__ = ["Opener", "SigningHandler"]

_EXCHANGE = "_postern_exchange"


class SigningHandler(urllib.request.HTTPRedirectHandler):
    """A handler for `urllib.request.build_opener` that signs each request after the other handlers prepared it.

    A redirect on the same server is signed for its own address; one to another server, or back from there, is not
    signed. `Opener` has this handler, and tries refused requests again.
    """

    handler_order = 900  # After HTTPHandler, which sets Content-Type and Content-Length.

    def __init__(self, credential: Credential) -> None:
        self._credential = credential

    def http_request(self, req: urllib.request.Request) -> urllib.request.Request:
        exchange = getattr(req, _EXCHANGE, None) or Exchange(self._credential, req.full_url)
        return req if exchange is _LEFT else _signed(req, exchange)

    https_request = http_request

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Optional[urllib.request.Request]:
        redirected = super().redirect_request(req, fp, code, msg, headers, newurl)
        if redirected is not None:
            exchange = getattr(req, _EXCHANGE, _LEFT)
            stays = isinstance(exchange, Exchange) and not exchange.leads_elsewhere(newurl)
            setattr(redirected, _EXCHANGE, exchange if stays else _LEFT)
        return redirected

    def __repr__(self) -> str:
        return "postern.urllib.SigningHandler(%r)" % self._credential


class _Left:
    """Stands for the exchange of a request that has left the server it was made for."""


_LEFT = _Left()


class Opener:
    """Opens URLs as `urllib.request.urlopen` does, signed, and tries again what the contract of retries allows.

    :param context: for HTTPS, such as ``ssl.create_default_context(cafile=…)``.
    :param handlers: more handlers for `urllib.request.build_opener`.
    """

    def __init__(
        self, credential: Credential, *handlers: urllib.request.BaseHandler, context: Optional[SSLContext] = None
    ) -> None:
        self._credential = credential
        https = [] if context is None else [urllib.request.HTTPSHandler(context=context)]
        self._opener = urllib.request.build_opener(SigningHandler(credential), *https, *handlers)

    def open(
        self, url: Union[str, urllib.request.Request], data: Any = None, timeout: Optional[float] = None
    ) -> HTTPResponse:
        """Sends the request. Raises what `urlopen` raises, `postern.Problem` and `postern.TokenError`."""
        request = _copy(url if isinstance(url, urllib.request.Request) else urllib.request.Request(url))
        if data is not None:
            request.data = data
        is_stream = request.data is not None and not isinstance(request.data, (bytes, bytearray))
        if is_stream and self._credential.needs_body:
            request.data = read_all(request.data, self._credential.max_body_bytes)
            is_stream = False
        exchange = Exchange(self._credential, request.full_url, replayable=not is_stream)
        while True:
            attempt = _copy(request)
            setattr(attempt, _EXCHANGE, exchange)
            try:
                seconds = socket.getdefaulttimeout() if timeout is None else timeout
                opened = cast(HTTPResponse, self._opener.open(attempt, timeout=seconds))
                opened.url = self._credential.shown(opened.url)
                return opened
            except urllib.error.HTTPError as error:
                error.url = error.filename = self._credential.shown(error.url)
                answer = _readable(error)
                failure: Exception = answer
                wait = _wait_after(answer, exchange)
            except (urllib.error.URLError, ConnectionError, BadStatusLine) as error:
                failure = error
                is_refused_by_us = isinstance(getattr(error, "reason", None), SSLError)
                wait = None if is_refused_by_us else exchange.after_failure()
            if wait is None:
                raise failure
            time.sleep(wait)

    def __repr__(self) -> str:
        return "postern.urllib.Opener(%r)" % self._credential


def _copy(request: urllib.request.Request) -> urllib.request.Request:
    copied = copy.copy(request)
    copied.headers = dict(request.headers)
    copied.unredirected_hdrs = dict(request.unredirected_hdrs)
    return copied


def _signed(request: urllib.request.Request, exchange: Exchange) -> urllib.request.Request:
    """A copy with all that signing sets; `urllib` carries none of it over to a redirect."""
    copied = _copy(request)
    setattr(copied, _EXCHANGE, exchange)
    body = b""
    if exchange.credential.needs_body and copied.data is not None:
        data: Any = copied.data
        is_known = isinstance(data, (bytes, bytearray))
        body = bytes(data) if is_known else read_all(data, exchange.credential.max_body_bytes)
        _set_body(copied, body)
    headers = {**copied.headers, **copied.unredirected_hdrs}
    if headers.get("Host") == copied.host:
        # By HTTPHandler: as the URL has it, and so with a user or the port of the scheme.
        headers["Host"] = parse(copied.full_url).authority
        copied.add_unredirected_header("Host", headers["Host"])
    signed = exchange.sign(Request(copied.get_method(), copied.full_url, headers, body))
    if signed.body != body:
        _set_body(copied, signed.body)
    if signed.url != copied.full_url:
        copied.full_url = signed.url
    for name, value in signed.added:
        copied.headers.pop(name.capitalize(), None)
        copied.add_unredirected_header(name, value)
    return copied


def _set_body(request: urllib.request.Request, body: bytes) -> None:
    request.data = body
    for name in ("Content-length", "Transfer-encoding"):
        request.headers.pop(name, None)
        request.unredirected_hdrs.pop(name, None)
    request.add_unredirected_header("Content-length", str(len(body)))


def _wait_after(error: urllib.error.HTTPError, exchange: Exchange) -> Optional[float]:
    if exchange.leads_elsewhere(error.url):
        return None
    body = error.fp.getvalue() if isinstance(error.fp, io.BytesIO) else b""
    headers = error.headers
    refusal = read_refusal(error.code, headers.get("Content-Type"), headers.get("Retry-After"), body)
    if refusal is None:
        return None
    asked = ", ".join(headers.get_all("Accept-Signature") or [])
    return exchange.after_refusal(refusal, headers.get("Date"), asked)


def _readable(error: urllib.error.HTTPError) -> urllib.error.HTTPError:
    """The same answer with its body in memory, when that may be a refusal, so that it can be read more than once."""
    if not may_be_refusal(error.code, error.headers.get("Content-Type")):
        return error
    body = error.read(MAX_REFUSAL_BYTES + 1)
    if len(body) > MAX_REFUSAL_BYTES:
        body += error.read()
    error.close()
    return urllib.error.HTTPError(error.url, error.code, error.msg, error.headers, io.BytesIO(body))
