<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Postern\Client\Credential;
use Postern\Client\Hmac;
use Postern\Client\Internal\Attempts;
use Postern\Client\Key;
use Postern\Client\OAuth2;
use Postern\Client\Refusal;

/** When a call is made again, and after how long. */
final class AttemptsTest extends TestCase
{
    private const NOW = 1795228800;

    public function testRateLimitedWaitsAsLongAsItIsToldUpToAMinute(): void
    {
        $attempts = new Attempts(new Key('app', retries: 4), 'GET');
        self::assertSame(7.0, $attempts->afterRefusal(self::refusal(429, 'RATE_LIMITED', '7'), '', null));
        self::assertSame(60.0, $attempts->afterRefusal(self::refusal(429, 'RATE_LIMITED', '60'), '', null));
        self::assertSame(1.0, $attempts->afterRefusal(self::refusal(429, 'RATE_LIMITED', '0'), '', null));
        self::assertNull($attempts->afterRefusal(self::refusal(429, 'RATE_LIMITED', '61'), '', null));
        self::assertNull($attempts->afterRefusal(self::refusal(429, 'RATE_LIMITED', null), '', null));
    }

    public function testUnavailableWaitsTwiceAsLongEachTimePlusUpToAFifth(): void
    {
        $attempts = new Attempts(new Key('app', retries: 4), 'GET');
        foreach ([1, 2, 4, 8] as $seconds) {
            $wait = $attempts->afterRefusal(self::refusal(503, 'STORE_UNAVAILABLE', null), '', null);
            self::assertGreaterThanOrEqual($seconds, $wait);
            self::assertLessThanOrEqual($seconds * 1.2, $wait);
        }
        self::assertNull($attempts->afterRefusal(self::refusal(503, 'STORE_UNAVAILABLE', null), '', null));
    }

    /** @return array<string, array{0: int, 1: string, 2: bool, 3?: string}> */
    public static function refusals(): array
    {
        return [
            'a limiter that is down' => [503, 'LIMITER_UNAVAILABLE', true],
            'Envoy without an answer' => [503, 'UNAVAILABLE', true],
            'a code of the API' => [503, 'MAINTENANCE', false],
            'a replay of what may be repeated' => [401, 'REQUEST_REPLAYED', true],
            'a replay of what may not' => [401, 'REQUEST_REPLAYED', false, 'POST'],
            'a wrong signature' => [401, 'AUTHENTICATION_FAILED', false],
            'an error of the gateway' => [500, 'UNAVAILABLE', false],
            'a token, without OAuth2' => [401, 'TOKEN_INVALID', false],
        ];
    }

    /** @dataProvider refusals */
    #[DataProvider('refusals')]
    public function testWhichRefusalsAreTriedAgain(
        int $status,
        string $code,
        bool $isTriedAgain,
        string $by = 'PUT',
    ): void {
        $wait = (new Attempts(new Key('app'), $by))->afterRefusal(self::refusal($status, $code, null), '', null);
        self::assertSame($isTriedAgain, $wait !== null);
    }

    public function testNoMoreOftenThanAskedFor(): void
    {
        foreach ([0, 1, 2] as $retries) {
            $attempts = new Attempts(new Key('app', retries: $retries), 'GET');
            $replayed = self::refusal(401, 'REQUEST_REPLAYED', null);
            for ($count = 0; $attempts->afterRefusal($replayed, '', null) !== null; $count += 1) {
            }
            self::assertSame($retries, $count);
        }
    }

    public function testWithoutAnAnswerOnlyMethodsThatMayBeRepeated(): void
    {
        foreach (['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'] as $method) {
            self::assertNotNull((new Attempts(new Key('app'), $method))->afterNoAnswer(), $method);
        }
        foreach (['POST', 'PATCH', 'get', 'CONNECT'] as $method) {
            self::assertNull((new Attempts(new Key('app'), $method))->afterNoAnswer(), $method);
        }
    }

    public function testTheClockIsCorrectedOnceAndWithinItsBound(): void
    {
        $date = 'Sat, 21 Nov 2026 02:50:00 GMT';
        $expired = self::refusal(401, 'REQUEST_EXPIRED', null);
        $credential = self::clock(600);
        $attempts = new Attempts($credential, 'GET');
        self::assertSame(0.0, $attempts->afterRefusal($expired, $date, null));
        self::assertSame(self::NOW + 600, $credential->clock()->now());
        self::assertNull($attempts->afterRefusal($expired, 'Sat, 21 Nov 2026 02:41:00 GMT', null), 'once for a call');
        $other = new Attempts($credential, 'GET');
        self::assertNull($other->afterRefusal($expired, $date, null), 'it is corrected already');

        foreach (['a larger difference' => 599, 'switched off' => 0] as $name => $bound) {
            $credential = self::clock($bound);
            self::assertNull((new Attempts($credential, 'GET'))->afterRefusal($expired, $date, null), $name);
            self::assertSame(self::NOW, $credential->clock()->now(), $name);
        }
        foreach (['', 'now', 'Sat, 31 Feb 2026 02:50:00 GMT', '2026-11-21T02:50:00Z'] as $text) {
            self::assertNull((new Attempts(self::clock(600), 'GET'))->afterRefusal($expired, $text, null), $text);
        }
    }

    public function testATokenIsDroppedOnceAndOnlyTheOneThatWasSent(): void
    {
        $credential = new OAuth2('app', 'secret', 'https://a.example/token', now: static fn () => self::NOW);
        $credential->acceptToken(200, '{"access_token":"a","token_type":"bearer","expires_in":3600}');
        $sent = $credential->token();
        $credential->acceptToken(200, '{"access_token":"b","token_type":"bearer","expires_in":3600}');
        $invalid = self::refusal(401, 'TOKEN_INVALID', null);
        $attempts = new Attempts($credential, 'GET');
        self::assertSame(0.0, $attempts->afterRefusal($invalid, '', $sent));
        self::assertTrue($credential->hasToken(), 'another call has renewed it');
        self::assertNull($attempts->afterRefusal($invalid, '', $credential->token()), 'once for a call');
        self::assertSame(0.0, (new Attempts($credential, 'GET'))->afterRefusal($invalid, '', $credential->token()));
        self::assertFalse($credential->hasToken());
    }

    private static function clock(int $bound): Credential
    {
        return new Hmac('app', 'secret', clockCorrection: $bound, now: static fn () => self::NOW);
    }

    private static function refusal(int $status, string $code, ?string $retryAfter): Refusal
    {
        $headers = [['Content-Type', 'application/json']];
        if ($retryAfter !== null) {
            $headers[] = ['Retry-After', $retryAfter];
        }
        $refusal = Refusal::fromParts($status, $headers, "{\"code\":\"$code\",\"message\":\"m\",\"requestId\":\"r\"}");
        self::assertNotNull($refusal);
        return $refusal;
    }
}
