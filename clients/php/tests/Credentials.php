<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use Postern\Client\Credential;
use Postern\Client\Hmac;
use Postern\Client\Key;
use Postern\Client\OAuth2;
use Postern\Client\ParameterSignature;

/** Credentials and bodies as clients/CONTRACT.md writes them. */
final class Credentials
{
    /**
     * @param array<string, mixed> $client
     * @param list<string> $nonces used in order
     */
    public static function of(array $client, int|\Closure|null $now = null, array $nonces = []): Credential
    {
        $clock = is_int($now) ? static fn () => $now : $now;
        $nonce = static function () use (&$nonces): string {
            return array_shift($nonces) ?? throw new \LogicException('There are no more nonces.');
        };
        $signing = [
            'nonce' => $client['nonce'] ?? false,
            'retries' => $client['retries'] ?? 2,
            'clockCorrection' => $client['clockCorrection'] ?? 0,
            'now' => $clock,
            'nonces' => $nonces === [] ? null : $nonce,
        ];
        return match ($client['method']) {
            'key' => new Key(
                $client['appKey'],
                header: $client['carrier']['header'] ?? 'X-App-Key',
                query: $client['carrier']['query'] ?? null,
                retries: $client['retries'] ?? 2,
            ),
            'hmac' => new Hmac(...[
                $client['appKey'],
                $client['appSecret'],
                $client['algorithm'] ?? 'hmac-sha256',
                $client['signedHeaders'] ?? [],
                ...$signing,
            ]),
            'parameter-signature' => new ParameterSignature(...[
                $client['appKey'],
                $client['appSecret'],
                $client['encoding'] ?? 'decoded',
                ...$signing,
            ]),
            'oauth2' => new OAuth2(
                $client['appKey'],
                $client['appSecret'],
                $client['tokenUrl'],
                retries: $client['retries'] ?? 2,
                now: $clock,
            ),
        };
    }

    /** @param array<string, mixed> $request */
    public static function body(array $request): string
    {
        $body = $request['body'] ?? ['text' => ''];
        return match (true) {
            isset($body['base64']) => (string) base64_decode($body['base64'], true),
            isset($body['repeat']) => str_repeat($body['repeat'], $body['times']),
            default => $body['text'],
        };
    }
}
