<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * Base64url without padding (RFC 7515 §2).
 *
 * @internal
 */
final class Base64Url
{
    public static function encode(string $bytes): string
    {
        return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    }

    /** The bytes; null for a value that is no such text. */
    public static function decode(mixed $text): ?string
    {
        if (!is_string($text) || preg_match('/^[A-Za-z0-9_-]+\z/', $text) !== 1) {
            return null;
        }
        $bytes = base64_decode(strtr($text, '-_', '+/'), true);
        return $bytes === false ? null : $bytes;
    }
}
