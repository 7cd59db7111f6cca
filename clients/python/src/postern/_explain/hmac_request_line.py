"""What goes wrong in the line that stands for `request-line`."""

import re
from dataclasses import replace
from typing import Any, Callable, List, Sequence

from .hmac_case import HmacCase
from .model import Hypothesis
from .search import orders_of
from .text import decode_escapes, encode_component, escape_byte

_METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")
_VERSION_FIX = "End the request line with HTTP/1.1, whatever the connection speaks"
_TARGET_FIX = "Sign path and query byte for byte as they stand in the request line that is sent"
_MAX_PREFIX_SEGMENTS = 4
_MAX_ORDERED_PARAMETERS = 6

Change = Callable[[str], Sequence[str]]


def _target(name: str, what: str, change: Change, fix: str = _TARGET_FIX, is_alone: bool = False) -> Hypothesis:
    def vary(recipe: Any) -> List[Any]:
        return [replace(recipe, target=target) for target in change(recipe.target)]

    return Hypothesis(name, what, fix, vary, is_alone)


def _ways(*ways: Any) -> Callable[[Any], List[Any]]:
    return lambda recipe: [replace(recipe, **way) for way in ways]


def request_line_mistakes(case: HmacCase) -> List[Hypothesis]:
    authority = case.request.authority
    return [
        _target(
            "path-without-query",
            "the path was signed without its query",
            lambda target: [_path_of(target)],
            'Sign the path with "?" and the query, exactly as they are sent',
        ),
        Hypothesis(
            "http-version",
            "the request line was signed with another version than HTTP/1.1",
            _VERSION_FIX,
            _ways(
                *({"version": each} for each in ("HTTP/2.0", "HTTP/2", "HTTP/1.0", "http/1.1", "HTTP/3", "HTTP/3.0"))
            ),
        ),
        Hypothesis(
            "no-http-version", "the request line was signed without its version", _VERSION_FIX, _ways({"version": ""})
        ),
        Hypothesis(
            "method-case",
            "the method was signed in lower case",
            "Write the method as it is sent, in upper case: POST, not post",
            lambda recipe: [replace(recipe, method=recipe.method.lower())],
        ),
        Hypothesis(
            "labelled-request-line",
            "the request line was signed with its name before it, like a header",
            'Write the request line alone, as in "POST /orders HTTP/1.1"; only headers have "name: " before them',
            _ways(*({"label": each} for each in ("request-line: ", "request-line:", "Request-Line: "))),
        ),
        Hypothesis(
            "request-target",
            'the line of the request was written as "(request-target): …", as in the HTTP signature draft',
            'Write the request line alone, as in "POST /orders HTTP/1.1", and list it as request-line',
            _as_request_target,
        ),
        _target(
            "full-url",
            "the full URL was signed instead of the path",
            lambda target: [scheme + authority + target for scheme in ("http://", "https://", "", "//")],
            'Sign the path and query only, beginning with "/"',
        ),
        Hypothesis(
            "no-method",
            "the request line was signed without its method",
            "Write method, path and query, and version, with one blank between them",
            _ways({"method": ""}, {"method": "", "version": ""}),
        ),
        Hypothesis(
            "other-method",
            "another method was signed than the one that was sent",
            "Sign the method that is sent; clients change it on a redirect, and when a body is added",
            _ways(*({"method": method} for method in _METHODS)),
        ),
        *_encoding_mistakes(),
        *_shape_mistakes(),
    ]


def _as_request_target(recipe: Any) -> List[Any]:
    found = []
    for label in ("(request-target): ", "@request-target: ", ":path: "):
        found += [
            replace(recipe, label=label, method=recipe.method.lower(), version=""),
            replace(recipe, label=label, version=""),
            replace(recipe, label=label, method="", version=""),
            replace(recipe, label=label),
        ]
    return found


def _encoding_mistakes() -> List[Hypothesis]:
    return [
        _target(
            "path-percent-decoded",
            "the path and query were percent-decoded before they were signed",
            lambda target: [decode_escapes(target), decode_escapes(target.replace("+", " "))],
        ),
        _target(
            "path-encoded-twice",
            "the path and query were percent-encoded once more before signing",
            lambda target: [target.replace("%", "%25"), _on_query(target, encode_component)],
        ),
        _target(
            "path-percent-encoded",
            "characters of the path or query were percent-encoded for signing, but sent as they are, or the other "
            "way round",
            lambda target: [
                _on_query(target, lambda query: re.sub(r"[^A-Za-z0-9\-._~%=&+]", escape_byte, query)),
                re.sub(r"[^A-Za-z0-9\-._~%=&+?/]", escape_byte, target),
                re.sub(r"(?i)%(?:2C|3A|2F|40|21|24|27|28|29|2A|3B)", lambda it: decode_escapes(it[0]), target),
            ],
        ),
        _target(
            "plus-or-%20",
            'a blank or a plus in the query was signed as "+" and sent as "%20" or "%2B", or the other way round',
            lambda target: [
                _on_query(target, lambda query: query.replace("+", "%20")),
                _on_query(target, lambda query: query.replace("%20", "+")),
                _on_query(target, lambda query: re.sub("(?i)%2b", "+", query)),
                _on_query(target, lambda query: query.replace("+", "%2B")),
            ],
        ),
        _target(
            "escape-case",
            "the letters of percent-encoding were signed in another case than sent",
            lambda target: [
                re.sub(r"%[0-9A-Fa-f]{2}", lambda match: match[0].lower(), target),
                re.sub(r"%[0-9A-Fa-f]{2}", lambda match: match[0].upper(), target),
            ],
        ),
    ]


def _shape_mistakes() -> List[Hypothesis]:
    return [
        _target(
            "query-order",
            "the parameters of the query were signed sorted, but not sent sorted",
            lambda target: [_on_query(target, lambda query: "&".join(sorted(query.split("&"))))],
        ),
        _target(
            "query-order",
            "the parameters of the query were signed in another order than sent",
            _query_orders,
            is_alone=True,
        ),
        _target(
            "path-without-prefix",
            "the beginning of the path was left out",
            _without_prefixes,
            "Sign the whole path, also what your HTTP client takes from its base URL",
        ),
        _target(
            "trailing-slash",
            'a "/" at the end of the path was signed but not sent, or the reverse',
            _with_other_slash,
        ),
        _target(
            "question-mark",
            'a "?" without a query was signed, or the fragment of the URL',
            lambda target: [re.sub(r"\?\Z", "", target) if "?" in target else target + "?"],
        ),
        _target(
            "path-case",
            "the path was changed to lower case before it was signed",
            lambda target: [target.lower(), _path_of(target).lower() + target[len(_path_of(target)) :]],
        ),
    ]


def _path_of(target: str) -> str:
    return target.split("?", 1)[0]


def _on_query(target: str, change: Callable[[str], str]) -> str:
    path, mark, query = target.partition("?")
    return path + mark + change(query) if mark else target


def _query_orders(target: str) -> List[str]:
    segments = target.partition("?")[2].split("&")
    if len(segments) > _MAX_ORDERED_PARAMETERS:
        return []
    path, mark, _ = target.partition("?")
    return [path + mark + "&".join(order) for order in orders_of(segments)]


def _without_prefixes(target: str) -> List[str]:
    path = _path_of(target)
    slashes = [at for at, character in enumerate(path) if character == "/" and at > 0]
    return [target[at:] for at in slashes[:_MAX_PREFIX_SEGMENTS]]


def _with_other_slash(target: str) -> List[str]:
    path = _path_of(target)
    return [(path[:-1] if path.endswith("/") else path + "/") + target[len(path) :]]
