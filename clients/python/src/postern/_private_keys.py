"""Reads private keys with the package `cryptography`, which only this module imports."""

import base64
import re
from typing import Any, Callable, Dict, Mapping, Tuple

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from ._credential import invalid
from ._errors import Problem
from ._key_algorithms import COORDINATE_BYTES, KEY_KINDS, MAX_RSA_BITS, MIN_RSA_BITS, Algorithm
from ._key_signer import SignBytes

_BLOCK = re.compile(r"\s*-----BEGIN ([A-Z0-9 ]+)-----[A-Za-z0-9+/=\s]*-----END \1-----\s*\Z")
_HASHES: Dict[str, Any] = {"sha256": hashes.SHA256(), "sha384": hashes.SHA384(), "sha512": hashes.SHA512()}
_CURVES: Dict[str, Tuple[str, ec.EllipticCurve]] = {
    "P-256": ("p256", ec.SECP256R1()),
    "P-384": ("p384", ec.SECP384R1()),
}
_BASE64URL = re.compile(r"[A-Za-z0-9_-]+\Z")

Read = Tuple[str, Callable[[Algorithm], SignBytes]]
"""The kind of a key, and what makes a signer of it."""


def read(key: Any) -> Read:
    """Raises `Problem` ``INVALID_CREDENTIAL``."""
    if isinstance(key, (str, bytes)):
        key = _from_pem(key)
    elif isinstance(key, Mapping):
        key = _from_jwk(key)
    kind = _kind_of(key)
    return kind, lambda algorithm: _signer(key, algorithm)


def _kind_of(key: Any) -> str:
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return "ed25519"
    if isinstance(key, rsa.RSAPrivateKey):
        if not MIN_RSA_BITS <= key.key_size <= MAX_RSA_BITS:
            raise invalid("an RSA key must have %d to %d bits" % (MIN_RSA_BITS, MAX_RSA_BITS))
        return "rsa"
    if isinstance(key, ec.EllipticCurvePrivateKey):
        for kind, curve in _CURVES.values():
            if key.curve.name == curve.name:
                return kind
    raise invalid("the private key is of a kind that is not taken: %s are" % KEY_KINDS)


def _from_pem(pem: Any) -> Any:
    try:
        text = pem if isinstance(pem, str) else pem.decode("ascii")
    except UnicodeDecodeError:
        text = ""
    match = _BLOCK.match(text)
    if match is None or match[1] != "PRIVATE KEY":
        if match is not None and match[1].startswith("PUBLIC"):
            raise invalid("this is a public key; the private key is needed")
        raise invalid(
            "the private key is not one PEM block PRIVATE KEY (PKCS#8, not encrypted):"
            " change it with openssl pkcs8 -topk8 -nocrypt"
        )
    key = _imported(lambda: load_pem_private_key(text.strip().encode("ascii"), None))
    if key is None:
        raise invalid("the private key cannot be read: it is cut or changed, or of a kind that is not taken")
    return key


def _from_jwk(jwk: Mapping[str, Any]) -> Any:
    key_type, curve = jwk.get("kty"), jwk.get("crv")
    if key_type == "oct":
        raise invalid("this is a shared secret, not a private key")
    if not isinstance(jwk.get("d"), str):
        raise invalid("the JWK has no \"d\": it is no private key")
    if key_type == "RSA":
        key = _imported(lambda: _rsa_of(jwk))
    elif key_type == "OKP" and curve == "Ed25519":
        key = _imported(lambda: _ed25519_of(jwk))
    elif key_type == "EC" and isinstance(curve, str) and curve in _CURVES:
        key = _imported(lambda: _curve_key_of(jwk, *_CURVES[curve]))
    else:
        raise invalid("the private key is of a kind that is not taken: %s are" % KEY_KINDS)
    if key is None:
        raise invalid("the private key cannot be read: it is cut or changed")
    return key


def _imported(load: Callable[[], Any]) -> Any:
    """A key, or None. What the package says of a key that is wrong might quote it."""
    try:
        return load()
    except (ValueError, TypeError, UnsupportedAlgorithm, Problem):
        return None


def _rsa_of(jwk: Mapping[str, Any]) -> Any:
    n, e, d, p, q, dp, dq, qi = (
        int.from_bytes(_bytes_of(jwk, name), "big") for name in ("n", "e", "d", "p", "q", "dp", "dq", "qi")
    )
    return rsa.RSAPrivateNumbers(p, q, d, dp, dq, qi, rsa.RSAPublicNumbers(e, n)).private_key()


def _ed25519_of(jwk: Mapping[str, Any]) -> Any:
    key = ed25519.Ed25519PrivateKey.from_private_bytes(_bytes_of(jwk, "d"))
    if key.public_key().public_bytes_raw() != _bytes_of(jwk, "x"):
        raise ValueError("x is not of d")
    return key


def _curve_key_of(jwk: Mapping[str, Any], kind: str, curve: ec.EllipticCurve) -> Any:
    parts = [_bytes_of(jwk, name) for name in ("x", "y", "d")]
    if any(len(part) != COORDINATE_BYTES[kind] for part in parts):
        raise ValueError("the length of a coordinate")
    x, y, d = (int.from_bytes(part, "big") for part in parts)
    return ec.EllipticCurvePrivateNumbers(d, ec.EllipticCurvePublicNumbers(x, y, curve)).private_key()


def _bytes_of(jwk: Mapping[str, Any], name: str) -> bytes:
    text = jwk.get(name)
    if not isinstance(text, str) or _BASE64URL.match(text) is None:
        raise ValueError(name)
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _signer(key: Any, algorithm: Algorithm) -> SignBytes:
    """Signs as RFC 9421 §3.3 and RFC 7518 §3.4 want it."""
    if algorithm.hash_name is None:
        sign: SignBytes = key.sign
        return sign
    hash_of = _HASHES[algorithm.hash_name]
    if algorithm.kind == "rsa":
        pad: Any = padding.PKCS1v15()
        if algorithm.padding == "pss":
            pad = padding.PSS(padding.MGF1(hash_of), padding.PSS.DIGEST_LENGTH)
        return lambda data: bytes(key.sign(data, pad, hash_of))
    how, size = ec.ECDSA(hash_of), COORDINATE_BYTES[algorithm.kind]

    def sign_on_curve(data: bytes) -> bytes:
        r, s = decode_dss_signature(key.sign(data, how))
        return r.to_bytes(size, "big") + s.to_bytes(size, "big")

    return sign_on_curve
