"""Looks for the way in which a signature was made."""

import hmac
import itertools
import re
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .model import Hypothesis, Mistake, Search

_MAX_TRIES = 60_000
_MIN_TRIES = 40
_MAX_HASHED_BYTES = 64 * 1024 * 1024
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})+\Z")


class SentMac(NamedTuple):
    """A way to read the signature that was sent, and what is wrong with writing it so."""

    data: bytes
    mistake: Optional[Mistake]


class Spelling(NamedTuple):
    """A wrong way to write a signature."""

    mistake: Mistake
    read: Callable[[str], Optional[bytes]]


class Found(NamedTuple):
    recipe: Any
    mistakes: Tuple[Mistake, ...]
    spelling: Optional[Mistake]


def _candidates(base: Any, hypotheses: Sequence[Hypothesis]) -> Iterator[Tuple[Any, Tuple[Hypothesis, ...]]]:
    """The right recipe, then each single mistake, then pairs: so a mistake is named only when it is needed."""
    yield base, ()
    for hypothesis in hypotheses:
        for recipe in _variants(hypothesis, base):
            yield recipe, (hypothesis,)
    paired = [each for each in hypotheses if not each.is_alone]
    for index, first in enumerate(paired):
        for recipe in _variants(first, base):
            for second in paired[index + 1 :]:
                for both in _variants(second, recipe):
                    yield both, (first, second)


def _variants(hypothesis: Hypothesis, recipe: Any) -> List[Any]:
    return [variant for variant in hypothesis.vary(recipe) if variant != recipe]


def search_signature(
    base: Any,
    hypotheses: Sequence[Hypothesis],
    sent: Sequence[SentMac],
    mac_of: Callable[[Any], bytes],
    text_bytes: int,
) -> Tuple[Optional[Found], Search]:
    """Tries recipes until one leads to the signature, in any way in which it can be read."""
    checked = tuple(dict.fromkeys(each.name for each in hypotheses))
    most = max(_MIN_TRIES, min(_MAX_TRIES, _MAX_HASHED_BYTES // max(text_bytes, 1)))
    for tries, (recipe, made) in enumerate(_candidates(base, hypotheses)):
        if tries == most:
            return None, Search(False, True, checked)
        mac = mac_of(recipe)
        fit = next((each for each in sent if hmac.compare_digest(each.data, mac)), None)
        if fit is not None:
            return Found(recipe, tuple(each.mistake for each in made), fit.mistake), Search(True, False, checked)
    return None, Search(False, False, checked)


def read_sent(text: str, right: Optional[bytes], spellings: Sequence[Spelling]) -> List[SentMac]:
    """Every way to read the signature that was sent; `right` is None when it is not written as it should be."""
    misspelt = [SentMac(data, mistake) for mistake, read in spellings for data in [read(text)] if data]
    return misspelt if right is None else [SentMac(right, None), *misspelt]


def bytes_of_hex(text: str) -> Optional[bytes]:
    return bytes.fromhex(text) if _HEX.match(text) else None


def orders_of(items: Sequence[Any]) -> List[Tuple[Any, ...]]:
    """Every order of some items, the given one first."""
    return list(itertools.permutations(items))
