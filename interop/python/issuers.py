"""Libraries that sign tokens as an issuer does."""

import jwt
from authlib.jose import JsonWebKey, JsonWebToken
from joserfc import jwt as joserfc_jwt
from joserfc.jwk import import_key


def header(question: dict) -> dict:
    return {"alg": question["key"]["alg"], "kid": question["kid"], "typ": "at+jwt"}


def pyjwt(question: dict) -> dict:
    alg = question["key"]["alg"]
    key = jwt.PyJWK({**question["key"]["jwk"], "alg": alg}).key
    return {"token": jwt.encode(question["claims"], key, algorithm=alg, headers=header(question))}


def authlib(question: dict) -> dict:
    key = JsonWebKey.import_key(question["key"]["jwk"])
    token = JsonWebToken([question["key"]["alg"]]).encode(header(question), question["claims"], key)
    return {"token": token.decode()}


def joserfc(question: dict) -> dict:
    alg = question["key"]["alg"]
    key = import_key(question["key"]["jwk"])
    return {"token": joserfc_jwt.encode(header(question), question["claims"], key, algorithms=[alg])}


ISSUERS = {"PyJWT": pyjwt, "authlib": authlib, "joserfc": joserfc}
