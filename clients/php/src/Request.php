<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\HeaderList;
use Postern\Client\Internal\WithoutArguments;

/** A request to be signed, for programs that use neither Guzzle nor PSR-18. */
final class Request
{
    /**
     * @param string $method sent as it is written: `GET` is not `get`
     * @param string $url absolute; path and query are sent byte for byte, a fragment is dropped
     * @param list<array{string, string}> $headers names and values
     * @param string $body the bytes to be sent
     * @throws \InvalidArgumentException when the method or a header would not be one line of HTTP
     */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        public readonly array $headers = [],
        public readonly string $body = '',
    ) {
        $isWritable = HeaderList::isName($method);
        foreach ($headers as [$name, $value]) {
            $isWritable = $isWritable && HeaderList::isName($name) && strpbrk($value, "\r\n\0") === false;
        }
        if (!$isWritable) {
            throw WithoutArguments::during(
                static fn () => new \InvalidArgumentException('The method or a header is not valid in HTTP.'),
            );
        }
    }
}
