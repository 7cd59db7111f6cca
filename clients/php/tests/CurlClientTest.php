<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use PHPUnit\Framework\TestCase;
use Postern\Client\ConnectionFailed;
use Postern\Client\Credential;
use Postern\Client\CurlClient;
use Postern\Client\Hmac;
use Postern\Client\Key;
use Postern\Client\OAuth2;
use Postern\Client\Response;

/** The client without a library, against a server that shows what arrives. */
final class CurlClientTest extends TestCase
{
    private static EchoServer $server;

    /** @var list<float> */
    private array $waits = [];

    public static function setUpBeforeClass(): void
    {
        self::$server = new EchoServer();
    }

    public static function tearDownAfterClass(): void
    {
        self::$server->stop();
    }

    /** @param array<int, mixed> $options */
    private function client(Credential $credential, array $options = []): CurlClient
    {
        return new CurlClient($credential, $options, function (float $seconds): void {
            $this->waits[] = $seconds;
        });
    }

    /** @return array<string, mixed> what arrived */
    private static function shown(Response $response): array
    {
        return json_decode($response->body, true, flags: JSON_THROW_ON_ERROR);
    }

    public function testSendsExactlyWhatWasSigned(): void
    {
        $credential = new Hmac('app', 'secret', signedHeaders: ['host', 'x-empty'], now: static fn () => 1795228800);
        $url = self::$server->url . '/a/../b?x=%c3%b6&y=[1]#part';
        $headers = ['X-Empty' => '', 'Content-Type' => 'application/json'];
        $response = $this->client($credential)->send('PUT', $url, $headers, '{"a":1}');
        $sent = self::shown($response);
        self::assertSame(['PUT', '{"a":1}'], [$sent['method'], $sent['body']]);
        self::assertSame('/a/../b?x=%c3%b6&y=[1]', $sent['target']);
        $signed = $credential->sign(new \Postern\Client\Request('PUT', $url, [
            ['X-Empty', ''],
            ['Content-Type', 'application/json'],
        ], '{"a":1}'));
        $expected = array_change_key_case(array_column($signed->setHeaders(), 1, 0));
        self::assertSame($expected, array_intersect_key($sent['headers'], $expected));
        self::assertSame(['7', ''], [$sent['headers']['content-length'], $sent['headers']['x-empty']]);
        self::assertSame([200, '1.1', 'yes'], [$response->status, $response->http, $response->header('x-shown')]);
    }

    public function testAddsNoHeaderThatWasNotAskedFor(): void
    {
        $sent = self::shown($this->client(new Key('app'))->send('POST', self::$server->url . '/a', [], '{}'));
        self::assertArrayNotHasKey('content-type', $sent['headers']);
        self::assertArrayNotHasKey('expect', $sent['headers']);
        self::assertSame('app', $sent['headers']['x-app-key']);
    }

    public function testEveryMethodArrivesWithItsBody(): void
    {
        foreach (['GET', 'DELETE', 'POST', 'PATCH', 'OPTIONS'] as $method) {
            foreach (['', 'x'] as $body) {
                $sent = self::shown($this->client(new Key('app'))->send($method, self::$server->url . '/a', [], $body));
                self::assertSame([$method, $body], [$sent['method'], $sent['body']]);
            }
        }
        $response = $this->client(new Key('app'))->send('HEAD', self::$server->url . '/a');
        self::assertSame(['', 'yes'], [$response->body, $response->header('X-Shown')]);
    }

    public function testFollowsNoRedirectWhateverTheOptionsSay(): void
    {
        $client = $this->client(new Key('app'), [\CURLOPT_FOLLOWLOCATION => true]);
        self::assertSame(302, $client->send('GET', self::$server->url . '/redirect')->status);
    }

    public function testTriesAgainAndGivesTheLastRefusal(): void
    {
        $response = $this->client(new Key('app', retries: 3))->send('POST', self::$server->url . '/limited', [], '{}');
        self::assertSame([429, 'RATE_LIMITED'], [$response->status, $response->refusal()?->code]);
        self::assertSame([2.0, 2.0, 2.0], $this->waits);
    }

    public function testGetsATokenAndKeepsIt(): void
    {
        $client = $this->client(new OAuth2('app', 'secret', self::$server->url . '/token'));
        $tokens = [];
        foreach ([1, 2] as $call) {
            $tokens[] = self::shown($client->send('GET', self::$server->url . "/$call"))['headers']['authorization'];
        }
        // The server makes its token of what it was asked with.
        $expected = 'Bearer ' . md5('Basic ' . base64_encode('app:secret') . 'grant_type=client_credentials');
        self::assertSame([$expected, $expected], $tokens);
    }

    public function testAnUnreachableGatewayIsAnErrorWithoutSecrets(): void
    {
        try {
            $this->client(new Key('kept-secret', query: 'key'))->send('GET', 'http://127.0.0.1:1/');
            self::fail('there was an answer');
        } catch (ConnectionFailed $failure) {
            self::assertSame(\CURLE_COULDNT_CONNECT, $failure->getCode());
            self::assertStringNotContainsString('kept-secret', $failure . print_r($failure->getTrace(), true));
        }
        self::assertCount(2, $this->waits, 'a GET is tried again');
    }

    public function testAPostWithoutAnAnswerIsNotSentAgain(): void
    {
        $this->expectException(ConnectionFailed::class);
        try {
            $this->client(new Key('app'))->send('POST', 'http://127.0.0.1:1/');
        } finally {
            self::assertSame([], $this->waits);
        }
    }

    public function testAnotherSchemeIsNotSentTo(): void
    {
        $this->expectExceptionMessage('The URL is not absolute');
        $this->client(new Key('app'))->send('GET', 'file:///etc/passwd');
    }
}
