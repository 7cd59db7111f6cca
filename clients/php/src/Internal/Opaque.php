<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * For objects that hold secrets: they are neither serialized nor restored.
 *
 * @internal
 */
trait Opaque
{
    /** @return array<never, never> */
    public function __serialize(): array
    {
        throw new \LogicException(static::class . ' holds secrets and cannot be serialized.');
    }

    /** @param array<mixed> $data */
    public function __unserialize(array $data): void
    {
        throw new \LogicException(static::class . ' cannot be restored.');
    }
}
