"""Reads ../../vectors.json and ../../public-key-vectors.json."""

import base64
import hashlib
import json
import pathlib
import subprocess
from typing import Any, Callable, Dict, List, Optional

import postern

CASES: List[Dict[str, Any]] = json.loads(
    (pathlib.Path(__file__).parents[2] / "vectors.json").read_text(encoding="utf-8")
)["cases"]


_PUBLIC_KEY: Dict[str, Any] = json.loads(
    (pathlib.Path(__file__).parents[2] / "public-key-vectors.json").read_text(encoding="utf-8")
)
KEY_CASES: List[Dict[str, Any]] = _PUBLIC_KEY["cases"]
KEYS: Dict[str, Dict[str, Any]] = _PUBLIC_KEY["keys"]


def body_of(body: Optional[Dict[str, Any]]) -> bytes:
    if body is None:
        return b""
    if "text" in body:
        return str(body["text"]).encode("utf-8")
    if "base64" in body:
        return base64.b64decode(body["base64"], validate=True)
    return (str(body["repeat"]) * int(body["times"])).encode("utf-8")


def is_body(expected: Dict[str, Any], actual: bytes) -> bool:
    if "sha256" in expected:
        return (hashlib.sha256(actual).hexdigest(), len(actual)) == (expected["sha256"], expected["length"])
    return body_of(expected) == actual


def request_of(request: Dict[str, Any]) -> postern.Request:
    headers = [(name, value) for name, value in request.get("headers", [])]
    return postern.Request(request["method"], request["url"], headers, body_of(request.get("body")))


def credential_of(client: Dict[str, Any], **settings: Any) -> postern.Credential:
    """A credential as a vector or the driver's `create` describes it; `settings` are for every method that has them."""
    method = client["method"]
    if method == "key":
        settings.pop("nonces", None)
        settings.pop("clock_correction", None)
        return postern.Key(client["appKey"], **client.get("carrier", {}), **settings)
    if method == "oauth2":
        settings.pop("nonces", None)
        settings.pop("clock_correction", None)
        return postern.OAuth2(client["appKey"], client["appSecret"], client["tokenUrl"], **settings)
    if "privateKey" in client or method in ("http-message-signature", "private-key-jwt"):
        return _with_key(client, settings)
    names = {"hmac": {"algorithm": "algorithm", "signedHeaders": "signed_headers", "nonce": "nonce"}}.get(
        method, {"encoding": "encoding", "nonce": "nonce"}
    )
    makers: Dict[str, Callable[..., postern.Credential]] = {
        "hmac": postern.Hmac,
        "parameter-signature": postern.ParameterSignature,
    }
    settings.update({name: client[key] for key, name in names.items() if key in client})
    return makers[method](client["appKey"], client["appSecret"], **settings)


_KEY_SETTINGS = {
    "algorithm": "algorithm",
    "nonce": "nonce",
    "tag": "tag",
    "coverAlso": "cover_also",
    "label": "label",
    "audience": "audience",
}


def _with_key(client: Dict[str, Any], settings: Dict[str, Any]) -> postern.Credential:
    settings.update({name: client[key] for key, name in _KEY_SETTINGS.items() if key in client})
    key = private_key_of(client.get("privateKey", {}))
    if client["method"] == "private-key-jwt":
        return postern.PrivateKeyJwt(client["appKey"], key, client["tokenUrl"], **settings)
    return postern.MessageSignature(client["appKey"], key, **settings)


def private_key_of(key: Dict[str, Any]) -> Any:
    """A private key as a vector or the driver's `create` describes it."""
    if "key" in key:
        return KEYS[key["key"]][key["as"]]
    if "signer" in key:
        words: List[str] = key["signer"]
        return lambda data: subprocess.run(words, input=data, stdout=subprocess.PIPE, check=True).stdout
    return key.get("pem", key.get("jwk"))
