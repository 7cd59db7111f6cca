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
        $at = 0;
        $numbers = Der::read($der, $at, Der::SEQUENCE);
        $inner = 0;
        $r = $numbers === null ? null : Der::read($numbers, $inner, Der::INTEGER);
        $s = $numbers === null ? null : Der::read($numbers, $inner, Der::INTEGER);
        if ($r === null || $s === null || $at !== strlen($der) || $inner !== strlen($numbers)) {
            return null;
        }
        $text = '';
        foreach ([$r, $s] as $number) {
            $text .= str_pad(ltrim($number, "\0"), $size, "\0", \STR_PAD_LEFT);
        }
        return strlen($text) === 2 * $size ? $text : null;
    }

    private function __construct()
    {
    }
}
