"""What is wrong with a `Digest` header."""

import base64
import hashlib
from typing import List, NamedTuple, Optional

from .bodies import body_variants
from .model import Mistake

_FIX = (
    "Send Digest: SHA-256= and the base64 of the 32 bytes of the SHA-256 of the body, "
    "as sha256 -binary and base64 give it"
)
_BODY_FIX = "Take the digest of the very bytes that are sent, after everything that writes or changes them"
_LABELS = {"sha512": "SHA-512", "sha384": "SHA-384", "sha1": "SHA-1", "md5": "MD5"}


class DigestSpelling(NamedTuple):
    text: str
    mistake: Optional[Mistake]
    """None for the right one."""


def digest_spellings(body: bytes) -> List[DigestSpelling]:
    """The digest of a body, in every way in which callers write it; the right one first."""
    sha256 = hashlib.sha256(body).digest()
    text = _base64(sha256)
    digits = sha256.hex()
    spellings = [DigestSpelling("SHA-256=" + text, None)]

    def add(name: str, what: str, *texts: str) -> None:
        spellings.extend(DigestSpelling(each, Mistake(name, what, _FIX)) for each in texts)

    for prefix in ("SHA-256=", "sha-256=", ""):
        add("digest-hex", "the Digest is written in hex", prefix + digits, prefix + digits.upper())
    of_hex = _base64(digits.encode("ascii"))
    add(
        "digest-base64-of-hex",
        "the Digest is the base64 of the hex digits, not of the bytes",
        "SHA-256=" + of_hex,
        of_hex,
    )
    url_safe = base64.urlsafe_b64encode(sha256).decode("ascii").rstrip("=")
    add("digest-url-safe", "the Digest is in URL-safe base64", "SHA-256=" + url_safe)
    add("digest-not-padded", "the Digest lacks the = that pads base64", "SHA-256=" + text.rstrip("="))
    prefixes = ("sha-256=", "SHA256=", "sha256=", "SHA-256:", "SHA-256 ", "sha-256:", "")
    add(
        "digest-prefix",
        "the Digest does not begin with SHA-256= in just these letters",
        *(prefix + text for prefix in prefixes),
    )
    add(
        "digest-prefix",
        "the Digest is written as Content-Digest is (RFC 9530)",
        *("%s:%s:" % (prefix, text) for prefix in ("sha-256=", "SHA-256=")),
    )
    for algorithm, label in _LABELS.items():
        other = hashlib.new(algorithm, body, usedforsecurity=False).digest()
        for prefix in (label + "=", label.lower() + "=", "SHA-256=", "SHA=" if label == "SHA-1" else ""):
            what = "the Digest is a %s, not a SHA-256" % label
            add("digest-algorithm", what, prefix + _base64(other), prefix + other.hex())
    return spellings


def find_digest_mistakes(claimed: str, body: bytes) -> List[Mistake]:
    """The form of a `Digest`, the body it is of, or both; none when it is right."""
    own = _spelling_of(claimed, body)
    if own is not None:
        return [] if own.mistake is None else [own.mistake]
    for name, what, data in body_variants(body):
        found = _spelling_of(claimed, data)
        if found is not None:
            text = "the Digest is that of the body %s, which is not what was sent" % what
            other = Mistake("digest-of-" + name, text, _BODY_FIX)
            return [other] if found.mistake is None else [found.mistake, other]
    return [
        Mistake("digest-of-another-body", "the Digest is that of another body than the one sent", _BODY_FIX)
    ]


def _spelling_of(claimed: str, body: bytes) -> Optional[DigestSpelling]:
    return next((each for each in digest_spellings(body) if each.text == claimed), None)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
