"""Headers that a signature covers."""

import re

from ._credential import is_token
from ._errors import Problem
from ._message import Request
from ._target import Target, require_plain_authority

_NEVER_TAKEN = re.compile(
    r"(authorization|connection|keep-alive|te|transfer-encoding|x-request-id|x-anonymous-consumer"
    r"|x-(forwarded|envoy|consumer|credential|authenticated)-.*)\Z"
)
_SIGNABLE_VALUE = re.compile(r"[\x20-\x7e\t]*\Z")


def is_signable(name: str) -> bool:
    """Whether the gateway takes a header, by its lower-case name, as a signed one."""
    return _NEVER_TAKEN.match(name.replace("_", "-")) is None


def signed_value(name: str, request: Request, target: Target) -> str:
    """The value of a header, by its lower-case name, as it is signed. Raises `Problem` ``HEADER_NOT_SIGNABLE``."""
    if not is_token(name) or not is_signable(name):
        raise Problem("HEADER_NOT_SIGNABLE", "the gateway never takes %r as a signed header" % name)
    values = request.values_of(name)
    if name == "host":
        require_plain_authority(target.authority)
        values = values or [target.authority]
    if len(values) != 1:
        count = "absent" if not values else "repeated"
        raise Problem("HEADER_NOT_SIGNABLE", "the signed header %s is %s" % (name, count))
    if _SIGNABLE_VALUE.match(values[0]) is None:
        raise Problem("HEADER_NOT_SIGNABLE", "the signed header %s holds bytes outside printable ASCII" % name)
    return values[0].strip(" \t")
