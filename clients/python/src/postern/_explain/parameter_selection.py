"""What goes wrong with which parameters are signed, and in which order."""

import re
import unicodedata
from dataclasses import replace
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .model import Hypothesis
from .parameter_case import Pair, ParameterCase, SentParameter, by_name, names_of, plain
from .search import orders_of
from .text import text_of, visible

_ALL_FIX = "Sign every parameter that is sent but sign, also empty ones"
_ORDER_FIX = (
    'Sort by name, ascending by bytes: digits, upper case, "_", lower case; '
    "equal names keep the order in which they are sent"
)
_RESERVED = ("appKey", "apiTimestamp")
_CLOCK_READINGS = (1, -1, 2, -2, 3, -3)
_MAX_ORDERED_PARAMETERS = 6
_MARKS = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"

All = Tuple[SentParameter, ...]
Way = Callable[[All], Sequence[SentParameter]]


def _selected(name: str, what: str, fix: str, *ways: Way) -> Hypothesis:
    def vary(recipe: Any) -> List[Any]:
        others = [tuple(way(recipe.parameters)) for way in ways]
        return [
            replace(recipe, parameters=other) for other in others if _decoded(other) != _decoded(recipe.parameters)
        ]

    return Hypothesis(name, what, fix, vary)


def _decoded(parameters: Sequence[SentParameter]) -> List[Pair]:
    return [(each.name, each.value) for each in parameters]


def _without(name: str) -> Way:
    return lambda every: [each for each in every if each.name != name]


def _with_sign(value: str) -> Way:
    return lambda every: [*every, plain("sign", value)]


def _timed(change: Callable[[str], str]) -> Way:
    return lambda every: [
        plain(each.name, change(each.value)) if each.name == "apiTimestamp" else each for each in every
    ]


def _moved(offset: int) -> Way:
    return _timed(lambda digits: str(int(digits) + offset) if re.match(r"[0-9]{1,15}\Z", digits) else "NaN")


def selection_mistakes(case: ParameterCase) -> List[Hypothesis]:
    own = [each for each in names_of(case.parameters) if each not in ("appKey", "apiTimestamp", "sign", "data")]
    queries: List[Way] = [] if case.form == "url" else [lambda every: [*case.query, *every]]
    queries += [] if case.form == "url" else [lambda every: [*every, *case.query]]
    return [
        _selected(
            "sign-included",
            "sign itself was among the parameters that were signed",
            "Leave sign out of the string to sign altogether, also its name",
            *(_with_sign(value) for value in ("", "null", "undefined", "None")),
        ),
        _selected(
            "empty-values-left-out",
            "parameters with an empty value were not signed",
            _ALL_FIX + ': "a" and "a=" are both signed as "a="',
            lambda every: [each for each in every if each.value != ""],
        ),
        _selected(
            "timestamp-not-signed",
            "apiTimestamp was sent but not signed",
            _ALL_FIX + "; apiTimestamp is sorted among the others",
            _without("apiTimestamp"),
        ),
        _selected("app-key-not-signed", "appKey was sent but not signed", _ALL_FIX, _without("appKey")),
        _selected(
            "data-not-signed",
            "data was sent but not signed",
            "Sign data as one parameter: its value is the whole original JSON text",
            _without("data"),
        ),
        _selected(
            "only-reserved-signed",
            "only appKey and apiTimestamp were signed",
            _ALL_FIX,
            lambda every: [each for each in every if each.name in _RESERVED],
        ),
        _selected(
            "timestamp-signed-otherwise",
            "apiTimestamp was signed with another value than it was sent with",
            "Read the clock once, and sign the very digits that are sent",
            _timed(lambda digits: digits + "000"),
            _timed(lambda digits: digits[:-3]),
            *(_moved(offset) for offset in _CLOCK_READINGS),
        ),
        _selected(
            "timestamp-signed-not-sent",
            "apiTimestamp was signed but not sent under this name",
            "Send apiTimestamp with the other parameters",
            _with_renamed_timestamp,
        ),
        *(
            _selected(
                "parameter-not-signed",
                "the parameter %s was sent but not signed" % visible(name.encode("latin-1", "replace")),
                _ALL_FIX,
                _without(name),
            )
            for name in own
        ),
        _selected(
            "repeated-names",
            "of parameters with the same name only one was signed, or their values were joined",
            'Sign each as "name=value", in the order in which they are sent',
            _first_of_each,
            lambda every: list(reversed(_first_of_each(tuple(reversed(every))))),
            lambda every: _joined(every, ","),
            lambda every: _joined(every, ""),
        ),
        _selected(
            "query-signed",
            "the parameters of the URL were signed too, but those of a form or JSON request are in its body only",
            "Sign the parameters of the body only, and send none in the URL",
            *queries,
        ),
    ]


