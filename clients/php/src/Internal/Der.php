<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * As much of DER (X.690) as keys need.
 *
 * @internal
 */
final class Der
{
    public const INTEGER = "\x02";
    public const OCTETS = "\x04";
    public const SEQUENCE = "\x30";

    /** The content of the element of this tag at a place, which moves on; null when there is none. */
    public static function read(#[\SensitiveParameter] string $der, int &$at, string $tag): ?string
    {
        if ($at + 2 > strlen($der) || $der[$at] !== $tag) {
            return null;
        }
        $length = ord($der[$at + 1]);
        $start = $at + 2;
        if ($length > 0x80 && $length < 0x84) {
            $bytes = substr($der, $start, $length - 0x80);
            $start += $length - 0x80;
            $length = (int) hexdec(bin2hex($bytes));
        } elseif ($length >= 0x80) {
            return null;
        }
        if ($start + $length > strlen($der)) {
            return null;
        }
        $at = $start + $length;
        return substr($der, $start, $length);
    }

    /** An element of a tag and its content. */
    public static function write(string $tag, #[\SensitiveParameter] string $content): string
    {
        $length = strlen($content);
        $bytes = $length < 0x80 ? '' : ltrim(pack('N', $length), "\0");
        return $tag . ($bytes === '' ? chr($length) : chr(0x80 + strlen($bytes)) . $bytes) . $content;
    }

    /** A number that is not below 0, from its bytes. */
    public static function number(#[\SensitiveParameter] string $bytes): string
    {
        $bytes = ltrim($bytes, "\0");
        return self::write(self::INTEGER, $bytes === '' || ord($bytes[0]) >= 0x80 ? "\0$bytes" : $bytes);
    }

    /** A PEM of this label. */
    public static function pem(string $label, #[\SensitiveParameter] string $der): string
    {
        $lines = chunk_split(base64_encode($der), 64, "\n");
        return "-----BEGIN $label-----\n$lines-----END $label-----\n";
    }

    private function __construct()
    {
    }
}
