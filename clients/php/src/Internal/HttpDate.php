<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * Dates of HTTP: `Sat, 21 Nov 2026 02:40:00 GMT`.
 *
 * @internal
 */
final class HttpDate
{
    /** @var array{int, string} a time and its text: most requests are of the same second */
    private static array $last = [0, 'Thu, 01 Jan 1970 00:00:00 GMT'];

    public static function format(int $time): string
    {
        if (self::$last[0] !== $time) {
            self::$last = [$time, gmdate('D, d M Y H:i:s', $time) . ' GMT'];
        }
        return self::$last[1];
    }

    /** Unix time in seconds, or null for a text that is no such date. */
    public static function parse(string $text): ?int
    {
        $date = \DateTimeImmutable::createFromFormat('!D, d M Y H:i:s \G\M\T', $text, new \DateTimeZone('UTC'));
        if ($date === false || substr($date->format('D, d M Y H:i:s'), 5) !== substr($text, 5, -4)) {
            return null;
        }
        return $date->getTimestamp();
    }
}
