"""The algorithms of private keys."""

from typing import Dict, NamedTuple, Optional

KEY_KINDS = "Ed25519, P-256, P-384 and RSA"
COORDINATE_BYTES = {"p256": 32, "p384": 48}
"""The bytes of each half of an ECDSA signature."""
MIN_RSA_BITS, MAX_RSA_BITS = 2048, 8192


class Algorithm(NamedTuple):
    """How an algorithm signs: `hash_name` is None where it hashes by itself, `padding` is of RSA."""

    name: str
    kind: str
    hash_name: Optional[str] = None
    padding: Optional[str] = None


def _table(*algorithms: Algorithm) -> Dict[str, Algorithm]:
    return {algorithm.name: algorithm for algorithm in algorithms}


MESSAGE_ALGORITHMS = _table(
    Algorithm("ed25519", "ed25519"),
    Algorithm("ecdsa-p256-sha256", "p256", "sha256"),
    Algorithm("ecdsa-p384-sha384", "p384", "sha384"),
    Algorithm("rsa-pss-sha512", "rsa", "sha512", "pss"),
    Algorithm("rsa-v1_5-sha256", "rsa", "sha256", "pkcs1"),
)
"""Those of RFC 9421 §3.3; of each kind of key the first is the default."""

ASSERTION_ALGORITHMS = _table(
    Algorithm("EdDSA", "ed25519"),
    Algorithm("ES256", "p256", "sha256"),
    Algorithm("ES384", "p384", "sha384"),
    Algorithm("PS256", "rsa", "sha256", "pss"),
    Algorithm("PS512", "rsa", "sha512", "pss"),
    Algorithm("RS256", "rsa", "sha256", "pkcs1"),
)
"""Those of RFC 7518 §3.1 and RFC 8037 §3.1; of each kind of key the first is the default."""
