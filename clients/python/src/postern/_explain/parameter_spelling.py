"""What goes wrong with how names and values are written in the string to sign, and with `data`."""

import json
import re
from dataclasses import replace
from typing import Any, Callable, Dict, List, Optional, Sequence

from .bodies import body_variants
from .model import Hypothesis
from .parameter_case import Pair, ParameterCase, SentParameter, parse_object, plain, wrapper_parameters
from .text import bytes_of, decode_escapes, encode_component, escape_byte, text_of

_DECODED_FIX = "Sign names and values as they are before they are percent-encoded for the URL or form"
_RAW_FIX = "This endpoint wants names and values signed exactly as they stand in the URL or form, percent-encoded"
_PLUS_FIX = 'A "+" in a URL or form is a blank: sign it as a blank, and send a real plus as %2B'
_RESERVED = ("appKey", "sign", "apiTimestamp")

Spell = Callable[[SentParameter], Pair]


def _spelled(name: str, what: str, fix: str, *ways: Spell) -> Hypothesis:
    def vary(recipe: Any) -> List[Any]:
        return [
            replace(recipe, spell=way)
            for way in ways
            if any(way(each) != recipe.spell(each) for each in recipe.parameters)
        ]

    return Hypothesis(name, what, fix, vary)


def _values(change: Callable[[str], str]) -> Spell:
    return lambda each: (each.name, change(each.value))


def _both(change: Callable[[str], str]) -> Spell:
    return lambda each: (change(each.name), change(each.value))


def _raw(change: Callable[[str], str]) -> Spell:
    return lambda each: (change(each.raw_name), change(each.raw_value))


def raw_pair(parameter: SentParameter) -> Pair:
    return parameter.raw_name, parameter.raw_value


def decoded_pair(parameter: SentParameter) -> Pair:
    return parameter.name, parameter.value


def spelling_mistakes(case: ParameterCase) -> List[Hypothesis]:
    is_raw = case.options.parameter_encoding == "raw"
    fix = _RAW_FIX if is_raw else _DECODED_FIX
    return [
        _spelled(
            "values-percent-decoded",
            "values were signed decoded, but this endpoint wants them as they are sent",
            fix,
            *([decoded_pair] if is_raw else []),
        ),
        _spelled(
            "values-percent-encoded",
            "values were signed percent-encoded" + (" in another way than they were sent" if is_raw else ""),
            fix,
            raw_pair,
            _values(encode_component),
            _values(_strictly),
            _values(_as_form),
            _values(lambda value: _lower_escapes(_strictly(value))),
            _values(lambda value: _lower_escapes(_as_form(value))),
            _both(encode_component),
            _both(_as_form),
        ),
        _spelled(
            "plus-or-%20",
            'a blank was signed as "+", or a "+" as a blank',
            _RAW_FIX if is_raw else _PLUS_FIX,
            _raw(decode_escapes),
            _values(lambda value: value.replace(" ", "+")),
            _values(lambda value: value.replace("+", " ")),
            _values(lambda value: value.replace(" ", "%20")),
            _raw(lambda text: text.replace("+", "%20")),
            _raw(lambda text: text.replace("%20", "+")),
        ),
        _spelled(
            "values-encoded-twice",
            "values were percent-encoded twice before they were signed",
            fix,
            lambda each: (each.raw_name, encode_component(each.raw_value)),
            _values(lambda value: encode_component(encode_component(value))),
            _values(lambda value: _as_form(_as_form(value))),
        ),
        _spelled(
            "values-sent-encoded-twice",
            "values were percent-encoded twice when they were sent, but signed as they are",
            "Percent-encode each value once: your HTTP client already does it",
            _values(decode_escapes),
            _values(lambda value: decode_escapes(value.replace("+", " "))),
        ),
        _spelled(
            "white-space-of-values",
            "values were trimmed before they were signed",
            "Sign values with their white space, as they are sent",
            _values(lambda value: value.strip()),
        ),
        _spelled(
            "name-case",
            "names were changed to lower or upper case before signing",
            "Sign names as they are sent",
            lambda each: (each.name if each.name in _RESERVED else each.name.lower(), each.value),
            lambda each: (each.name.lower(), each.value),
            lambda each: (each.name.upper(), each.value),
        ),
        _spelled(
            "value-case",
            "the text was changed to lower or upper case before it was signed",
            "Sign names and values as they are sent",
            _both(str.lower),
            _both(str.upper),
        ),
        _spelled(
            "text-encoding",
            "the text was signed in another character encoding than UTF-8",
            "Sign the UTF-8 bytes",
            _values(lambda value: "".join(chr(ord(each) & 0xFF) for each in text_of(value))),
            _values(bytes_of),
            _both(_as_gbk),
        ),
    ]


def _strictly(data: str) -> str:
    """All but the unreserved characters of RFC 3986."""
    return re.sub("[!*'()]", escape_byte, encode_component(data))


def _as_form(data: str) -> str:
    return re.sub("[!~'()]", escape_byte, encode_component(data)).replace("%20", "+")


def _lower_escapes(text: str) -> str:
    return re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), text)


def _as_gbk(data: str) -> str:
    try:
        return text_of(data).encode("gbk").decode("latin-1")
    except UnicodeEncodeError:
        return data


def data_mistakes(case: ParameterCase) -> List[Hypothesis]:
    """What goes wrong with `data` of the JSON form."""
    if case.form != "json":
        return []
    known: Dict[str, List[str]] = {}  # The same data is looked at for many recipes.

    def variants(value: str) -> List[str]:
        if value not in known:
            bodies = body_variants(value.encode("latin-1", "replace"))
            known[value] = [each.data.decode("latin-1") for each in bodies]
        return known[value]

    return [
        Hypothesis(
            "data-reserialised",
            "data was signed as another text than it was sent: it was written again, with other blanks, line ends, "
            "escapes or order",
            "Write the JSON once, sign this text, and put the very same text into data; never write it again",
            _data(variants),
        ),
        Hypothesis(
            "data-escaped",
            "data was signed with the backslashes that it has inside the JSON wrapper",
            "Sign the text as it is before it is put into the wrapper as a JSON string",
            _data(_escaped),
        ),
        Hypothesis(
            "data-fields-signed",
            "the fields inside data were signed as parameters of their own",
            "Sign data as one parameter: its value is the whole original JSON text",
            _fields,
        ),
    ]


def _sent_data(recipe: Any) -> Optional[SentParameter]:
    return next((each for each in recipe.parameters if each.name == "data"), None)


def _data(change: Callable[[str], Sequence[str]]) -> Callable[[Any], List[Any]]:
    def vary(recipe: Any) -> List[Any]:
        sent = _sent_data(recipe)
        if sent is None:
            return []
        values = [value for value in change(sent.value) if value != sent.value]
        return [_replaced(recipe, sent, [plain("data", value)]) for value in values]

    return vary


def _escaped(value: str) -> List[str]:
    escaped = bytes_of(json.dumps(text_of(value), ensure_ascii=False))
    return [escaped[1:-1], escaped]


def _fields(recipe: Any) -> List[Any]:
    sent = _sent_data(recipe)
    fields = None if sent is None else parse_object(sent.value.encode("latin-1", "replace"))
    return [] if sent is None or fields is None else [_replaced(recipe, sent, wrapper_parameters(fields))]


def _replaced(recipe: Any, one: SentParameter, others: Sequence[SentParameter]) -> Any:
    parameters: List[SentParameter] = []
    for each in recipe.parameters:
        parameters += others if each is one else [each]
    return replace(recipe, parameters=tuple(parameters))
