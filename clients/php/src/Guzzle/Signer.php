<?php

declare(strict_types=1);

namespace Postern\Client\Guzzle;

use GuzzleHttp\Promise\Create;
use GuzzleHttp\Promise\PromiseInterface;
use Postern\Client\Credential;
use Postern\Client\Internal\Opaque;
use Postern\Client\Problem;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/**
 * The handler that {@see Middleware::for()} puts before the next one.
 *
 * @internal
 */
final class Signer
{
    use Opaque;

    private readonly Redirects $redirects;
    private readonly TokenSource $tokens;
    private readonly \Closure $handler;

    public function __construct(private readonly Credential $credential, callable $handler)
    {
        $this->handler = \Closure::fromCallable($handler);
        $this->redirects = new Redirects();
        $this->tokens = new TokenSource($credential, $this->handler);
    }

    /**
     * @param array<string, mixed> $options
     * @return PromiseInterface of a response
     */
    public function __invoke(RequestInterface $request, array $options): PromiseInterface
    {
        $follows = $options['allow_redirects'] ?? false;
        if (!$this->redirects->maySign($request, $options)) {
            return ($this->handler)($request, ['allow_redirects' => false] + $options);
        }
        try {
            $exchange = new Exchange($this->credential, $this->tokens, $this->handler, $request, $options);
        } catch (Problem $problem) {
            return Create::rejectionFor($problem);
        }
        $promise = $exchange->run();
        return $follows === false ? $promise : $promise->then(
            function (ResponseInterface $response) use ($request): ResponseInterface {
                $this->redirects->remember($request, $response);
                return $response;
            },
        );
    }
}
