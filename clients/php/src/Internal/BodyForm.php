<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

use Postern\Client\Problem;
use Postern\Client\ProblemCode;

/**
 * What a parameter signature covers of a request with a body.
 *
 * @internal
 */
enum BodyForm
{
    case Form;
    case Json;
    case Other;

    /** The form that the media type says. */
    public static function of(HeaderList $headers): self
    {
        $values = $headers->values('content-type');
        return count($values) !== 1 ? self::Other : match (self::mediaType($values[0])) {
            'application/x-www-form-urlencoded' => self::Form,
            'application/json' => self::Json,
            default => self::Other,
        };
    }

    /** The largest body that the gateway takes, in bytes. */
    public function limit(): int
    {
        return $this === self::Json ? 2_097_152 : 10_485_760;
    }

    /** @throws Problem BODY_NOT_SIGNABLE when a body with these headers cannot be signed */
    public function requireSignable(HeaderList $headers): void
    {
        if ($this === self::Other) {
            throw self::problem('The body is neither a form nor JSON, by its one Content-Type.');
        }
        if (!self::isUtf8($headers->values('content-type')[0])) {
            throw self::problem('The charset of the body is not UTF-8.');
        }
        foreach ($headers->values('content-encoding') as $encoding) {
            if (strcasecmp(trim($encoding), 'identity') !== 0) {
                throw self::problem('The body has a Content-Encoding.');
            }
        }
    }

    public static function problem(string $message): Problem
    {
        return Problem::of(ProblemCode::BodyNotSignable, $message);
    }

    private static function mediaType(string $contentType): string
    {
        return strtolower(trim(explode(';', $contentType, 2)[0], " \t"));
    }

    /** Whether no charset but UTF-8 is named, once at most. */
    private static function isUtf8(string $contentType): bool
    {
        $found = preg_match_all('/;[ \t]*charset[ \t]*=[ \t]*("?)([^";]*)\1[ \t]*(?=;|\z)/i', $contentType, $matches);
        $named = preg_match_all('/;[ \t]*charset\b/i', $contentType);
        return $found === $named && $named < 2 && ($named === 0 || strcasecmp(trim($matches[2][0]), 'utf-8') === 0);
    }
}
