"""What ../../public-key-vectors.json says of private keys."""

import base64
from typing import Any, Dict, List, Tuple

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import load_pem_public_key

import postern
from vectors import KEY_CASES, KEYS, credential_of, request_of

SIGNED = [case for case in KEY_CASES if "request" in case and "problem" not in case]
PROBLEMS = [case for case in KEY_CASES if "request" in case and "problem" in case]
NOT_MADE = [case for case in KEY_CASES if "request" not in case and "problem" in case]
ASSERTIONS = [case for case in KEY_CASES if "assertion" in case]
HASHES: Dict[str, Any] = {"256": hashes.SHA256(), "384": hashes.SHA384(), "512": hashes.SHA512()}


def name_of(case: Dict[str, Any]) -> str:
    return str(case["name"])[:80]


def made_for(case: Dict[str, Any]) -> postern.Credential:
    settings: Dict[str, Any] = {}
    if "nonce" in case:
        settings["nonces"] = lambda: case["nonce"]
    if "now" in case:
        settings["clock"] = lambda: case["now"] + 0.999
    return credential_of(case["client"], **settings)


def is_verified(name: str, algorithm: str, text: bytes, signature: bytes) -> bool:
    key: Any = load_pem_public_key(KEYS[name]["publicPem"].encode("ascii"))
    hash_of = HASHES.get(algorithm[-3:])
    try:
        if isinstance(key, ed25519.Ed25519PublicKey):
            key.verify(signature, text)
        elif isinstance(key, ec.EllipticCurvePublicKey):
            half = len(signature) // 2
            numbers = (int.from_bytes(part, "big") for part in (signature[:half], signature[half:]))
            key.verify(encode_dss_signature(*numbers), text, ec.ECDSA(hash_of))  # type: ignore[arg-type]
        elif isinstance(key, rsa.RSAPublicKey) and hash_of is not None:
            pss = padding.PSS(padding.MGF1(hash_of), hash_of.digest_size)
            is_pss = algorithm.startswith(("PS", "rsa-pss"))
            key.verify(signature, text, pss if is_pss else padding.PKCS1v15(), hash_of)
    except InvalidSignature:
        return False
    return True


def sorted_headers(headers: Any) -> List[Tuple[str, str]]:
    return sorted((name.lower(), value) for name, value in headers)


def test_every_case_is_run() -> None:
    assert len(SIGNED) + len(PROBLEMS) + len(NOT_MADE) + len(ASSERTIONS) == len(KEY_CASES) >= 300


@pytest.mark.parametrize("case", SIGNED, ids=name_of)
def test_signature(case: Dict[str, Any]) -> None:
    credential, request = made_for(case), request_of(case["request"])
    if "acceptSignature" in case:
        signed = credential.sign_again(request, case["acceptSignature"])
    else:
        signed = credential.sign(request)
    if case["signed"] is None:
        assert signed is None
        return
    assert signed is not None and signed.string_to_sign is not None
    assert signed.string_to_sign.decode("ascii") == case["stringToSign"]
    assert (signed.target, signed.body) == (case["signed"]["target"], request.body)
    value = dict(signed.added)["Signature"]
    expected = [tuple(pair) for pair in case["signed"]["headers"]]
    if "Signature" not in dict(expected):
        expected.append(("Signature", value))
    assert sorted_headers(signed.added) == sorted_headers(expected)
    names = {name.lower() for name, _ in signed.added}
    others = [pair for pair in request.headers if pair[0].lower() not in names]
    assert sorted_headers(signed.headers) == sorted_headers([*others, *signed.added])
    how = case["signature"]
    assert value.startswith(how["label"] + "=:") and value.endswith(":")
    signature = base64.b64decode(value[len(how["label"]) + 2 : -1], validate=True)
    assert is_verified(how["key"], how["algorithm"], signed.string_to_sign, signature)


@pytest.mark.parametrize("case", PROBLEMS, ids=name_of)
def test_problem(case: Dict[str, Any]) -> None:
    credential = made_for(case)
    with pytest.raises(postern.Problem) as caught:
        credential.sign(request_of(case["request"]))
    assert caught.value.code == case["problem"]


@pytest.mark.parametrize("case", NOT_MADE, ids=name_of)
def test_not_made(case: Dict[str, Any]) -> None:
    with pytest.raises(postern.Problem) as caught:
        made_for(case)
    assert caught.value.code == case["problem"]
    assert "MII" not in str(caught.value) and "MC4C" not in str(caught.value)


@pytest.mark.parametrize("case", ASSERTIONS, ids=name_of)
def test_assertion(case: Dict[str, Any]) -> None:
    credential, expected = made_for(case), case["assertion"]
    assert isinstance(credential, postern.PrivateKeyJwt)
    made = credential.create_assertion()
    text, _, signature = made.rpartition(".")
    assert text == expected["signingInput"]
    raw = base64.urlsafe_b64decode(signature + "=" * (-len(signature) % 4))
    assert is_verified(expected["key"], expected["algorithm"], text.encode("ascii"), raw)
    assert made == expected.get("jwt", made)
