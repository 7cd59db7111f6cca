<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * EMSA-PSS (RFC 8017 §9.1.1) with a salt as long as the hash, which PHP's openssl_sign has only from PHP 8.5.
 *
 * @internal
 */
final class PssEncoding
{
    /** What an RSA key of so many bits turns into the signature of a message. */
    public static function of(string $message, string $algorithm, int $bits): string
    {
        $length = intdiv($bits - 1 + 7, 8);
        $digest = hash($algorithm, $message, true);
        $size = strlen($digest);
        $salt = random_bytes($size);
        $hash = hash($algorithm, str_repeat("\0", 8) . $digest . $salt, true);
        $block = str_pad("\x01$salt", $length - $size - 1, "\0", \STR_PAD_LEFT);
        $masked = $block ^ self::mask($algorithm, $hash, strlen($block));
        $masked[0] = chr(ord($masked[0]) & (0xff >> (8 * $length - ($bits - 1))));
        return str_pad("$masked$hash\xbc", intdiv($bits + 7, 8), "\0", \STR_PAD_LEFT);
    }

    private static function mask(string $algorithm, string $seed, int $length): string
    {
        $mask = '';
        for ($counter = 0; strlen($mask) < $length; $counter++) {
            $mask .= hash($algorithm, $seed . pack('N', $counter), true);
        }
        return substr($mask, 0, $length);
    }

    private function __construct()
    {
    }
}
