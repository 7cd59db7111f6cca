"""Bodies that are streams, for methods that sign them."""

from typing import Any

from ._errors import Problem

_PIECE_BYTES = 65_536


def read_all(body: Any, most: int) -> bytes:
    """Reads a file or an iterable of bytes into memory. Raises `Problem` ``BODY_TOO_LARGE`` beyond `most` bytes."""
    pieces = bytearray()
    for piece in _pieces_of(body):
        pieces += piece.encode("utf-8") if isinstance(piece, str) else piece
        if len(pieces) > most:
            raise Problem("BODY_TOO_LARGE", "the body has more than %d bytes" % most)
    return bytes(pieces)


def _pieces_of(body: Any) -> Any:
    read = getattr(body, "read", None)
    if read is None:
        return iter(body)
    return iter(lambda: read(_PIECE_BYTES), type(read(0))())
