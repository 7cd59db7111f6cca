"""The method http-message-signature (RFC 9421)."""

import functools
import hashlib
import re
import time
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ._credential import MAX_BODY_BYTES, Credential, base64_text, checked_key_id, invalid, is_token, new_nonce
from ._errors import Problem
from ._key_algorithms import MESSAGE_ALGORITHMS
from ._key_signer import PrivateKeyLike, key_signer
from ._message import Header, Request, SignedRequest
from ._signable_headers import signed_value
from ._structured_fields import Member, read_dictionary
from ._target import Target, parse, require_plain_authority, without_default_port

_USUAL = ("@method", "@authority", "@path", "@query")
_USUAL_LIST = " ".join('"%s"' % name for name in _USUAL)
_USUAL_LINES = '"@method": %s\n"@authority": %s\n"@path": %s\n"@query": ?%s\n'
_OF_BODY = ("content-digest", "content-length")
_LABEL = re.compile(r"[a-z*][a-z0-9_.*-]*\Z")
_PLAIN = re.compile(r"[\x20\x21\x23-\x5b\x5d-\x7e]+\Z")
_MAX_COMPONENTS = 64
_MAX_NONCE_CHARACTERS = 256


class Asked(NamedTuple):
    """What an `Accept-Signature` asks for beyond what was signed; None is the credential's own."""

    label: str
    components: Tuple[str, ...]
    tag: Optional[str]
    nonce: Optional[str]
    """For one attempt."""
    wants_nonce: bool

    def later(self) -> "Asked":
        """The same for another attempt."""
        return self._replace(nonce=None)


class MessageSignature(Credential):
    """Signs method, host, path, query and body with a private key (RFC 9421).

    :param private_key: PEM (PKCS#8), a JWK as a mapping, a private key of the package `cryptography`, or a function
        that signs bytes with a key that is elsewhere; ECDSA as r and s or as DER.
    :param algorithm: by the key; of RSA ``rsa-pss-sha512``. A function needs it.
    :param nonce: signs a nonce, which endpoints with replay protection need.
    :param tag: for endpoints that want one.
    :param cover_also: more to sign, such as ``["content-type"]``: headers, ``@target-uri``, ``@scheme``.
    :param label: what the signature is called in its fields.
    :param retries: how often a call is tried again, besides the first time.
    :param clock_correction: by how many seconds a wrong clock is corrected from the gateway's `Date`; 0 is never.
    :param clock: seconds since 1970, for tests.
    :param nonces: gives a nonce each time, for tests.

    Raises `Problem` with the code ``INVALID_CREDENTIAL``.
    """

    needs_body = True
    signs_host = True

    def __init__(
        self,
        app_key: str,
        private_key: PrivateKeyLike,
        *,
        algorithm: Optional[str] = None,
        nonce: bool = True,
        tag: Optional[str] = None,
        cover_also: Sequence[str] = (),
        label: str = "sig1",
        retries: int = 2,
        clock_correction: int = 0,
        clock: Callable[[], float] = time.time,
        nonces: Callable[[], str] = new_nonce,
    ) -> None:
        super().__init__(
            checked_key_id(app_key), retries=retries, clock_correction=clock_correction, clock=clock, is_checked=True
        )
        if isinstance(cover_also, str) or not all(isinstance(name, str) for name in cover_also):
            raise invalid("cover_also must be a list of names")
        if tag is not None and (not isinstance(tag, str) or _PLAIN.match(tag) is None):
            raise invalid('the tag must be printable ASCII without " and \\')
        if not isinstance(label, str) or _LABEL.match(label) is None:
            raise invalid("the label must begin with a-z or *, and have a-z 0-9 _ . * - only")
        self.app_key = app_key
        self.nonce = bool(nonce)
        self.tag = tag
        self.cover_also: Tuple[str, ...] = tuple(dict.fromkeys(name.lower() for name in cover_also))
        self.label = label
        self._signer = key_signer(private_key, algorithm, MESSAGE_ALGORITHMS)
        self.algorithm = self._signer.algorithm
        self._nonces = nonces

    def sign(self, request: Request) -> SignedRequest:
        return self.sign_asked(request, None)

    def sign_again(self, request: Request, accept_signature: str) -> Optional[SignedRequest]:
        asked = self.asked(request, accept_signature)
        return None if asked is None else self.sign_asked(request, asked)

    def may_wait(self) -> bool:
        return self._signer.is_elsewhere

    def sign_asked(self, request: Request, asked: Optional[Asked]) -> SignedRequest:
        """Signs what is covered anyway, and what was asked for."""
        message = _Message(request)
        if len(request.body) > MAX_BODY_BYTES:
            raise Problem("BODY_TOO_LARGE", "the body has more than %d bytes" % MAX_BODY_BYTES)
        more = self._more_components(message)
        if asked is not None:
            more.extend(name for name in asked.components if name not in _USUAL and name not in more)
        target = message.target
        text = _USUAL_LINES % (request.method, message.authority, target.path, target.query)
        listed = _USUAL_LIST
        for name in more:
            text += f'"{name}": {message.value_of(name)}\n'
            listed += f' "{name}"'
        label, tag, nonce = self._parameters(asked)
        parameters = f'({listed});created={self._clock.now()};keyid="{self.app_key}"'
        if nonce is not None:
            parameters += f';nonce="{nonce}"'
        if tag is not None:
            parameters += f';tag="{tag}"'
        base = f'{text}"@signature-params": {parameters}'.encode("ascii")
        signature = base64_text(self._signer.sign(base))
        added: List[Header] = [] if message.digest is None else [("Content-Digest", message.digest)]
        added.append(("Signature-Input", f"{label}={parameters}"))
        added.append(("Signature", f"{label}=:{signature}:"))
        sent = target.text
        return SignedRequest(request, target.base + sent, sent, added, string_to_sign=base)

    def asked(self, request: Request, accept_signature: str) -> Optional[Asked]:
        """What to sign after a 401 with this `Accept-Signature`; None for nothing more, or nothing that can be done."""
        message = _Message(request)
        for label, member in (read_dictionary(accept_signature) or {}).items():
            asked = self._wanted(label, member, message)
            if asked is None:
                continue
            covered = [*_USUAL, *self._more_components(message)]
            is_more = (
                any(name not in covered for name in asked.components)
                or asked.tag not in (None, self.tag)
                or (asked.wants_nonce and not self.nonce)
            )
            return asked if is_more else None
        return None

    def _more_components(self, message: "_Message") -> List[str]:
        """What is covered besides the usual, when nothing is asked for."""
        more = [] if message.digest is None else ["content-digest"]
        for name in self.cover_also:
            if name not in _USUAL and name not in more and not message.is_left_out(name):
                more.append(name)
        return more

    def _parameters(self, asked: Optional[Asked]) -> Tuple[str, Optional[str], Optional[str]]:
        """Label, tag and nonce."""
        if asked is None:
            return self.label, self.tag, self._nonces() if self.nonce else None
        nonce = asked.nonce
        if nonce is None and (asked.wants_nonce or self.nonce):
            nonce = self._nonces()
        return asked.label, self.tag if asked.tag is None else asked.tag, nonce

    def _wanted(self, label: str, member: Member, message: "_Message") -> Optional[Asked]:
        """A member of `Accept-Signature` that can be done for this request; None for another."""
        names = [item.bare for item in member.items or () if isinstance(item.bare, str) and not item.parameters]
        if member.items is None or len(names) < len(member.items) or len(names) > _MAX_COMPONENTS:
            return None
        if len(set(names)) < len(names) or not all(message.can_cover(name) for name in names):
            return None
        texts: Dict[str, str] = {}
        for name, value in member.parameters.items():
            if name == "created" and value is True:
                continue
            if not isinstance(value, str) or not self._can_do(name, value):
                return None
            texts[name] = value
        return Asked(label, tuple(names), texts.get("tag"), texts.get("nonce"), "nonce" in texts)

    def _can_do(self, name: str, value: str) -> bool:
        if name in ("nonce", "tag"):
            return _PLAIN.match(value) is not None and (name == "tag" or len(value) <= _MAX_NONCE_CHARACTERS)
        return (name, value) in (("keyid", self.app_key), ("alg", self.algorithm))

    def _describe(self) -> str:
        return "app_key=%r, private_key=[secret], algorithm=%r, nonce=%r, tag=%r, cover_also=%r, label=%r" % (
            self.app_key,
            self.algorithm,
            self.nonce,
            self.tag,
            list(self.cover_also),
            self.label,
        )


