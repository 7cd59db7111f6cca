<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\Attempts;
use Postern\Client\Internal\Opaque;
use Postern\Client\Internal\Psr7;
use Postern\Client\Internal\Token;
use Postern\Client\Psr18\UnsignableRequest;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Client\NetworkExceptionInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * Signs the calls of any PSR-18 client, gets tokens and tries again; waits by sleeping.
 *
 * The client within must not follow redirects, because it would carry the signature to another host.
 */
final class Psr18Client implements ClientInterface
{
    use Opaque;

    /** @param \Closure(float): void $sleep waits for seconds; only tests give another one */
    private readonly \Closure $sleep;

    public function __construct(
        private readonly ClientInterface $client,
        private readonly Credential $credential,
        private readonly RequestFactoryInterface&StreamFactoryInterface $factory,
        ?\Closure $sleep = null,
    ) {
        $this->sleep = $sleep ?? static fn (float $seconds) => usleep((int) ceil($seconds * 1_000_000));
    }

    /**
     * @throws Problem when the request cannot be signed; it is a PSR-18 RequestExceptionInterface too
     * @throws TokenRefused when there is no token
     * @throws ClientExceptionInterface of the client within
     */
    public function sendRequest(RequestInterface $request): ResponseInterface
    {
        try {
            $body = Psr7::bodyOf($request, $this->credential);
            $attempts = new Attempts($this->credential);
            $stream = $request->getBody();
            $isRepeatable = $body !== null || $stream->getSize() === 0 || $stream->isSeekable();
            do {
                $wait = $this->attempt($request, $body, $attempts, $isRepeatable, $response);
                if ($wait !== null && $wait > 0) {
                    ($this->sleep)($wait);
                }
            } while ($wait !== null);
            return $response;
        } catch (Problem $problem) {
            throw UnsignableRequest::for($request, $problem);
        }
    }

    /** @return float|null seconds to wait before the next attempt; null when $response is the answer */
    private function attempt(
        RequestInterface $request,
        ?string $body,
        Attempts $attempts,
        bool $isRepeatable,
        ?ResponseInterface &$response,
    ): ?float {
        if ($body === null && $request->getBody()->isSeekable()) {
            $request->getBody()->rewind();
        }
        $token = $this->token();
        $signed = $this->credential->sign(Psr7::toRequest($request, $body));
        $toSend = Psr7::apply($signed, $request, $this->factory->createStream(...), $body !== null);
        try {
            $response = $this->client->sendRequest($toSend);
        } catch (NetworkExceptionInterface $failure) {
            return ($isRepeatable ? $attempts->afterNoAnswer($request->getMethod()) : null) ?? throw $failure;
        }
        $refusal = $isRepeatable ? Refusal::fromResponse($response) : null;
        return $refusal === null ? null : $attempts->afterRefusal($refusal, $response->getHeaderLine('Date'), $token);
    }

    /** The token to send, which is asked for when there is none; null for other methods. */
    private function token(): ?Token
    {
        if (!$this->credential instanceof OAuth2) {
            return null;
        }
        if (!$this->credential->hasToken()) {
            $signed = $this->credential->tokenRequest();
            $request = $this->factory->createRequest($signed->method(), $signed->url());
            foreach ($signed->headers() as [$name, $value]) {
                $request = $request->withHeader($name, $value);
            }
            $request = $request->withBody($this->factory->createStream($signed->body()));
            $response = $this->client->sendRequest($request);
            $this->credential->acceptToken($response->getStatusCode(), (string) $response->getBody());
        }
        return $this->credential->token();
    }
}
