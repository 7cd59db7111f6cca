"""The method key."""

import time
from typing import Callable, Optional

from . import _parameters
from ._credential import Credential, invalid, is_token
from ._errors import Problem
from ._message import Request, SignedRequest
from ._secret import Secret
from ._target import parse


class Key(Credential):
    """Sends the App Key, which is the secret here, in a header or in a query parameter.

    :param header: the name of the header; ``X-App-Key`` when neither is given.
    :param query: the name of a query parameter, in place of a header. URLs end up in logs: prefer the header.
    :param retries: how often a call is tried again, besides the first time.
    :param clock: seconds since 1970, for tests.

    Raises `Problem` with the code ``INVALID_CREDENTIAL``.
    """

    needs_body = False

    def __init__(
        self,
        app_key: str,
        *,
        header: Optional[str] = None,
        query: Optional[str] = None,
        retries: int = 2,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(app_key, retries=retries, clock=clock)
        if header is not None and query is not None:
            raise invalid("the App Key is sent in a header or in a query parameter, not in both")
        if query is None:
            header = "X-App-Key" if header is None else header
            if not isinstance(header, str) or not is_token(header):
                raise invalid("the name of the header is not a header name")
        elif not isinstance(query, str) or query == "":
            raise invalid("the name of the query parameter is empty")
        self.header = header
        self.query = query
        self._secret = Secret(app_key)

    def sign(self, request: Request) -> SignedRequest:
        target = parse(request.url)
        if self.query is None:
            added = [(self.header or "", self._secret.reveal())]
            return SignedRequest(request, target.url, target.text, added)
        if self._is_there(target.query.encode("ascii")):
            raise Problem("RESERVED_PARAMETER", "the query has the parameter %s already" % self.query)
        part = "%s=%s" % (_parameters.encode(self.query), self._secret.reveal())
        query = _parameters.extend(target.query.encode("ascii"), [part.encode("ascii")])
        signed = target.with_query(query.decode("ascii"))
        return SignedRequest(request, signed.url, signed.text)

    def shown(self, text: str) -> str:
        return text.replace(self._secret.reveal(), repr(self._secret))

    def _is_there(self, query: bytes) -> bool:
        wanted = (self.query or "").encode("utf-8")
        for segment in query.split(b"&"):
            try:
                if segment and _parameters.form_decode(segment.partition(b"=")[0]) == wanted:
                    return True
            except Problem:
                continue  # What cannot be decoded equals nothing, at the gateway too.
        return False

    def _describe(self) -> str:
        place = "header=%r" % self.header if self.query is None else "query=%r" % self.query
        return "app_key=[secret], " + place
