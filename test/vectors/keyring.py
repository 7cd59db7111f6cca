#!/usr/bin/env python3
"""Writes keyring.json: sealed secrets and derived keys, made from docs/threat-model.md with another implementation.

Needs the package `cryptography`. Run in this folder: python3 keyring.py > keyring.json
"""

import base64
import json

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEYS = {"k20260101-aaaaaa": bytes(range(32)), "k20260201-bbbbbb": bytes(range(255, 223, -1))}


def derive(key: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=None, info=info).derive(key)


def encode(data: bytes) -> str:
    return base64.b64encode(data).decode()


def seal(key_id: str, what: str, credential_id: str, secret: str, nonce: bytes) -> dict:
    associated = b"\0".join([b"postern-secret-v1", key_id.encode(), what.encode(), credential_id.encode()])
    cipher = AESGCM(derive(KEYS[key_id], b"postern-seal-v1", 32))
    ciphertext = cipher.encrypt(nonce, secret.encode(), associated)
    return {
        "secret": secret,
        "belongsTo": {"credentialId": credential_id, "what": what},
        "sealed": {"keyId": key_id, "nonce": encode(nonce), "ciphertext": encode(ciphertext)},
    }


def derived(key_id: str, purpose: str, length: int) -> dict:
    key = derive(KEYS[key_id], b"postern-derive-v1\0" + purpose.encode(), length)
    return {"keyId": key_id, "purpose": purpose, "bytes": length, "key": encode(key)}


FIRST, SECOND = KEYS
print(
    json.dumps(
        {
            "keys": [{"id": key_id, "key": encode(key)} for key_id, key in KEYS.items()],
            "sealed": [
                seal(FIRST, "app-secret", "acme-hmac", "not-for-production", bytes(range(12))),
                seal(FIRST, "app-key", "acme-key", "ä€😀", bytes(range(12, 24))),
                seal(SECOND, "app-secret", "acme-hmac", "s" * 1000, bytes([255] * 12)),
                seal(SECOND, "app-secret", "x", "", bytes(12)),
            ],
            "derived": [derived(FIRST, "access-token", 32), derived(SECOND, "access-token", 64)],
        },
        indent=2,
        ensure_ascii=False,
    )
)
