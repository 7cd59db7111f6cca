"""What goes wrong when the parameters are joined, the secret is added, and the hash is taken."""

import hashlib
import hmac
from dataclasses import replace
from typing import Any, Callable, List, Sequence

from .model import Hypothesis
from .parameter_case import SECRET_MARK, ParameterCase, hash_with

_SECRET_FIX = "Append the App Secret directly to the last parameter, once, with nothing between"
_HASH_FIX = "Take the plain SHA-512 over the text with the App Secret appended; it is no HMAC"
_SECRET_NAMES = ("key", "appSecret", "secret", "app_secret", "appsecret", "secretKey", "AppSecret", "apiSecret")
_HASHES = [
    each
    for each in ("sha256", "sha1", "md5", "sha384", "sha3_512", "sha512_256", "sha224")
    if each in hashlib.algorithms_available
]

Frame = Callable[[str], str]


def _framed(name: str, what: str, fix: str, frames: Sequence[Frame]) -> Hypothesis:
    return Hypothesis(name, what, fix, lambda recipe: [replace(recipe, frame=frame) for frame in frames])


def _between(mark: str) -> Frame:
    return lambda text: text + mark + SECRET_MARK


def _before(opening: str, ending: str = "") -> Frame:
    return lambda text: opening + text + ending + SECRET_MARK


def _hmac(name: str, is_whole: bool) -> Callable[[bytes, bytes, bytes], bytes]:
    return lambda whole, text, secret: hmac.new(secret, whole if is_whole else text, name).digest()


def framing_mistakes(case: ParameterCase) -> List[Hypothesis]:
    path = case.request.path.split("?", 1)[0]
    method, authority = case.request.method, case.request.authority
    openings = [
        "?", path + "?", method + path + "?", path,
        "%s&%s&" % (method, path), "%s %s?" % (method, path),
        "http://%s%s?" % (authority, path), "https://%s%s?" % (authority, path),
    ]
    return [
        _framed(
            "secret-separator",
            "something stood between the parameters and the App Secret",
            _SECRET_FIX,
            [_between(mark) for mark in ("&", "\n", ",", " ", ":", "|", ";", "=", "&=")],
        ),
        _framed(
            "secret-as-parameter",
            "the App Secret was appended as a parameter with a name",
            _SECRET_FIX,
            [_between("&%s=" % name) for name in _SECRET_NAMES],
        ),
        _framed(
            "secret-prepended",
            "the App Secret was put before the parameters",
            _SECRET_FIX,
            [lambda text: SECRET_MARK + text, lambda text: SECRET_MARK + "&" + text],
        ),
        _framed(
            "secret-on-both-sides",
            "the App Secret was put before and after the parameters",
            _SECRET_FIX,
            [lambda text: SECRET_MARK + text + SECRET_MARK],
        ),
        Hypothesis(
            "hmac-for-plain-hash",
            "an HMAC was taken instead of a plain SHA-512",
            _HASH_FIX,
            lambda recipe: [
                replace(recipe, mac=_hmac(name, is_whole))
                for name in ("sha512", "sha256", "sha1", "md5")
                for is_whole in (False, True)
            ],
        ),
        Hypothesis(
            "wrong-algorithm",
            "another hash than SHA-512 was taken",
            _HASH_FIX,
            lambda recipe: [replace(recipe, mac=hash_with(name)) for name in _HASHES],
        ),
        _framed("secret-not-appended", "the App Secret was not appended", _SECRET_FIX, [lambda text: text]),
        Hypothesis(
            "joined-otherwise",
            'the parameters were not joined as "name=value" with "&"',
            'Write name=value for each parameter, and "&" between them',
            _joined_otherwise,
        ),
        _framed(
            "path-signed",
            "the method, the host or the path was signed with the parameters",
            "Sign the parameters only, beginning with the first name",
            [_before(opening) for opening in openings],
        ),
        _framed(
            "separator-at-the-end",
            "the joined parameters began or ended with a separator",
            'Put "&" only between parameters',
            [_before("&"), _before("?", "&")],
        ),
    ]


def _joined_otherwise(recipe: Any) -> List[Any]:
    spell = recipe.spell
    return [
        *(replace(recipe, joiner=each) for each in ("", ",", "\n", "|", ";", " ", "&amp;")),
        *(replace(recipe, equals=equals, joiner=joiner) for equals in ("", ":") for joiner in ("", "&", ",")),
        replace(recipe, equals="", joiner="", spell=lambda parameter: ("", spell(parameter)[1])),
    ]
