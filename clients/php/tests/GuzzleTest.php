<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use GuzzleHttp\Client;
use GuzzleHttp\Exception\ConnectException;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Psr7\NoSeekStream;
use GuzzleHttp\Psr7\PumpStream;
use GuzzleHttp\Psr7\Request;
use GuzzleHttp\Psr7\Response;
use GuzzleHttp\Psr7\Utils;
use PHPUnit\Framework\TestCase;
use Postern\Client\Credential;
use Postern\Client\Guzzle\Middleware;
use Postern\Client\Hmac;
use Postern\Client\Key;
use Postern\Client\ParameterSignature;
use Postern\Client\Problem;

/** The Guzzle middleware: what it signs, and when it sends again. */
final class GuzzleTest extends TestCase
{
    private const URL = 'https://api.example.com/invoices';

    /** @param array<string, mixed> $options */
    private static function client(Credential $credential, Gateway $gateway, array $options = []): Client
    {
        return new Client($options + ['handler' => Middleware::stack($credential, $gateway), 'http_errors' => false]);
    }

    public function testSignsTheBytesThatGuzzleHasWritten(): void
    {
        $gateway = new Gateway(new Response(200));
        self::client(new Hmac('app', 'secret'), $gateway)->post(self::URL, ['json' => ['a' => 'Zoë/1']]);
        [$sent] = $gateway->requests;
        $body = (string) $sent->getBody();
        self::assertSame('{"a":"Zo\u00eb\/1"}', $body);
        self::assertSame('SHA-256=' . base64_encode(hash('sha256', $body, true)), $sent->getHeaderLine('Digest'));
        self::assertStringContainsString('headers="date request-line digest"', $sent->getHeaderLine('Authorization'));
        self::assertSame((string) strlen($body), $sent->getHeaderLine('Content-Length'));
    }

    public function testAFormGrowsAndItsLengthWithIt(): void
    {
        $gateway = new Gateway(new Response(200));
        $credential = new ParameterSignature('app', 'secret', now: static fn () => 1795228800);
        self::client($credential, $gateway)->post(self::URL, ['form_params' => ['to' => 'Köln 1']]);
        [$sent] = $gateway->requests;
        $body = (string) $sent->getBody();
        self::assertStringStartsWith('to=K%C3%B6ln+1&appKey=app&apiTimestamp=1795228800&sign=', $body);
        self::assertSame([(string) strlen($body)], $sent->getHeader('Content-Length'));
    }

    public function testAQueryIsAddedToTheUriAndAFragmentDropped(): void
    {
        $gateway = new Gateway(new Response(200), new Response(200));
        self::client(new Key('app', query: 'key'), $gateway)->get(self::URL . '?a=%c3%b6+1#part');
        self::client(new Key('app', query: 'key'), $gateway)->get('https://api.example.com');
        self::assertSame(self::URL . '?a=%c3%b6+1&key=app', (string) $gateway->requests[0]->getUri());
        self::assertSame('/?key=app', $gateway->requests[1]->getRequestTarget());
    }

    public function testABodyThatCanBeReadOnceIsSignedAndSentAgainFromMemory(): void
    {
        $gateway = new Gateway(Gateway::refusal(503, 'UNAVAILABLE'), new Response(200));
        $parts = ['{"a"', ':1}'];
        $stream = new PumpStream(static function () use (&$parts): string|false {
            return array_shift($parts) ?? false;
        });
        $response = self::client(new Hmac('app', 'secret'), $gateway)->put(self::URL, ['body' => $stream]);
        self::assertSame(200, $response->getStatusCode());
        foreach ($gateway->requests as $sent) {
            self::assertSame('{"a":1}', (string) $sent->getBody());
            self::assertSame('7', $sent->getHeaderLine('Content-Length'));
            self::assertFalse($sent->hasHeader('Transfer-Encoding'));
        }
        self::assertCount(2, $gateway->requests);
    }

