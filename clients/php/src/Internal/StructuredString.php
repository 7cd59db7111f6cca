<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * A string of structured fields, in contrast to its other items.
 *
 * @internal
 */
final class StructuredString
{
    public function __construct(public readonly string $text)
    {
    }

    /** The text of an item that is a string; null for others, and for one that would need escapes. */
    public static function plain(mixed $item): ?string
    {
        return $item instanceof self && self::isPlain($item->text) ? $item->text : null;
    }

    /** Whether a text is printable ASCII without `"` and `\`. */
    public static function isPlain(string $text): bool
    {
        return preg_match('/^[\x20\x21\x23-\x5b\x5d-\x7e]*\z/', $text) === 1;
    }
}
