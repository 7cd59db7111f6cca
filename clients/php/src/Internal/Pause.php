<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/** @internal */
final class Pause
{
    /** Sleeps for so many seconds, also when a signal comes in between. */
    public static function for(float $seconds): void
    {
        $end = hrtime(true) + $seconds * 1e9;
        while (($left = $end - hrtime(true)) > 0) {
            usleep((int) ceil($left / 1000));
        }
    }
}
