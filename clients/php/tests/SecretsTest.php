<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Postern\Client\Credential;
use Postern\Client\Hmac;
use Postern\Client\HttpMessageSignature;
use Postern\Client\Key;
use Postern\Client\OAuth2;
use Postern\Client\ParameterSignature;
use Postern\Client\PrivateKey;
use Postern\Client\PrivateKeyJwt;
use Postern\Client\Problem;
use Postern\Client\Request;

/** No way to print an object shows a secret. */
final class SecretsTest extends TestCase
{
    private const SECRET = 'kept-secret-0123456789';
    private const TOKEN = 'kept-token-0123456789';

    /** @return array<string, array{Credential, list<string>}> */
    public static function credentials(): array
    {
        $oauth2 = new OAuth2('app', self::SECRET, 'https://api.example.com/oauth2/token');
        $answer = ['access_token' => self::TOKEN, 'token_type' => 'Bearer', 'expires_in' => 3600];
        $oauth2->acceptToken(200, (string) json_encode($answer));
        $basic = base64_encode('app:' . self::SECRET);
        return [
            'key' => [new Key(self::SECRET), [self::SECRET]],
            'key in the query' => [new Key(self::SECRET, query: 'appKey'), [self::SECRET]],
            'hmac' => [new Hmac('app', self::SECRET), [self::SECRET]],
            'parameter signature' => [new ParameterSignature('app', self::SECRET), [self::SECRET]],
            'oauth2' => [$oauth2, [self::SECRET, self::TOKEN, $basic]],
            ...self::ofKeys(),
        ];
    }

    /** @return iterable<string, array{Credential, list<string>}> */
    private static function ofKeys(): iterable
    {
        $text = (string) file_get_contents(__DIR__ . '/../../public-key-vectors.json');
        foreach (json_decode($text, true)['keys'] as $name => ['pem' => $pem, 'jwk' => $jwk]) {
            $bytes = (string) base64_decode(strtr($jwk['d'], '-_', '+/'));
            $texts = [explode("\n", $pem)[1], $jwk['d'], substr(base64_encode($bytes), 0, 40)];
            $secrets = [...$texts, bin2hex($bytes), $bytes];
            yield "a message signature by $name" => [
                new HttpMessageSignature('app', PrivateKey::fromPem($pem)),
                $secrets,
            ];
            $jwt = new PrivateKeyJwt('app', PrivateKey::fromJwk($jwk), 'https://api.example.com/oauth2/token');
            $answer = ['access_token' => self::TOKEN, 'token_type' => 'Bearer', 'expires_in' => 3600];
            $jwt->acceptToken(200, (string) json_encode($answer));
            yield "an assertion by $name" => [$jwt, [...$secrets, self::TOKEN, 'eyJhbGci']];
        }
    }

    /**
     * @dataProvider credentials
     * @param list<string> $secrets
     */
    #[DataProvider('credentials')]
    public function testPrintedObjectsShowNoSecret(Credential $credential, array $secrets): void
    {
        $text = Printer::all($credential) . Printer::one($credential->sign(self::request()), 'signed');
        self::assertStringContainsString('[secret]', $text);
        self::assertStringContainsString('__set_state', $text, 'var_export was among the ways to print');
        foreach ($secrets as $secret) {
            self::assertStringNotContainsString($secret, $text);
        }
    }

    /**
     * @dataProvider credentials
     * @param list<string> $secrets
     */
    #[DataProvider('credentials')]
    public function testSerializingIsRefused(Credential $credential, array $secrets): void
    {
        foreach ([$credential, $credential->sign(self::request())] as $object) {
            try {
                serialize($object);
                self::fail('it was serialized');
            } catch (\LogicException $refused) {
                self::assertStringContainsString('holds secrets', $refused->getMessage());
                self::assertStringNotContainsString($secrets[0], (string) $refused);
            }
        }
    }

    /** @return array<string, array{\Closure(string): Credential}> */
    public static function mistakes(): array
    {
        return [
            'an App Key with a blank' => [static fn (string $secret) => new Key("$secret x")],
            'an App Secret with white space' => [static fn (string $secret) => new Hmac('app', "$secret ")],
            'an algorithm' => [static fn (string $secret) => new Hmac('app', $secret, algorithm: 'md5')],
            'a PEM' => [static fn (string $secret) => self::signs(PrivateKey::fromPem($secret))],
            'a JWK' => [
                static fn (string $secret) => self::signs(PrivateKey::fromJwk(['kty' => 'OKP', 'd' => $secret])),
            ],
            'a JWK of a curve' => [
                static fn (string $secret) => self::signs(
                    PrivateKey::fromJwk(['kty' => 'EC', 'crv' => 'P-256', 'd' => $secret]),
                ),
            ],
            'a token URL' => [static fn (string $secret) => new OAuth2('app', $secret, "//$secret")],
            'an encoding' => [static fn (string $secret) => new ParameterSignature('app', $secret, encoding: $secret)],
        ];
    }

    /**
     * @dataProvider mistakes
     * @param \Closure(string): Credential $make
     */
    #[DataProvider('mistakes')]
    public function testExceptionsOfSettingsShowNoSecretWithArgumentsInTraces(\Closure $make): void
    {
        $before = ini_set('zend.exception_ignore_args', '0');
        ini_set('zend.exception_string_param_max_len', '1000');
        try {
            $make(self::SECRET);
            self::fail('the mistake was not seen');
        } catch (Problem $problem) {
            self::assertSame('INVALID_CREDENTIAL', $problem->problemCode->value);
            self::assertStringNotContainsString(self::SECRET, $problem . print_r($problem->getTrace(), true));
            self::assertSame('0', ini_get('zend.exception_ignore_args'), 'the setting of the program stays');
        } finally {
            ini_set('zend.exception_ignore_args', (string) $before);
        }
    }

    private static function signs(PrivateKey $key): Credential
    {
        return new HttpMessageSignature('app', $key);
    }

    private static function request(): Request
    {
        return new Request('GET', 'https://api.example.com/orders?a=1');
    }
}
