<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\HeaderList;

/** An answer to a call by {@see CurlClient}. */
final class Response
{
    /**
     * @param string $http the version of HTTP: `1.1` or `2`
     * @param list<array{string, string}> $headers names and values
     */
    public function __construct(
        public readonly int $status,
        public readonly string $http,
        public readonly array $headers,
        public readonly string $body,
    ) {
    }

    /** The value of a header, several joined by a comma; null when it is absent. */
    public function header(string $name): ?string
    {
        $values = (new HeaderList($this->headers))->values($name);
        return $values === [] ? null : implode(', ', $values);
    }

    /** The refusal of the gateway that this is; null when it is none. */
    public function refusal(): ?Refusal
    {
        return Refusal::fromParts($this->status, $this->headers, $this->body);
    }
}
