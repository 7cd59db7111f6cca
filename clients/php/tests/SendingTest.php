<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use GuzzleHttp\Client;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Psr7\HttpFactory;
use GuzzleHttp\Psr7\Request;
use GuzzleHttp\Psr7\Response;
use PHPUnit\Framework\TestCase;
use Postern\Client\Guzzle\Middleware;
use Postern\Client\Hmac;
use Postern\Client\Problem;
use Postern\Client\Psr18Client;

/** What the libraries are told, so that a signed request goes out once and as it is. */
final class SendingTest extends TestCase
{
    private const URL = 'http://api.example.com/a/../b';
    private const ASKED = [
        'curl' => [\CURLOPT_FOLLOWLOCATION => true, \CURLOPT_TIMEOUT => 7],
        'proxy' => 'http://proxy:3128',
        'stream_context' => ['http' => ['follow_location' => 1]],
    ];

    /** @param array<string, mixed> $options */
    private function assertTold(array $options, bool $isNewConnection): void
    {
        self::assertSame([
            \CURLOPT_PATH_AS_IS => true,
            \CURLOPT_FOLLOWLOCATION => false,
            \CURLOPT_FRESH_CONNECT => $isNewConnection,
            \CURLOPT_TIMEOUT => 7,
        ], $options['curl']);
        self::assertSame(['follow_location' => 0, 'request_fulluri' => true], $options['stream_context']['http']);
        self::assertFalse($options['allow_redirects']);
    }

    public function testGuzzleIsTold(): void
    {
        foreach (['GET' => false, 'PUT' => false, 'POST' => true, 'PATCH' => true] as $method => $isNew) {
            $gateway = new Gateway(new Response(200));
            $client = new Client(['handler' => Middleware::stack(new Hmac('app', 'secret'), $gateway)]);
            $client->request($method, self::URL, self::ASKED);
            $this->assertTold($gateway->options[0], $isNew);
        }
    }

    public function testGuzzleByPsr18IsTold(): void
    {
        $gateway = new Gateway(new Response(302, ['Location' => '/c']));
        $inner = new Client(['handler' => HandlerStack::create($gateway)] + self::ASKED);
        $client = new Psr18Client($inner, new Hmac('app', 'secret'), new HttpFactory());
        self::assertSame(302, $client->sendRequest(new Request('POST', self::URL))->getStatusCode());
        $this->assertTold($gateway->options[0], true);
    }

    public function testAnotherClientOfPsr18KeepsNoConnectionAndGetsNoDotSegments(): void
    {
        $gateway = new Gateway(new Response(200));
        $client = new Psr18Client($gateway, new Hmac('app', 'secret'), new HttpFactory());
        $client->sendRequest(new Request('GET', 'http://api.example.com/a..b/.c?/../'));
        self::assertSame(['close'], $gateway->header('Connection'));
        foreach (['/a/../b', '/..', '/.', '/a/%2E%2e', '/%2e/b'] as $path) {
            try {
                $client->sendRequest(new Request('GET', "http://api.example.com$path"));
                self::fail("$path was sent");
            } catch (Problem $problem) {
                self::assertSame('TARGET_NOT_SIGNABLE', $problem->problemCode->value);
            }
        }
    }
}
