<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\WithoutArguments;

/** The token URL gave no token. */
class TokenRefused extends \RuntimeException
{
    /**
     * @param int $status the HTTP status of the answer
     * @param string|null $error such as `invalid_client` (RFC 6749 §5.2); null when the answer has none
     * @param string|null $errorDescription for people
     */
    final protected function __construct(
        public readonly int $status,
        public readonly ?string $error,
        public readonly ?string $errorDescription,
    ) {
        $reason = $error === null ? 'its answer is no token' : $error;
        $description = $errorDescription === null ? '' : ": $errorDescription";
        parent::__construct("The token URL gave no token (status $status): $reason$description");
    }

    /** @internal */
    public static function of(int $status, ?string $error, ?string $errorDescription): static
    {
        return WithoutArguments::during(static fn () => new static($status, $error, $errorDescription));
    }
}
