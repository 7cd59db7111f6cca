"""What can be seen to be wrong with a request to an endpoint with parameter signatures."""

import re
from typing import List

from .. import _media_type
from .model import Fault
from .parameter_case import FORMS, ParameterCase

_BESIDE = "Send appKey and sign as parameters, beside the others"
_RESERVED = ("appKey", "sign", "apiTimestamp")
_WRAPPER = '{"data":"…","appKey":"…","sign":"…","apiTimestamp":1795228800}'
_APP_KEY_LIKE = r"(?i)(?:app_?key|app-key|app_?id|key)\Z"
_SIGN_LIKE = r"(?i)(?:sign|signature|sig)\Z"
_TIMESTAMP_LIKE = r"(?i)(?:timestamp|ts|api_timestamp|apitimestamp)\Z"


def _has_like(case: ParameterCase, pattern: str) -> bool:
    return any(re.match(pattern, each.name) for each in case.parameters)


def _is_readable(case: ParameterCase) -> bool:
    """Whether there is a place to look for parameters: a body in the wrong form says nothing about them."""
    return case.form in ("url", "form") or (case.form == "json" and "data" in (case.wrapper or {}))


def _scheme(case: ParameterCase) -> str:
    return (case.header("authorization") or "").split(" ", 1)[0].lower()


def _begins(case: ParameterCase, pattern: bytes, most: int = 64) -> bool:
    return re.match(pattern, case.request.body[:most]) is not None


def _essence(case: ParameterCase) -> str:
    return _media_type.parse(case.header("content-type") or "")[0]


def _has_bad_charset(case: ParameterCase) -> bool:
    essence, charsets = _media_type.parse(case.header("content-type") or "")
    return case.form is None and essence in FORMS and not _media_type.is_utf8(charsets)


def _has_unsigned_query(case: ParameterCase) -> bool:
    if case.form not in ("form", "json"):
        return False
    app_key = case.value_of("appKey")
    return len(case.query) > 1 or any(each.name != "appKey" or each.value != app_key for each in case.query)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _not_utf8(case: ParameterCase) -> bool:
    texts = ["%s=%s" % (each.name, each.value) for each in case.parameters]
    return case.form != "json" and not all(_is_utf8(text.encode("latin-1", "replace")) for text in texts)


def _is_bare_json(case: ParameterCase) -> bool:
    if case.form != "json":
        return False
    return _begins(case, rb"\s*\[") if case.wrapper is None else "data" not in case.wrapper


_CREDENTIAL_FAULTS: List[Fault] = [
    Fault(
        "hmac-for-parameter-signature",
        "the request carries an hmac Authorization, but the endpoint wants a parameter signature",
        _BESIDE,
        lambda case: not case.has("sign") and _scheme(case) == "hmac",
    ),
    Fault(
        "basic-authentication",
        "the request carries an Authorization of the Basic scheme, but the endpoint wants a parameter signature",
        _BESIDE + "; the App Secret itself is never sent",
        lambda case: not case.has("sign") and _scheme(case) == "basic",
    ),
    Fault(
        "bearer-token",
        "the request carries a token, but the endpoint wants a parameter signature",
        _BESIDE,
        lambda case: not case.has("sign") and _scheme(case) == "bearer",
    ),
    Fault(
        "app-key-in-header",
        "the App Key is in a header, as for key authentication",
        _BESIDE,
        lambda case: not case.has("appKey") and case.header("x-app-key") is not None,
    ),
    Fault(
        "app-key-name",
        "the App Key has another name than appKey, or other upper and lower case",
        "Name the parameter appKey, in just these letters",
        lambda case: not case.has("appKey") and _has_like(case, _APP_KEY_LIKE),
    ),
    Fault(
        "app-key-missing",
        "there is no appKey",
        _BESIDE,
        lambda case: _is_readable(case)
        and not case.has("appKey")
        and case.header("x-app-key") is None
        and not _has_like(case, _APP_KEY_LIKE),
    ),
    Fault(
        "sign-name",
        "the signature has another name than sign, or other upper and lower case",
        "Name the parameter sign, in lower case",
        lambda case: not case.has("sign") and _has_like(case, _SIGN_LIKE),
    ),
    Fault(
        "sign-missing",
        "there is no sign",
        "Sign the parameters, and send the signature as sign",
        lambda case: _is_readable(case) and not case.has("sign") and not _has_like(case, _SIGN_LIKE),
    ),
    Fault(
        "repeated-parameter",
        "appKey, sign or apiTimestamp appears more than once",
        "Send each of them once",
        lambda case: any(sum(each.name == name for each in case.parameters) > 1 for name in _RESERVED),
    ),
    Fault(
        "empty-parameter",
        "appKey, sign or apiTimestamp is empty",
        "Check where your program takes it from: it was empty",
        lambda case: any(each.name in _RESERVED and each.value == "" for each in case.parameters),
    ),
    Fault(
        "timestamp-milliseconds",
        "apiTimestamp is in milliseconds",
        "Divide it by 1000 and round down: apiTimestamp is in seconds",
        lambda case: re.match(r"[0-9]{12,14}\Z", case.value_of("apiTimestamp") or "") is not None,
    ),
    Fault(
        "timestamp-format",
        "apiTimestamp is not a whole number of seconds in digits",
        "Write apiTimestamp as the seconds since 1970-01-01T00:00:00Z, digits only",
        lambda case: case.has("apiTimestamp") and not re.match(r"[0-9]+\Z", case.value_of("apiTimestamp") or ""),
    ),
    Fault(
        "timestamp-missing",
        "there is no apiTimestamp, and the endpoint requires it",
        "Send apiTimestamp, in seconds, and sign it with the other parameters",
        lambda case: case.options.require_timestamp and _is_readable(case) and not case.has("apiTimestamp"),
    ),
    Fault(
        "timestamp-name",
        "the timestamp has another name than apiTimestamp",
        "Name the parameter apiTimestamp, in just these letters",
        lambda case: case.options.require_timestamp
        and not case.has("apiTimestamp")
        and _has_like(case, _TIMESTAMP_LIKE),
    ),
]

