"""Text that must not be printed."""

from typing import NoReturn


class Secret:
    """Holds a text that shows as ``[secret]`` however it is printed, and that cannot be copied out by pickling."""

    __slots__ = ("_text", "_bytes")

    def __init__(self, text: str) -> None:
        self._text = text
        self._bytes = text.encode("utf-8")

    def reveal(self) -> str:
        """The text itself. Use it where it is needed and keep it in no variable: tools print those of a traceback."""
        return self._text

    def utf8(self) -> bytes:
        """The text as bytes; the same holds."""
        return self._bytes

    def __repr__(self) -> str:
        return "[secret]"

    def __format__(self, spec: str) -> str:
        return "[secret]"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a secret is not pickled or copied")

    def __getstate__(self) -> NoReturn:
        raise TypeError("a secret is not pickled or copied")
