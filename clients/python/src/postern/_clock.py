"""The time that is signed."""

import functools
import math
import threading
import time
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Callable, Optional

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@functools.lru_cache(maxsize=4)
def http_date(seconds: int) -> str:
    """An IMF-fixdate (RFC 9110 §5.6.7), whatever the locale: ``Sun, 01 Nov 2026 00:00:00 GMT``."""
    day = time.gmtime(seconds)
    return "%s, %02d %s %04d %02d:%02d:%02d GMT" % (
        _WEEKDAYS[day.tm_wday],
        day.tm_mday,
        _MONTHS[day.tm_mon - 1],
        day.tm_year,
        day.tm_hour,
        day.tm_min,
        day.tm_sec,
    )


def parse_http_date(text: str) -> Optional[float]:
    """Seconds since 1970 of an HTTP date; None for anything else."""
    try:
        date = parsedate_to_datetime(text)
        return (date if date.tzinfo is not None else date.replace(tzinfo=timezone.utc)).timestamp()
    except (TypeError, ValueError, OverflowError, IndexError):
        return None


class Clock:
    """The machine's clock, and a correction of at most `most` seconds that is learnt from a gateway. Thread-safe."""

    def __init__(self, source: Callable[[], float], most: int) -> None:
        self._source = source
        self._most = most
        self.offset = 0
        self._lock = threading.Lock()

    def now(self) -> int:
        """Whole seconds since 1970, corrected."""
        return math.floor(self._source()) + self.offset

    def is_off_by(self, date: Optional[str], seconds: int) -> bool:
        """Whether this clock and an answer's `Date` are at least so many seconds apart."""
        server = parse_http_date(date) if date is not None else None
        return server is not None and abs(int(server) - self.now()) >= seconds

    def correct(self, date: Optional[str]) -> None:
        """Takes over the time of an answer's `Date`; a difference that is too large is ignored."""
        server = parse_http_date(date) if date is not None and self._most > 0 else None
        if server is None:
            return
        with self._lock:
            offset = int(server) - int(self._source() // 1)
            if abs(offset) <= self._most:
                self.offset = offset
