<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use GuzzleHttp\Client;
use GuzzleHttp\Exception\ConnectException;
use GuzzleHttp\Promise\Promise;
use GuzzleHttp\Promise\Utils;
use GuzzleHttp\Psr7\NoSeekStream;
use GuzzleHttp\Psr7\Request;
use GuzzleHttp\Psr7\Response;
use GuzzleHttp\Psr7\Utils as Streams;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Postern\Client\Guzzle\Middleware;
use Postern\Client\OAuth2;
use Postern\Client\TokenRefused;

/** Tokens: asked for once, kept, renewed in time and after a refusal. */
final class OAuth2Test extends TestCase
{
    private const URL = 'https://api.example.com/stock';
    private const TOKEN_URL = 'https://login.example.com/oauth2/token';

    private int $now = 1_795_228_800;

    private function credential(string $appSecret = 'secret'): OAuth2
    {
        return new OAuth2('app', $appSecret, self::TOKEN_URL, now: fn () => $this->now);
    }

    private static function client(OAuth2 $credential, Gateway $gateway): Client
    {
        return new Client(['handler' => Middleware::stack($credential, $gateway), 'http_errors' => false]);
    }

    public function testAsksWithBothPartsFormEncoded(): void
    {
        $gateway = new Gateway(Gateway::token('t1'), new Response(200));
        $client = self::client($this->credential('a b:ü'), $gateway);
        $client->get(self::URL, ['verify' => 'ca.pem', 'sink' => 'php://temp', 'version' => '2.0']);
        [$question, $call] = $gateway->requests;
        self::assertSame('POST ' . self::TOKEN_URL, $question->getMethod() . ' ' . $question->getUri());
        self::assertSame('Basic ' . base64_encode('app:a+b%3A%C3%BC'), $question->getHeaderLine('Authorization'));
        self::assertSame('grant_type=client_credentials', (string) $question->getBody());
        self::assertSame('application/x-www-form-urlencoded', $question->getHeaderLine('Content-Type'));
        self::assertSame('2.0', $question->getProtocolVersion(), 'both can share a connection');
        self::assertSame('Bearer t1', $call->getHeaderLine('Authorization'));
        self::assertSame('ca.pem', $gateway->options[0]['verify'], 'the same certificates hold');
        self::assertArrayNotHasKey('sink', $gateway->options[0], 'a token does not go where the answer does');
    }

    /** @return array<string, array{int, int, bool}> */
    public static function ages(): array
    {
        return [
            '61 seconds of an hour' => [3600, 3539, false],
            '60 seconds of an hour' => [3600, 3540, false],
            '59 seconds of an hour' => [3600, 3541, true],
            'a tenth of 100 seconds' => [100, 90, false],
            'less than a tenth of 100 seconds' => [100, 91, true],
        ];
    }

    /** @dataProvider ages */
    #[DataProvider('ages')]
    public function testIsRenewedWhenSoMuchIsLeft(int $life, int $age, bool $isRenewed): void
    {
        $answers = [Gateway::token('t1', $life), new Response(200)];
        $gateway = new Gateway(...$answers, ...($isRenewed ? [Gateway::token('t2')] : []), ...[new Response(200)]);
        $client = self::client($this->credential(), $gateway);
        $client->get(self::URL);
        $this->now += $age;
        $client->get(self::URL);
        $headers = $gateway->header('Authorization');
        self::assertSame($isRenewed ? 'Bearer t2' : 'Bearer t1', end($headers));
    }

    public function testConcurrentCallsWaitForOneQuestion(): void
    {
        $token = new Promise(static function () use (&$token): void {
            $token->resolve(Gateway::token('t1'));
        });
        $gateway = new Gateway(static fn () => $token, ...array_map(static fn () => new Response(200), range(1, 5)));
        $client = self::client($this->credential(), $gateway);
        $calls = array_map(static fn () => $client->getAsync(self::URL), range(1, 5));
        self::assertCount(1, $gateway->requests);
        Utils::unwrap($calls);
        self::assertSame(array_fill(0, 5, 'Bearer t1'), array_slice($gateway->header('Authorization'), 1));
    }

    public function testConcurrentRefusalsOfATokenNeedOneNewToken(): void
    {
        $invalid = static fn () => Gateway::refusal(401, 'TOKEN_INVALID');
        $answers = [Gateway::token('t1'), $invalid(), $invalid(), Gateway::token('t2')];
        $gateway = new Gateway(...$answers, ...[new Response(200), new Response(200)]);
        $client = self::client($this->credential(), $gateway);
        $responses = Utils::unwrap([$client->getAsync(self::URL), $client->getAsync(self::URL)]);
        $statuses = array_map(static fn (Response $response) => $response->getStatusCode(), $responses);
        self::assertSame([200, 200], $statuses);
        self::assertCount(6, $gateway->requests);
    }

