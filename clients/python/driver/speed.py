"""Answers the questions of ../../tools/speed.mjs."""

import hashlib
import hmac
import os
import sys
import time
from typing import Callable

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from postern import Hmac, MessageSignature, Request

_APP_KEY = "3f0c9a1be27d4856"
_APP_SECRET = "an App Secret of 32 characters .."
_PEM = os.environ["PRIVATE_KEY"]
_BODY = b"a" * 200
_REQUEST = Request(
    "POST", "https://api.example.com/orders?page=2", [("Content-Type", "application/json")], _BODY
)


def _timed(count: int, run: Callable[[], object]) -> int:
    """The CPU time of something that is done so many times, in nanoseconds."""
    start = time.process_time_ns()
    for _ in range(count):
        run()
    return time.process_time_ns() - start


def main() -> None:
    by_hmac = Hmac(_APP_KEY, _APP_SECRET)
    by_key = MessageSignature(_APP_KEY, _PEM)
    text = by_hmac.sign(_REQUEST).string_to_sign or b""
    base = by_key.sign(_REQUEST).string_to_sign or b""
    secret = _APP_SECRET.encode()
    key = load_pem_private_key(_PEM.encode(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    how = ec.ECDSA(SHA256())

    def hashes() -> object:
        return hashlib.sha256(_BODY).digest(), hmac.digest(secret, text, "sha256")

    for line in sys.stdin:
        method, count = line.split()
        if method == "hmac":
            bare, signed = _timed(int(count), hashes), _timed(int(count), lambda: by_hmac.sign(_REQUEST))
        else:
            bare = _timed(int(count), lambda: key.sign(base, how))
            signed = _timed(int(count), lambda: by_key.sign(_REQUEST))
        print(bare, signed, flush=True)


if __name__ == "__main__":
    main()
