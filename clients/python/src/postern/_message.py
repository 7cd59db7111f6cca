"""Requests before and after signing."""

from typing import Iterable, List, Mapping, Optional, Sequence, Tuple, Union

HeadersLike = Union[Mapping[str, str], Iterable[Tuple[str, str]]]
Header = Tuple[str, str]


class Request:
    """A request as it would be sent: an absolute URL, all headers, and the bytes of the body.

    `body` may be text, which is sent as UTF-8. Values of headers are one character a byte (latin-1), as in
    `http.client`.
    """

    __slots__ = ("method", "url", "headers", "body")

    def __init__(
        self, method: str, url: str, headers: HeadersLike = (), body: Union[bytes, bytearray, str, None] = None
    ) -> None:
        self.method = method
        self.url = url
        pairs = headers.items() if isinstance(headers, Mapping) else headers
        self.headers: Tuple[Header, ...] = tuple((name, value) for name, value in pairs)
        self.body: bytes = body.encode("utf-8") if isinstance(body, str) else bytes(body or b"")

    def values_of(self, name: str) -> List[str]:
        """All values of a header, by its lower-case name."""
        return [value for each, value in self.headers if each.lower() == name]

    def __repr__(self) -> str:
        return "<postern.Request %s, %d headers, %d bytes>" % (self.method, len(self.headers), len(self.body))


class SignedRequest:
    """A request to be sent exactly as it is: `method`, `url`, `headers` and `body` are all of it.

    `target` is the path and query of `url`. `added` are those of the headers that were set by signing, and
    `string_to_sign` is what was signed, without the App Secret; None where nothing is signed. Printed, it shows none
    of what it holds, because that is a valid credential.
    """

    __slots__ = ("method", "url", "target", "added", "body", "string_to_sign", "_given", "_is_replaced")

    def __init__(
        self,
        request: Request,
        url: str,
        target: str,
        added: Sequence[Header] = (),
        body: Optional[bytes] = None,
        string_to_sign: Optional[bytes] = None,
    ) -> None:
        self.method = request.method
        self.url = url
        self.target = target
        self.added: Tuple[Header, ...] = tuple(added)
        self.body = request.body if body is None else body
        self.string_to_sign = string_to_sign
        self._given = request.headers
        self._is_replaced = body is not None

    @property
    def headers(self) -> Tuple[Header, ...]:
        """All headers. They are put together here, because the adapters need those in `added` only."""
        replaced = {name.lower() for name, _ in self.added}
        kept = [pair for pair in self._given if pair[0].lower() not in replaced]
        if self._is_replaced:
            length = str(len(self.body))
            kept = [(name, length if name.lower() == "content-length" else value) for name, value in kept]
        return (*kept, *self.added)

    def __repr__(self) -> str:
        names = ", ".join(name for name, _ in self.headers)
        return "<postern.SignedRequest %s, headers %s, %d bytes>" % (self.method, names or "none", len(self.body))
