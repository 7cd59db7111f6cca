<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * Numbers that are used once.
 *
 * @internal
 */
final class Nonces
{
    /** @param (\Closure(): string)|null $source null for a cryptographic one */
    public function __construct(private readonly ?\Closure $source)
    {
    }

    /** 32 lower-case hex characters. */
    public function next(): string
    {
        return $this->source === null ? bin2hex(random_bytes(16)) : ($this->source)();
    }
}
