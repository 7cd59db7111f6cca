"""Brings together what the gateway answers and which mistakes were made."""

from typing import List, NamedTuple, Optional, Tuple

from . import hmac_explain, parameter_explain
from .difference import Difference, find_difference
from .gateway import Judged, judge
from .model import Asked, Finding, Mistake, Options, Refused, SentRequest
from .secrets import OTHER_APP_KEY

METHODS = ("hmac", "parameter-signature")
_SAID_BY_MISTAKES = ("MALFORMED_REQUEST", "MALFORMED_WRAPPER", "BODY_NOT_VERIFIABLE")
_FIXES = {
    "PATH_NOT_NORMAL": 'Send a path without "." and ".." segments, empty segments, "#" and bytes outside ASCII, '
    "percent-encoded once and where needed",
    "MALFORMED_REQUEST": "Percent-encode what cannot stand in a request line, and send Host as host or host:port",
    "TOO_MANY_PARAMETERS": "Send at most 100 parameters, sign counted; more fit into JSON",
    "AMBIGUOUS_PARAMETERS": 'Send values that hold "&" and "=" as JSON',
    "MALFORMED_WRAPPER": 'Send {"data":"…","appKey":"…","sign":"…","apiTimestamp":1795228800}, in UTF-8, '
    "with nothing before or after it",
    "BODY_TOO_LARGE": "Send at most 10 MiB (JSON with a parameter signature: 2 MiB), "
    "and give the request with its body",
    "BODY_NOT_VERIFIABLE": "Send a form or JSON in UTF-8, not compressed",
}


class Explanation(NamedTuple):
    """What was found out. It holds no App Secret and no right signature."""

    verdict: str
    """`right`, `right-but-old`, `wrong`, or `unexplained`: the signature fits no mistake that is known."""
    method: str
    refusal: Optional[Refused]
    """What the gateway answers; None when it lets the request pass."""
    mistakes: Tuple[Mistake, ...]
    difference: Optional[Difference]
    string_to_sign: Optional[bytes]
    checked: Tuple[str, ...]
    """What the signature was tried against, when nothing fitted."""
    notes: Tuple[str, ...]


def explain(request: SentRequest, method: str, options: Options, asked: Asked) -> Explanation:
    """Explains a request to an endpoint with `hmac` or `parameter-signature`."""
    if method == "hmac":
        judged = judge(request, method, options, asked, hmac_explain.sent_app_key(request, options))
        finding = hmac_explain.explain_hmac(request, options, asked, judged.string_to_sign)
    else:
        judged = judge(request, method, options, asked, parameter_explain.sent_app_key(request, options))
        is_verified = judged.refusal is None or judged.refusal.code == "REQUEST_EXPIRED"
        finding = parameter_explain.explain_parameters(request, options, asked, judged.string_to_sign, is_verified)
    return _explained(method, asked, judged, finding)


def _explained(method: str, asked: Asked, judged: Judged, finding: Finding) -> Explanation:
    refusal = judged.refusal
    mistakes = tuple(dict.fromkeys([*_refusal_mistakes(judged, finding.mistakes), *finding.mistakes]))
    fits_nothing = finding.search is not None and not finding.search.is_explained
    is_about_signature = refusal is not None and refusal.code == "AUTHENTICATION_FAILED"
    is_about_caller = any(each.name == OTHER_APP_KEY for each in mistakes)
    is_unexplained = fits_nothing and (not mistakes or is_about_signature) and not is_about_caller
    is_expired = refusal is not None and refusal.code == "REQUEST_EXPIRED"
    verdict = "wrong"
    if refusal is None:
        verdict = "right"
    elif is_expired and finding.is_old and not mistakes:
        verdict = "right-but-old"
    elif is_unexplained:
        verdict = "unexplained"
    compared = finding.compared
    notes = _notes(finding, refusal)
    if fits_nothing and not is_unexplained and refusal is not None:
        notes.append("The signature fits no known mistake; fix this first, and try again.")
    return Explanation(
        verdict,
        method,
        refusal,
        () if refusal is None else mistakes,
        None if compared is None else find_difference(_masked(compared[0], asked), _masked(compared[1], asked)),
        None if finding.string_to_sign is None else _masked(finding.string_to_sign, asked),
        finding.search.checked if is_unexplained and finding.search is not None else (),
        tuple(notes),
    )


def _refusal_mistakes(judged: Judged, found: Tuple[Mistake, ...]) -> List[Mistake]:
    """What the gateway refuses the request with, where that says what is wrong."""
    refusals = [each for each in (judged.refusal, judged.refusal_when_made) if each is not None]
    return [_refusal_mistake(each) for each in refusals if _says_enough(each, found)]


def _refusal_mistake(refusal: Refused) -> Mistake:
    fix = _FIXES.get(refusal.code, "See the code in the list of refusals")
    return Mistake(refusal.code.lower().replace("_", "-"), refusal.detail, fix)


def _says_enough(refusal: Refused, found: Tuple[Mistake, ...]) -> bool:
    if refusal.status == 401:
        return not found and refusal.code not in ("AUTHENTICATION_FAILED", "REQUEST_EXPIRED")
    return not found or refusal.code not in _SAID_BY_MISTAKES


def _notes(finding: Finding, refusal: Optional[Refused]) -> List[str]:
    notes = []
    if finding.search is not None and finding.search.is_cut:
        notes.append("The body is large, so not every pair of mistakes was tried.")
    if finding.is_old and finding.mistakes:
        notes.append("The request is too old by now. --at TIME says when it was made.")
    is_early = refusal is not None and refusal.code == "CREDENTIALS_MALFORMED"
    if is_early and finding.search is not None and finding.search.is_explained:
        notes.append("The gateway refuses the request before it checks the signature.")
    return notes


def _masked(text: bytes, asked: Asked) -> bytes:
    """As many asterisks in place of the secret wherever it stands, so that offsets stay."""
    return text.replace(asked.secret, b"*" * len(asked.secret)) if asked.secret else text