    public function testABodyThatIsTooLargeIsNotReadToItsEnd(): void
    {
        $read = 0;
        $endless = new PumpStream(static function (int $length) use (&$read): string {
            $read += $length;
            return str_repeat('x', $length);
        });
        $gateway = new Gateway();
        $this->assertProblem('BODY_TOO_LARGE', new Hmac('app', 'secret'), $gateway, ['body' => $endless]);
        self::assertLessThan(10_485_760 + 200_000, $read);
        self::assertSame([], $gateway->requests);

        $read = 0;
        $options = ['body' => $endless, 'headers' => ['Content-Type' => 'application/json']];
        $this->assertProblem('BODY_TOO_LARGE', new ParameterSignature('app', 'secret'), $gateway, $options);
        self::assertLessThan(2_097_152 + 200_000, $read);
    }

    /** @param array<string, mixed> $options */
    private function assertProblem(string $code, Credential $credential, Gateway $gateway, array $options): void
    {
        try {
            self::client($credential, $gateway)->post(self::URL, $options);
            self::fail('it was sent');
        } catch (Problem $problem) {
            self::assertSame($code, $problem->problemCode->value);
        }
    }

    public function testWithKeyAStreamPassesThroughAndIsNotSentTwice(): void
    {
        $stream = new NoSeekStream(Utils::streamFor('once'));
        $gateway = new Gateway(Gateway::refusal(503, 'UNAVAILABLE'));
        $response = self::client(new Key('app'), $gateway)->put(self::URL, ['body' => $stream]);
        self::assertSame([503, 'once'], [$response->getStatusCode(), (string) $gateway->requests[0]->getBody()]);
    }

    public function testWithKeyABodyThatCanBeRewoundIsSentAgain(): void
    {
        $gateway = new Gateway(Gateway::refusal(503, 'UNAVAILABLE'), new Response(200));
        self::client(new Key('app'), $gateway)->put(self::URL, ['body' => Utils::streamFor('twice')]);
        $bodies = array_map(static fn (Request $sent) => (string) $sent->getBody(), $gateway->requests);
        self::assertSame(['twice', 'twice'], $bodies);
    }

    public function testEveryAttemptIsSignedForItsOwnTimeAndWaitsByTheHandler(): void
    {
        $credential = new Hmac('app', 'secret', now: static fn () => 1795228800);
        $limited = Gateway::refusal(429, 'RATE_LIMITED', ['Retry-After' => '3']);
        $gateway = new Gateway($limited, Gateway::refusal(401, 'REQUEST_REPLAYED'), new Response(200));
        $response = self::client($credential, $gateway)->get(self::URL);
        self::assertSame(200, $response->getStatusCode());
        self::assertCount(3, array_unique($gateway->header('Authorization')));
        $times = array_map(strtotime(...), $gateway->header('Date'));
        self::assertSame([1795228800, 1795228803, 1795228801], $times, 'the time at which it is sent');
        $delays = array_map(static fn (array $options) => $options['delay'] ?? null, $gateway->options);
        self::assertSame([null, 3000.0, 1000.0], $delays);
    }

    public function testTheLastRefusalIsTheAnswerAndCanBeRead(): void
    {
        $refusals = array_map(static fn () => Gateway::refusal(401, 'REQUEST_REPLAYED'), range(1, 3));
        $response = self::client(new Hmac('app', 'secret'), new Gateway(...$refusals))->get(self::URL);
        self::assertSame(401, $response->getStatusCode());
        self::assertStringContainsString('REQUEST_REPLAYED', $response->getBody()->getContents());
    }

    public function testARefusalThatIsStreamedIsReadAndStaysReadable(): void
    {
        $refusal = static function (): Response {
            $response = Gateway::refusal(401, 'REQUEST_REPLAYED');
            return $response->withBody(new NoSeekStream($response->getBody()));
        };
        $gateway = new Gateway($refusal(), $refusal());
        $response = self::client(new Hmac('app', 'secret', retries: 1), $gateway)->get(self::URL, ['stream' => true]);
        self::assertStringContainsString('REQUEST_REPLAYED', $response->getBody()->getContents());
        self::assertCount(2, $gateway->requests);
    }

