<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\HttpDate;
use Psr\Http\Message\ResponseInterface;

/** The gateway's answer to a request that it did not pass on: `{"code","message","requestId"}`. */
final class Refusal
{
    /** The largest answer that is read as a refusal, in bytes. */
    public const MAX_BYTES = 65_536;

    /**
     * @param int $status the HTTP status
     * @param string $code such as `RATE_LIMITED`; programs may rely on it
     * @param string $message for people
     * @param string|null $requestId to tell the operator; null when the gateway gave none
     * @param int|null $retryAfter seconds to wait
     * @param string|null $stringToSign what the gateway signed, where the operator has switched on signature hints
     * @param bool $acceptedBefore whether the gateway let an equal request through before: the API has it. With a nonce
     *     it was this very call, whose answer was lost. See whether it took effect before you call again.
     */
    private function __construct(
        public readonly int $status,
        public readonly string $code,
        public readonly string $message,
        public readonly ?string $requestId,
        public readonly ?int $retryAfter,
        public readonly ?string $stringToSign,
        public readonly bool $acceptedBefore,
    ) {
    }

    /**
     * Reads a refusal from a PSR-7 response, and leaves its body as it was.
     *
     * @return self|null null when the answer is no refusal of the gateway, or its body can be read only once
     */
    public static function fromResponse(ResponseInterface $response): ?self
    {
        $body = $response->getBody();
        $size = $body->getSize();
        if (!self::isPossible($response->getStatusCode(), $response->getHeader('Content-Type'))) {
            return null;
        }
        if (!$body->isSeekable() || ($size !== null && $size > self::MAX_BYTES)) {
            return null;
        }
        $position = $body->tell();
        try {
            $body->rewind();
            $text = '';
            while (!$body->eof() && strlen($text) <= self::MAX_BYTES) {
                $text .= $body->read(self::MAX_BYTES + 1 - strlen($text));
            }
        } finally {
            $body->seek($position);
        }
        $headers = [];
        foreach ($response->getHeaders() as $name => $values) {
            foreach ($values as $value) {
                $headers[] = [(string) $name, $value];
            }
        }
        return self::fromParts($response->getStatusCode(), $headers, $text);
    }

    /**
     * Reads a refusal from the parts of an answer.
     *
     * @param list<array{string, string}> $headers names and values
     * @return self|null null when the answer is no refusal of the gateway
     */
    public static function fromParts(int $status, array $headers, string $body): ?self
    {
        $list = new Internal\HeaderList($headers);
        if (!self::isPossible($status, $list->values('content-type')) || strlen($body) > self::MAX_BYTES) {
            return null;
        }
        $content = json_decode($body, true);
        if (!is_array($content)) {
            return null;
        }
        $isRefusal = is_string($content['code'] ?? null) && is_string($content['message'] ?? null)
            && array_key_exists('requestId', $content)
            && ($content['requestId'] === null || is_string($content['requestId']));
        if (!$isRefusal) {
            return null;
        }
        $stringToSign = $content['stringToSign'] ?? null;
        return new self(
            $status,
            $content['code'],
            $content['message'],
            $content['requestId'],
            self::secondsOf($list->values('retry-after')),
            is_string($stringToSign) ? $stringToSign : null,
            $status === 401 && $content['code'] === 'REQUEST_REPLAYED',
        );
    }

    /**
     * Gives an answer back unless it is a refusal.
     *
     * @template T of ResponseInterface|Response
     * @param T $response of a library, or of {@see CurlClient}
     * @return T
     * @throws Refused when it is one
     */
    public static function orThrow(ResponseInterface|Response $response): ResponseInterface|Response
    {
        $refusal = $response instanceof Response ? $response->refusal() : self::fromResponse($response);
        return $refusal === null ? $response : throw new Refused($refusal);
    }

    /** @param array<string> $contentTypes */
    private static function isPossible(int $status, array $contentTypes): bool
    {
        return $status >= 400 && count($contentTypes) === 1
            && preg_match('~^application/json[ \t]*(?:;|\z)~i', trim(current($contentTypes))) === 1;
    }

    /** @param list<string> $values of Retry-After: seconds, or a date of HTTP */
    private static function secondsOf(array $values): ?int
    {
        $text = count($values) === 1 ? trim($values[0]) : '';
        if (preg_match('/^\d{1,9}\z/', $text) === 1) {
            return (int) $text;
        }
        $time = HttpDate::parse($text);
        return $time === null ? null : max(0, $time - time());
    }
}