_BODY_FAULTS: List[Fault] = [
    Fault(
        "json-not-wrapped",
        "the JSON body is not in its wrapper",
        "Send %s, where data is the whole JSON text as a string" % _WRAPPER,
        _is_bare_json,
    ),
    Fault(
        "data-not-a-string",
        "data is JSON itself, not a string that holds JSON",
        "Make data a string: JSON.stringify({ data: JSON.stringify(order), … })",
        lambda case: case.form == "json"
        and "data" in (case.wrapper or {})
        and not isinstance((case.wrapper or {})["data"], str),
    ),
    Fault(
        "wrapper-keys",
        "the JSON wrapper has other keys than data, appKey, sign and apiTimestamp",
        "Send %s and nothing else; what belongs to the API goes into data" % _WRAPPER,
        lambda case: case.form == "json"
        and "data" in (case.wrapper or {})
        and any(name not in ("data", *_RESERVED) for name in case.wrapper or {}),
    ),
    Fault(
        "wrapper-no-json",
        "the body is sent as application/json, but it is no JSON object",
        "Send " + _WRAPPER,
        lambda case: case.form == "json" and case.wrapper is None and not _begins(case, rb"\s*\["),
    ),
    Fault(
        "json-sent-as-form",
        "the body is JSON, but Content-Type says that it is a form",
        "Send Content-Type: application/json (curl -d says form unless you say otherwise)",
        lambda case: case.form == "form" and _begins(case, rb"\s*\{"),
    ),
    Fault(
        "form-sent-as-json",
        "the body is a form, but Content-Type says that it is JSON",
        "Send Content-Type: application/x-www-form-urlencoded",
        lambda case: case.form == "json" and _begins(case, rb"[\w%.~+-]+=", 256),
    ),
    Fault(
        "content-type-missing",
        "the request has a body but no Content-Type",
        "Send Content-Type: application/json or application/x-www-form-urlencoded",
        lambda case: case.form is None and case.request.body != b"" and case.header("content-type") is None,
    ),
    Fault(
        "content-type",
        "the body is of a type that cannot be verified",
        "Send a form (application/x-www-form-urlencoded) or JSON (application/json)",
        lambda case: case.form is None and case.header("content-type") is not None and _essence(case) not in FORMS,
    ),
    Fault(
        "charset",
        "the body has a charset other than UTF-8, or Content-Type is not well formed",
        "Send the body in UTF-8, and say no charset or charset=utf-8",
        _has_bad_charset,
    ),
    Fault(
        "compressed",
        "the body is compressed",
        "Send the body without Content-Encoding",
        lambda case: case.form is None and case.header("content-encoding") is not None,
    ),
    Fault(
        "parameters-in-the-url",
        "the URL has parameters beside a body, and nothing signs them",
        "Put all parameters into the body; only an appKey equal to the one in the body may stand in the URL",
        _has_unsigned_query,
    ),
    Fault(
        "percent-encoding",
        'a "%" in the parameters is not followed by two hexadecimal digits',
        "Percent-encode names and values before they are sent; a percent sign itself is %25",
        lambda case: case.form != "json"
        and any(
            re.search("%(?![0-9A-Fa-f]{2})", "%s=%s" % (each.raw_name, each.raw_value)) for each in case.parameters
        ),
    ),
    Fault(
        "not-utf-8",
        "the parameters are not UTF-8",
        "Take the UTF-8 bytes of names and values, and percent-encode these",
        _not_utf8,
    ),
]

PARAMETER_FAULTS: List[Fault] = [*_CREDENTIAL_FAULTS, *_BODY_FAULTS]
