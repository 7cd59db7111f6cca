<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

use Postern\Client\Problem;
use Postern\Client\ProblemCode;

/**
 * A URL as it goes over the wire: origin, authority as sent, path and query byte for byte.
 *
 * @internal
 */
final class Target
{
    private function __construct(
        /** Such as `https://api.example.com`. */
        public readonly string $origin,
        /** The host, with the port unless it is the scheme's own. */
        public readonly string $authority,
        public readonly string $path,
        /** Null when there is no `?`. */
        public readonly ?string $query,
    ) {
    }

    /** @throws Problem TARGET_NOT_SIGNABLE */
    public static function of(string $url): self
    {
        if (preg_match('~^(https?)://([^/?\#\s]+)([^\#]*)~i', $url, $parts) !== 1) {
            throw self::problem('The URL is not absolute.');
        }
        [, $scheme, $authority, $target] = $parts;
        $target = str_starts_with($target, '/') ? $target : '/' . $target;
        if (preg_match('/^[\x21-\x7E]+\z/', $target) !== 1) {
            throw self::problem('The URL holds bytes that must be percent-encoded.');
        }
        $host = substr((string) strrchr('@' . $authority, '@'), 1);
        $ownPort = strtolower($scheme) === 'https' ? '443' : '80';
        $host = (string) preg_replace("/:(?:$ownPort)?\\z/", '', $host);
        [$path, $query] = explode('?', $target, 2) + [1 => null];
        return new self("$scheme://$authority", $host, $path, $query);
    }

    /** Path and query. */
    public function text(): string
    {
        return $this->query === null ? $this->path : "$this->path?$this->query";
    }

    public function url(): string
    {
        return $this->origin . $this->text();
    }

    public function withQuery(string $query): self
    {
        return new self($this->origin, $this->authority, $this->path, $query);
    }

    private static function problem(string $message): Problem
    {
        return Problem::of(ProblemCode::TargetNotSignable, $message);
    }
}
