<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use GuzzleHttp\Promise\Create;
use GuzzleHttp\Promise\PromiseInterface;
use GuzzleHttp\Psr7\Response;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/** Stands for the gateway: keeps what arrives and answers in the given order, as a handler of Guzzle and by PSR-18. */
final class Gateway implements ClientInterface
{
    /** @var list<RequestInterface> */
    public array $requests = [];

    /** @var list<array<string, mixed>> options of Guzzle, of each request */
    public array $options = [];

    /** @var list<ResponseInterface|\Throwable|\Closure> */
    private array $answers;

    /** @param ResponseInterface|\Throwable|\Closure $answers a closure gets the options of Guzzle */
    public function __construct(ResponseInterface|\Throwable|\Closure ...$answers)
    {
        $this->answers = $answers;
    }

    /** @param array<string, mixed> $options */
    public function __invoke(RequestInterface $request, array $options): PromiseInterface
    {
        $this->options[] = $options;
        $answer = $this->take($request);
        $answer = $answer instanceof \Closure ? $answer($options) : $answer;
        return $answer instanceof \Throwable ? Create::rejectionFor($answer) : Create::promiseFor($answer);
    }

    public function sendRequest(RequestInterface $request): ResponseInterface
    {
        $answer = $this->take($request);
        return $answer instanceof ResponseInterface ? $answer : throw $answer;
    }

    private function take(RequestInterface $request): mixed
    {
        // As a handler does, which reads the body once.
        $this->requests[] = $request->withBody(\GuzzleHttp\Psr7\Utils::streamFor((string) $request->getBody()));
        return array_shift($this->answers) ?? throw new \LogicException('A request too many arrived.');
    }

    /** @param array<string, string> $headers */
    public static function refusal(int $status, string $code, array $headers = []): Response
    {
        $body = "{\"code\":\"$code\",\"message\":\"m\",\"requestId\":\"r\"}";
        return new Response($status, ['Content-Type' => 'application/json'] + $headers, $body);
    }

    public static function token(string $text, int $life = 3600): Response
    {
        $body = (string) json_encode(['access_token' => $text, 'token_type' => 'bearer', 'expires_in' => $life]);
        return new Response(200, ['Content-Type' => 'application/json'], $body);
    }

    /** @return list<string> this header of every request */
    public function header(string $name): array
    {
        return array_map(static fn (RequestInterface $request) => $request->getHeaderLine($name), $this->requests);
    }
}
