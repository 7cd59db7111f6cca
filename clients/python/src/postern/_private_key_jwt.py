"""The method private-key-jwt: client credentials by an assertion (RFC 7523)."""

import base64
import json
import time
import urllib.request
from ssl import SSLContext
from typing import Callable, Optional

from ._credential import checked_key_id, invalid, new_nonce
from ._key_algorithms import ASSERTION_ALGORITHMS
from ._key_signer import PrivateKeyLike, key_signer
from ._message_signature import _PLAIN
from ._oauth2 import TokenCredential
from ._parameters import encode

_LIFE_SECONDS = 60
_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class PrivateKeyJwt(TokenCredential):
    """Trades an assertion that a private key signs for an access token and sends that. The token is kept in memory
    and renewed.

    :param private_key: as for `MessageSignature`.
    :param token_url: absolute, the gateway's ``/oauth2/token``.
    :param audience: the gateway's issuer, where it takes only that; the token URL when there is none.
    :param algorithm: by the key; of RSA ``PS256``. A function needs it.
    :param timeout: seconds for the answer of the token URL.
    :param ssl_context: for the token URL, such as ``ssl.create_default_context(cafile=…)``.
    :param retries: how often a call is tried again, besides the first time and the one with a new token.
    :param clock_correction: by how many seconds a wrong clock is corrected from the `Date` of the token URL.
    :param clock: seconds since 1970, for tests.
    :param nonces: gives a `jti` each time, for tests.

    Raises `Problem` with the code ``INVALID_CREDENTIAL``.
    """

    def __init__(
        self,
        app_key: str,
        private_key: PrivateKeyLike,
        token_url: str,
        *,
        audience: Optional[str] = None,
        algorithm: Optional[str] = None,
        timeout: float = 10.0,
        ssl_context: Optional[SSLContext] = None,
        retries: int = 2,
        clock_correction: int = 0,
        clock: Callable[[], float] = time.time,
        nonces: Callable[[], str] = new_nonce,
    ) -> None:
        super().__init__(
            checked_key_id(app_key),
            token_url,
            timeout=timeout,
            ssl_context=ssl_context,
            retries=retries,
            clock_correction=clock_correction,
            clock=clock,
            is_checked=True,
        )
        if audience is not None and (not isinstance(audience, str) or _PLAIN.match(audience) is None):
            raise invalid('the audience must be printable ASCII without " and \\')
        self.audience = token_url if audience is None else audience
        self._signer = key_signer(private_key, algorithm, ASSERTION_ALGORITHMS)
        self.algorithm = self._signer.algorithm
        self._nonces = nonces

    def create_assertion(self) -> str:
        """Makes an assertion for a library that asks the token URL itself. It is good for a minute and one question."""
        now = self._clock.now()
        header = {"alg": self.algorithm, "typ": "JWT"}
        claims = {
            "iss": self.app_key,
            "sub": self.app_key,
            "aud": self.audience,
            "jti": self._nonces(),
            "iat": now,
            "exp": now + _LIFE_SECONDS,
        }
        parts = (json.dumps(part, separators=(",", ":")) for part in (header, claims))
        text = ".".join(_base64url(part.encode("ascii")) for part in parts)
        return "%s.%s" % (text, _base64url(self._signer.sign(text.encode("ascii"))))

    def _authenticate(self, question: urllib.request.Request) -> None:
        question.data = (
            "grant_type=client_credentials&client_id=%s&client_assertion_type=%s&client_assertion=%s"
            % (encode(self.app_key), encode(_TYPE), self.create_assertion())
        ).encode("ascii")

    def _describe(self) -> str:
        return "app_key=%r, private_key=[secret], token_url=%r, audience=%r, algorithm=%r" % (
            self.app_key,
            self.token_url,
            self.audience,
            self.algorithm,
        )


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")