    public function testATokenThatIsRefusedTwiceIsNotRenewedAThirdTime(): void
    {
        $invalid = static fn () => Gateway::refusal(401, 'TOKEN_INVALID');
        $gateway = new Gateway(Gateway::token('t1'), $invalid(), Gateway::token('t2'), $invalid());
        self::assertSame(401, self::client($this->credential(), $gateway)->get(self::URL)->getStatusCode());
    }

    public function testACallThatCannotBeSentAgainDropsARefusedToken(): void
    {
        $refusal = Gateway::refusal(401, 'TOKEN_INVALID');
        $gateway = new Gateway(Gateway::token('t1'), $refusal, Gateway::token('t2'), new Response(200));
        $client = self::client($this->credential(), $gateway);
        $once = static fn () => new NoSeekStream(Streams::streamFor('x'));
        self::assertSame(401, $client->put(self::URL, ['body' => $once()])->getStatusCode());
        self::assertSame(200, $client->put(self::URL, ['body' => $once()])->getStatusCode());
        self::assertSame('Bearer t2', $gateway->requests[3]->getHeaderLine('Authorization'));
    }

    public function testATokenThatIsRefusedIsNotCountedAsARetry(): void
    {
        $credential = new OAuth2('app', 'secret', self::TOKEN_URL, retries: 0);
        $gateway = new Gateway(
            Gateway::token('t1'),
            Gateway::refusal(401, 'TOKEN_INVALID'),
            Gateway::token('t2'),
            new Response(200),
        );
        self::assertSame(200, self::client($credential, $gateway)->get(self::URL)->getStatusCode());
    }

    /** @return array<string, array{int, string, ?string, string}> */
    public static function noTokens(): array
    {
        return [
            'a refusal' => [401, '{"error":"invalid_client","error_description":"Wrong: secret."}', 'invalid_client',
                'The token URL gave no token (status 401): invalid_client'],
            'an unknown error' => [400, '{"error":"secret"}', null, '(status 400): its answer is no token'],
            'a page' => [502, '<html>', null, 'The token URL gave no token (status 502): its answer is no token'],
            'a redirect' => [302, '', null, 'The token URL gave no token (status 302): its answer is no token'],
            'no text' => [200, '{"access_token":1,"token_type":"bearer"}', null, 'its answer is no token'],
            'a line feed' => [200, '{"access_token":"a\nb","token_type":"bearer"}', null, 'its answer is no token'],
            'another type' => [200, '{"access_token":"a","token_type":"mac"}', null, 'its answer is no token'],
            'no life' => [200, '{"access_token":"a","token_type":"bearer","expires_in":0}', null, 'is no token'],
            'too much' => [200, '{"access_token":"' . str_repeat('a', 65_536) . '"}', null, 'its answer is no token'],
        ];
    }

    /** @dataProvider noTokens */
    #[DataProvider('noTokens')]
    public function testAnAnswerThatIsNoTokenIsAnError(int $status, string $body, ?string $error, string $message): void
    {
        $answer = new Response($status, ['Location' => self::URL], $body);
        $gateway = new Gateway($answer, Gateway::token('t'), new Response(200));
        $client = self::client($this->credential(), $gateway);
        try {
            $client->get(self::URL);
            self::fail('there was no error');
        } catch (TokenRefused $refused) {
            self::assertSame([$status, $error], [$refused->status, $refused->error]);
            self::assertStringContainsString($message, $refused->getMessage());
        }
        self::assertSame(200, $client->get(self::URL)->getStatusCode(), 'the next call asks again');
    }

    public function testAnUnreachableTokenUrlFailsTheCallWithoutCredentialsInTheException(): void
    {
        $sent = new Request('POST', self::TOKEN_URL, ['Authorization' => 'Basic x']);
        $gateway = new Gateway(new ConnectException('no route', $sent), Gateway::token('t'), new Response(200));
        $client = self::client($this->credential(), $gateway);
        try {
            $client->post(self::URL);
            self::fail('there was no error');
        } catch (ConnectException $exception) {
            self::assertSame(self::TOKEN_URL, (string) $exception->getRequest()->getUri());
            self::assertFalse($exception->getRequest()->hasHeader('Authorization'));
        }
        self::assertSame(200, $client->get(self::URL)->getStatusCode(), 'the next call asks again');
    }
}
