<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\WithoutArguments;

/** {@see CurlClient} got no answer. The code is curl's. */
final class ConnectionFailed extends \RuntimeException
{
    /** Curl's codes for a connection that could not be made, or was lost. */
    private const OF_CONNECTION = [5, 6, 7, 16, 18, 28, 35, 52, 55, 56, 92];

    private function __construct(string $message, int $code)
    {
        parent::__construct($message, $code);
    }

    /** @internal whether another attempt may have an answer */
    public function isOfConnection(): bool
    {
        return in_array($this->getCode(), self::OF_CONNECTION, true);
    }

    /** @internal */
    public static function of(string $message, int $code): self
    {
        return WithoutArguments::during(static fn () => new self($message, $code));
    }
}
