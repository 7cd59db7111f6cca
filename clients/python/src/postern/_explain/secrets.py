"""What goes wrong with the App Secret, the App Key and the signed time, whatever is signed."""

import base64
import re
from dataclasses import replace
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

from .model import Asked, Hypothesis, Mistake
from .text import bytes_of, encode_component, lenient_base64

_AS_IT_IS = "Use the characters of the App Secret as they are, as UTF-8 bytes"
OTHER_APP_KEY = "other-app-key"
_HALF_HOUR, _HOUR = 1800, 3600
_QUARTER_ZONES = (20_700, 31_500, 45_900)
_ZONE_TOLERANCE = 120

Changed = Sequence[Union[str, bytes]]


def secret_mistakes(app_key: Optional[str]) -> List[Hypothesis]:
    return [
        _secret(
            "secret-white-space",
            "used with white space around it, or without its own",
            "Remove the line feed and blanks that a file, a form or a copy adds; "
            "the secret is used exactly as it was issued",
            lambda text: [
                *(text + space for space in ("\n", "\r\n", " ", "\r", "\t", "\0", " \n", "\n\n")),
                *(space + text for space in (" ", "\n", "\ufeff")),
                text.strip(),
            ],
        ),
        _secret("secret-base64-decoded", "base64-decoded before it was used", _AS_IT_IS, _base64_decoded),
        _secret("secret-hex-decoded", "hex-decoded before it was used", _AS_IT_IS, _hex_decoded),
        _secret(
            "secret-encoded", "encoded (base64, hex or percent-encoding) before it was used", _AS_IT_IS, _encoded
        ),
        _secret(
            "secret-quoted",
            "used with quotes around it",
            "Remove the quotes: they belong to the shell or the configuration file, not to the secret",
            lambda text: ['"%s"' % text, "'%s'" % text, re.sub(r"(?s)\A([\"'])(.*)\1\Z", r"\2", text)],
        ),
        _secret(
            "secret-case",
            "changed to lower or upper case",
            "Use the App Secret exactly as it was issued",
            lambda text: [text.lower(), text.upper()],
        ),
        _secret(
            "app-key-as-secret",
            "not used: the App Key was in its place",
            "Sign with the App Secret; the App Key only says whose it is",
            lambda text: [] if app_key is None else [app_key],
        ),
        _secret(
            "secret-empty",
            "empty",
            "Check where your program takes the App Secret from: there was none",
            lambda text: [""],
        ),
    ]


def _secret(name: str, what: str, fix: str, change: Callable[[str], Changed]) -> Hypothesis:
    def vary(recipe: Any) -> List[Any]:
        changed = change(recipe.secret.decode("utf-8", "replace"))
        return [replace(recipe, secret=each.encode("utf-8") if isinstance(each, str) else each) for each in changed]

    return Hypothesis(name, "the App Secret was " + what, fix, vary)


def _base64_decoded(text: str) -> Changed:
    return [lenient_base64(text)] if re.match(r"[A-Za-z0-9+/_-]+={0,2}\Z", text) else []


def _hex_decoded(text: str) -> Changed:
    return [bytes.fromhex(text)] if re.match(r"(?:[0-9a-fA-F]{2})+\Z", text) else []


def _encoded(text: str) -> Changed:
    data = text.encode("utf-8")
    url_safe = base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")
    return [base64.b64encode(data).decode("ascii"), url_safe, data.hex(), encode_component(bytes_of(text))]


def other_app_key(sent: Optional[str], given: Optional[str]) -> List[Mistake]:
    """The mistake of sending another App Key than the one that the secret belongs to."""
    if sent is None or given is None or sent == given:
        return []
    how = ""
    if sent.strip() == given.strip():
        how = "; they are the same but for white space"
    elif sent.lower() == given.lower():
        how = "; they are the same but for upper and lower case"
    return [
        Mistake(
            OTHER_APP_KEY,
            "the App Key of the request is not the one given with --app-key" + how,
            "Send the App Key that belongs to this App Secret, exactly as it was issued",
        )
    ]


def explain_time(label: str, signed_at: Optional[int], skew: int, asked: Asked) -> Tuple[List[Mistake], bool]:
    """What is wrong with a signed time, and whether it may just be that of an old request."""
    if signed_at is None or abs(signed_at - asked.now) <= skew:
        return [], False
    ahead = signed_at - asked.now
    zone = _zone(ahead)
    if zone is not None:
        hours = "%s h %s" % (format(abs(zone) / _HOUR, "g"), "ahead of" if zone > 0 else "behind")
        as_date = ", as date -u does" if label == "Date" else ""
        told = "" if asked.is_time_known or zone > 0 else "; if the request was made then, say when with --at"
        fix = "Take the time in GMT (UTC), whatever the zone of your machine%s%s" % (as_date, told)
        return [Mistake("local-time", "%s is local time, %s GMT" % (label, hours), fix)], False
    if ahead < 0 and not asked.is_time_known:
        return [], True
    side = "behind" if ahead < 0 else "ahead of"
    return [
        Mistake(
            "outside-the-window",
            "%s is %d s %s the server's clock" % (label, abs(ahead), side),
            "Set the clock of your machine (NTP), and sign each request just before it is sent, "
            "also when it is tried again",
        )
    ], False


def _zone(ahead: int) -> Optional[int]:
    nearest = (ahead + _HALF_HOUR // 2) // _HALF_HOUR * _HALF_HOUR
    zones = [each for each in (nearest, *_QUARTER_ZONES) if abs(ahead - each) <= _ZONE_TOLERANCE]
    if not zones or zones[0] == 0 or not -12 * _HOUR <= zones[0] <= 14 * _HOUR:
        return None
    return zones[0]
