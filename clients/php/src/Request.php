<?php

declare(strict_types=1);

namespace Postern\Client;

/** A request to be signed, for programs that use neither Guzzle nor PSR-18. */
final class Request
{
    /**
     * @param string $method sent as it is written: `GET` is not `get`
     * @param string $url absolute; path and query are sent byte for byte, a fragment is dropped
     * @param list<array{string, string}> $headers names and values
     * @param string $body the bytes to be sent
     */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        public readonly array $headers = [],
        public readonly string $body = '',
    ) {
    }
}
