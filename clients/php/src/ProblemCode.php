<?php

declare(strict_types=1);

namespace Postern\Client;

/** What can be wrong with a request or a setting before anything is sent. The values do not change. */
enum ProblemCode: string
{
    /** The App Key, the App Secret, the private key or a setting is not valid. */
    case InvalidCredential = 'INVALID_CREDENTIAL';

    /** The request target holds bytes outside 0x21–0x7E, or does not begin with `/`. */
    case TargetNotSignable = 'TARGET_NOT_SIGNABLE';

    /** The body is larger than the gateway takes. */
    case BodyTooLarge = 'BODY_TOO_LARGE';

    /** A parameter signature covers forms and JSON in UTF-8 only. */
    case BodyNotSignable = 'BODY_NOT_SIGNABLE';

    /** A parameter signature does not cover a query beside a body. */
    case QueryNotSignable = 'QUERY_NOT_SIGNABLE';

    /** Parameters with bad percent-encoding, or not in UTF-8. */
    case MalformedParameters = 'MALFORMED_PARAMETERS';

    /** A parameter has a name that the client itself adds. */
    case ReservedParameter = 'RESERVED_PARAMETER';

    /** Two different sets of parameters would have the same signature. Send them as JSON. */
    case AmbiguousParameters = 'AMBIGUOUS_PARAMETERS';

    /** More than 100 parameters, with those that are added. */
    case TooManyParameters = 'TOO_MANY_PARAMETERS';

    /** A header that is to be signed is absent, repeated or cannot be signed. */
    case HeaderNotSignable = 'HEADER_NOT_SIGNABLE';

    /** The signer of a private key failed, or gave no signature. */
    case SignerFailed = 'SIGNER_FAILED';
}
