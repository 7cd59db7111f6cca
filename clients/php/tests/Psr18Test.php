<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use GuzzleHttp\Exception\ConnectException;
use GuzzleHttp\Exception\RequestException;
use GuzzleHttp\Psr7\HttpFactory;
use GuzzleHttp\Psr7\NoSeekStream;
use GuzzleHttp\Psr7\Request;
use GuzzleHttp\Psr7\Response;
use GuzzleHttp\Psr7\Utils;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Postern\Client\Credential;
use Postern\Client\Hmac;
use Postern\Client\Key;
use Postern\Client\OAuth2;
use Postern\Client\ParameterSignature;
use Postern\Client\Problem;
use Postern\Client\Psr18Client;
use Postern\Client\TokenRefused;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\NetworkExceptionInterface;
use Psr\Http\Client\RequestExceptionInterface;

/** The PSR-18 decorator. */
final class Psr18Test extends TestCase
{
    private const URL = 'https://api.example.com/invoices';

    /** @var list<float> */
    private array $waits = [];

    private function client(Credential $credential, Gateway $gateway): Psr18Client
    {
        return new Psr18Client($gateway, $credential, new HttpFactory(), function (float $seconds): void {
            $this->waits[] = $seconds;
        });
    }

    public function testSignsABodyThatCanBeReadOnceAndTriesAgainWithIt(): void
    {
        $now = 1795228800;
        $credential = new Hmac('app', 'secret', now: static function () use (&$now) {
            return $now++;
        });
        $limited = Gateway::refusal(429, 'RATE_LIMITED', ['Retry-After' => '5']);
        $gateway = new Gateway($limited, new Response(200));
        $request = new Request('POST', self::URL . '#part', [], new NoSeekStream(Utils::streamFor('{}')));
        self::assertSame(200, $this->client($credential, $gateway)->sendRequest($request)->getStatusCode());
        self::assertSame([5.0], $this->waits);
        self::assertCount(2, array_unique($gateway->header('Authorization')));
        foreach ($gateway->requests as $sent) {
            self::assertSame([self::URL, '{}', '2'], [
                (string) $sent->getUri(),
                (string) $sent->getBody(),
                $sent->getHeaderLine('Content-Length'),
            ]);
        }
    }

    public function testWithKeyAStreamIsSentOnce(): void
    {
        $request = new Request('PUT', self::URL, [], new NoSeekStream(Utils::streamFor('x')));
        $gateway = new Gateway(Gateway::refusal(503, 'UNAVAILABLE'));
        self::assertSame(503, $this->client(new Key('app'), $gateway)->sendRequest($request)->getStatusCode());
    }

    public function testAProblemIsAnExceptionOfPsr18WithTheCallersRequest(): void
    {
        $request = new Request('GET', self::URL . '?sign=1');
        try {
            $this->client(new ParameterSignature('app', 'secret'), new Gateway())->sendRequest($request);
            self::fail('it was sent');
        } catch (Problem $problem) {
            self::assertInstanceOf(RequestExceptionInterface::class, $problem);
            self::assertSame('RESERVED_PARAMETER', $problem->problemCode->value);
            self::assertSame($request, $problem->getRequest());
        }
    }

    public function testARequestWithATargetOfItsOwnIsNotSent(): void
    {
        $request = (new Request('OPTIONS', self::URL))->withRequestTarget('*');
        try {
            $this->client(new Hmac('app', 'secret'), new Gateway())->sendRequest($request);
            self::fail('it was sent');
        } catch (Problem $problem) {
            self::assertSame('TARGET_NOT_SIGNABLE', $problem->problemCode->value);
        }
    }

