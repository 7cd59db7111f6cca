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
        if (preg_match('/[^\x21-\x7E]/', $target) === 1) {
            throw self::problem('The URL holds bytes that must be percent-encoded.');
        }
        $host = substr((string) strrchr('@' . $authority, '@'), 1);
        foreach ([':', strtolower($scheme) === 'https' ? ':443' : ':80'] as $port) {
            if (str_ends_with($host, $port)) {
                $host = substr($host, 0, -strlen($port));
                break;
            }
        }
        [$path, $query] = explode('?', $target, 2) + [1 => null];
        return new self("$scheme://$authority", $host, $path, $query);
    }

    /**
     * Refuses an authority that a library may write in another way: a signed `host` would not be the one sent.
     *
     * @throws Problem TARGET_NOT_SIGNABLE
     */
    public function requirePlainAuthority(): void
    {
        $label = '[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?';
        $byte = '(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)';
        // A name whose last part is a number is read as an IPv4 address.
        $name = "(?!(?:.*\\.)?(?:\\d+|0x[0-9a-f]*)\\.?(?::|\\z))$label(?:\\.$label)*\\.?";
        $host = "(?:$name|$byte(?:\\.$byte){3}|\\[(?<ipv6>[0-9a-f:.]+)\\])";
        $isPlain = preg_match("/^$host(?::[1-9]\\d{0,4})?\\z/i", $this->authority, $parts) === 1;
        $ipv6 = $parts['ipv6'] ?? '';
        if (!$isPlain || ($ipv6 !== '' && inet_ntop((string) @inet_pton($ipv6)) !== $ipv6)) {
            throw self::problem('A library may write the host or port of the URL in another way: write it plainly.');
        }
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
