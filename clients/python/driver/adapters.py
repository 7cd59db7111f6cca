"""The libraries that the driver sends with."""

import abc
import asyncio
import ssl
import threading
import urllib.error
import urllib.request
from typing import Any, AsyncIterator, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import httpx
import requests

import postern
import postern.httpx
import postern.requests
import postern.urllib

Headers = List[Tuple[str, str]]
_Text = Optional[str]
_TIMEOUT = 60
_PIECE = 65_536


class Answer(NamedTuple):
    status: int
    http: str
    headers: Headers
    body: bytes
    refusal: Optional[postern.Refusal]


class Adapter(abc.ABC):
    parts: Sequence[object] = ()
    """What the adapter is made of, to be printed."""

    @abc.abstractmethod
    def send(self, method: str, url: str, headers: Headers, body: bytes, is_once: bool) -> Answer:
        """Sends a request; `is_once` gives the body as a stream that can be read once."""

    def follow_redirects(self) -> None:  # noqa: B027 - requests and urllib do
        """Has the library follow redirects."""

    def close(self) -> None:  # noqa: B027 - most have something to close, urllib has not
        """Closes the connections."""


def _once(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), _PIECE):
        yield body[start : start + _PIECE]


async def _once_async(body: bytes) -> AsyncIterator[bytes]:
    for piece in _once(body):
        yield piece


def _joined(headers: Headers) -> Dict[str, str]:
    """Headers as one mapping: `requests` and `urllib` send no name twice."""
    joined: Dict[str, str] = {}
    names: Dict[str, str] = {}
    for name, value in headers:
        name = names.setdefault(name.lower(), name)
        joined[name] = joined[name] + ", " + value if name in joined else value
    return joined


class _Requests(Adapter):
    def __init__(self, credential: postern.Credential, http: str, ca: _Text, proxy: _Text) -> None:
        self._session = postern.requests.Session(credential)
        if ca is not None:
            self._session.verify = ca
        if proxy is not None:
            self._session.proxies = {"http": proxy, "https": proxy}
        self.parts = [self._session, self._session.auth, *self._session.adapters.values()]

    def send(self, method: str, url: str, headers: Headers, body: bytes, is_once: bool) -> Answer:
        data: Any = _once(body) if is_once else body or None
        sent = {name: value.encode("latin-1") for name, value in _joined(headers).items()}
        verify = self._session.verify  # Given with the request, it goes before REQUESTS_CA_BUNDLE of the environment.
        answer = self._session.request(method, url, headers=sent, data=data, timeout=_TIMEOUT, verify=verify)
        version = {10: "1.0", 11: "1.1", 20: "2"}.get(answer.raw.version, "?")
        pairs = list(answer.raw.headers.items())
        return Answer(answer.status_code, version, pairs, answer.content, postern.refusal_of(answer))

    def close(self) -> None:
        self._session.close()


def _http_answer(answer: httpx.Response) -> Answer:
    version = answer.http_version.replace("HTTP/", "")
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in answer.headers.raw]
    return Answer(answer.status_code, version, pairs, answer.content, postern.refusal_of(answer))


def _settings(http: str, ca: Optional[str], proxy: Optional[str]) -> Dict[str, Any]:
    settings: Dict[str, Any] = {"http1": http == "1.1", "http2": http == "2", "timeout": _TIMEOUT}
    if ca is not None:
        settings["verify"] = ssl.create_default_context(cafile=ca)
    if proxy is not None:
        settings["proxy"] = proxy
    return settings


def _raw(headers: Headers) -> List[Tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]


class _Httpx(Adapter):
    """One client for HTTP/1.1; for HTTP/2 one in each thread, as the README says."""

    def __init__(self, credential: postern.Credential, http: str, ca: _Text, proxy: _Text) -> None:
        self._settings = (credential, http, ca, proxy)
        self._clients: List[postern.httpx.Client] = [self._make()]
        self._is_shared = http != "2"
        self._local = threading.local()
        self.parts = [self._clients[0], self._clients[0].auth]

    def _make(self) -> postern.httpx.Client:
        credential, http, ca, proxy = self._settings
        return postern.httpx.Client(credential, **_settings(http, ca, proxy))

    def _client(self) -> postern.httpx.Client:
        if self._is_shared:
            return self._clients[0]
        if not hasattr(self._local, "client"):
            self._local.client = self._make()
            self._clients.append(self._local.client)
        client: postern.httpx.Client = self._local.client
        return client

    def send(self, method: str, url: str, headers: Headers, body: bytes, is_once: bool) -> Answer:
        content: Union[bytes, Iterator[bytes], None] = _once(body) if is_once else body or None
        return _http_answer(self._client().request(method, url, headers=_raw(headers), content=content))

    def follow_redirects(self) -> None:
        self._clients[0].follow_redirects = True

    def close(self) -> None:
        for client in self._clients:
            client.close()


class _HttpxAsync(Adapter):
    """With an event loop of its own in another thread."""

    def __init__(self, credential: postern.Credential, http: str, ca: _Text, proxy: _Text) -> None:
        self._client = postern.httpx.AsyncClient(credential, **_settings(http, ca, proxy))
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.parts = [self._client, self._client.auth]

    def send(self, method: str, url: str, headers: Headers, body: bytes, is_once: bool) -> Answer:
        content: Union[bytes, AsyncIterator[bytes], None] = _once_async(body) if is_once else body or None

        async def call() -> Answer:
            return _http_answer(await self._client.request(method, url, headers=_raw(headers), content=content))

        return asyncio.run_coroutine_threadsafe(call(), self._loop).result()

    def follow_redirects(self) -> None:
        self._client.follow_redirects = True

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._client.aclose(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class _Urllib(Adapter):
    def __init__(self, credential: postern.Credential, http: str, ca: _Text, proxy: _Text) -> None:
        context = None if ca is None else ssl.create_default_context(cafile=ca)
        proxies = [] if proxy is None else [urllib.request.ProxyHandler({"http": proxy, "https": proxy})]
        self._opener = postern.urllib.Opener(credential, *proxies, context=context)
        self.parts = [self._opener]

    def send(self, method: str, url: str, headers: Headers, body: bytes, is_once: bool) -> Answer:
        data: Any = _once(body) if is_once else body or None
        request = urllib.request.Request(url, data=data, headers=_joined(headers), method=method)
        try:
            with self._opener.open(request, timeout=_TIMEOUT) as answer:
                return Answer(answer.status, "1.1", answer.getheaders(), answer.read(), None)
        except urllib.error.HTTPError as error:
            with error:
                refusal = postern.refusal_of(error)
                return Answer(error.code, "1.1", list(error.headers.items()), error.read(), refusal)


Maker = Callable[[postern.Credential, str, Optional[str], Optional[str]], Adapter]
ADAPTERS: Dict[str, Tuple[Maker, List[str]]] = {
    "requests": (_Requests, ["1.1"]),
    "httpx": (_Httpx, ["1.1", "2"]),
    "httpx-async": (_HttpxAsync, ["1.1", "2"]),
    "urllib": (_Urllib, ["1.1"]),
}
