<?php

declare(strict_types=1);

namespace Postern\Client\Driver;

use GuzzleHttp\Client;
use GuzzleHttp\Promise\PromiseInterface;
use GuzzleHttp\Psr7\HttpFactory;
use Postern\Client\Credential;
use Postern\Client\CurlClient;
use Postern\Client\Guzzle\Middleware;
use Postern\Client\HttpMessageSignature;
use Postern\Client\PrivateKeyJwt;
use Postern\Client\Psr18Client;
use Postern\Client\Request;
use Postern\Client\Response;
use Postern\Client\Tests\Credentials;
use Psr\Http\Message\ResponseInterface;

/** A client of the driver with its adapters. */
final class Session
{
    public readonly Credential $credential;

    /** @var array<string, Client> by version of HTTP */
    private readonly array $guzzle;
    private readonly Psr18Client $psr18;

    /** @var array<string, CurlClient> by version of HTTP */
    private readonly array $curl;

    /**
     * @param array<string, mixed> $client
     * @param array<string, callable> $handlers of Guzzle, by version of HTTP
     */
    public function __construct(array $client, array $handlers)
    {
        $offset = $client['clockOffset'] ?? 0;
        $now = $client['now'] ?? ($offset === 0 ? null : static fn () => microtime(true) + $offset);
        $this->credential = Credentials::of($client, $now, $client['nonces'] ?? []);
        $options = ['http_errors' => false, 'verify' => $client['ca'] ?? true, 'connect_timeout' => 10]
            + array_intersect_key($client, ['proxy' => true]);
        $stack = Middleware::stack(...);
        $this->guzzle = array_map(
            fn (callable $handler) => new Client($options + ['handler' => $stack($this->credential, $handler)]),
            $handlers,
        );
        $follow = [\CURLOPT_FOLLOWLOCATION => true];
        $ca = isset($client['ca']) ? [\CURLOPT_CAINFO => $client['ca']] : [];
        $ca += isset($client['proxy']) ? [\CURLOPT_PROXY => $client['proxy']] : [];
        $ca += $follow;
        $curl = fn (int $version) => new CurlClient($this->credential, $ca + [\CURLOPT_HTTP_VERSION => $version]);
        $this->curl = ['1.1' => $curl(\CURL_HTTP_VERSION_1_1), '2' => $curl(\CURL_HTTP_VERSION_2TLS)];
        // Both always ask for redirects to be followed.
        $guzzle = new Client($options + ['curl' => $follow]);
        $this->psr18 = new Psr18Client($guzzle, $this->credential, new HttpFactory());
    }

    /**
     * @param array<string, mixed> $request
     * @return array<string, mixed>|null
     */
    public function sign(array $request, ?string $acceptSignature): ?array
    {
        $signed = $acceptSignature !== null && $this->credential instanceof HttpMessageSignature
            ? $this->credential->signAgain(self::request($request), $acceptSignature)
            : $this->credential->sign(self::request($request));
        return $signed === null ? null : [
            'method' => $signed->method(),
            'url' => $signed->url(),
            'headers' => $signed->headers(),
            'body' => base64_encode($signed->body()),
        ];
    }

    public function assertion(): string
    {
        return $this->credential instanceof PrivateKeyJwt
            ? $this->credential->assertion()
            : throw new \RuntimeException('The method has no assertions.');
    }

    /** @param array<string, mixed> $request */
    public function sendGuzzle(array $request, string $http): PromiseInterface
    {
        $follow = ['allow_redirects' => ['strict' => true], 'curl' => [\CURLOPT_FOLLOWLOCATION => true]];
        $options = ($request['follow'] ?? false) ? $follow : [];
        return $this->guzzle[$http]->sendAsync(Messages::request($request, $http), $options);
    }

    /** @param array<string, mixed> $request */
    public function sendPsr18(array $request, string $http): ResponseInterface
    {
        return $this->psr18->sendRequest(Messages::request($request, $http));
    }

    /** @param array<string, mixed> $request */
    public function sendCurl(array $request, string $http): Response
    {
        return $this->curl[$http]->sendRequest(self::request($request));
    }

    /** @param array<string, mixed> $request */
    private static function request(array $request): Request
    {
        ['method' => $method, 'url' => $url, 'headers' => $headers] = $request;
        return new Request($method, $url, $headers, Credentials::body($request));
    }
}
