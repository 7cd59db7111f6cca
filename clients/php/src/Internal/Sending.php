<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

use Psr\Http\Message\RequestInterface;

/**
 * What must hold below a signature: the target goes out byte for byte, no redirect carries the credential on, and what
 * an API must not get twice is sent once.
 *
 * @internal
 */
final class Sending
{
    private const REPEATABLE = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];

    /** Whether the API may get a request of this method twice. */
    public static function isRepeatable(string $method): bool
    {
        return in_array($method, self::REPEATABLE, true);
    }

    /**
     * Options of curl that no others go before. Curl sends a request again by itself, with any method, when a
     * connection that it kept breaks before the answer; on a new connection it does not.
     *
     * @return array<int, bool>
     */
    public static function curlOptions(string $method): array
    {
        return [
            \CURLOPT_PATH_AS_IS => true,
            \CURLOPT_FOLLOWLOCATION => false,
            \CURLOPT_FRESH_CONNECT => !self::isRepeatable($method),
        ];
    }

    /**
     * The same as options of Guzzle.
     *
     * @param array<string, mixed> $options of the call
     * @return array<string, mixed>
     */
    public static function guzzleOptions(array $options, RequestInterface $request): array
    {
        $options['allow_redirects'] = false;
        // As if it had sent the request again twice already: it does so when curl could not rewind a body.
        $options['_curl_retries'] = 2;
        if (defined('CURLOPT_PATH_AS_IS')) {
            $options['curl'] = self::curlOptions($request->getMethod()) + ($options['curl'] ?? []);
        }
        if (isset($options['stream_context'])) {
            $options['stream_context']['http']['follow_location'] = 0;
        }
        if (isset($options['proxy']) && $request->getUri()->getScheme() === 'http') {
            // Without curl, PHP gives a proxy the path alone.
            $options['stream_context']['http']['request_fulluri'] = true;
        }
        return $options;
    }

    private function __construct()
    {
    }
}