    public function testAConnectionThatFailedIsTriedAgainForAGet(): void
    {
        $failure = static fn () => new ConnectException('failed', new Request('GET', self::URL));
        $gateway = new Gateway($failure(), $failure(), new Response(200));
        $response = $this->client(new Key('app'), $gateway)->sendRequest(new Request('GET', self::URL));
        self::assertSame(200, $response->getStatusCode());
        self::assertCount(2, $this->waits);
        self::assertGreaterThanOrEqual(1, $this->waits[0]);
        self::assertGreaterThanOrEqual(2, $this->waits[1]);
    }

    /** @return array<string, array{\Closure(Request): \Throwable, class-string}> */
    public static function failures(): array
    {
        $text = 'failed for https://api.example.com/?key=kept-secret';
        return [
            'connection' => [static fn ($sent) => new ConnectException($text, $sent), NetworkExceptionInterface::class],
            'request' => [static fn ($sent) => new RequestException($text, $sent), RequestExceptionInterface::class],
        ];
    }

    /**
     * @dataProvider failures
     * @param \Closure(Request): \Throwable $failure
     * @param class-string $kind
     */
    #[DataProvider('failures')]
    public function testExceptionsHoldTheCallersRequestAndNoSecret(\Closure $failure, string $kind): void
    {
        $signed = new Request('POST', self::URL . '?key=kept-secret');
        $request = new Request('POST', self::URL);
        $gateway = new Gateway($failure($signed));
        try {
            $this->client(new Key('kept-secret', query: 'key'), $gateway)->sendRequest($request);
            self::fail('it did not fail');
        } catch (ClientExceptionInterface $exception) {
            self::assertInstanceOf($kind, $exception);
            self::assertSame($request, $exception->getRequest());
            self::assertSame('failed for https://api.example.com/?key=[secret]', $exception->getMessage());
            self::assertStringNotContainsString('kept-secret', $exception . print_r($exception->getTrace(), true));
            self::assertNull($exception->getPrevious());
        }
    }

    public function testGetsATokenAndANewOneWhenItIsRefused(): void
    {
        $gateway = new Gateway(
            Gateway::token('t1'),
            Gateway::refusal(401, 'TOKEN_INVALID'),
            Gateway::token('t2'),
            new Response(200),
        );
        $client = $this->client(new OAuth2('app', 'secret', 'https://a.example/token'), $gateway);
        $request = new Request('GET', self::URL, [], null, '2.0');
        self::assertSame(200, $client->sendRequest($request)->getStatusCode());
        self::assertSame('2.0', $gateway->requests[0]->getProtocolVersion(), 'both can share a connection');
        $basic = 'Basic ' . base64_encode('app:secret');
        self::assertSame([$basic, 'Bearer t1', $basic, 'Bearer t2'], $gateway->header('Authorization'));
        self::assertSame([0.0], $this->waits);
    }

    public function testACallThatCannotBeSentAgainDropsARefusedToken(): void
    {
        $refusal = Gateway::refusal(401, 'TOKEN_INVALID');
        $gateway = new Gateway(Gateway::token('t1'), $refusal, Gateway::token('t2'), new Response(200));
        $client = $this->client(new OAuth2('app', 'secret', 'https://a.example/token'), $gateway);
        $once = static fn () => new Request('PUT', self::URL, [], new NoSeekStream(Utils::streamFor('x')));
        self::assertSame(401, $client->sendRequest($once())->getStatusCode());
        self::assertSame(200, $client->sendRequest($once())->getStatusCode());
        self::assertSame('Bearer t2', $gateway->requests[3]->getHeaderLine('Authorization'));
    }

    public function testNoTokenIsAnExceptionOfPsr18(): void
    {
        $gateway = new Gateway(new Response(400, [], '{"error":"invalid_client"}'));
        $this->expectException(TokenRefused::class);
        $this->expectExceptionMessage('(status 400): invalid_client');
        try {
            $client = $this->client(new OAuth2('app', 'secret', 'https://a.example/token'), $gateway);
            $client->sendRequest(new Request('GET', self::URL));
        } catch (ClientExceptionInterface $exception) {
            throw $exception;
        }
    }
}
