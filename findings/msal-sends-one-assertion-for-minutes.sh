#!/bin/sh
# PyPI msal 1.39.0, JwtAssertionCreator.create_regenerative_assertion, which ConfidentialClientApplication uses.
#
# Guess: a client that proves itself by private_key_jwt signs a new assertion, with a new jti, for each token.
# Seen:  the same text is sent again until a minute before it ends: with its usual 600 s, for nine minutes. A server
#        that takes each jti once (RFC 7523 §3, item 7) refuses the second token.
# Here:  such a refusal has a text of its own ("The client assertion was used before"), and docs/interoperability.md
#        names the library.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check msal==1.39.0 cryptography==46.0.3
"$folder/venv/bin/python" - <<'PYTHON'
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from msal.oauth2cli import JwtAssertionCreator

pem = ec.generate_private_key(ec.SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
once = JwtAssertionCreator(pem.decode(), algorithm="ES256")
assertion = once.create_regenerative_assertion(audience="https://as.example/token", issuer="client")
first, second = assertion(), assertion()
other = once.create_normal_assertion(audience="https://as.example/token", issuer="client")
print("regenerative, twice: the same text" if first == second else "regenerative, twice: two texts")
print("normal: another text" if other != first else "normal: the same text")
assert first == second and other != first
PYTHON
