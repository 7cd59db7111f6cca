"""Dates as the gateway reads them, and as callers write them otherwise."""

import calendar
import re
from datetime import datetime, timezone
from typing import List, Optional

from .._clock import http_date

_IMF_FIXDATE = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\d{4})"
    r" (\d\d):(\d\d):(\d\d) GMT\Z",
    re.ASCII,
)
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_HALF_HOURS = 28
_HALF_HOUR = 1800


def parse_imf_fixdate(text: str) -> Optional[int]:
    """Seconds since 1970; None for anything else. The name of the day need not fit."""
    match = _IMF_FIXDATE.match(text)
    if match is None:
        return None
    try:
        day = datetime(
            int(match[3]), _MONTHS.index(match[2]) + 1, int(match[1]), int(match[4]), int(match[5]), int(match[6])
        )
    except ValueError:
        return None
    return calendar.timegm(day.timetuple())


def other_dates(seconds: int) -> List[str]:
    """The same time in the zones and forms in which it is signed by mistake."""
    dates = []
    for half in range(-_HALF_HOURS, _HALF_HOURS + 1):
        text = http_date(seconds + half * _HALF_HOUR)
        minutes = abs(half) * 30
        zone = "%s%02d%02d" % ("-" if half < 0 else "+", minutes // 60, minutes % 60)
        dates += [text, text.replace("GMT", zone)]
    utc = http_date(seconds)
    iso = datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    dates += [utc.replace("GMT", "UTC"), utc.replace(", 0", ", ", 1), iso + ".000Z", iso + "Z"]
    return [*dates, str(seconds), "%d000" % seconds, utc.lower()]
