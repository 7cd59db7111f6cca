"""What the gateway makes of a request: the checks of its documentation, in their order."""

import base64
import hashlib
import ipaddress
import json
import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

from .. import _media_type, _parameters
from .._credential import MAX_BODY_BYTES
from .._errors import Problem
from .._hmac import is_signable
from .._wrapper import MAX_WRAPPER_BYTES
from .dates import parse_imf_fixdate
from .hmac_case import REQUEST_LINE, hmac_with
from .model import Asked, Options, Refused, SentRequest
from .parameter_case import FORMS
from .text import canonical_base64

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+\Z")
_LOWER_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9a-z]+\Z")
_ELEMENT = re.compile(r'(appkey|algorithm|headers|signature)="([^"\\\x00-\x08\x0a-\x1f\x7f]*)"(?:[ \t]*(,)[ \t]*|\Z)')
_VISIBLE = re.compile(r"[\x21-\x7e]+\Z")


class Parsed(NamedTuple):
    """A request whose credentials are well formed."""

    app_key: str
    signed_at: Optional[int]
    is_right: Callable[[bytes], bool]
    """Whether the signature fits the App Secret."""
    body_refusal: Optional[Refused]


class Judged(NamedTuple):
    refusal: Optional[Refused]
    refusal_when_made: Optional[Refused]
    string_to_sign: Optional[bytes]
    """None where the request is refused before one is built."""


def malformed(detail: str) -> Refused:
    return Refused(401, "CREDENTIALS_MALFORMED", detail)


def judge(request: SentRequest, method: str, options: Options, asked: Asked, sent_app_key: Optional[str]) -> Judged:
    """What is answered now, and what was answered when the request was made."""
    parsed, text = (_parse_hmac if method == "hmac" else _parse_parameters)(request, options)
    early = _received(request) or _undelivered(request)
    if early is not None or isinstance(parsed, Refused):
        return Judged(early or (parsed if isinstance(parsed, Refused) else None), None, text)
    known = sent_app_key if asked.app_key is None else asked.app_key
    if parsed.app_key != known:
        return Judged(Refused(401, "AUTHENTICATION_FAILED", "the App Key is unknown"), None, text)
    if not parsed.is_right(asked.secret):
        what = "request" if method == "hmac" else "parameters"
        detail = "the signature does not fit the " + what
        return Judged(Refused(401, "AUTHENTICATION_FAILED", detail), None, text)
    late = _late(parsed.signed_at, asked.now, options.clock_skew_seconds)
    if late is not None:
        return Judged(late, parsed.body_refusal, text)
    return Judged(parsed.body_refusal, None, text)


def _late(signed_at: Optional[int], now: int, skew: int) -> Optional[Refused]:
    if signed_at is None or abs(signed_at - now) <= skew:
        return None
    side = "behind" if signed_at < now else "ahead of"
    detail = "the signed time is %d s %s the server's; %d s are allowed" % (abs(signed_at - now), side, skew)
    return Refused(401, "REQUEST_EXPIRED", detail)


def _received(request: SentRequest) -> Optional[Refused]:
    reason = _path_fault(request.path)
    if request.method == "CONNECT":
        reason = "the target of CONNECT is not a path"
    if reason is not None:
        return Refused(400, "PATH_NOT_NORMAL", reason)
    if not _is_authority(request.authority):
        return Refused(400, "MALFORMED_REQUEST", "the authority is not host[:port]")
    return None


def _path_fault(target: str) -> Optional[str]:
    if not target.startswith("/"):
        return 'it does not begin with "/"'
    if not _VISIBLE.match(target):
        return "it holds a byte outside 0x21-0x7E"
    if "#" in target:
        return 'it holds a "#"'
    path = target.partition("?")[0]
    if "\\" in path:
        return 'the path holds a "\\"'
    if re.search("%(?![0-9A-Fa-f]{2})", path):
        return 'the path holds a "%" that is not followed by two hexadecimal digits'
    if re.search("%(?:[01][0-9A-Fa-f]|7[Ff])", path):
        return "the path holds an encoded control character"
    if re.search("%(?:2[EeFf]|5[Cc])", path):
        return 'the path holds an encoded "/", "\\" or "."'
    once = _decode_percent(path)
    odd = _odd_segment(once)
    if odd is not None:
        return "the path holds %s" % odd
    if re.search("%(?:2[EeFf]|5[Cc])", once):
        return 'the path hides a "/", "\\" or "." behind double encoding'
    hidden = _odd_segment(_decode_percent(once))
    return None if hidden is None else "the path hides %s behind double encoding" % hidden


