"""The method hmac."""

import hashlib
import hmac
import time
from typing import Callable, Sequence, Tuple

from ._clock import http_date
from ._credential import MAX_BODY_BYTES, Credential, base64_text, checked_secret, invalid, is_token, new_nonce
from ._errors import Problem
from ._message import Header, Request, SignedRequest
from ._signable_headers import signed_value
from ._target import parse

_HASHES = {"hmac-sha256": "sha256", "hmac-sha384": "sha384", "hmac-sha512": "sha512"}


class Hmac(Credential):
    """Signs `Date`, the request line, the digest of the body and further headers with the App Secret.

    :param signed_headers: more headers to sign, such as ``["host"]``; each must be in the request.
    :param algorithm: ``hmac-sha256``, ``hmac-sha384`` or ``hmac-sha512``.
    :param nonce: adds a signed `X-Nonce`, for endpoints with replay protection.
    :param retries: how often a call is tried again, besides the first time.
    :param clock_correction: by how many seconds a wrong clock is corrected from the gateway's `Date`; 0 is never.
    :param clock: seconds since 1970, for tests.
    :param nonces: gives a nonce each time, for tests.

    Raises `Problem` with the code ``INVALID_CREDENTIAL``.
    """

    needs_body = True

    def __init__(
        self,
        app_key: str,
        app_secret: str,
        *,
        signed_headers: Sequence[str] = (),
        algorithm: str = "hmac-sha256",
        nonce: bool = False,
        retries: int = 2,
        clock_correction: int = 0,
        clock: Callable[[], float] = time.time,
        nonces: Callable[[], str] = new_nonce,
    ) -> None:
        super().__init__(app_key, retries=retries, clock_correction=clock_correction, clock=clock)
        if algorithm not in _HASHES:
            raise invalid("the algorithm must be one of " + ", ".join(_HASHES))
        if isinstance(signed_headers, str) or not all(isinstance(name, str) for name in signed_headers):
            raise invalid("signed_headers must be a list of names")
        self.app_key = app_key
        self.algorithm = algorithm
        self.signed_headers: Tuple[str, ...] = tuple(dict.fromkeys(name.lower() for name in signed_headers))
        self.nonce = bool(nonce)
        self._hash = _HASHES[algorithm]
        self._with_body, self._without_body = self._listed(True), self._listed(False)
        self.signs_host = "host" in self.signed_headers
        self._secret = checked_secret(app_secret)
        self._nonces = nonces

    def sign(self, request: Request) -> SignedRequest:
        target = parse(request.url)
        if not is_token(request.method):
            raise Problem("TARGET_NOT_SIGNABLE", "the HTTP method is not a token")
        if len(request.body) > MAX_BODY_BYTES:
            raise Problem("BODY_TOO_LARGE", "the body has more than %d bytes" % MAX_BODY_BYTES)
        date = http_date(self._clock.now())
        added: Tuple[Header, ...] = (("Date", date),)
        sent = target.text
        text = f"date: {date}\n{request.method} {sent} HTTP/1.1"
        more, begins = self._without_body
        if request.body:
            more, begins = self._with_body
            digest = "SHA-256=" + base64_text(hashlib.sha256(request.body).digest())
            added = (*added, ("Digest", digest))
            text += "\ndigest: " + digest
        if self.nonce:
            added = (*added, ("X-Nonce", self._nonces()))
        for name in more:
            is_nonce = self.nonce and name == "x-nonce"
            value = added[-1][1] if is_nonce else signed_value(name, request, target)
            text += f"\n{name}: {value}"
        to_sign = text.encode("ascii")
        mac = hmac.digest(self._secret.utf8(), to_sign, self._hash)
        added = (*added, ("Authorization", f'{begins}{base64_text(mac)}"'))
        return SignedRequest(request, target.base + sent, sent, added, string_to_sign=to_sign)

    def _listed(self, has_body: bool) -> Tuple[Tuple[str, ...], str]:
        """The headers that are signed besides the usual ones, and `Authorization` up to the signature."""
        usual = ("date", "request-line", "digest") if has_body else ("date", "request-line")
        nonce = ("x-nonce",) if self.nonce and "x-nonce" not in self.signed_headers else ()
        more = tuple(name for name in (*self.signed_headers, *nonce) if name not in usual)
        listed = (self.app_key, self.algorithm, " ".join((*usual, *more)))
        return more, 'hmac appkey="%s", algorithm="%s", headers="%s", signature="' % listed

    def _describe(self) -> str:
        return "app_key=%r, app_secret=[secret], algorithm=%r, signed_headers=%r, nonce=%r" % (
            self.app_key,
            self.algorithm,
            list(self.signed_headers),
            self.nonce,
        )
