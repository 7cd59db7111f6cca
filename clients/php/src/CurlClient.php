<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\Attempts;
use Postern\Client\Internal\CurlCall;
use Postern\Client\Internal\Opaque;
use Postern\Client\Internal\Pause;

/**
 * Calls with PHP's curl extension alone: signs, gets tokens and tries again; waits by sleeping. Follows no redirects.
 */
final class CurlClient
{
    use Opaque;

    private readonly CurlCall $curl;
    private readonly \Closure $sleep;

    /**
     * @param array<int, mixed> $options of curl, such as `[CURLOPT_TIMEOUT => 30, CURLOPT_CAINFO => 'ca.pem']`
     * @param (\Closure(float): void)|null $sleep waits for so many seconds; only tests give another one
     */
    public function __construct(private readonly Credential $credential, array $options = [], ?\Closure $sleep = null)
    {
        $this->curl = new CurlCall($options);
        $this->sleep = $sleep ?? Pause::for(...);
    }

    /**
     * @param string $url absolute
     * @param array<string, string> $headers values by their names
     * @throws Problem when the request cannot be signed; nothing was sent
     * @throws TokenRefused when there is no token
     * @throws ConnectionFailed when no answer came
     */
    public function send(string $method, string $url, array $headers = [], string $body = ''): Response
    {
        $pairs = array_map(static fn ($name, $value) => [(string) $name, $value], array_keys($headers), $headers);
        return $this->sendRequest(new Request($method, $url, $pairs, $body));
    }

    /** As {@see send()}, for headers that repeat. */
    public function sendRequest(Request $request): Response
    {
        $attempts = new Attempts($this->credential, $request->method);
        for (;;) {
            $response = null;
            try {
                $this->prepareToken();
                $token = $this->credential instanceof TokenCredential ? $this->credential->token() : null;
                $response = $this->curl->send($attempts->sign($request), $this->credential);
                $refusal = $response->refusal();
                $date = $response->header('Date') ?? '';
                $asked = $response->header('Accept-Signature') ?? '';
                $wait = $refusal === null ? null : $attempts->afterRefusal($refusal, $date, $token, $asked);
            } catch (ConnectionFailed $failure) {
                $wait = $failure->isOfConnection() ? $attempts->afterNoAnswer() : null;
                if ($wait === null) {
                    throw $failure;
                }
            }
            if ($wait === null) {
                return $response;
            }
            ($this->sleep)($wait);
        }
    }

    private function prepareToken(): void
    {
        $credential = $this->credential;
        if (!$credential instanceof TokenCredential || $credential->hasToken()) {
            return;
        }
        foreach ([true, false] as $isFirst) {
            $response = $this->curl->send($credential->tokenRequest(), $credential);
            $date = $response->header('Date') ?? '';
            if ($credential->acceptToken($response->status, $response->body, $date, $isFirst)) {
                return;
            }
        }
    }
}