def _decode_percent(text: str) -> str:
    return re.sub("%([0-9A-Fa-f]{2})", lambda match: chr(int(match[1], 16)), text)


def _odd_segment(decoded: str) -> Optional[str]:
    segments = [segment.partition(";")[0] for segment in decoded.split("/")[1:]]
    for index, segment in enumerate(segments):
        if segment == "" and index < len(segments) - 1:
            return "an empty segment"
        if segment in (".", ".."):
            return 'a "." or ".." segment'
    return None


def _is_authority(authority: str) -> bool:
    match = re.match(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]{1,254})(?::([0-9]{1,5}))?\Z", authority)
    if match is None or int(match[2] or "0") > 65_535 or match[1] == ".":
        return False
    try:
        return not match[1].startswith("[") or ipaddress.IPv6Address(match[1][1:-1]) is not None
    except ValueError:
        return False


def _undelivered(request: SentRequest) -> Optional[Refused]:
    if request.first("upgrade") is not None:
        detail = "the request asks for an upgrade, after which nothing can be verified"
        return Refused(413, "BODY_TOO_LARGE", detail)
    length = request.first("content-length")
    if request.body or length is None or re.match(r"0+\Z", length):
        return None
    return Refused(413, "BODY_TOO_LARGE", "the request has a body, and Envoy did not deliver it")


def _check_target(request: SentRequest) -> Optional[Refused]:
    if _TOKEN.match(request.method) and _VISIBLE.match(request.path):
        return None
    detail = "the method or the path holds bytes that cannot stand in a request line"
    return Refused(400, "MALFORMED_REQUEST", detail)


ParsedText = Tuple[Union[Parsed, Refused], Optional[bytes]]


def _parse_hmac(request: SentRequest, options: Options) -> ParsedText:
    if len(request.body) > MAX_BODY_BYTES:
        return Refused(413, "BODY_TOO_LARGE", "the body has more than %d bytes" % MAX_BODY_BYTES), None
    bad = _check_target(request)
    if bad is not None:
        return bad, None
    found = _authorization(request)
    if isinstance(found, Refused):
        return found, None
    names = found["headers"].split(" ")
    bad = _check_names(names, len(request.headers)) or _check_values(request, names)
    if bad is not None:
        return bad, None
    text = "\n".join(_line(request, name) for name in names).encode("latin-1")
    algorithm = found["algorithm"]
    if algorithm not in options.algorithms:
        is_known = algorithm in ("hmac-sha256", "hmac-sha384", "hmac-sha512")
        detail = "the algorithm %s is not allowed on this endpoint" % algorithm
        return malformed(detail if is_known else "the algorithm is unknown"), None
    dates = request.values_of("date")
    if len(dates) != 1:
        return malformed("the request does not have one Date header"), None
    signed_at = parse_imf_fixdate(dates[0])
    if signed_at is None:
        detail = "the Date header is not an IMF-fixdate such as Thu, 22 Jun 2017 21:12:36 GMT"
        return malformed(detail), None
    bad = _check_digest_is_signed(request, names)
    if bad is not None:
        return bad, None
    mac = canonical_base64(found["signature"]) or b""
    hashed = hmac_with(algorithm.replace("hmac-", ""))
    return Parsed(found["appkey"], signed_at, lambda secret: hashed(text, secret) == mac, _check_digest(request)), text


