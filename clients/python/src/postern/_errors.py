"""What can go wrong. No text of an error holds an App Secret, a token or, for key, an App Key."""

from typing import Optional


class PosternError(Exception):
    """The base of all errors of this package."""

    def __reduce__(self) -> "tuple[object, ...]":
        return (_rebuilt, (type(self), self.args, dict(self.__dict__)))


def _rebuilt(kind: "type[PosternError]", args: "tuple[object, ...]", state: "dict[str, object]") -> PosternError:
    """An error that was pickled, as process pools do with what their workers raise."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class Problem(PosternError, ValueError):
    """A request that cannot be signed, or a setting that cannot be right. Nothing was sent.

    ``code`` does not change between versions: ``INVALID_CREDENTIAL``, ``TARGET_NOT_SIGNABLE``, ``BODY_TOO_LARGE``,
    ``BODY_NOT_SIGNABLE``, ``QUERY_NOT_SIGNABLE``, ``MALFORMED_PARAMETERS``, ``RESERVED_PARAMETER``,
    ``AMBIGUOUS_PARAMETERS``, ``TOO_MANY_PARAMETERS``, ``HEADER_NOT_SIGNABLE`` or ``SIGNER_FAILED``. ``message`` is for
    people.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__("%s: %s" % (code, message))
        self.code = code
        self.message = message


class TokenError(PosternError):
    """The token URL gave no access token.

    ``status`` is that of its answer, None when there was none. ``error`` is that of the answer, where it is
    one of RFC 6749; ``retry_after`` is its ``Retry-After`` in whole seconds.
    """

    def __init__(
        self,
        message: str,
        status: Optional[int] = None,
        error: Optional[str] = None,
        retry_after: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.error = error
        self.retry_after = retry_after
