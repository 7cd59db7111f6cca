<?php

declare(strict_types=1);

namespace Postern\Client\Driver;

use GuzzleHttp\Psr7\PumpStream;
use GuzzleHttp\Psr7\Request;
use Postern\Client\Refusal;
use Postern\Client\Response;
use Postern\Client\Tests\Credentials;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/** Requests and answers between the driver's JSON and PSR-7. */
final class Messages
{
    /** @param array<string, mixed> $request */
    public static function request(array $request, string $http): RequestInterface
    {
        $headers = [];
        foreach ($request['headers'] as [$name, $value]) {
            $headers[$name][] = $value;
        }
        $body = Credentials::body($request);
        $stream = ($request['body']['once'] ?? false) ? self::once($body) : $body;
        return new Request($request['method'], $request['url'], $headers, $stream, $http === '2' ? '2.0' : $http);
    }

    /** @return array<string, mixed> */
    public static function answer(ResponseInterface $response): array
    {
        return self::shown(
            Refusal::fromResponse($response),
            $response->getStatusCode(),
            (string) preg_replace('/\.0\z/', '', $response->getProtocolVersion()),
            self::pairs($response),
            (string) $response->getBody(),
        );
    }

    /** @return array<string, mixed> */
    public static function curlAnswer(Response $response): array
    {
        return self::shown(
            $response->refusal(),
            $response->status,
            $response->http,
            $response->headers,
            $response->body,
        );
    }

    /**
     * @param list<array{string, string}> $headers
     * @return array<string, mixed>
     */
    private static function shown(?Refusal $refusal, int $status, string $http, array $headers, string $body): array
    {
        return [
            'response' => ['status' => $status, 'http' => $http, 'headers' => $headers, 'body' => base64_encode($body)],
            'refusal' => $refusal === null ? null : get_object_vars($refusal),
        ];
    }

    /** A stream of unknown size that can be read once. */
    private static function once(string $body): PumpStream
    {
        $offset = 0;
        return new PumpStream(static function (int $length) use ($body, &$offset): string|false {
            $part = substr($body, $offset, $length);
            $offset += strlen($part);
            return $part === '' ? false : $part;
        });
    }

    /** @return list<array{string, string}> */
    private static function pairs(ResponseInterface $response): array
    {
        $pairs = [];
        foreach ($response->getHeaders() as $name => $values) {
            foreach ($values as $value) {
                $pairs[] = [(string) $name, $value];
            }
        }
        return $pairs;
    }
}
