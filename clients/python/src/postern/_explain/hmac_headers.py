"""What goes wrong with the lines of headers: their order, which there are, and their values."""

import re
from dataclasses import replace
from typing import Any, Callable, Dict, List, Sequence

from .._clock import http_date
from .bodies import body_variants
from .dates import other_dates, parse_imf_fixdate
from .hmac_case import REQUEST_LINE, HmacCase
from .hmac_digest import digest_spellings
from .model import Hypothesis
from .search import orders_of

_MAX_ORDERED_NAMES = 5
_CLOCK_READINGS = (1, -1, 2, -2, 3, -3)
_EMPTY_DIGEST = "SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
_OFTEN_SIGNED = ("digest", "host", "date", "content-type", "content-length", "accept", REQUEST_LINE)

Vary = Callable[[Any], List[Any]]
Change = Callable[[str], Sequence[str]]


def header_mistakes(case: HmacCase) -> List[Hypothesis]:
    return [
        *_value_mistakes(case),
        Hypothesis(
            "header-order",
            "the lines were signed in another order than the headers parameter lists them in",
            'List the names in headers="…" in the very order of the lines',
            lambda recipe: [replace(recipe, names=names) for names in _orders(recipe.names)],
        ),
        Hypothesis(
            "empty-digest-signed",
            'the digest of an empty body was signed, but is neither listed in headers="…" nor sent',
            "Leave the line of digest out where there is no body, or send Digest and list it",
            lambda recipe: _with_empty_digest(case, recipe),
        ),
        *(_listed_only(name) for name in case.names),
        *(
            _signed_only(name)
            for name in _OFTEN_SIGNED
            if name not in case.names and (name in (REQUEST_LINE, "host") or case.header(name) is not None)
        ),
    ]


def _listed_only(name: str) -> Hypothesis:
    def vary(recipe: Any) -> List[Any]:
        if len(recipe.names) < 2:
            return []
        return [replace(recipe, names=tuple(each for each in recipe.names if each != name))]

    what = '%s is listed in headers="…", but has no line in the string that was signed' % name
    fix = "Add the line of %s to the string to sign, at its place in the list" % name
    return Hypothesis("listed-but-not-signed", what, fix, vary)


def _signed_only(name: str) -> Hypothesis:
    what = '%s was signed, but is not listed in headers="…"' % name
    fix = 'Add %s to headers="…", at the place of its line' % name
    return Hypothesis("signed-but-not-listed", what, fix, lambda recipe: _with_name(recipe, name))


def _with_name(recipe: Any, name: str) -> List[Any]:
    names = recipe.names
    return [replace(recipe, names=(*names[:at], name, *names[at:])) for at in range(len(names) + 1)]


def _with_empty_digest(case: HmacCase, recipe: Any) -> List[Any]:
    if case.request.body or case.header("digest") is not None or "digest" in recipe.names:
        return []
    values = {**recipe.values, "digest": _EMPTY_DIGEST}
    return [replace(each, values=values) for each in _with_name(recipe, "digest")]


def _values(name: str, change: Change) -> Vary:
    def vary(recipe: Any) -> List[Any]:
        value = recipe.values.get(name)
        if value is None or name not in recipe.names:
            return []
        return [replace(recipe, values={**recipe.values, name: other}) for other in change(value)]

    return vary


def _dates(change: Callable[[int], Sequence[str]]) -> Vary:
    def changed(date: str) -> Sequence[str]:
        seconds = parse_imf_fixdate(date)
        return [] if seconds is None else change(seconds)

    return _values("date", changed)


def _value_mistakes(case: HmacCase) -> List[Hypothesis]:
    known: List[str] = []  # The same body is looked at for many recipes.

    def digests(sent: str) -> List[str]:
        if not known:
            bodies = [case.request.body, *(each.data for each in body_variants(case.request.body))]
            known.extend(spelling.text for body in bodies for spelling in digest_spellings(body))
        return [re.sub(r"\ASHA-256=", "", sent), *known]

    x_date = case.header("x-date")
    others = [name for name in case.names if name not in (REQUEST_LINE, "date", "digest", "host")]
    return [
        Hypothesis(
            "host-port",
            "host was signed with a port and sent without it, or the other way round, or in another case",
            "Sign host exactly as the Host header says it: with the port, unless it is the one of http (80) or "
            "https (443)",
            _values("host", _other_hosts),
        ),
        Hypothesis(
            "date-read-twice",
            "the date that was signed is another than the Date that was sent",
            "Read the clock once, and use the same text for the Date header and for the string to sign",
            _dates(lambda seconds: [http_date(seconds + offset) for offset in _CLOCK_READINGS]),
        ),
        Hypothesis(
            "date-signed-otherwise",
            "the date was signed in another zone or form than the Date that was sent",
            "Use the same text for the Date header and for the string to sign",
            _dates(other_dates),
        ),
        Hypothesis(
            "x-date-signed",
            "the value of X-Date was signed as date",
            "Send and sign the Date header; X-Date is not looked at",
            _values("date", lambda _: [] if x_date is None else [x_date]),
        ),
        Hypothesis(
            "digest-signed-otherwise",
            "the digest that was signed is another than the Digest header that was sent",
            'Sign the line "digest: " and the value of the Digest header, with SHA-256= and the padding',
            _values("digest", digests),
        ),
        *(_changed(name) for name in others),
    ]


def _changed(name: str) -> Hypothesis:
    what = "%s was signed with another value than the one that arrived: something on the way changed it" % name
    fix = "Do not sign %s, or send it in the form in which it arrives" % name
    return Hypothesis("header-changed", what, fix, _values(name, lambda value: _changed_values(name, value)))


def _other_hosts(host: str) -> List[str]:
    bare = re.sub(r":\d+\Z", "", host)
    ports = ["%s:%d" % (bare, port) for port in (80, 443, 8080, 10000)]
    return [bare, *ports, host.lower(), "https://" + host, "http://" + host]


def _changed_values(name: str, value: str) -> List[str]:
    """What programs and proxies are known to make of a value, the other way round too."""
    bare = re.sub(r"\s*;.*\Z", "", value)
    charsets = ("; charset=utf-8", "; charset=UTF-8", ";charset=UTF-8", ";charset=utf-8")
    number = int(value) if re.match(r"\d{1,15}\Z", value, re.ASCII) else 0
    known: Dict[str, List[str]] = {
        "content-type": [
            bare, *(bare + each for each in charsets), "application/json", "application/x-www-form-urlencoded"
        ],
        "accept": ["*/*", "application/json", "application/json, */*"],
        "accept-encoding": [
            "gzip", "gzip, deflate", "gzip, deflate, br", "gzip,deflate", "identity", "gzip, deflate, br, zstd"
        ],
        "content-length": ["0", str(number + 1), str(number - 1)],
    }
    return [
        *known.get(name, []),
        value.lower(),
        re.sub(r",\s*", ", ", value),
        re.sub(r",\s*", ",", value),
        re.sub(r"\s+", " ", value),
        " " + value,
        value + " ",
        '"%s"' % value,
        "",
    ]


def _orders(names: Sequence[str]) -> List[Any]:
    """All other orders: sorted, then the rest; with many names only the likely ones."""
    in_order = tuple(sorted(names))
    if len(names) > _MAX_ORDERED_NAMES:
        return [in_order, tuple(reversed(names))]
    return [order for order in [in_order, *orders_of(names)] if order != tuple(names)]
