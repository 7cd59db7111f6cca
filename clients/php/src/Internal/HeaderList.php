<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * Headers in their order; names compare without regard to case.
 *
 * @internal
 */
final class HeaderList
{
    /** @param list<array{string, string}> $headers */
    public function __construct(public readonly array $headers)
    {
    }

    /** @return list<string> the values of all headers of this name */
    public function values(string $name): array
    {
        $values = [];
        foreach ($this->headers as [$key, $value]) {
            if (strcasecmp($key, $name) === 0) {
                $values[] = $value;
            }
        }
        return $values;
    }

    /** @param list<array{string, string}> $headers each replaces all headers of its name */
    public function with(array $headers): self
    {
        $replaced = array_map(static fn (array $header) => strtolower($header[0]), $headers);
        $stays = static fn (array $header) => !in_array(strtolower($header[0]), $replaced, true);
        $kept = array_filter($this->headers, $stays);
        return new self([...array_values($kept), ...$headers]);
    }

    public static function isName(string $text): bool
    {
        return preg_match('/^[!#$%&\'*+.^_`|~0-9A-Za-z-]+\z/', $text) === 1;
    }
}
