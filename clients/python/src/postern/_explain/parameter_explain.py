"""What callers get wrong who sign the parameters of a request."""

import re
from typing import List, Optional

from .model import Asked, Finding, Mistake, Options, SentRequest
from .parameter_case import (
    SHOWN_SECRET, ParameterCase, ParameterRecipe, by_name, hash_with, parameter_case, shown_text
)
from .parameter_faults import PARAMETER_FAULTS
from .parameter_framing import framing_mistakes
from .parameter_selection import order_mistakes, selection_mistakes
from .parameter_spelling import data_mistakes, decoded_pair, raw_pair, spelling_mistakes
from .search import SentMac, Spelling, bytes_of_hex, read_sent, search_signature
from .secrets import explain_time, other_app_key, secret_mistakes
from .text import lenient_base64, text_of

_FIX = "Send the bytes of the SHA-512 as 128 lower-case hexadecimal digits"


def sent_app_key(request: SentRequest, options: Options) -> Optional[str]:
    return _app_key(parameter_case(request, options))


def explain_parameters(
    request: SentRequest, options: Options, asked: Asked, string_to_sign: Optional[bytes], is_verified: bool
) -> Finding:
    """`string_to_sign` is what the gateway builds; None where it refuses the request before."""
    case = parameter_case(request, options)
    faults = [each.mistake for each in PARAMETER_FAULTS if each.is_made(case)]
    is_milliseconds = any(each.name == "timestamp-milliseconds" for each in faults)
    signed_at = None if is_milliseconds else sent_timestamp(case)
    times, is_old = explain_time("apiTimestamp", signed_at, options.clock_skew_seconds, asked)
    mistakes = [*faults, *other_app_key(_app_key(case), asked.app_key), *times]
    sent = case.value_of("sign") or ""
    if string_to_sign is None or sent == "":
        return Finding(tuple(mistakes), is_old, string_to_sign)
    hypotheses = [
        *data_mistakes(case),
        *spelling_mistakes(case),
        *order_mistakes(),
        *framing_mistakes(case),
        *secret_mistakes(asked.app_key),
        *selection_mistakes(case),
    ]
    base = _base_recipe(case, asked)
    found, search = search_signature(base, hypotheses, _read(sent), ParameterRecipe.signature, len(string_to_sign))
    search = search._replace(is_explained=is_verified or search.is_explained)
    if found is None:
        return Finding(tuple(mistakes), is_old, string_to_sign, None, search)
    spelling = [] if found.spelling is None else [found.spelling]
    if found.mistakes and found.spelling is not None and found.spelling.name == "sign-length":
        spelling = []  # The length of sign follows from the hash that was taken.
    made = () if is_verified else found.mistakes
    compared = None if is_verified else (string_to_sign + SHOWN_SECRET, shown_text(found.recipe.text()))
    return Finding((*mistakes, *made, *spelling), is_old, string_to_sign, compared, search)


def _app_key(case: ParameterCase) -> Optional[str]:
    app_key = case.value_of("appKey") or ""
    return text_of(app_key) if app_key else None


def sent_timestamp(case: ParameterCase) -> Optional[int]:
    """Seconds since 1970 of `apiTimestamp`; None where it is absent or not digits only."""
    text = case.value_of("apiTimestamp") or ""
    return int(text) if re.match(r"[0-9]{1,4000}\Z", text) else None


def _base_recipe(case: ParameterCase, asked: Asked) -> ParameterRecipe:
    spell = raw_pair if case.options.parameter_encoding == "raw" else decoded_pair
    parameters = tuple(each for each in case.parameters if each.name != "sign")
    return ParameterRecipe(parameters, spell, by_name, hash_with("sha512"), asked.secret)


def _of_base64(text: str) -> Optional[bytes]:
    if bytes_of_hex(text) is not None or re.match(r"[\w\-+/ ]+={0,2}\Z", text, re.ASCII) is None:
        return None
    return lenient_base64(text.replace(" ", "+"))  # A "+" that was not percent-encoded arrives as a blank.


_SPELLINGS: List[Spelling] = [
    Spelling(
        Mistake("sign-upper-case", "sign is written with upper-case hexadecimal digits", _FIX),
        lambda text: bytes_of_hex(text) if re.search("[A-F]", text) else None,
    ),
    Spelling(
        Mistake("sign-white-space", "sign has white space around it", _FIX),
        lambda text: None if text.strip() == text else bytes_of_hex(text.strip()),
    ),
    Spelling(
        Mistake("sign-length", "sign does not have 128 digits", _FIX),
        lambda text: None if len(text) == 128 else bytes_of_hex(text),
    ),
    Spelling(
        Mistake("sign-hex-prefix", "sign begins with 0x", _FIX),
        lambda text: bytes_of_hex(text[2:]) if text.startswith("0x") else None,
    ),
    Spelling(
        Mistake("sign-base64-of-hex", "sign is the base64 of the hex digits", _FIX),
        lambda text: bytes_of_hex(lenient_base64(text).decode("latin-1")),
    ),
    Spelling(Mistake("sign-base64", "sign is written in base64", _FIX), _of_base64),
]


def _read(text: str) -> List[SentMac]:
    return read_sent(text, bytes.fromhex(text) if re.match(r"[0-9a-f]{128}\Z", text) else None, _SPELLINGS)
