"""Signed requests, sent with the HTTP client that goes with each library."""

import ssl
from dataclasses import dataclass

import httpx
import requests
from http_message_signatures import HTTPMessageSigner, HTTPSignatureKeyResolver, algorithms
from requests_http_signature import HTTPSignatureAuth

ALGORITHMS = {
    each.algorithm_id: each
    for each in (
        algorithms.ECDSA_P256_SHA256,
        algorithms.ECDSA_P384_SHA384,
        algorithms.ED25519,
        algorithms.RSA_PSS_SHA512,
        algorithms.RSA_V1_5_SHA256,
    )
}


@dataclass
class OneKey(HTTPSignatureKeyResolver):
    pem: bytes

    def resolve_private_key(self, key_id: str) -> bytes:
        return self.pem

    def resolve_public_key(self, key_id: str) -> bytes:
        raise NotImplementedError


@dataclass
class Message:
    """What the library asks of a request."""

    method: str
    url: str
    headers: httpx.Headers


def answer(status: int, headers: list, body: str, sent: dict) -> dict:
    return {"status": status, "headers": headers, "body": body, "signatureInput": sent.get("signature-input")}


def options(covers: list | None) -> dict:
    """Both libraries cover the digest of a body by themselves."""
    return {} if covers is None else {"covered_component_ids": [each for each in covers if each != "content-digest"]}


def http_message_signatures(question: dict) -> dict:
    """With httpx, over HTTP/1.1 or HTTP/2."""
    asked, key, covers = question["request"], question["key"], question["covers"]
    is_http2 = question["http"] == "2"
    trust = ssl.create_default_context(cafile=question["ca"])
    with httpx.Client(http1=not is_http2, http2=is_http2, verify=trust, trust_env=False) as client:
        content = None if asked["body"] is None else asked["body"].encode()
        request = client.build_request(asked["method"], asked["url"], headers=dict(asked["headers"]), content=content)
        signer = HTTPMessageSigner(
            signature_algorithm=ALGORITHMS[key["algorithm"]], key_resolver=OneKey(key["pem"].encode())
        )
        message = Message(request.method, str(request.url), request.headers)
        signer.sign(message, key_id=question["keyid"], body=content, **options(covers))
        response = client.send(request)
        return answer(
            response.status_code, list(response.headers.multi_items()), response.text, dict(request.headers)
        )


def requests_http_signature(question: dict) -> dict:
    """With requests, over HTTP/1.1."""
    asked, key, covers = question["request"], question["key"], question["covers"]
    auth = HTTPSignatureAuth(
        signature_algorithm=ALGORITHMS[key["algorithm"]],
        key=key["pem"].encode(),
        key_id=question["keyid"],
        **options(covers),
    )
    with requests.Session() as session:
        session.trust_env = False
        response = session.request(
            asked["method"],
            asked["url"],
            headers=dict(asked["headers"]),
            data=asked["body"],
            auth=auth,
            verify=question["ca"],
        )
    sent = {name.lower(): value for name, value in response.request.headers.items()}
    return answer(response.status_code, list(response.headers.items()), response.text, sent)


SIGNERS = {
    "http-message-signatures": http_message_signatures,
    "requests-http-signature": requests_http_signature,
}
