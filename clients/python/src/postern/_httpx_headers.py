"""Headers of a signed request of `httpx`."""

from typing import Any, Dict, Iterator, List, Tuple

import httpx


class HeadersSentOnce(httpx.Headers):
    """Headers with credentials that no copy of them has: `httpx` builds redirects from copies.

    What sends the request sees all of them; changes are made to both.
    """

    def __init__(self, unsigned: httpx.Headers, added: Dict[str, str]) -> None:
        super().__init__(unsigned)
        self._sent = httpx.Headers(unsigned)
        for name, value in added.items():
            self._sent[name] = value
        # Another Authorization than ours was made for this request alone, and must not come back in a redirect.
        if "Authorization" in added and httpx.Headers.__contains__(self, "Authorization"):
            super().__delitem__("Authorization")

    @property
    def raw(self) -> List[Tuple[bytes, bytes]]:
        return self._sent.raw

    def keys(self) -> Any:
        return self._sent.keys()

    def values(self) -> Any:
        return self._sent.values()

    def items(self) -> Any:
        return self._sent.items()

    def multi_items(self) -> List[Tuple[str, str]]:
        return self._sent.multi_items()

    def get(self, key: str, default: Any = None) -> Any:
        return self._sent.get(key, default)

    def get_list(self, key: str, split_commas: bool = False) -> List[str]:
        return self._sent.get_list(key, split_commas)

    def __getitem__(self, key: str) -> str:
        return self._sent[key]

    def __setitem__(self, key: str, value: str) -> None:
        super().__setitem__(key, value)
        self._sent[key] = value

    def __delitem__(self, key: str) -> None:
        if key in self._sent:
            del self._sent[key]
        if httpx.Headers.__contains__(self, key):
            super().__delitem__(key)

    def __contains__(self, key: Any) -> bool:
        return key in self._sent

    def __iter__(self) -> Iterator[Any]:
        return iter(self._sent)

    def __len__(self) -> int:
        return len(self._sent)

    def __repr__(self) -> str:
        return "<headers of a signed request: %s>" % ", ".join(self._sent.keys())
