<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use GuzzleHttp\Psr7\NoSeekStream;
use GuzzleHttp\Psr7\Response;
use GuzzleHttp\Psr7\Utils;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Postern\Client\Refusal;
use Postern\Client\Refused;

/** What is read from the gateway's answers. */
final class RefusalTest extends TestCase
{
    private const BODY = '{"code":"RATE_LIMITED","message":"Too many requests.","requestId":"1f0c",'
        . '"stringToSign":"date: x"}';

    public function testReadsARefusalAndLeavesTheBodyAsItWas(): void
    {
        $response = new Response(429, ['Content-Type' => 'application/json', 'Retry-After' => '12'], self::BODY);
        $response->getBody()->read(5);
        $refusal = Refusal::fromResponse($response);
        self::assertNotNull($refusal);
        self::assertSame([
            'status' => 429,
            'code' => 'RATE_LIMITED',
            'message' => 'Too many requests.',
            'requestId' => '1f0c',
            'retryAfter' => 12,
            'stringToSign' => 'date: x',
            'acceptedBefore' => false,
        ], get_object_vars($refusal));
        self::assertSame(substr(self::BODY, 5), $response->getBody()->getContents());
    }

    /** @return array<string, array{int, array<string, string|list<string>>, string}> */
    public static function others(): array
    {
        $json = ['Content-Type' => 'application/json'];
        return [
            'a success' => [200, $json, self::BODY],
            'another media type' => [429, ['Content-Type' => 'application/problem+json'], self::BODY],
            'a longer media type' => [429, ['Content-Type' => 'application/jsonl'], self::BODY],
            'no media type' => [429, [], self::BODY],
            'two media types' => [429, ['Content-Type' => ['application/json', 'application/json']], self::BODY],
            'a code that is no text' => [429, $json, '{"code":1,"message":"m","requestId":"r"}'],
            'no request id' => [429, $json, '{"code":"A","message":"m"}'],
            'a list' => [429, $json, '["code"]'],
            'no JSON' => [429, $json, 'code'],
            'more than 65 536 bytes' => [429, $json, self::BODY . str_repeat(' ', 65_536)],
        ];
    }

    /**
     * @dataProvider others
     * @param array<string, string|list<string>> $headers
     */
    #[DataProvider('others')]
    public function testAnswersThatAreNoRefusals(int $status, array $headers, string $body): void
    {
        $response = new Response($status, $headers, $body);
        self::assertNull(Refusal::fromResponse($response));
        self::assertSame($response, Refusal::orThrow($response));
        self::assertSame($body, $response->getBody()->getContents());
    }

    public function testABodyThatCanBeReadOnceIsLeftAlone(): void
    {
        $stream = new NoSeekStream(Utils::streamFor(self::BODY));
        self::assertNull(Refusal::fromResponse(new Response(429, ['Content-Type' => 'application/json'], $stream)));
        self::assertSame(self::BODY, $stream->getContents());
    }

    public function testThrowsForAnswersOfCurlClientToo(): void
    {
        $answer = fn (int $status): \Postern\Client\Response => new \Postern\Client\Response(
            $status,
            '1.1',
            [['Content-Type', 'application/json']],
            self::BODY,
        );
        $allowed = $answer(200);
        self::assertSame($allowed, Refusal::orThrow($allowed));
        $this->expectExceptionMessage('429 RATE_LIMITED: Too many requests. (request 1f0c)');
        Refusal::orThrow($answer(429));
    }

    public function testThrowsWithAllThatTheGatewaySays(): void
    {
        try {
            Refusal::orThrow(new Response(429, ['Content-Type' => 'application/json; charset=utf-8'], self::BODY));
            self::fail('it was not thrown');
        } catch (Refused $refused) {
            self::assertSame('429 RATE_LIMITED: Too many requests. (request 1f0c)', $refused->getMessage());
            self::assertSame('1f0c', $refused->refusal->requestId);
            self::assertSame(429, $refused->getCode());
        }
    }

    public function testRetryAfterMayBeADate(): void
    {
        $secondsOf = static fn (string $text): ?int => Refusal::fromParts(
            503,
            [['Content-Type', 'application/json'], ['Retry-After', $text]],
            self::BODY,
        )?->retryAfter;
        self::assertEqualsWithDelta(30, $secondsOf(gmdate('D, d M Y H:i:s', time() + 30) . ' GMT'), 1);
        self::assertSame(0, $secondsOf('Sat, 21 Nov 2020 02:40:00 GMT'));
        foreach (['', 'soon', '-1', '1.5'] as $text) {
            self::assertNull($secondsOf($text), $text);
        }
    }
}
