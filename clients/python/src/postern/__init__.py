"""Signs requests for APIs behind the Postern gateway.

Make one credential (`Hmac`, `ParameterSignature`, `Key`, `OAuth2`, `MessageSignature` or `PrivateKeyJwt`) and give it
to `postern.requests`, `postern.httpx` or `postern.urllib`; or call its `sign` and send the result yourself.
"""

from ._credential import Credential
from ._errors import PosternError, Problem, TokenError
from ._hmac import Hmac
from ._key import Key
from ._message import Request, SignedRequest
from ._message_signature import MessageSignature
from ._oauth2 import OAuth2
from ._parameter_signature import ParameterSignature
from ._parameters import encode_parameters
from ._private_key_jwt import PrivateKeyJwt
from ._refusal import Refusal, refusal_of

__version__ = "0.1.0"

__all__ = [
    "Credential",
    "Hmac",
    "Key",
    "MessageSignature",
    "OAuth2",
    "ParameterSignature",
    "PosternError",
    "PrivateKeyJwt",
    "Problem",
    "Refusal",
    "Request",
    "SignedRequest",
    "TokenError",
    "encode_parameters",
    "refusal_of",
]
