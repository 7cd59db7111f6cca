<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use GuzzleHttp\Client;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Middleware as GuzzleMiddleware;
use GuzzleHttp\Psr7\Response;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Postern\Client\Credential;
use Postern\Client\Guzzle\Middleware;
use Postern\Client\Hmac;
use Postern\Client\Key;

/** A redirect to another host never carries credentials, wherever the middleware stands in the stack. */
final class GuzzleRedirectsTest extends TestCase
{
    private const URL = 'https://api.example.com/invoices';

    private static function to(string $location, int $status = 307): Response
    {
        return new Response($status, ['Location' => $location]);
    }

    private static function send(Credential $credential, Gateway $gateway, string $method = 'GET'): void
    {
        $client = new Client(['handler' => Middleware::stack($credential, $gateway), 'http_errors' => false]);
        $client->request($method, self::URL);
    }

    /** @return array<string, array{string}> */
    public static function otherOrigins(): array
    {
        return [
            'host' => ['https://other.example/invoices'],
            'subdomain' => ['https://a.api.example.com/invoices'],
            'port' => ['https://api.example.com:8443/invoices'],
            'scheme' => ['http://api.example.com/invoices'],
            'no scheme' => ['//other.example/invoices'],
            'user info that looks like the host' => ['https://api.example.com@other.example/invoices'],
        ];
    }

    /** @dataProvider otherOrigins */
    #[DataProvider('otherOrigins')]
    public function testAnotherOriginGetsNoCredentials(string $location): void
    {
        foreach ([new Key('kept'), new Key('kept', query: 'key'), new Hmac('kept', 'secret')] as $credential) {
            $gateway = new Gateway(self::to($location), new Response(200));
            self::send($credential, $gateway, 'POST');
            self::assertCount(2, $gateway->requests);
            $this->assertWithoutCredentials($gateway, 1);
        }
    }

    private function assertWithoutCredentials(Gateway $gateway, int $index): void
    {
        $sent = $gateway->requests[$index];
        foreach (['Authorization', 'X-App-Key', 'Date', 'Digest'] as $name) {
            self::assertFalse($sent->hasHeader($name), $name);
        }
        self::assertStringNotContainsString('kept', $sent->getUri() . $sent->getBody());
    }

    public function testAnotherPathOfTheSameOriginIsSignedForItself(): void
    {
        foreach (['/invoices/7', 'invoices/7', self::URL . '/7', '?page=2'] as $location) {
            $gateway = new Gateway(self::to($location), new Response(200));
            self::send(new Hmac('app', 'secret', now: static fn () => 1795228800), $gateway);
            [$first, $second] = $gateway->header('Authorization');
            self::assertStringStartsWith('hmac appkey="app"', $second, $location);
            self::assertNotSame($first, $second, $location);
        }
    }

    public function testTheWayBackFromAnotherOriginIsNotSigned(): void
    {
        $gateway = new Gateway(self::to('https://other.example/'), self::to(self::URL), new Response(200));
        self::send(new Key('kept'), $gateway);
        self::assertSame(['kept', '', ''], $gateway->header('X-App-Key'));
    }

    public function testARedirectThatWasNotFollowedSignsNothingLater(): void
    {
        $credential = new Key('kept');
        $answers = [self::to('/a'), self::to('https://other.example/'), self::to('https://api.example.com/a')];
        $gateway = new Gateway(...$answers, ...[new Response(200)]);
        $client = new Client(['handler' => Middleware::stack($credential, $gateway), 'http_errors' => false]);
        $client->get(self::URL, ['allow_redirects' => false]);
        $client->get('https://api.example.com/b');
        self::assertSame(['kept', 'kept', '', ''], $gateway->header('X-App-Key'));
    }

    public function testOutsideOfTheRedirectMiddlewareNothingIsFollowed(): void
    {
        $gateway = new Gateway(self::to('https://other.example/'), new Response(200));
        $stack = HandlerStack::create($gateway);
        $stack->unshift(Middleware::for(new Key('kept')));
        $response = (new Client(['handler' => $stack]))->get(self::URL);
        self::assertSame([307, ['kept']], [$response->getStatusCode(), $gateway->header('X-App-Key')]);
    }

    public function testWhatTheProgramLogsHoldsNoCredentials(): void
    {
        $history = [];
        $gateway = new Gateway(new Response(200));
        $stack = HandlerStack::create($gateway);
        $stack->push(GuzzleMiddleware::history($history));
        $stack->push(Middleware::for(new Key('kept')));
        (new Client(['handler' => $stack]))->get(self::URL);
        self::assertFalse($history[0]['request']->hasHeader('X-App-Key'));
        self::assertSame(['kept'], $gateway->header('X-App-Key'));
    }
}
