"""Reads the answers of `httpx` that may be refusals, and leaves all others as streams."""

from typing import AsyncIterator, Iterator, List, Optional

import httpx

from ._refusal import MAX_REFUSAL_BYTES, may_be_refusal


def has_refusal(response: httpx.Response) -> bool:
    """Whether the body is in memory now and short enough for a refusal."""
    known = _known(response)
    if known is not None:
        return known
    stream = response.stream
    if not isinstance(stream, httpx.SyncByteStream):
        return False
    pieces: List[bytes] = []
    rest = iter(stream)
    for piece in rest:
        pieces.append(piece)
        if sum(map(len, pieces)) > MAX_REFUSAL_BYTES:
            response.stream = _Resumed(pieces, rest, stream)
            return False
    response.stream = _Resumed(pieces, iter(()), stream)
    response.read()
    return True


async def has_refusal_async(response: httpx.Response) -> bool:
    """`has_refusal` for asynchronous streams."""
    known = _known(response)
    if known is not None:
        return known
    stream = response.stream
    if not isinstance(stream, httpx.AsyncByteStream):
        return False
    pieces: List[bytes] = []
    rest = stream.__aiter__()
    async for piece in rest:
        pieces.append(piece)
        if sum(map(len, pieces)) > MAX_REFUSAL_BYTES:
            response.stream = _ResumedAsync(pieces, rest, stream)
            return False
    response.stream = _ResumedAsync(pieces, None, stream)
    await response.aread()
    return True


def _known(response: httpx.Response) -> Optional[bool]:
    """The answer to `has_refusal` where nothing has to be read for it."""
    if not may_be_refusal(response.status_code, response.headers.get("Content-Type")):
        return False
    try:
        return len(response.content) <= MAX_REFUSAL_BYTES
    except httpx.ResponseNotRead:
        return False if response.is_stream_consumed or response.is_closed else None


class _Resumed(httpx.SyncByteStream):
    def __init__(self, pieces: List[bytes], rest: Iterator[bytes], stream: httpx.SyncByteStream) -> None:
        self._pieces, self._rest, self._stream = pieces, rest, stream

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces
        yield from self._rest

    def close(self) -> None:
        self._stream.close()


class _ResumedAsync(httpx.AsyncByteStream):
    def __init__(
        self, pieces: List[bytes], rest: Optional[AsyncIterator[bytes]], stream: httpx.AsyncByteStream
    ) -> None:
        self._pieces, self._rest, self._stream = pieces, rest, stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece
        if self._rest is not None:
            async for piece in self._rest:
                yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
