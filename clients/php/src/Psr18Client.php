<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\Attempts;
use Postern\Client\Internal\Opaque;
use Postern\Client\Internal\Pause;
use Postern\Client\Internal\Psr7;
use Postern\Client\Psr18\ConnectionFailed;
use Postern\Client\Psr18\NoToken;
use Postern\Client\Psr18\RequestFailed;
use Postern\Client\Psr18\Sender;
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
 * The client within must not follow redirects, because it would carry the signature to another host; Guzzle and
 * Symfony's are told so. Through another client than Guzzle, connections are closed after each call, so that none of them sends a
 * POST twice, and a path with dot segments is not signed.
 */
final class Psr18Client implements ClientInterface
{
    use Opaque;

    private readonly Sender $sender;
    private readonly \Closure $sleep;

    /**
     * @param RequestFactoryInterface&StreamFactoryInterface $factory of the same PSR-7 library as the requests
     * @param (\Closure(float): void)|null $sleep waits for so many seconds; only tests give another one
     */
    public function __construct(
        ClientInterface $client,
        private readonly Credential $credential,
        private readonly RequestFactoryInterface&StreamFactoryInterface $factory,
        ?\Closure $sleep = null,
    ) {
        $this->sender = new Sender($client);
        $this->sleep = $sleep ?? Pause::for(...);
    }

    /**
     * @throws Problem when the request cannot be signed
     * @throws TokenRefused when there is no token
     * @throws ClientExceptionInterface always; the other two are such exceptions too
     */
    public function sendRequest(RequestInterface $request): ResponseInterface
    {
        try {
            return $this->exchange($request);
        } catch (Problem $problem) {
            throw UnsignableRequest::for($request, $problem);
        } catch (TokenRefused $refused) {
            throw NoToken::for($request, $refused);
        } catch (NetworkExceptionInterface $failure) {
            throw ConnectionFailed::for($request, $failure, $this->credential);
        } catch (ClientExceptionInterface $failure) {
            throw RequestFailed::for($request, $failure, $this->credential);
        }
    }

    private function exchange(RequestInterface $request): ResponseInterface
    {
        $this->sender->check($request->getUri()->getPath());
        $body = Psr7::bodyOf($request, $this->credential);
        $attempts = new Attempts($this->credential, $request->getMethod());
        $stream = $request->getBody();
        $isRepeatable = $body !== null || $stream->getSize() === 0 || $stream->isSeekable();
        for (;;) {
            $response = null;
            try {
                $this->prepareToken($request->getProtocolVersion());
                $token = $this->credential instanceof TokenCredential ? $this->credential->token() : null;
                $response = $this->send($this->signed($attempts, $request, $body));
                $refusal = Refusal::fromResponse($response);
                $date = $response->getHeaderLine('Date');
                $asked = $response->getHeaderLine('Accept-Signature');
                $wait = $refusal === null ? null : $attempts->afterRefusal($refusal, $date, $token, $asked);
            } catch (ClientExceptionInterface $failure) {
                $isLost = $isRepeatable && Sender::isWithoutAnswer($failure);
                $wait = ($isLost ? $attempts->afterNoAnswer() : null) ?? throw $failure;
            }
            // Also what cannot be sent again drops a token that is refused.
            if ($wait === null || !$isRepeatable) {
                return $response;
            }
            ($this->sleep)($wait);
        }
    }

    private function signed(Attempts $attempts, RequestInterface $request, ?string $body): RequestInterface
    {
        if ($body === null && $request->getBody()->isSeekable()) {
            $request->getBody()->rewind();
        }
        $signed = $attempts->sign(Psr7::toRequest($request, $body));
        return Psr7::apply($signed, $request, $this->factory->createStream(...), $body !== null);
    }

    private function send(RequestInterface $signed): ResponseInterface
    {
        return $this->sender->send($signed);
    }

    /** @param string $version of HTTP, that of the call, so that both can share a connection */
    private function prepareToken(string $version): void
    {
        if (!$this->credential instanceof TokenCredential || $this->credential->hasToken()) {
            return;
        }
        foreach ([true, false] as $isFirst) {
            $response = $this->ask($this->credential->tokenRequest(), $version);
            $body = (string) $response->getBody();
            $date = $response->getHeaderLine('Date');
            if ($this->credential->acceptToken($response->getStatusCode(), $body, $date, $isFirst)) {
                return;
            }
        }
    }

    private function ask(SignedRequest $signed, string $version): ResponseInterface
    {
        $request = $this->factory->createRequest($signed->method(), $signed->url())->withProtocolVersion($version);
        foreach ($signed->headers() as [$name, $value]) {
            $request = $request->withHeader($name, $value);
        }
        return $this->send($request->withBody($this->factory->createStream($signed->body())));
    }
}
