"""What a `Content-Type` says about a body, read as strictly as the gateway does."""

import re
from typing import List, Optional, Tuple

_TOKEN = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_PARAMETER = re.compile(r';[ \t]*(?:(%s)=(?:"([^"\\]*)"|(%s)))?[ \t]*' % (_TOKEN, _TOKEN))


def parse(text: str) -> Tuple[str, Optional[List[str]]]:
    """The type in lower case, and its charsets in lower case; None for parameters that are not well formed."""
    at = text.find(";") if ";" in text else len(text)
    essence = text[:at].strip(" \t").lower()
    charsets = []
    while at < len(text):
        match = _PARAMETER.match(text, at)
        if match is None:
            return essence, None
        if (match[1] or "").lower() == "charset":
            charsets.append((match[3] if match[2] is None else match[2]).lower())
        at = match.end()
    return essence, charsets


def is_utf8(charsets: Optional[List[str]]) -> bool:
    """Whether the charsets of a media type say nothing against UTF-8."""
    return charsets is not None and len(charsets) < 2 and all(each in ("utf-8", "utf8") for each in charsets)
