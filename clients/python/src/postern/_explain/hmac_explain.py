"""What callers get wrong who sign by hmac."""

import re
from typing import Dict, List, Optional

from .dates import parse_imf_fixdate
from .hmac_case import HmacCase, HmacRecipe, hmac_case, hmac_with
from .hmac_digest import find_digest_mistakes
from .hmac_faults import AUTHORIZATION_FAULTS, DATE_FAULTS
from .hmac_headers import header_mistakes
from .hmac_request_line import request_line_mistakes
from .hmac_text import algorithm_mistakes, text_mistakes
from .model import Asked, Finding, Mistake, Options, SentRequest
from .search import SentMac, Spelling, bytes_of_hex, read_sent, search_signature
from .secrets import explain_time, other_app_key, secret_mistakes
from .text import canonical_base64, decode_escapes, lenient_base64

_FIX = "Send the base64 of the bytes of the HMAC, padded, with + and /"


def sent_app_key(request: SentRequest, options: Options) -> Optional[str]:
    return hmac_case(request, options).authorization.app_key


def explain_hmac(request: SentRequest, options: Options, asked: Asked, string_to_sign: Optional[bytes]) -> Finding:
    """`string_to_sign` is what the gateway builds; None where it refuses the request before."""
    case = hmac_case(request, options)
    faults = [each.mistake for each in (*AUTHORIZATION_FAULTS, *DATE_FAULTS) if each.is_made(case)]
    claimed = case.header("digest")
    times, is_old = explain_time(
        "Date", parse_imf_fixdate(case.header("date") or ""), options.clock_skew_seconds, asked
    )
    mistakes = [
        *faults,
        *other_app_key(case.authorization.app_key, asked.app_key),
        *([] if claimed is None else find_digest_mistakes(claimed, request.body)),
        *times,
    ]
    sent = case.authorization.signature
    if sent is None:
        return Finding(tuple(mistakes), is_old)
    base = _base_recipe(case, asked)
    expected = base.text() if string_to_sign is None else string_to_sign
    hypotheses = [
        *request_line_mistakes(case),
        *text_mistakes(case),
        *secret_mistakes(asked.app_key),
        *algorithm_mistakes(_algorithm_of(case)),
        *header_mistakes(case),
    ]
    found, search = search_signature(base, hypotheses, _read(sent), HmacRecipe.signature, len(expected))
    if found is None:
        return Finding(tuple(mistakes), is_old, expected, None, search)
    spelling = [] if found.spelling is None else [found.spelling]
    compared = (expected, found.recipe.signed())
    return Finding((*mistakes, *found.mistakes, *spelling), is_old, expected, compared, search)


def _base_recipe(case: HmacCase, asked: Asked) -> HmacRecipe:
    values: Dict[str, str] = {}
    for name, value in case.request.headers:
        former = values.get(name.lower())
        values[name.lower()] = value if former is None else "%s, %s" % (former, value)
    values["host"] = case.request.authority
    mac = hmac_with(_algorithm_of(case).replace("hmac-", ""))
    return HmacRecipe(case.names, values, case.request.method, case.request.path, mac, asked.secret)


def _algorithm_of(case: HmacCase) -> str:
    algorithm = case.authorization.algorithm
    return algorithm if algorithm in ("hmac-sha256", "hmac-sha384", "hmac-sha512") else case.options.algorithms[0]


def _of_base64(text: str) -> Optional[bytes]:
    return lenient_base64(text) if re.match(r"[A-Za-z0-9+/]+={0,2}\Z", text) else None


def _url_safe(text: str) -> Optional[bytes]:
    is_url_safe = re.match(r"[\w-]+={0,2}\Z", text, re.ASCII) and re.search("[-_]", text)
    return lenient_base64(text) if is_url_safe else None


def _without_white_space(text: str) -> Optional[bytes]:
    return _of_base64(re.sub(r"\s|\\n|\\r", "", text)) if re.search(r"\s|\\n", text) else None


_SPELLINGS: List[Spelling] = [
    Spelling(Mistake("signature-hex", "the signature is written in hex", _FIX), bytes_of_hex),
    Spelling(Mistake("signature-url-safe", "the signature is in URL-safe base64", _FIX), _url_safe),
    Spelling(
        Mistake("signature-base64-of-hex", "the signature is the base64 of the hex digits, not of the bytes", _FIX),
        lambda text: bytes_of_hex(lenient_base64(text).decode("latin-1")),
    ),
    Spelling(
        Mistake("signature-not-padded", "the signature lacks the = that pads base64", _FIX),
        lambda text: None if text.endswith("=") else _of_base64(text),
    ),
    Spelling(
        Mistake(
            "signature-percent-encoded",
            "the signature is percent-encoded",
            "Put the signature into the header as it is; only URLs are percent-encoded",
        ),
        lambda text: _of_base64(decode_escapes(text)) if "%" in text else None,
    ),
    Spelling(
        Mistake(
            "signature-white-space",
            "the signature has white space or line ends in it",
            "Switch off the line breaks of your base64 encoder (base64 -w0), and remove what is left",
        ),
        _without_white_space,
    ),
]


def _read(text: str) -> List[SentMac]:
    return read_sent(text, canonical_base64(text), _SPELLINGS)