def _authorization(request: SentRequest) -> Union[Dict[str, str], Refused]:
    values = request.values_of("authorization")
    if not values:
        return Refused(401, "CREDENTIALS_MISSING", "the request has no Authorization header")
    if len(values) > 1:
        return malformed("the request has more than one Authorization header")
    value = values[0]
    scheme = (re.match(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]*", value) or [""])[0]
    if scheme == "":
        return malformed("the Authorization header does not begin with a scheme")
    if scheme.lower() != "hmac":
        return Refused(401, "CREDENTIALS_MISSING", "the Authorization header has another scheme")
    if value[len(scheme) : len(scheme) + 1] != " ":
        return malformed("the Authorization header has no blank after the scheme")
    found = _elements(value, len(scheme) + 1)
    if isinstance(found, str):
        return malformed("the Authorization header " + found)
    if found["appkey"] == "":
        return malformed("the Authorization header has an empty appkey")
    if canonical_base64(found["signature"]) is None:
        return malformed("the Authorization header has a signature that is not canonical base64")
    return found


def _elements(text: str, at: int) -> Union[Dict[str, str], str]:
    found: Dict[str, str] = {}
    is_over = False
    while not is_over:
        match = _ELEMENT.match(text, at)
        if match is None:
            return 'has something other than its four parameters, each written name="value"'
        if match[1] in found:
            return "has %s twice" % match[1]
        found[match[1]] = match[2]
        at, is_over = match.end(), match[3] is None
    for name in ("appkey", "algorithm", "headers", "signature"):
        if name not in found:
            return "has no " + name
    return found


def _check_names(names: List[str], header_count: int) -> Optional[Refused]:
    if len(names) > header_count + 1:
        return malformed("the headers list has more names than the request has headers")
    for name in names:
        if not _LOWER_TOKEN.match(name):
            return malformed("the headers list is not lower-case names with single spaces between them")
        if not is_signable(name):
            return malformed("the header %s cannot be signed" % name)
    if len(set(names)) != len(names):
        return malformed("the headers list names a header twice")
    for name in ("date", REQUEST_LINE):
        if name not in names:
            return malformed("the headers list does not name " + name)
    return None


def _check_values(request: SentRequest, names: List[str]) -> Optional[Refused]:
    for name in names:
        is_absent = request.authority == "" if name == "host" else request.first(name) is None
        if name != REQUEST_LINE and is_absent:
            return malformed("the request has no header %s, which is listed as signed" % name)
    return None


def _line(request: SentRequest, name: str) -> str:
    if name == REQUEST_LINE:
        return "%s %s HTTP/1.1" % (request.method, request.path)
    value = request.authority if name == "host" else ", ".join(request.values_of(name))
    return "%s: %s" % (name, value)


def _check_digest_is_signed(request: SentRequest, names: List[str]) -> Optional[Refused]:
    count = len(request.values_of("digest"))
    if count > 1:
        return malformed("the request has more than one Digest header")
    if not request.body:
        return None
    if count == 0:
        return malformed("the request has a body but no Digest header")
    return None if "digest" in names else malformed("the request has a body but its Digest is not signed")


def _check_digest(request: SentRequest) -> Optional[Refused]:
    claimed = request.first("digest")
    right = "SHA-256=" + base64.b64encode(hashlib.sha256(request.body).digest()).decode("ascii")
    if claimed is None or claimed == right:
        return None
    detail = "the Digest header is not SHA-256= and the hash of the %d bytes received" % len(request.body)
    return Refused(401, "DIGEST_MISMATCH", detail)


Fields = Dict[str, List[bytes]]


def _parse_parameters(request: SentRequest, options: Options) -> ParsedText:
    form = _form(request)
    if isinstance(form, Refused):
        return form, None
    bad = _check_target(request)
    if bad is not None:
        return bad, None
    read = _read_wrapper(request.body) if form == "json" else _read_parameters(request, form, options)
    if isinstance(read, Refused):
        return read, None
    fields, text = read
    return _credentials(fields, text, options), text


def _form(request: SentRequest) -> Union[str, Refused]:
    if not request.body:
        return "url"
    types = request.values_of("content-type")
    text = types[0] if types else ""
    if len(types) > 1 or "," in text:
        return Refused(415, "BODY_NOT_VERIFIABLE", "the request has more than one Content-Type")
    essence, charsets = _media_type.parse(text)
    form = FORMS.get(essence)
    if form is None:
        return Refused(415, "BODY_NOT_VERIFIABLE", "the body is neither a form nor JSON")
    most = MAX_BODY_BYTES if form == "form" else MAX_WRAPPER_BYTES
    if len(request.body) > most:
        return Refused(413, "BODY_TOO_LARGE", "the %s body has more than %d bytes" % (form, most))
    if charsets is None:
        return Refused(415, "BODY_NOT_VERIFIABLE", "the parameters of the Content-Type are not well formed")
    if not _media_type.is_utf8(charsets):
        return Refused(415, "BODY_NOT_VERIFIABLE", "the charset of the body is not UTF-8")
    encodings = request.values_of("content-encoding")
    if len(encodings) > 1 or (encodings or ["identity"])[0].lower() != "identity":
        return Refused(415, "BODY_NOT_VERIFIABLE", "the body has a Content-Encoding")
    return form


def _read_parameters(
    request: SentRequest, form: str, options: Options
) -> Union[Tuple[Fields, bytes], Refused]:
    try:
        parameters = _parameters.parse(request.query.encode("latin-1") if form == "url" else request.body)
    except Problem as problem:
        return Refused(400, "MALFORMED_REQUEST", problem.message)
    most = _parameters.MAX_PARAMETERS
    if len(parameters) > most:
        return Refused(400, "TOO_MANY_PARAMETERS", "there are more than %d parameters" % most)
    fields: Fields = {"appKey": [], "sign": [], "apiTimestamp": []}
    signed = []
    for each in parameters:
        name = each.name.decode("utf-8")
        if name in fields:
            fields[name].append(each.value)
        if name != "sign":
            signed.append(each)
    if form != "url" and not _is_query_covered(request, fields["appKey"]):
        return _unsigned_query()
    is_decoded = options.parameter_encoding == "decoded"
    if is_decoded and any(_parameters.is_ambiguous(each) for each in signed):
        detail = 'a parameter holds "&" and "=", so that its signature could be read in two ways'
        return Refused(400, "AMBIGUOUS_PARAMETERS", detail)
    return fields, _parameters.string_to_sign(signed, is_decoded)


def _unsigned_query() -> Refused:
    detail = "the query holds more than the appKey of the body, and nothing signs it"
    return Refused(400, "MALFORMED_REQUEST", detail)


def _is_query_covered(request: SentRequest, app_keys: List[bytes]) -> bool:
    try:
        query = _parameters.parse(request.query.encode("latin-1"))
    except Problem:
        return False
    return not query or (len(query) == 1 and query[0].name == b"appKey" and [query[0].value] == app_keys[:1])


class _Number(str):
    """The source text of a number."""


def _read_wrapper(body: bytes) -> Union[Tuple[Fields, bytes], Refused]:
    wrong = Refused(400, "MALFORMED_WRAPPER", "the JSON wrapper is not well formed")
    try:
        pairs: Any = json.loads(
            body.decode("utf-8"), object_pairs_hook=list, parse_int=_Number, parse_float=_Number, parse_constant=_refuse
        )
        fields = {str(name): _bytes_of(name, value) for name, value in pairs}
    except (ValueError, TypeError, RecursionError):
        return wrong
    if len(fields) != len(pairs) or not {"data", "appKey", "sign"} <= set(fields):
        return wrong
    if not set(fields) <= {"data", "appKey", "sign", "apiTimestamp"}:
        return wrong
    timestamp = b"apiTimestamp=%s&" % fields["apiTimestamp"] if "apiTimestamp" in fields else b""
    text = b"%sappKey=%s&data=%s" % (timestamp, fields["appKey"], fields["data"])
    return {name: [fields[name]] if name in fields else [] for name in ("appKey", "sign", "apiTimestamp")}, text


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _bytes_of(name: str, value: Any) -> bytes:
    if not isinstance(value, str) or (isinstance(value, _Number) and name != "apiTimestamp"):
        raise ValueError("another type")
    return value.encode("utf-8")


def _credentials(fields: Fields, text: bytes, options: Options) -> Union[Parsed, Refused]:
    for name in ("appKey", "sign"):
        if not fields[name]:
            return Refused(401, "CREDENTIALS_MISSING", "the request has no " + name)
    for name, values in fields.items():
        if len(values) > 1:
            return malformed("%s appears more than once" % name)
    if fields["appKey"][0] == b"":
        return malformed("appKey is empty")
    if re.match(rb"[0-9a-f]{128}\Z", fields["sign"][0]) is None:
        return malformed("sign is not 128 lower-case hexadecimal digits")
    timestamp = fields["apiTimestamp"][0] if fields["apiTimestamp"] else None
    if timestamp is not None and re.match(rb"[0-9]{1,4000}\Z", timestamp) is None:
        return malformed("apiTimestamp is not digits only")
    if timestamp is None and options.require_timestamp:
        return malformed("apiTimestamp is required and absent")
    sign = fields["sign"][0].decode("ascii")
    return Parsed(
        fields["appKey"][0].decode("utf-8"),
        None if timestamp is None else min(int(timestamp), 2**53 - 1),
        lambda secret: hashlib.sha512(text + secret).hexdigest() == sign,
        None,
    )