def _with_renamed_timestamp(every: All) -> List[SentParameter]:
    pattern = r"(?i)(?:timestamp|ts|time|api_timestamp|apitimestamp)\Z"
    other = next((each for each in every if re.match(pattern, each.name)), None)
    return [plain("apiTimestamp", each.value) if each is other else each for each in every]


def _first_of_each(every: All) -> List[SentParameter]:
    firsts: Dict[str, SentParameter] = {}
    for each in every:
        firsts.setdefault(each.name, each)
    return list(firsts.values())


def _joined(every: All, comma: str) -> List[SentParameter]:
    joined: Dict[str, str] = {}
    for each in every:
        former = joined.get(each.name)
        joined[each.name] = each.value if former is None else former + comma + each.value
    return [plain(name, value) for name, value in joined.items()]


def _order(name: str, what: str, key: Optional[Callable[[Pair], Any]]) -> Hypothesis:
    return Hypothesis(name, what, _ORDER_FIX, lambda recipe: [replace(recipe, key=key)])


class _Descending(str):
    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)


def _by_language(pair: Pair) -> Any:
    """Nearly as the rules of English sort: marks, digits and letters; then accents; then lower before upper case."""
    text = unicodedata.normalize("NFD", text_of(pair[0]))
    letters = [each for each in text if not unicodedata.combining(each)]
    accents = [each for each in text if unicodedata.combining(each)]
    primary = [
        (2, each.casefold()) if each.isalpha() else (1, each) if each.isdigit() else (0, "%03d" % _MARKS.find(each))
        for each in letters
    ]
    return primary, accents, [each.isupper() for each in letters]


def _utf16(pair: Pair) -> Any:
    return text_of(pair[0]).encode("utf-16-be")


def _others_first(names: Sequence[str], mark: str) -> Callable[[Pair], Any]:
    other = "0" if mark == "1" else "1"
    return lambda pair: (mark if pair[0] in names else other) + pair[0]


def order_mistakes() -> List[Hypothesis]:
    return [
        _order("not-sorted", "the parameters were not sorted", None),
        _order(
            "sorted-without-case",
            "the parameters were sorted without regard to upper and lower case",
            lambda pair: pair[0].lower(),
        ),
        _order("sorted-by-locale", "the parameters were sorted by the rules of a language", _by_language),
        _order(
            "sorted-descending",
            "the parameters were sorted in descending order",
            lambda pair: _Descending(by_name(pair)),
        ),
        _order(
            "equal-names-by-value", "equal names were sorted by value", lambda pair: pair[0] + "\0" + pair[1]
        ),
        _order(
            "sorted-as-pairs",
            'the texts "name=value" were sorted, not the names',
            lambda pair: pair[0] + "=" + pair[1],
        ),
        _order("sorted-by-value", "the parameters were sorted by value", lambda pair: pair[1]),
        _order("sorted-by-utf-16", "the names were sorted by UTF-16 units, not by UTF-8 bytes", _utf16),
        _order(
            "reserved-last",
            "appKey and apiTimestamp were put after the other parameters",
            _others_first(_RESERVED, "1"),
        ),
        _order(
            "reserved-first",
            "appKey and apiTimestamp were put before the other parameters",
            _others_first(_RESERVED, "0"),
        ),
        _order("app-key-first", "appKey was put before the other parameters", _others_first(("appKey",), "0")),
        Hypothesis(
            "not-sorted",
            "the parameters were signed in another order than sorted, and sent in yet another",
            _ORDER_FIX,
            lambda recipe: []
            if len(recipe.parameters) > _MAX_ORDERED_PARAMETERS
            else [replace(recipe, parameters=order, key=None) for order in orders_of(recipe.parameters)],
            is_alone=True,
        ),
    ]
