<?php

declare(strict_types=1);

namespace Postern\Client\Psr18;

use GuzzleHttp\ClientInterface as GuzzleClient;
use Postern\Client\Guzzle\Failure;
use Postern\Client\Internal\Sending;
use Postern\Client\Internal\WithoutArguments;
use Postern\Client\Problem;
use Postern\Client\ProblemCode;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Client\NetworkExceptionInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Symfony\Component\HttpClient\Psr18Client as SymfonyClient;

/**
 * Sends what was signed through a PSR-18 client, once and as it is.
 *
 * PSR-18 has no words for that, so Guzzle is told in its own. Of all others nobody knows what they do with dot segments,
 * which are refused, or with a kept connection that breaks, so that none is kept.
 *
 * @internal
 */
final class Sender
{
    private readonly ClientInterface $client;

    public function __construct(ClientInterface $client)
    {
        // It follows redirects unless told otherwise, and takes an App Key in a header along.
        $follows = $client instanceof SymfonyClient && method_exists($client, 'withOptions');
        $this->client = $follows ? $client->withOptions(['max_redirects' => 0]) : $client;
    }

    /** @throws Problem TARGET_NOT_SIGNABLE when the client may send another target */
    public function check(string $path): void
    {
        $hasDots = preg_match('~/(?:\.|%2e){1,2}(?:/|\z)~i', $path) === 1;
        if ($hasDots && !$this->client instanceof GuzzleClient) {
            throw Problem::of(ProblemCode::TargetNotSignable, 'A client may take dot segments out of the path.');
        }
    }

    public function send(RequestInterface $request): ResponseInterface
    {
        return WithoutArguments::during(fn () => $this->client instanceof GuzzleClient
            ? $this->client->send($request, self::guzzleOptions($this->client, $request))
            : $this->client->sendRequest($request->withHeader('Connection', 'close')));
    }

    /** Whether a failure is that of a connection, so that no answer came. */
    public static function isWithoutAnswer(\Throwable $failure): bool
    {
        return $failure instanceof NetworkExceptionInterface
            || $failure instanceof \GuzzleHttp\Exception\RequestException && Failure::isWithoutAnswer($failure);
    }

    /** @return array<string, mixed> what Guzzle's own sendRequest sets, and what keeps a request to one sending */
    private static function guzzleOptions(GuzzleClient $client, RequestInterface $request): array
    {
        // Options of a call take the place of the client's, also those of curl.
        $options = method_exists($client, 'getConfig') ? (array) $client->getConfig() : [];
        $kept = array_intersect_key($options, ['curl' => true, 'proxy' => true, 'stream_context' => true]);
        return Sending::guzzleOptions($kept, $request) + ['synchronous' => true, 'http_errors' => false];
    }
}
