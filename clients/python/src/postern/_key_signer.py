"""Signs with one private key and one algorithm."""

from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Union

from ._credential import invalid
from ._errors import Problem
from ._key_algorithms import COORDINATE_BYTES, Algorithm

SignBytes = Callable[[bytes], bytes]
PrivateKeyLike = Union[str, bytes, Mapping[str, str], SignBytes, Any]
"""PEM (PKCS#8), a JWK, a private key of the package `cryptography`, or what signs with a key that is elsewhere."""


class KeySigner(NamedTuple):
    algorithm: str
    sign: SignBytes
    """May raise `Problem` ``SIGNER_FAILED``."""
    is_elsewhere: bool
    """Whether signing may have to wait for somebody else."""

    def __repr__(self) -> str:
        return "<postern signer %s>" % self.algorithm


def key_signer(key: PrivateKeyLike, wanted: Optional[str], algorithms: Dict[str, Algorithm]) -> KeySigner:
    """Raises `Problem` ``INVALID_CREDENTIAL``, which never shows a part of the key."""
    if wanted is not None and (not isinstance(wanted, str) or wanted not in algorithms):
        raise invalid("the algorithm must be one of " + ", ".join(algorithms))
    if callable(key):
        if wanted is None:
            raise invalid("give the algorithm too: a function that signs does not say its own")
        return KeySigner(wanted, _asked(key, algorithms[wanted]), True)
    kind, make = _private_keys().read(key)
    fitting = [each for each in algorithms.values() if each.kind == kind and wanted in (None, each.name)]
    if not fitting:
        raise invalid("the algorithm does not fit the private key")
    return KeySigner(fitting[0].name, make(fitting[0]), False)


def _private_keys() -> Any:
    try:
        from . import _private_keys
    except ImportError:
        raise invalid("private keys need the package cryptography: pip install 'postern-client[keys]'") from None
    return _private_keys


def _asked(sign: SignBytes, algorithm: Algorithm) -> SignBytes:
    """What somebody else's function signs, checked."""

    def asked(data: bytes) -> bytes:
        try:
            given = sign(data)
        except Exception as error:
            raise Problem("SIGNER_FAILED", "the function that signs failed; its error is the cause") from error
        signature = _checked(bytes(given), algorithm.kind) if isinstance(given, (bytes, bytearray)) else None
        if signature is None:
            raise Problem("SIGNER_FAILED", "the function that signs gave no signature of the algorithm")
        return signature

    return asked


def _checked(signature: bytes, kind: str) -> Optional[bytes]:
    if kind in COORDINATE_BYTES:
        return joined(signature, COORDINATE_BYTES[kind])
    is_right = len(signature) == 64 if kind == "ed25519" else 256 <= len(signature) <= 1024
    return signature if is_right else None


def joined(signature: bytes, size: int) -> Optional[bytes]:
    """An ECDSA signature as r and s of `size` bytes each, from that or from DER; None when it is neither."""
    if len(signature) == 2 * size:
        return signature
    # All lengths but the outer one fit into one byte, and the outer one does for these sizes.
    if len(signature) < 8 or signature[0] != 0x30 or signature[1] != len(signature) - 2 or signature[1] > 0x7F:
        return None
    first = _number(signature, 2, size)
    second = None if first is None else _number(signature, 4 + signature[3], size)
    if first is None or second is None or 4 + signature[3] + 2 + signature[5 + signature[3]] != len(signature):
        return None
    return first + second


def _number(der: bytes, at: int, size: int) -> Optional[bytes]:
    """A positive number of DER (X.690 §8.3) in its shortest form, as `size` bytes."""
    if at + 2 > len(der) or der[at] != 0x02:
        return None
    content = der[at + 2 : at + 2 + der[at + 1]]
    if len(content) != der[at + 1] or not content or content[0] > 0x7F:
        return None
    if content[0] == 0:
        content = content[1:]
        if not content or content[0] < 0x80:
            return None
    return content.rjust(size, b"\0") if len(content) <= size else None
