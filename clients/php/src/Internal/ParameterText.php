<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

use Postern\Client\Problem;
use Postern\Client\ProblemCode;

/**
 * Parameters as a query or a form writes them.
 *
 * @internal
 */
final class ParameterText
{
    public const MAX_PARAMETERS = 100;

    /** @param list<array{string, string}> $pairs names and values as they are signed */
    private function __construct(private readonly array $pairs)
    {
    }

    /**
     * Reads what is to be signed.
     *
     * @param list<string> $reserved names that must not be there
     * @param bool $isRaw whether names and values are signed as they are on the wire
     * @throws Problem in the order of the contract
     */
    public static function read(string $text, array $reserved, bool $isRaw): self
    {
        $wire = [];
        $decoded = [];
        foreach (self::segments($text) as [$name, $value]) {
            $wire[] = [$name, $value];
            $decoded[] = [self::decode($name), self::decode($value)];
        }
        foreach ($decoded as [$name]) {
            if (in_array($name, $reserved, true)) {
                throw Problem::of(ProblemCode::ReservedParameter, "The parameter $name is added by the client.");
            }
        }
        if (!$isRaw) {
            self::refuseAmbiguous($decoded);
        }
        if (count($wire) + count($reserved) > self::MAX_PARAMETERS) {
            throw Problem::of(
                ProblemCode::TooManyParameters,
                'There are more than 100 parameters, with those that are added.',
            );
        }
        return new self($isRaw ? $wire : $decoded);
    }

    /**
     * The string to sign: these parameters and the added ones by the bytes of their names, equal names in their order.
     *
     * @param array<string, string> $added
     */
    public function stringToSign(array $added): string
    {
        $pairs = $this->pairs;
        foreach ($added as $name => $value) {
            $pairs[] = [$name, $value];
        }
        usort($pairs, static fn (array $a, array $b) => strcmp($a[0], $b[0]));
        return implode('&', array_map(static fn (array $pair) => "$pair[0]=$pair[1]", $pairs));
    }

    /** Adds written parameters at the end of a text. */
    public static function append(string $text, #[\SensitiveParameter] string $parameters): string
    {
        return $text === '' || str_ends_with($text, '&') ? $text . $parameters : "$text&$parameters";
    }

    /** Whether a query has a parameter of this name; what cannot be decoded equals no name. */
    public static function hasName(string $text, string $wanted): bool
    {
        foreach (self::segments($text) as [$name]) {
            if (self::isWellEncoded($name) && urldecode($name) === $wanted) {
                return true;
            }
        }
        return false;
    }

    /** @return iterable<array{string, string}> names and values on the wire, without empty segments */
    private static function segments(string $text): iterable
    {
        foreach (explode('&', $text) as $segment) {
            if ($segment !== '') {
                yield explode('=', $segment, 2) + [1 => ''];
            }
        }
    }

    private static function isWellEncoded(string $text): bool
    {
        return preg_match('/%(?![0-9A-Fa-f]{2})/', $text) === 0;
    }

    private static function decode(string $text): string
    {
        $decoded = urldecode($text);
        if (self::isWellEncoded($text) && mb_check_encoding($decoded, 'UTF-8')) {
            return $decoded;
        }
        throw Problem::of(ProblemCode::MalformedParameters, 'A parameter is not well percent-encoded, or not UTF-8.');
    }

    /** @param list<array{string, string}> $pairs */
    private static function refuseAmbiguous(array $pairs): void
    {
        foreach ($pairs as [$name, $value]) {
            if (strpbrk($name, '&=') !== false || preg_match('/&.*=/s', $value) === 1) {
                throw Problem::of(
                    ProblemCode::AmbiguousParameters,
                    'A parameter holds "&" and "=" so that others would have the same signature. Send it as JSON.',
                );
            }
        }
    }
}
