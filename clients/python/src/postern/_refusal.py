"""What the gateway says when it refuses a request."""

import json
import math
import time
from typing import Any, NamedTuple, Optional

from . import _media_type
from ._clock import parse_http_date

MAX_REFUSAL_BYTES = 65_536


class Refusal(NamedTuple):
    """A refusal of the gateway. `code` does not change; quote `request_id` when you ask the operator."""

    status: int
    code: str
    message: str
    request_id: Optional[str]
    retry_after: Optional[int] = None
    """Whole seconds; None when the answer does not say."""
    string_to_sign: Optional[str] = None
    """What the gateway built, where its operator shows that."""

    @property
    def accepted_before(self) -> bool:
        """Whether the gateway let an equal request through before: the API has it.

        With a nonce it was this very call, whose answer was lost. See whether it took effect before you call again.
        """
        return self.status == 401 and self.code == "REQUEST_REPLAYED"


def retry_after_of(text: Optional[str]) -> Optional[int]:
    """`Retry-After` in whole seconds, from a number or an HTTP date; None for anything else."""
    if text is None:
        return None
    text = text.strip(" \t")
    if text.isascii() and text.isdigit():
        return int(text) if len(text) < 16 else None
    at = parse_http_date(text)
    return None if at is None else max(0, math.ceil(at - time.time()))


def may_be_refusal(status: int, content_type: Optional[str]) -> bool:
    """Whether the body of an answer is worth reading as a refusal."""
    return status >= 400 and _media_type.parse(content_type or "")[0] == "application/json"


def read_refusal(
    status: int, content_type: Optional[str], retry_after: Optional[str], body: bytes
) -> Optional[Refusal]:
    """The refusal that an answer holds; None for every other answer."""
    if not may_be_refusal(status, content_type) or len(body) > MAX_REFUSAL_BYTES:
        return None
    try:
        document = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    code, message, request_id = (document.get(name) for name in ("code", "message", "requestId"))
    if not (isinstance(code, str) and isinstance(message, str) and "requestId" in document):
        return None
    if not (request_id is None or isinstance(request_id, str)):
        return None
    shown = document.get("stringToSign")
    string_to_sign = shown if isinstance(shown, str) else None
    return Refusal(status, code, message, request_id, retry_after_of(retry_after), string_to_sign)


def refusal_of(response: Any) -> Optional[Refusal]:
    """The refusal in an answer of `requests`, `httpx` or `postern.urllib`; None when it is an answer of the API.

    The body stays readable. A streamed answer is looked at once it has been read.
    """
    status = getattr(response, "status_code", None)
    if status is None:
        status = getattr(response, "status", None) or getattr(response, "code", None)
    headers = getattr(response, "headers", None)
    if not isinstance(status, int) or headers is None or not may_be_refusal(status, headers.get("Content-Type")):
        return None
    body = _known_body(response)
    if body is None:
        return None
    return read_refusal(status, headers.get("Content-Type"), headers.get("Retry-After"), body)


def _known_body(response: Any) -> Optional[bytes]:
    """The body without taking it from whoever reads next; None when that is impossible."""
    file = getattr(response, "fp", None)
    if file is not None and not hasattr(response, "status_code"):
        if not (hasattr(file, "seekable") and file.seekable()):
            return None
        at = file.tell()
        body = bytes(file.read(MAX_REFUSAL_BYTES + 1))
        file.seek(at)
        return body
    length = response.headers.get("Content-Length") or "0"
    if length.isdigit() and int(length) > MAX_REFUSAL_BYTES:
        return None
    try:
        content = response.content
    except Exception:  # noqa: BLE001 - each library has an error of its own for a stream that was not read
        return None
    return content if isinstance(content, bytes) else None
