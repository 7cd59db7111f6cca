"""What can be seen to be wrong with a request to an endpoint with hmac."""

import re
from typing import List

from .._hmac import is_signable
from .dates import parse_imf_fixdate
from .hmac_case import REQUEST_LINE, HmacCase, is_request_line_name
from .model import Fault

_SHAPE = 'Authorization: hmac appkey="…", algorithm="hmac-sha256", headers="date request-line", signature="…"'
_GRAMMAR = re.compile(r'\w+ [\w-]+="[^"\\]*"(?:[ \t]*,[ \t]*[\w-]+="[^"\\]*")*\Z', re.ASCII)
_DATE_FIX = 'Write Date as in "Sat, 07 Nov 2026 02:40:00 GMT": English names, two-digit day, GMT'
_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_FORMS = [
    ("one-digit-day", "the day of Date has one digit", r"%s, \d %s \d{4} " % (_DAY, _MONTH)),
    ("zone-offset", "Date has a zone offset instead of GMT", r".*[+-]\d\d:?\d\d\Z"),
    (
        "zone-name",
        "Date has another zone than GMT",
        r"%s, \d\d %s \d{4} \d\d:\d\d:\d\d(?: (?!GMT\Z)\w+)?\Z" % (_DAY, _MONTH),
    ),
    ("date-asctime", "Date is in the form of asctime", r"%s %s [ \d]?\d " % (_DAY, _MONTH)),
    ("date-iso", "Date is in the form of ISO 8601", r"\d{4}-?\d\d-?\d\d"),
    ("date-rfc-850", "Date is in the obsolete form of RFC 850", r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d\d-"),
    ("date-number", "Date is a number of seconds or milliseconds", r"\d+\Z"),
]


def _has(case: HmacCase, name: str) -> bool:
    return any(segment.startswith(name + "=") for segment in case.request.query.split("&"))


def _scheme(case: HmacCase) -> str:
    return case.authorization.scheme.lower()


def _has_key_only(case: HmacCase) -> bool:
    is_key = case.header("x-app-key") is not None or _has(case, "appKey")
    return case.header("authorization") is None and is_key and not _has(case, "sign")


def _has_nothing(case: HmacCase) -> bool:
    headers = (case.header("authorization"), case.header("x-app-key"))
    return headers == (None, None) and not _has(case, "appKey") and not _has(case, "sign")


def _has_absent(case: HmacCase) -> bool:
    others = [name for name in case.names if name not in (REQUEST_LINE, "date", "digest")]
    return any(case.request.authority == "" if name == "host" else case.header(name) is None for name in others)


AUTHORIZATION_FAULTS: List[Fault] = [
    Fault(
        "key-for-hmac",
        "the request carries an App Key as for key authentication, but the endpoint wants an HMAC signature",
        "Sign the request and send " + _SHAPE,
        _has_key_only,
    ),
    Fault(
        "parameter-signature-for-hmac",
        "the request carries a parameter signature (sign), but the endpoint wants an HMAC signature",
        "Sign the request and send " + _SHAPE,
        lambda case: case.header("authorization") is None and _has(case, "sign"),
    ),
    Fault(
        "authorization-missing",
        "the request has no Authorization header",
        "Send %s; clients drop it on a redirect to another host" % _SHAPE,
        _has_nothing,
    ),
    Fault(
        "basic-authentication",
        "the Authorization header is of the Basic scheme: a name and a password",
        "Sign the request and send %s; the App Secret itself is never sent" % _SHAPE,
        lambda case: _scheme(case) == "basic",
    ),
    Fault(
        "bearer-token",
        "the Authorization header is of the Bearer scheme: a token, as for an oauth2 endpoint",
        "Sign the request and send " + _SHAPE,
        lambda case: _scheme(case) == "bearer",
    ),
    Fault(
        "other-scheme",
        'the Authorization header does not begin with "hmac "',
        "Send " + _SHAPE,
        lambda case: case.header("authorization") is not None and _scheme(case) not in ("hmac", "basic", "bearer"),
    ),
    Fault(
        "authorization-twice",
        "the request has more than one Authorization header",
        "Send one",
        lambda case: len(case.request.values_of("authorization")) > 1,
    ),
    Fault(
        "authorization-parameters",
        "the parameters of Authorization are not the four wanted ones, once each and in lower case",
        "Send " + _SHAPE,
        lambda case: _scheme(case) == "hmac"
        and sorted(case.authorization.written) != ["algorithm", "appkey", "headers", "signature"],
    ),
    Fault(
        "authorization-grammar",
        'Authorization is not written as one blank after hmac and then name="value", joined by commas',
        'Send %s, with double quotes and no blank around "="' % _SHAPE,
        lambda case: _scheme(case) == "hmac" and _GRAMMAR.match(case.header("authorization") or "") is None,
    ),
    Fault(
        "algorithm-not-allowed",
        "the endpoint does not take this algorithm",
        'Write algorithm="hmac-sha256", in lower case, unless the operator named another one',
        lambda case: case.authorization.algorithm is not None
        and case.authorization.algorithm not in case.options.algorithms,
    ),
    Fault(
        "list-not-lower-case",
        'headers="…" has names that are not in lower case',
        'Write the names in headers="…" in lower case',
        lambda case: (case.authorization.headers or "") != (case.authorization.headers or "").lower(),
    ),
    Fault(
        "list-separators",
        'headers="…" does not have single blanks between its names',
        'Separate the names in headers="…" by one blank each, with none at the ends',
        lambda case: case.authorization.headers is not None
        and re.match(r"[^\s,;]+(?: [^\s,;]+)*\Z", case.authorization.headers) is None,
    ),
    Fault(
        "list-request-target",
        'headers="…" lists the request line under the name that another scheme has for it',
        'List it as request-line, and write the line as "POST /orders HTTP/1.1"',
        lambda case: any(
            is_request_line_name(each) for each in re.split(r"[\s,;]+", (case.authorization.headers or "").lower())
        ),
    ),
    Fault(
        "date-not-listed",
        'headers="…" does not list date',
        'Sign the Date header: add date to headers="…" and its line to the string to sign',
        lambda case: case.authorization.headers is not None and "date" not in case.names,
    ),
    Fault(
        "request-line-not-listed",
        'headers="…" does not list request-line',
        'Sign the request line: add request-line to headers="…" and its line to the string to sign',
        lambda case: case.authorization.headers is not None and REQUEST_LINE not in case.names,
    ),
    Fault(
        "listed-twice",
        'headers="…" lists a name twice',
        "List each name once",
        lambda case: len(set(case.names)) != len(case.names),
    ),
    Fault(
        "unsignable-header",
        'headers="…" lists a header that cannot be signed, because it is changed on the way',
        "Do not sign authorization, connection, keep-alive, te, transfer-encoding, x-request-id, x-forwarded-*, "
        "x-envoy-* and the identity headers",
        lambda case: any(not is_signable(name) for name in case.names),
    ),
    Fault(
        "listed-header-absent",
        'headers="…" lists a header that the request does not have',
        "Send every header that is listed, and check whether your client or a proxy drops it",
        _has_absent,
    ),
    Fault(
        "digest-missing",
        "the request has a body, but no Digest header",
        "Send Digest: SHA-256= and the base64 of the SHA-256 of the body, and sign it",
        lambda case: case.request.body != b"" and case.header("digest") is None,
    ),
    Fault(
        "digest-not-signed",
        'the request has a body and a Digest, but headers="…" does not list digest',
        'Add digest to headers="…" and its line to the string to sign',
        lambda case: case.request.body != b""
        and case.header("digest") is not None
        and case.authorization.headers is not None
        and "digest" not in case.names,
    ),
    Fault(
        "digest-twice",
        "the request has more than one Digest header",
        "Send one",
        lambda case: len(case.request.values_of("digest")) > 1,
    ),
]


def _is_form(case: HmacCase, form: str) -> bool:
    date = case.header("date") or ""
    return re.match(form, date, re.ASCII) is not None and parse_imf_fixdate(date) is None


def _is_no_form(case: HmacCase) -> bool:
    date = case.header("date")
    if date is None or parse_imf_fixdate(date) is not None:
        return False
    return not any(re.match(form, date, re.ASCII) for _, _, form in _FORMS)


def _form_fault(name: str, what: str, form: str) -> Fault:
    return Fault(name, what, _DATE_FIX, lambda case: _is_form(case, form))


DATE_FAULTS: List[Fault] = [
    Fault(
        "x-date",
        "the request has X-Date, but no Date",
        "Send the time as Date; X-Date is not looked at",
        lambda case: case.header("date") is None and case.header("x-date") is not None,
    ),
    Fault(
        "date-missing",
        "the request has no Date header",
        _DATE_FIX + ', and list date in headers="…"; browsers do not let a page set Date',
        lambda case: case.header("date") is None and case.header("x-date") is None,
    ),
    Fault(
        "date-twice",
        "the request has more than one Date header",
        "Send one; stop an HTTP client that adds its own",
        lambda case: len(case.request.values_of("date")) > 1,
    ),
    *(_form_fault(*form) for form in _FORMS),
    Fault("date-format", "Date is not in the form of HTTP", _DATE_FIX, _is_no_form),
]