class _Message:
    """What can be covered of a request."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.target: Target = parse(request.url)
        if not is_token(request.method):
            raise Problem("TARGET_NOT_SIGNABLE", "the HTTP method is not a token")
        given = signed_value("host", request, self.target) if request.values_of("host") else None
        self.authority = _authority(self.target.base, self.target.authority, given)
        self.digest: Optional[str] = None
        if 0 < len(request.body) <= MAX_BODY_BYTES:
            self.digest = f"sha-256=:{base64_text(hashlib.sha256(request.body).digest())}:"

    def value_of(self, name: str) -> str:
        target = self.target
        if name == "@method":
            return self.request.method
        if name == "@authority":
            return self.authority
        if name == "@path":
            return target.path
        if name == "@query":
            return "?" + target.query
        if name == "@request-target":
            return target.text
        if name == "@scheme":
            return _scheme(target.base)
        if name == "@target-uri":
            return "%s://%s%s" % (_scheme(target.base), self.authority, target.text)
        if name in _OF_BODY:
            if self.digest is None:
                raise Problem("HEADER_NOT_SIGNABLE", "%s is covered with a body only" % name)
            return self.digest if name == "content-digest" else str(len(self.request.body))
        if name.startswith("@") or name in ("signature", "signature-input"):
            raise Problem("HEADER_NOT_SIGNABLE", "%r cannot be covered" % name)
        return signed_value(name, self.request, target)

    def is_left_out(self, name: str) -> bool:
        """Whether a request without a body, or without a type of it, is signed without this."""
        if name in _OF_BODY:
            return self.digest is None
        return name == "content-type" and not self.request.values_of(name)

    def can_cover(self, name: str) -> bool:
        if name != name.lower():
            return False
        try:
            self.value_of(name)
        except Problem:
            return False
        return True


def _scheme(base: str) -> str:
    return base.partition("://")[0].lower()


@functools.lru_cache(maxsize=64)
def _authority(base: str, authority: str, given: Optional[str]) -> str:
    """As it is signed, of what stands in the URL or is given as `Host`: in lower case, without the port of the scheme."""
    require_plain_authority(authority)
    return without_default_port(_scheme(base), authority if given is None else given).lower()

