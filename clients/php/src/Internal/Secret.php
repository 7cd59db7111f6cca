<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * A value that no dump shows: it is no property of the object, so print_r, var_dump, var_export, casts and JSON do not
 * reach it.
 *
 * @internal
 */
final class Secret implements \JsonSerializable
{
    use Opaque;

    public const SHOWN = '[secret]';

    /** @var \WeakMap<self, mixed>|null */
    private static ?\WeakMap $values = null;

    public function __construct(#[\SensitiveParameter] mixed $value)
    {
        self::$values ??= new \WeakMap();
        self::$values[$this] = $value;
    }

    public function reveal(): mixed
    {
        return self::$values[$this];
    }

    public function __toString(): string
    {
        return self::SHOWN;
    }

    public function jsonSerialize(): string
    {
        return self::SHOWN;
    }

    /** @return array<string, string> */
    public function __debugInfo(): array
    {
        return ['value' => self::SHOWN];
    }

    private function __clone()
    {
    }
}
