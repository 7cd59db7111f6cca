<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\WithoutArguments;

/** The token URL gave no token. */
class TokenRefused extends \RuntimeException
{
    /**
     * @param int $status the HTTP status of the answer
     * @param string|null $error such as `invalid_client`; null when the answer has none of those of RFC 6749
     */
    final protected function __construct(
        public readonly int $status,
        public readonly ?string $error,
    ) {
        $reason = $error === null ? 'its answer is no token' : $error;
        parent::__construct("The token URL gave no token (status $status): $reason");
    }

    /** @internal */
    public static function of(int $status, ?string $error): static
    {
        return WithoutArguments::during(static fn () => new static($status, $error));
    }
}
