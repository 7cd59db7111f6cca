"""The method parameter-signature."""

import hashlib
import threading
import time
from typing import Callable, Dict, List, Optional, Tuple

from . import _media_type, _parameters
from ._credential import MAX_BODY_BYTES, Credential, checked_secret, invalid, new_nonce
from ._errors import Problem
from ._message import Request, SignedRequest
from ._target import Target, parse
from ._wrapper import MAX_WRAPPER_BYTES, wrapper

_FORMS = {"application/x-www-form-urlencoded": "form", "application/json": "json"}
_NO_SIGN = "0" * 128
_MOST_SECONDS_AHEAD = 60


class ParameterSignature(Credential):
    """Adds `appKey`, `apiTimestamp` and `sign` to the query, to a form, or in a wrapper around a JSON body.

    :param encoding: ``decoded``, or ``raw`` for endpoints with ``parameterEncoding: raw``.
    :param nonce: adds a parameter `nonce`, for endpoints with replay protection.
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
        encoding: str = "decoded",
        nonce: bool = False,
        retries: int = 2,
        clock_correction: int = 0,
        clock: Callable[[], float] = time.time,
        nonces: Callable[[], str] = new_nonce,
    ) -> None:
        super().__init__(app_key, retries=retries, clock_correction=clock_correction, clock=clock)
        if encoding not in ("decoded", "raw"):
            raise invalid("the encoding must be decoded or raw")
        self.app_key = app_key
        self.encoding = encoding
        self.nonce = bool(nonce)
        self._secret = checked_secret(app_secret)
        self._nonces = nonces
        self._made = _MadeSignatures()

    def sign(self, request: Request) -> SignedRequest:
        target = parse(request.url)
        if not request.body:
            query, text = self._extended(target.query.encode("ascii"))
            signed = target.with_query(query.decode("ascii"))
            return SignedRequest(request, signed.url, signed.text, string_to_sign=text)
        essence, charsets = _media_type.parse((request.values_of("content-type") or [""])[0])
        form = _FORMS.get(essence)
        self._check_size(request.body, form)
        _check_kind(request, form, charsets)
        _check_query(target)
        if form == "form":
            body, text = self._extended(request.body)
        else:
            body, text = self._wrapped(request.body)
        return SignedRequest(request, target.url, target.text, body=body, string_to_sign=text)

    def _check_size(self, body: bytes, form: Optional[str]) -> None:
        size, most = len(body), MAX_BODY_BYTES
        if form == "json":
            most = MAX_WRAPPER_BYTES
            if size <= most:
                size = len(wrapper(body, self.app_key, _NO_SIGN, self._clock.now()))
        elif form == "form":
            size = len(_parameters.extend(body, [*self._added(), b"sign=" + _NO_SIGN.encode("ascii")]))
        if size > most:
            raise Problem("BODY_TOO_LARGE", "the body as it is sent has more than %d bytes" % most)

    def _added(self, nonce: str = "0" * 32) -> List[bytes]:
        parts = ["appKey=" + self.app_key, "apiTimestamp=%d" % self._clock.now()]
        if self.nonce:
            parts.append("nonce=" + _parameters.encode(nonce))
        return [part.encode("ascii") for part in parts]

    def _extended(self, text: bytes) -> Tuple[bytes, bytes]:
        """The query or form as it is sent, and what was signed."""
        parameters = _parameters.parse(text)
        reserved = {b"appKey", b"apiTimestamp", b"sign"} | ({b"nonce"} if self.nonce else set())
        decoded = self.encoding == "decoded"
        parts = self._added(self._nonces()) if self.nonce else self._added()
        _parameters.check(parameters, reserved, len(parts) + 1, decoded)
        to_sign = _parameters.string_to_sign([*parameters, *_parameters.parse(b"&".join(parts))], decoded)
        sent = _parameters.extend(text, [*parts, b"sign=" + self._sign(to_sign).encode("ascii")])
        return sent, to_sign

    def _wrapped(self, data: bytes) -> Tuple[bytes, bytes]:
        """The wrapper, and what was signed. It has no place for a nonce, so that its time makes it differ."""
        now = self._clock.now()
        for timestamp in range(now, now + _MOST_SECONDS_AHEAD + 1):
            to_sign = b"apiTimestamp=%d&appKey=%s&data=%s" % (timestamp, self.app_key.encode("ascii"), data)
            sign = self._sign(to_sign)
            if not self.nonce or self._made.is_new(sign, timestamp, now):
                break
        return wrapper(data, self.app_key, sign, timestamp), to_sign

    def _sign(self, to_sign: bytes) -> str:
        return hashlib.sha512(to_sign + self._secret.utf8()).hexdigest()

    def _describe(self) -> str:
        return "app_key=%r, app_secret=[secret], encoding=%r, nonce=%r" % (self.app_key, self.encoding, self.nonce)


def _check_kind(request: Request, form: Optional[str], charsets: Optional[List[str]]) -> None:
    types = request.values_of("content-type")
    encodings = request.values_of("content-encoding")
    if form is None or len(types) > 1:
        reason = "the body must be application/x-www-form-urlencoded or application/json, by one Content-Type"
    elif not _media_type.is_utf8(charsets):
        reason = "the charset of the body must be UTF-8"
    elif len(encodings) > 1 or any(each.lower() != "identity" for each in encodings):
        reason = "the body must have no Content-Encoding"
    elif form == "json" and not _is_utf8(request.body):
        reason = "the JSON body is not UTF-8"
    else:
        return
    raise Problem("BODY_NOT_SIGNABLE", reason)


def _check_query(target: Target) -> None:
    if target.query.strip("&") != "":
        raise Problem("QUERY_NOT_SIGNABLE", "a query beside a body is not signed: put its parameters into the body")


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


class _MadeSignatures:
    """The signatures of wrappers whose second has not passed yet."""

    def __init__(self) -> None:
        self._until: Dict[str, int] = {}
        self._lock = threading.Lock()
        self._swept = 0

    def is_new(self, sign: str, timestamp: int, now: int) -> bool:
        with self._lock:
            if now != self._swept:
                self._swept = now
                self._until = {each: second for each, second in self._until.items() if second >= now}
            if sign in self._until:
                return False
            self._until[sign] = timestamp
            return True
