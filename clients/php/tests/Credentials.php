<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use Postern\Client\Credential;
use Postern\Client\Hmac;
use Postern\Client\HttpMessageSignature;
use Postern\Client\Key;
use Postern\Client\OAuth2;
use Postern\Client\ParameterSignature;
use Postern\Client\PrivateKey;
use Postern\Client\PrivateKeyJwt;

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
        $own = ['nonce' => $client['nonce'] ?? true] + $signing;
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
            'http-message-signature' => new HttpMessageSignature(...[
                $client['appKey'],
                self::privateKey($client['privateKey'] ?? []),
                ...array_intersect_key($client, ['algorithm' => 1, 'tag' => 1, 'coverAlso' => 1, 'label' => 1]),
                ...$own,
            ]),
            'private-key-jwt' => new PrivateKeyJwt(...[
                $client['appKey'],
                self::privateKey($client['privateKey'] ?? []),
                $client['tokenUrl'],
                ...array_intersect_key($client, ['algorithm' => 1, 'audience' => 1]),
                ...array_diff_key($own, ['nonce' => 1]),
            ]),
        };
    }

    /** @param array<string, mixed> $privateKey */
    private static function privateKey(array $privateKey): PrivateKey
    {
        return match (true) {
            isset($privateKey['jwk']) => PrivateKey::fromJwk($privateKey['jwk']),
            isset($privateKey['signer']) => PrivateKey::fromSigner(
                static fn (string $bytes) => self::ask($privateKey['signer'], $bytes),
            ),
            default => PrivateKey::fromPem($privateKey['pem'] ?? ''),
        };
    }

    /** @param list<string> $words that start a program which signs its standard input */
    private static function ask(array $words, string $bytes): string
    {
        $process = proc_open($words, [['pipe', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);
        @fwrite($pipes[0], $bytes);
        fclose($pipes[0]);
        $signature = (string) stream_get_contents($pipes[1]);
        fclose($pipes[1]);
        return proc_close($process) === 0 ? $signature : throw new \RuntimeException('the signer failed');
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
