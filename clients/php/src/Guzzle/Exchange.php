<?php

declare(strict_types=1);

namespace Postern\Client\Guzzle;

use GuzzleHttp\Promise\Create;
use GuzzleHttp\Promise\PromiseInterface;
use GuzzleHttp\Psr7\CachingStream;
use GuzzleHttp\Psr7\Utils;
use Postern\Client\Credential;
use Postern\Client\Internal\Attempts;
use Postern\Client\Internal\Opaque;
use Postern\Client\Internal\Psr7;
use Postern\Client\Internal\Sending;
use Postern\Client\Internal\Token;
use Postern\Client\Internal\WithoutArguments;
use Postern\Client\Problem;
use Postern\Client\Refusal;
use Postern\Client\TokenCredential;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/**
 * One call with all its attempts.
 *
 * @internal
 */
final class Exchange
{
    use Opaque;

    private readonly Attempts $attempts;
    private readonly Sink $sink;
    private readonly ?string $body;
    private readonly bool $isRepeatable;
    /** @var array<string, mixed> */
    private array $options;

    /**
     * @param \Closure(RequestInterface, array<string, mixed>): PromiseInterface $handler
     * @param array<string, mixed> $options
     * @throws Problem when the body is too large or the target cannot be signed
     */
    public function __construct(
        private readonly Credential $credential,
        private readonly TokenSource $tokens,
        private readonly \Closure $handler,
        private readonly RequestInterface $request,
        array $options,
    ) {
        $this->attempts = new Attempts($credential, $request->getMethod());
        $this->body = Psr7::bodyOf($request, $credential);
        $this->sink = new Sink($options['sink'] ?? null);
        $stream = $request->getBody();
        $isAtHand = $this->body !== null || $stream->getSize() === 0 || $stream->isSeekable();
        $this->isRepeatable = $isAtHand && $this->sink->canReset();
        $this->options = Sending::guzzleOptions($options, $request);
    }

    public function run(): PromiseInterface
    {
        $version = $this->request->getProtocolVersion();
        return $this->tokens->ready($this->options, $version)->then(fn (): PromiseInterface => $this->send());
    }

    private function send(): PromiseInterface
    {
        $token = $this->credential instanceof TokenCredential ? $this->credential->token() : null;
        $unsigned = Psr7::toRequest($this->request, $this->body);
        // The handler waits after this. Signed for now, two attempts within a second would have the same signature.
        $signed = $this->credential->clock()->after(
            ($this->options['delay'] ?? 0) / 1000,
            fn () => $this->attempts->sign($unsigned),
        );
        $request = Psr7::apply($signed, $this->request, Utils::streamFor(...), $this->body !== null);
        $promise = WithoutArguments::during(fn () => ($this->handler)($request, $this->options));
        return $promise->then(
            fn (ResponseInterface $response) => $this->answered($response, $token),
            fn (mixed $reason) => $this->failed($reason),
        );
    }

    private function answered(ResponseInterface $response, ?Token $token): ResponseInterface|PromiseInterface
    {
        if ($response->getStatusCode() >= 400 && !$response->getBody()->isSeekable()) {
            $response = $response->withBody(new CachingStream($response->getBody()));
        }
        $refusal = Refusal::fromResponse($response);
        if ($refusal === null) {
            return $response;
        }
        // Also what cannot be sent again drops a token that is refused.
        [$date, $asked] = [$response->getHeaderLine('Date'), $response->getHeaderLine('Accept-Signature')];
        $wait = $this->attempts->afterRefusal($refusal, $date, $token, $asked);
        return $wait === null || !$this->isRepeatable ? $response : $this->again($wait);
    }

    private function failed(mixed $reason): PromiseInterface
    {
        $wait = $this->isRepeatable && Failure::isWithoutAnswer($reason)
            ? $this->attempts->afterNoAnswer()
            : null;
        return $wait === null
            ? Create::rejectionFor(Failure::of($reason, $this->request, $this->credential))
            : $this->again($wait);
    }

    private function again(float $seconds): PromiseInterface
    {
        $this->sink->reset();
        if ($this->body === null && $this->request->getBody()->isSeekable()) {
            $this->request->getBody()->rewind();
        }
        // The handler waits, so that other calls go on.
        $this->options['delay'] = $seconds * 1000;
        return $this->run();
    }
}
