<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * From the DER that OpenSSL and most KMS write to r and s of equal length, as RFC 9421 and JWT have them.
 *
 * @internal
 */
final class EcdsaSignature
{
    /** r and s of so many bytes each; null for bytes that are no such signature. */
    public static function fromDer(string $der, int $size): ?string
    {
        // Numbers of 49 bytes at most: each length is one byte.
        $rest = strlen($der) - 2;
        if ($rest < 0 || $rest >= 0x80 || $der[0] !== Der::SEQUENCE || ord($der[1]) !== $rest) {
            return null;
        }
        $at = 2;
        $r = Der::read($der, $at, Der::INTEGER);
        $s = Der::read($der, $at, Der::INTEGER);
        if ($r === null || $s === null || $at !== strlen($der)) {
            return null;
        }
        $text = str_pad(ltrim($r, "\0"), $size, "\0", \STR_PAD_LEFT)
            . str_pad(ltrim($s, "\0"), $size, "\0", \STR_PAD_LEFT);
        return strlen($text) === 2 * $size ? $text : null;
    }

    private function __construct()
    {
    }
}
