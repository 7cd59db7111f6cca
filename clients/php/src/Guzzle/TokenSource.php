<?php

declare(strict_types=1);

namespace Postern\Client\Guzzle;

use GuzzleHttp\Promise\Create;
use GuzzleHttp\Promise\PromiseInterface;
use GuzzleHttp\Psr7\Request;
use Postern\Client\Credential;
use Postern\Client\Internal\WithoutArguments;
use Postern\Client\Problem;
use Postern\Client\TokenCredential;
use Psr\Http\Message\ResponseInterface;

/**
 * Gets tokens over the handler of the client; concurrent calls wait for one question.
 *
 * @internal
 */
final class TokenSource
{
    /** Options of the call that hold for the question too; all others are about the call itself. */
    private const KEPT = [
        'allow_redirects', 'cert', 'connect_timeout', 'curl', 'force_ip_resolve', 'proxy', 'ssl_key', 'synchronous',
        'timeout', 'verify',
    ];

    private ?PromiseInterface $question = null;

    /** @param \Closure(\Psr\Http\Message\RequestInterface, array<string, mixed>): PromiseInterface $handler */
    public function __construct(private readonly Credential $credential, private readonly \Closure $handler)
    {
    }

    /**
     * @param array<string, mixed> $options of the call
     * @param string $version of HTTP, that of the call, so that both can share a connection
     * @return PromiseInterface fulfilled when there is a token, or none is needed
     */
    public function ready(array $options, string $version): PromiseInterface
    {
        if (!$this->credential instanceof TokenCredential || $this->credential->hasToken()) {
            return Create::promiseFor(null);
        }
        $kept = array_intersect_key($options, array_flip(self::KEPT));
        try {
            return $this->question ??= $this->ask($this->credential, $kept, $version);
        } catch (Problem $problem) {
            return Create::rejectionFor($problem);
        }
    }

    /** @param array<string, mixed> $options */
    private function ask(
        TokenCredential $credential,
        array $options,
        string $version,
        bool $isFirst = true,
    ): PromiseInterface {
        $signed = $credential->tokenRequest();
        $headers = [];
        foreach ($signed->headers() as [$name, $value]) {
            $headers[$name] = $value;
        }
        $request = new Request($signed->method(), $signed->url(), $headers, $signed->body(), $version);
        $promise = WithoutArguments::during(fn () => ($this->handler)($request, $options));
        return $promise->then(
            function (ResponseInterface $response) use (
                $credential,
                $options,
                $version,
                $isFirst,
            ): ?PromiseInterface {
                $this->question = null;
                $body = (string) $response->getBody();
                $date = $response->getHeaderLine('Date');
                if ($credential->acceptToken($response->getStatusCode(), $body, $date, $isFirst)) {
                    return null;
                }
                return $this->question = $this->ask($credential, $options, $version, false);
            },
            function (mixed $reason) use ($credential, $signed): PromiseInterface {
                $this->question = null;
                return Create::rejectionFor(Failure::ofTokenRequest($reason, $signed, $credential));
            },
        );
    }
}
