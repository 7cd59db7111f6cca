<?php

declare(strict_types=1);

namespace Postern\Client;

/** Writes parameters as the query of a URL or the body of a form. */
final class Parameters
{
    /**
     * @param array<string|int, string|int|list<string|int>> $parameters names and values in UTF-8; a list of values
     *   repeats its name
     * @return string such as `city=K%C3%B6ln&size=2%20m`, in the given order
     * @throws Problem MALFORMED_PARAMETERS when a text is not UTF-8
     */
    public static function encode(#[\SensitiveParameter] array $parameters): string
    {
        $pairs = [];
        foreach ($parameters as $name => $values) {
            foreach (is_array($values) ? $values : [$values] as $value) {
                $pairs[] = [$name, $value];
            }
        }
        return self::encodePairs($pairs);
    }

    /**
     * Like {@see encode()}, for names that repeat in an order of their own.
     *
     * @param list<array{string|int, string|int}> $pairs names and values
     * @throws Problem MALFORMED_PARAMETERS when a text is not UTF-8
     */
    public static function encodePairs(#[\SensitiveParameter] array $pairs): string
    {
        $written = [];
        foreach ($pairs as [$name, $value]) {
            $written[] = self::escape((string) $name) . '=' . self::escape((string) $value);
        }
        return implode('&', $written);
    }

    private static function escape(#[\SensitiveParameter] string $text): string
    {
        if (!mb_check_encoding($text, 'UTF-8')) {
            throw Problem::of(ProblemCode::MalformedParameters, 'The name or value of a parameter is not UTF-8.');
        }
        return rawurlencode($text);
    }
}
