<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * The time of the machine, and the time for signatures, which is corrected by what the gateway's answers say.
 *
 * @internal
 */
final class Clock
{
    private int $correction = 0;
    private int $ahead = 0;

    /**
     * @param int $bound the largest correction in seconds; 0 for none
     * @param (\Closure(): (int|float))|null $source Unix time in seconds; null for the machine's
     */
    public function __construct(private readonly int $bound, private readonly ?\Closure $source)
    {
    }

    /** Unix time of the machine in whole seconds. */
    public function machine(): int
    {
        return $this->source === null ? time() : (int) floor(($this->source)());
    }

    /** Unix time for signatures in whole seconds: when the request is to be sent. */
    public function now(): int
    {
        return $this->present() + $this->ahead;
    }

    /** Unix time in whole seconds, corrected. */
    public function present(): int
    {
        return $this->machine() + $this->correction;
    }

    /**
     * Signs what is sent only after a pause of so many seconds.
     *
     * @template T
     * @param \Closure(): T $sign
     * @return T
     */
    public function after(float $seconds, \Closure $sign): mixed
    {
        $this->ahead = (int) $seconds;
        try {
            return $sign();
        } finally {
            $this->ahead = 0;
        }
    }

    /**
     * Compares the clock with the Date of an answer.
     *
     * @param int $least the smallest difference in seconds that counts
     * @return bool whether another correction holds from now on
     */
    public function correctBy(string $date, int $least = 0): bool
    {
        $time = HttpDate::parse($date);
        if ($this->bound === 0 || $time === null) {
            return false;
        }
        $difference = $time - $this->machine();
        $size = abs($difference);
        if ($size > $this->bound || $size < $least || $difference === $this->correction) {
            return false;
        }
        $this->correction = $difference;
        return true;
    }
}
