"""Every way in which a program prints an object, on purpose or by accident."""

import copy
import json
import pickle
import pprint
import traceback
from typing import Callable, Iterable, Iterator, List, Set

import postern

_WAYS: List[Callable[[object], object]] = [
    repr,
    str,
    "{}".format,
    pprint.pformat,
    lambda each: "%s %r %a" % (each, each, each),
    lambda each: json.dumps(each, default=lambda part: getattr(part, "__dict__", repr(part))),
    lambda each: pickle.dumps(each).decode("latin-1"),
    lambda each: repr(vars(copy.copy(each))),
    lambda each: repr(vars(copy.deepcopy(each))),
]


def every_print_of(parts: Iterable[object]) -> Iterator[str]:
    """Each object, what it holds, and the errors that it raises, with the variables of their tracebacks."""
    for each in _with_what_they_hold(parts):
        for way in _WAYS:
            try:
                yield str(way(each))
            except Exception as error:  # noqa: BLE001 - that it cannot be pickled is an answer too
                yield _traceback_of(error)
        if isinstance(each, postern.Credential):
            yield from _errors_of(each)


def _with_what_they_hold(parts: Iterable[object]) -> Iterator[object]:
    waiting, seen, held = list(parts), set(), []  # type: ignore[var-annotated]
    known: Set[int] = seen
    while waiting:
        each = waiting.pop(0)
        if id(each) in known:
            continue
        known.add(id(each))
        held.append(each)  # Kept, so that no other object gets its id.
        yield each
        if type(each).__module__.startswith("postern"):
            slots = [getattr(each, name) for name in getattr(each, "__slots__", ()) if not name.startswith("_")]
            waiting.extend([*getattr(each, "__dict__", {}).values(), *slots])


def _errors_of(credential: postern.Credential) -> Iterator[str]:
    requests = [
        postern.Request("GET", "not a URL"),
        postern.Request("GET", "https://api.example.com/?appKey=x&sign=x&a=%zz"),
        postern.Request("POST", "https://api.example.com/", [("Content-Type", "text/plain")], b"x" * 11_000_000),
    ]
    if not isinstance(credential, (postern.OAuth2, postern.PrivateKeyJwt)):
        requests.append(postern.Request("GET", "https://api.example.com/"))
    for request in requests:
        try:
            signed = credential.sign(request)
            yield repr(signed) + str(signed) + pprint.pformat(signed)
        except postern.PosternError as error:
            yield repr(error)
            yield _traceback_of(error)


def _traceback_of(error: BaseException) -> str:
    """As tools print it that show variables."""
    try:
        return "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())[:20_000]
    except AttributeError:  # Copying leaves objects half made, which cannot be printed.
        return "".join(traceback.format_exception(type(error), error, error.__traceback__))