    public function testARefusalDoesNotStayInTheSink(): void
    {
        $sink = Utils::tryFopen('php://temp', 'w+');
        fwrite($sink, 'before ');
        $writing = static fn (Response $response) => static function (array $options) use ($response): Response {
            fwrite($options['sink'], (string) $response->getBody());
            return $response;
        };
        $refusal = Gateway::refusal(503, 'UNAVAILABLE');
        $gateway = new Gateway($writing($refusal), $writing(new Response(200, [], 'after')));
        self::client(new Key('app'), $gateway)->get(self::URL, ['sink' => $sink]);
        rewind($sink);
        self::assertSame('before after', stream_get_contents($sink));
    }

    public function testNothingIsSentAgainIntoASinkThatCannotBeEmptied(): void
    {
        $gateway = new Gateway(Gateway::refusal(503, 'UNAVAILABLE'));
        $response = self::client(new Key('app'), $gateway)->get(self::URL, ['sink' => Utils::streamFor('')]);
        self::assertSame(503, $response->getStatusCode());
    }

    public function testWithoutAnAnswerAGetIsSentAgainAndAPostIsNot(): void
    {
        $failure = static fn () => new ConnectException('cURL error 7', new Request('GET', self::URL));
        $gateway = new Gateway($failure(), new Response(200));
        self::assertSame(200, self::client(new Key('app'), $gateway)->get(self::URL)->getStatusCode());
        $this->expectException(ConnectException::class);
        self::client(new Key('app'), new Gateway($failure()))->post(self::URL);
    }

    public function testExceptionsHoldTheCallersRequestAndNoSecret(): void
    {
        $signed = new Request('POST', self::URL . '?key=kept-secret', ['X-App-Key' => 'kept-secret']);
        $context = ['url' => self::URL . '?key=kept-secret', 'errno' => 7];
        $failure = new ConnectException("failed for {$signed->getUri()}", $signed, null, $context);
        try {
            self::client(new Key('kept-secret', query: 'key'), new Gateway($failure))->post(self::URL);
            self::fail('it did not fail');
        } catch (ConnectException $exception) {
            self::assertSame(self::URL, (string) $exception->getRequest()->getUri());
            self::assertSame('failed for ' . self::URL . '?key=[secret]', $exception->getMessage());
            $shown = $exception . print_r([$exception->getTrace(), $exception->getHandlerContext()], true);
            self::assertStringNotContainsString('X-App-Key', $shown);
            self::assertStringContainsString('[secret]', $exception->getHandlerContext()['url']);
        }
    }

    public function testTheHostThatIsSentIsTheOneThatIsSigned(): void
    {
        $now = static fn () => 1795228800;
        $gateway = new Gateway(new Response(200), new Response(200));
        $client = self::client(new Hmac('app', 'secret', signedHeaders: ['host'], now: $now), $gateway);
        $client->get('https://127.0.0.1:8443/a', ['headers' => ['Host' => 'api.example.com']]);
        $client->get('https://api.example.com/a');
        self::assertSame(['api.example.com', 'api.example.com'], $gateway->header('Host'));
        self::assertCount(1, array_unique($gateway->header('Authorization')));
    }

    public function testExceptionsOfAHandlerHoldNoSignedRequestInTheirTraces(): void
    {
        $before = ini_set('zend.exception_ignore_args', '0');
        try {
            $client = self::client(new Key('kept-secret'), new Gateway(static fn () => throw new \TypeError('broken')));
            $client->get(self::URL);
            self::fail('it did not fail');
        } catch (\TypeError $error) {
            self::assertStringNotContainsString('kept-secret', print_r($error->getTrace(), true));
        } finally {
            ini_set('zend.exception_ignore_args', (string) $before);
        }
    }

    public function testTwoMiddlewaresOfOneStackDoNotShareState(): void
    {
        $stack = HandlerStack::create($gateway = new Gateway(new Response(200), new Response(200)));
        $stack->push(Middleware::for(new Key('one')));
        (new Client(['handler' => $stack]))->get(self::URL);
        $other = new HandlerStack($gateway);
        $other->push(Middleware::for(new Key('two')));
        (new Client(['handler' => $other]))->get(self::URL);
        self::assertSame(['one', 'two'], $gateway->header('X-App-Key'));
    }
}
