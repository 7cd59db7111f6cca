<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * The JSON wrapper of a signed body.
 *
 * @internal
 */
final class Wrapper
{
    private const SHORT = [
        '"' => '\"',
        '\\' => '\\\\',
        "\x08" => '\b',
        "\t" => '\t',
        "\n" => '\n',
        "\f" => '\f',
        "\r" => '\r',
    ];

    public static function write(string $data, string $appKey, string $sign, int $apiTimestamp): string
    {
        return sprintf(
            '{"data":"%s","appKey":"%s","sign":"%s","apiTimestamp":%d}',
            self::escape($data),
            $appKey,
            $sign,
            $apiTimestamp,
        );
    }

    /** Only what JSON demands: a slash and letters beyond ASCII stay as they are. */
    private static function escape(string $data): string
    {
        static $escapes = null;
        if ($escapes === null) {
            $escapes = self::SHORT;
            for ($byte = 0; $byte < 0x20; $byte += 1) {
                $escapes[chr($byte)] ??= sprintf('\u%04x', $byte);
            }
        }
        return strtr($data, $escapes);
    }
}
