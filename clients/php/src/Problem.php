<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\WithoutArguments;

/**
 * A request that cannot be signed, or a setting that is not valid. Nothing was sent.
 *
 * The message names the setting, header or parameter, and never holds its value.
 */
class Problem extends \RuntimeException
{
    final protected function __construct(
        public readonly ProblemCode $problemCode,
        string $message,
        ?\Throwable $cause = null,
    ) {
        parent::__construct($message, 0, $cause);
    }

    /** Makes a problem whose trace holds no arguments, because they may be secrets. */
    public static function of(ProblemCode $code, string $message, ?\Throwable $cause = null): static
    {
        return WithoutArguments::during(static fn () => new static($code, $message, $cause));
    }
}
