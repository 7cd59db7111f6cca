<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * The signatures that could be made again: those whose time is not over.
 *
 * @internal
 */
final class RecentSignatures
{
    /** @var array<string, int> the time of each signature, oldest first or nearly so */
    private array $times = [];

    public function has(string $signature, int $now): bool
    {
        foreach ($this->times as $old => $time) {
            if ($time >= $now) {
                break;
            }
            unset($this->times[$old]);
        }
        return isset($this->times[$signature]);
    }

    public function add(string $signature, int $time): void
    {
        $this->times[$signature] = $time;
    }
}
