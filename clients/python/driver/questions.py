"""What the driver answers."""

import base64
import json
import pathlib
import ssl
import sys
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Optional

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))

import postern
from adapters import ADAPTERS, Adapter, Answer
from printing import every_print_of
from vectors import body_of, credential_of, request_of

Json = Dict[str, Any]


class Client:
    """A credential, and the clients of each library that were made with it."""

    def __init__(self, settings: Json) -> None:
        self.ca: Optional[str] = settings.get("ca")
        self.proxy: Optional[str] = settings.get("proxy")
        self.credential = credential_of(settings, **_settings_of(settings))
        self._adapters: Dict[str, Adapter] = {}
        self._lock = threading.Lock()

    def adapter(self, name: str, http: str) -> Adapter:
        with self._lock:
            key = "%s over HTTP/%s" % (name, http)
            if key not in self._adapters:
                maker, versions = ADAPTERS[name]
                if http not in versions:
                    raise ValueError("%s does not speak HTTP/%s" % (name, http))
                self._adapters[key] = maker(self.credential, http, self.ca, self.proxy)
            return self._adapters[key]

    def parts(self) -> List[object]:
        with self._lock:
            return [self.credential, *(part for adapter in self._adapters.values() for part in adapter.parts)]


class Driver:
    def __init__(self) -> None:
        self._clients: Dict[str, Client] = {}

    def answer(self, question: Json) -> Json:
        operations: Dict[Any, Callable[[Json], Json]] = {
            "describe": self._describe,
            "create": self._create,
            "sign": self._sign,
            "assertion": self._assertion,
            "send": self._send,
            "print": self._print,
        }
        operation = operations.get(question.get("op"))
        if operation is None:
            raise ValueError("there is no op %r" % question.get("op"))
        return operation(question)

    def _describe(self, question: Json) -> Json:
        return {"adapters": [{"name": name, "http": versions} for name, (_, versions) in ADAPTERS.items()]}

    def _create(self, question: Json) -> Json:
        self._clients[question["name"]] = Client(question["client"])
        return {"created": True}

    def _sign(self, question: Json) -> Json:
        credential, request = self._clients[question["name"]].credential, request_of(question["request"])
        asked = question.get("acceptSignature")
        signed = credential.sign(request) if asked is None else credential.sign_again(request, asked)
        if signed is None:
            return {"signed": None}
        headers = [list(pair) for pair in signed.headers]
        body = base64.b64encode(signed.body).decode("ascii")
        return {"signed": {"method": signed.method, "url": signed.url, "headers": headers, "body": body}}

    def _assertion(self, question: Json) -> Json:
        credential = self._clients[question["name"]].credential
        if not isinstance(credential, postern.PrivateKeyJwt):
            raise ValueError("only private-key-jwt has assertions")
        return {"assertion": credential.create_assertion()}

    def _send(self, question: Json) -> Json:
        request = question["request"]
        adapter = self._clients[question["name"]].adapter(question["adapter"], question.get("http", "1.1"))
        headers = [(name, value) for name, value in request.get("headers", [])]
        body = body_of(request.get("body"))
        is_once = bool((request.get("body") or {}).get("once") or request.get("once"))
        if request.get("follow"):
            adapter.follow_redirects()
        answer = adapter.send(request["method"], request["url"], headers, body, is_once)
        return {"response": _response(answer), "refusal": _refusal(answer.refusal)}

    def _print(self, question: Json) -> Json:
        return {"text": "\n".join(every_print_of(self._clients[question["name"]].parts()))}


def _settings_of(settings: Json) -> Json:
    made: Json = {"clock": _clock_of(settings)}
    if "retries" in settings:
        made["retries"] = settings["retries"]
    if "clockCorrection" in settings:
        made["clock_correction"] = settings["clockCorrection"]
    if "nonces" in settings:
        made["nonces"] = _in_order(iter(list(settings["nonces"])))
    if settings.get("method") in ("oauth2", "private-key-jwt") and "ca" in settings:
        made["ssl_context"] = ssl.create_default_context(cafile=settings["ca"])
    return made


def _clock_of(settings: Json) -> Callable[[], float]:
    offset = float(settings.get("clockOffset", 0))
    if "now" in settings:
        now = float(settings["now"])
        return lambda: now + offset
    return lambda: time.time() + offset


def _in_order(nonces: Iterator[str]) -> Callable[[], str]:
    lock = threading.Lock()

    def following() -> str:
        with lock:
            return next(nonces)

    return following


def _response(answer: Answer) -> Json:
    body = base64.b64encode(answer.body).decode("ascii")
    headers = [list(pair) for pair in answer.headers]
    return {"status": answer.status, "http": answer.http, "headers": headers, "body": body}


def _refusal(refusal: Optional[postern.Refusal]) -> Optional[Json]:
    if refusal is None:
        return None
    return {
        "status": refusal.status,
        "code": refusal.code,
        "message": refusal.message,
        "requestId": refusal.request_id,
        "retryAfter": refusal.retry_after,
        "stringToSign": refusal.string_to_sign,
        "acceptedBefore": refusal.accepted_before,
    }


def parsed(line: str) -> Json:
    """One answer, for tests."""
    document: Json = json.loads(line)
    return document
