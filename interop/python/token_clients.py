"""Token clients that prove with a key of their own (private_key_jwt)."""

from urllib.parse import parse_qs

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from joserfc.jwk import import_key
from jwskate import Jwk
from msal.oauth2cli import JwtAssertionCreator
from msal.oauth2cli.oauth2 import Client
from requests_oauth2client import OAuth2Client, OAuth2Error, PrivateKeyJwt


class Recorded(requests.Session):
    """Trusts the authority, and keeps the last form that was sent."""

    form = ""

    def trust(self, ca: str):
        self.verify = ca
        self.trust_env = False
        return self

    def send(self, request, **options):
        self.form = request.body or ""
        return super().send(request, **options)

    def answer(self, times: int, ask) -> dict:
        """Asks so many times, as long as that works; the answer is that of the last time."""
        result = {}
        while times > 0 and "refusal" not in result:
            result = ask()
            times -= 1
        fields = parse_qs(self.form.decode() if isinstance(self.form, bytes) else self.form)
        return {**result, "form": {name: values[0] for name, values in fields.items()}}


class RecordedAuthlib(Recorded, OAuth2Session):
    """The session of authlib is a session of requests."""


def refused(code: str, description: str | None) -> dict:
    return {"refusal": {"code": code, "description": description}}


def authlib(question: dict) -> dict:
    key = import_key(question["key"]["jwk"])
    session = RecordedAuthlib(question["clientId"], key, token_endpoint_auth_method="private_key_jwt")
    session.trust(question["ca"])
    session.register_client_auth_method(PrivateKeyJWT(question["tokenUrl"], alg=question["key"]["alg"]))

    def ask() -> dict:
        try:
            token = session.fetch_token(question["tokenUrl"], grant_type="client_credentials")
            return {"token": token["access_token"]}
        except AuthlibBaseError as error:
            return refused(error.error, error.description)

    return session.answer(question["times"], ask)


def requests_oauth2client(question: dict) -> dict:
    session = Recorded().trust(question["ca"])
    alg = question["key"]["alg"]
    # It takes no key without a kid; Jwk gives its thumbprint.
    key = Jwk({**question["key"]["jwk"], "alg": alg}).with_kid_thumbprint()
    client = OAuth2Client(
        question["tokenUrl"], auth=PrivateKeyJwt(question["clientId"], key), session=session
    )

    def ask() -> dict:
        try:
            return {"token": client.client_credentials().access_token}
        except OAuth2Error as error:
            return refused(getattr(error, "error", ""), error.description)

    return session.answer(question["times"], ask)


def msal(question: dict) -> dict:
    """The part of msal that is for any server; the rest asks those of Microsoft only."""
    session = Recorded().trust(question["ca"])
    client_id, token_url = question["clientId"], question["tokenUrl"]
    creator = JwtAssertionCreator(question["key"]["pem"], algorithm=question["key"]["alg"])
    client = Client(
        {"token_endpoint": token_url},
        client_id,
        http_client=session,
        client_assertion=creator.create_regenerative_assertion(audience=token_url, issuer=client_id),
        client_assertion_type=Client.CLIENT_ASSERTION_TYPE_JWT,
    )

    def ask() -> dict:
        result = client.obtain_token_for_client()
        if "error" in result:
            return refused(result["error"], result.get("error_description"))
        return {"token": result["access_token"]}

    return session.answer(question["times"], ask)


TOKEN_CLIENTS = {"authlib": authlib, "msal": msal, "requests-oauth2client": requests_oauth2client}
